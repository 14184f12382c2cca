//! The texts that an expression can be, where all of them are literals of the code.

use crate::pysyntax::ast::{
    Expr, ExprCall, FStringPart, InterpolatedStringElement, Number, Operator,
};

use super::scope::{Imported, ScopeId, ScopeKind, Scopes, dotted};

/// How many names are followed to a literal.
const MAX_STEPS: usize = 4;

/// How often a literal may be repeated by `*`.
const MAX_REPEATED: usize = 100;

/// What a look at one expression costs of a [`TextBudget`], beside the text that is found there.
const STEP: usize = 16;

/// How much may still be looked at as texts, in bytes. Names that are bound often to names that are
/// bound often could otherwise be followed for as good as ever.
#[derive(Debug)]
pub(super) struct TextBudget(pub(super) usize);

impl TextBudget {
    pub(super) fn spend(&mut self, bytes: usize) -> Result<(), Unknown> {
        match self.0.checked_sub(STEP + bytes) {
            Some(left) => {
                self.0 = left;
                Ok(())
            }
            None => Err(Unknown::TooMuch),
        }
    }
}

/// Why the texts that an expression can be are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unknown {
    /// It is no literal, or may be something else.
    NotLiteral,
    /// The budget is spent.
    TooMuch,
}

/// What the texts are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Names of attributes: each must stand in the code as it is.
    Name,
    /// Templates, which may be put together from literals.
    Template,
}

/// The texts that an expression can be: a string, a name that is only ever bound to such or that
/// loops over such, an item of a dict or list of such that nothing changes, a constant of a class.
pub(super) fn texts(
    expr: &Expr,
    scopes: &Scopes<'_>,
    scope: ScopeId,
    purpose: Purpose,
    budget: &mut TextBudget,
) -> Result<Vec<String>, Unknown> {
    let mut search = Search {
        scopes,
        budget,
        purpose,
    };
    search.texts(expr, scope, MAX_STEPS)
}

struct Search<'s, 'a> {
    scopes: &'s Scopes<'a>,
    budget: &'s mut TextBudget,
    purpose: Purpose,
}

/// How a name comes by a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    Value,
    /// A loop over it.
    Loop,
    /// The item of that number of what a loop over it gives.
    LoopItem(usize),
}

/// An expression, the scope it is evaluated in, and how many more names may be followed from it.
type Place<'e> = (&'e Expr, ScopeId, usize);

impl<'a> Search<'_, 'a> {
    fn texts(&mut self, expr: &Expr, scope: ScopeId, steps: usize) -> Result<Vec<String>, Unknown> {
        self.budget.spend(0)?;
        match expr {
            Expr::StringLiteral(literal) => {
                let text = literal.value.to_str();
                self.budget.spend(text.len())?;
                Ok(vec![text.to_owned()])
            }
            Expr::If(choice) => {
                let mut found = self.texts(&choice.body, scope, steps)?;
                found.extend(self.texts(&choice.orelse, scope, steps)?);
                Ok(found)
            }
            Expr::Name(name) => {
                let mut found = Vec::new();
                for (value, (scope, steps), from) in self.values(name.id.as_str(), scope, steps)? {
                    if from == From::Value {
                        found.extend(self.texts(value, scope, steps)?);
                        continue;
                    }
                    for (item, scope, steps) in self.items_of_loop(value, scope, steps, from)? {
                        found.extend(self.texts(item, scope, steps)?);
                    }
                }
                Ok(found)
            }
            Expr::Subscript(subscript) => {
                let items = self.items(&subscript.value, scope, steps)?;
                self.all(&items)
            }
            Expr::Attribute(attribute) => {
                let mut found = Vec::new();
                for value in
                    self.class_constant(&attribute.value, attribute.attr.as_str(), scope)?
                {
                    let Expr::StringLiteral(literal) = value else {
                        return Err(Unknown::NotLiteral);
                    };
                    self.budget.spend(literal.value.len())?;
                    found.push(literal.value.to_str().to_owned());
                }
                Ok(found)
            }
            Expr::BinOp(operation) if self.purpose == Purpose::Template => match operation.op {
                Operator::Add => {
                    let left = self.texts(&operation.left, scope, steps)?;
                    let right = self.texts(&operation.right, scope, steps)?;
                    self.joined(&left, &right)
                }
                Operator::Mult => {
                    let count = small_number(&operation.right).ok_or(Unknown::NotLiteral)?;
                    let found = self.texts(&operation.left, scope, steps)?;
                    let length: usize = found.iter().map(String::len).sum();
                    self.budget.spend(length * count)?;
                    Ok(found.iter().map(|text| text.repeat(count)).collect())
                }
                _ => Err(Unknown::NotLiteral),
            },
            Expr::FString(text) if self.purpose == Purpose::Template => {
                let mut found = vec![String::new()];
                for element in text.value.elements() {
                    let part = match element {
                        InterpolatedStringElement::Literal(literal) => {
                            vec![literal.value.to_string()]
                        }
                        InterpolatedStringElement::Interpolation(inner) => {
                            if inner.format_spec.is_some()
                                || inner.debug_text.is_some()
                                || !inner.conversion.is_none()
                            {
                                return Err(Unknown::NotLiteral);
                            }
                            self.texts(&inner.expression, scope, steps)?
                        }
                    };
                    found = self.joined(&found, &part)?;
                }
                // Elements are those of f-strings alone; plain strings between them are none.
                let plain = text
                    .value
                    .iter()
                    .any(|part| matches!(part, FStringPart::Literal(_)));
                if plain {
                    Err(Unknown::NotLiteral)
                } else {
                    Ok(found)
                }
            }
            Expr::Call(call) => self.texts_of_call(call, scope, steps),
            _ => Err(Unknown::NotLiteral),
        }
    }

    fn all(&mut self, places: &[Place<'_>]) -> Result<Vec<String>, Unknown> {
        let mut found = Vec::new();
        for (expr, scope, steps) in places {
            found.extend(self.texts(expr, *scope, *steps)?);
        }
        Ok(found)
    }

    fn joined(&mut self, left: &[String], right: &[String]) -> Result<Vec<String>, Unknown> {
        let mut found = Vec::new();
        for left in left {
            for right in right {
                self.budget.spend(left.len() + right.len())?;
                found.push(format!("{left}{right}"));
            }
        }
        Ok(found)
    }

    /// `table.get(key, default)`, and of templates `text.strip()`, `dedent(text)` and
    /// `separator.join([…])`.
    fn texts_of_call(
        &mut self,
        call: &ExprCall,
        scope: ScopeId,
        steps: usize,
    ) -> Result<Vec<String>, Unknown> {
        let arguments = &call.arguments;
        if !arguments.keywords.is_empty() || arguments.args.iter().any(Expr::is_starred_expr) {
            return Err(Unknown::NotLiteral);
        }
        if self.is_dedent(&call.func, scope)
            && let [text] = &*arguments.args
            && self.purpose == Purpose::Template
        {
            return self.texts(text, scope, steps);
        }
        let Expr::Attribute(method) = &*call.func else {
            return Err(Unknown::NotLiteral);
        };
        match (method.attr.as_str(), &*arguments.args) {
            ("get", [_]) => {
                let items = self.items(&method.value, scope, steps)?;
                self.all(&items)
            }
            ("get", [_, default]) => {
                let items = self.items(&method.value, scope, steps)?;
                let mut found = self.all(&items)?;
                found.extend(self.texts(default, scope, steps)?);
                Ok(found)
            }
            ("strip" | "lstrip" | "rstrip", []) if self.purpose == Purpose::Template => {
                let found = self.texts(&method.value, scope, steps)?;
                Ok(found.iter().map(|text| text.trim().to_owned()).collect())
            }
            ("join", [items]) if self.purpose == Purpose::Template => {
                let separators = self.texts(&method.value, scope, steps)?;
                let (items, count) = match items {
                    Expr::BinOp(operation) if operation.op == Operator::Mult => {
                        let count = small_number(&operation.right);
                        (&*operation.left, count.ok_or(Unknown::NotLiteral)?)
                    }
                    items => (items, 1),
                };
                let items = match items {
                    Expr::List(list) => &list.elts,
                    Expr::Tuple(tuple) => &tuple.elts,
                    _ => return Err(Unknown::NotLiteral),
                };
                let mut texts = Vec::new();
                for item in items {
                    // Only such that are one text each: their order matters.
                    let [text] = &*self.texts(item, scope, steps)? else {
                        return Err(Unknown::NotLiteral);
                    };
                    texts.push(text.clone());
                }
                let length: usize = texts.iter().map(String::len).sum();
                self.budget.spend(length * count)?;
                let texts: Vec<&str> = std::iter::repeat_n(&texts, count)
                    .flatten()
                    .map(String::as_str)
                    .collect();
                Ok(separators
                    .iter()
                    .map(|separator| texts.join(separator))
                    .collect())
            }
            _ => Err(Unknown::NotLiteral),
        }
    }

    fn is_dedent(&self, func: &Expr, scope: ScopeId) -> bool {
        let Some((root, path)) = dotted(func) else {
            return false;
        };
        let Some((_, binding)) = self.scopes.resolve(scope, root) else {
            return false;
        };
        binding.count == binding.import_count
            && match (binding.imports.as_slice(), path.as_slice()) {
                ([Imported::Module(module)], ["dedent"]) => module == "textwrap",
                ([Imported::Name(module, name)], []) => module == "textwrap" && name == "dedent",
                _ => false,
            }
    }

    /// What a name is bound to, where all of that is known.
    fn values(
        &self,
        name: &str,
        scope: ScopeId,
        steps: usize,
    ) -> Result<Vec<(&'a Expr, (ScopeId, usize), From)>, Unknown> {
        let steps = steps.checked_sub(1).ok_or(Unknown::NotLiteral)?;
        let (owner, binding) = self
            .scopes
            .resolve(scope, name)
            .ok_or(Unknown::NotLiteral)?;
        let known = binding.values.len() + binding.iterables.len();
        // A name of a class body, or one of a built-in, may be another one before it is bound.
        let one = self.scopes.kind(owner) != ScopeKind::Class
            || self.scopes.owners(scope, name).len() == 1;
        if binding.count != known || !one || name == "str" {
            return Err(Unknown::NotLiteral);
        }
        let values = binding.values.iter().map(|value| (value, From::Value));
        let loops = binding.iterables.iter().map(|(value, index)| match index {
            None => (value, From::Loop),
            Some(index) => (value, From::LoopItem(*index)),
        });
        let all = values.chain(loops);
        Ok(all
            .map(|(value, from)| (value.expr, (value.scope, steps), from))
            .collect())
    }

    /// What a constant of a class is, in `self.NAME`, `cls.NAME` or `Class.NAME`.
    fn class_constant(
        &self,
        receiver: &Expr,
        name: &str,
        scope: ScopeId,
    ) -> Result<Vec<&'a Expr>, Unknown> {
        let receiver = receiver.as_name_expr().ok_or(Unknown::NotLiteral)?;
        let binding = self.scopes.resolve(scope, receiver.id.as_str());
        let own = binding.is_some_and(|(_, binding)| {
            binding.count == 1 && (binding.receiver || binding.classes.len() == 1)
        });
        if !own || self.scopes.stores_attribute(name) {
            return Err(Unknown::NotLiteral);
        }
        self.scopes.class_values(name).ok_or(Unknown::NotLiteral)
    }

    /// The displays that an expression can be: lists, tuples, sets and dicts that nothing changes.
    fn displays(
        &mut self,
        expr: &Expr,
        scope: ScopeId,
        steps: usize,
    ) -> Result<Vec<Place<'a>>, Unknown> {
        self.budget.spend(0)?;
        let Expr::Name(name) = expr else {
            return Err(Unknown::NotLiteral);
        };
        let mut found = Vec::new();
        for (value, (scope, steps), from) in self.values(name.id.as_str(), scope, steps)? {
            let fixed = value.is_tuple_expr() || !self.scopes.escapes(name.id.as_str());
            if from != From::Value || !fixed {
                return Err(Unknown::NotLiteral);
            }
            found.push((value, scope, steps));
        }
        Ok(found)
    }

    /// What `container[…]` can be.
    fn items<'e>(
        &mut self,
        container: &'e Expr,
        scope: ScopeId,
        steps: usize,
    ) -> Result<Vec<Place<'e>>, Unknown>
    where
        'a: 'e,
    {
        self.budget.spend(0)?;
        let inner = |expr: &'e Expr| -> Option<Vec<&'e Expr>> {
            match expr {
                Expr::Dict(dict) => Some(dict.items.iter().map(|item| &item.value).collect()),
                Expr::List(list) => Some(list.elts.iter().collect()),
                Expr::Tuple(tuple) => Some(tuple.elts.iter().collect()),
                _ => None,
            }
        };
        let displays: Vec<Place<'e>> = match container {
            Expr::Name(_) => self.displays(container, scope, steps)?,
            // An item of an item: `texts[language]["title"]`.
            Expr::Subscript(subscript) => {
                let steps = steps.checked_sub(1).ok_or(Unknown::NotLiteral)?;
                self.items(&subscript.value, scope, steps)?
            }
            _ => vec![(container, scope, steps)],
        };
        let mut found = Vec::new();
        for (display, scope, steps) in displays {
            let items = inner(display).ok_or(Unknown::NotLiteral)?;
            self.budget.spend(items.len())?;
            found.extend(items.into_iter().map(|item| (item, scope, steps)));
        }
        Ok(found)
    }

    /// What a loop over an expression gives.
    fn items_of_loop<'e>(
        &mut self,
        iterable: &'e Expr,
        scope: ScopeId,
        steps: usize,
        from: From,
    ) -> Result<Vec<Place<'e>>, Unknown>
    where
        'a: 'e,
    {
        self.budget.spend(0)?;
        let (container, view) = view(iterable);
        let displays: Vec<Place<'e>> = match container {
            Expr::Name(_) => self.displays(container, scope, steps)?,
            _ => vec![(container, scope, steps)],
        };
        let mut found = Vec::new();
        for (display, scope, steps) in displays {
            let items = items_of_display(display, view, from).ok_or(Unknown::NotLiteral)?;
            self.budget.spend(items.len())?;
            found.extend(items.into_iter().map(|item| (item, scope, steps)));
        }
        Ok(found)
    }
}

/// Which part of a dict a loop goes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum View {
    /// The container itself.
    Whole,
    Values,
    Items,
}

/// The container that is looped over, by itself or by one of the methods of dicts.
fn view(iterable: &Expr) -> (&Expr, View) {
    if let Expr::Call(call) = iterable
        && call.arguments.is_empty()
        && let Expr::Attribute(method) = &*call.func
    {
        let view = match method.attr.as_str() {
            "keys" => View::Whole,
            "values" => View::Values,
            "items" => View::Items,
            _ => return (iterable, View::Whole),
        };
        return (&method.value, view);
    }
    (iterable, View::Whole)
}

/// What a loop gives of a container that is written out.
fn items_of_display(display: &Expr, view: View, from: From) -> Option<Vec<&Expr>> {
    let items: Vec<&Expr> = match display {
        Expr::Dict(dict) => {
            let keys: Option<Vec<&Expr>> =
                dict.items.iter().map(|item| item.key.as_ref()).collect();
            let values = dict.items.iter().map(|item| &item.value).collect();
            return match (view, from) {
                (View::Whole, From::Loop) | (View::Items, From::LoopItem(0)) => keys,
                (View::Values, From::Loop) | (View::Items, From::LoopItem(1)) => {
                    keys.map(|_| values)
                }
                _ => None,
            };
        }
        Expr::List(list) => list.elts.iter().collect(),
        Expr::Tuple(tuple) => tuple.elts.iter().collect(),
        Expr::Set(set) => set.elts.iter().collect(),
        _ => return None,
    };
    match (view, from) {
        (View::Whole, From::Loop) => Some(items),
        (View::Whole, From::LoopItem(index)) => {
            let parts = items.into_iter().map(|item| match item {
                Expr::Tuple(tuple) => tuple.elts.get(index),
                Expr::List(list) => list.elts.get(index),
                _ => None,
            });
            parts.collect()
        }
        _ => None,
    }
}

fn small_number(expr: &Expr) -> Option<usize> {
    match &expr.as_number_literal_expr()?.value {
        Number::Int(number) => number.as_usize().filter(|count| *count <= MAX_REPEATED),
        _ => None,
    }
}
