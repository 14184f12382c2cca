//! The texts that an expression can be, where all of them are literals of the code.

mod containers;

use crate::pysyntax::ast::{
    Expr, ExprBinOp, ExprCall, ExprFString, FStringPart, InterpolatedStringElement, Number,
    Operator,
};

use super::following::dotted;
use super::scope::{Imported, ScopeId, ScopeKind, Scopes};

/// How many names are followed to a literal.
const MAX_STEPS: usize = 4;

/// How many values of a name are looked at.
const MAX_VALUES: usize = 64;

/// How often a literal may be repeated by `*`.
const MAX_REPEATED: usize = 100;

/// What a look at one expression costs of a [`TextBudget`], beside the text that is found there.
const STEP: usize = 16;

/// How much may still be looked at as texts, in bytes. Names that are bound often to names that are
/// bound often could otherwise be followed for as good as ever.
#[derive(Debug)]
pub(super) struct TextBudget(pub(super) usize);

impl TextBudget {
    /// Takes a look at an expression, and a text of that many bytes, from what may still be done.
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
    /// The texts that an expression can be; `steps` is how many more names may be followed.
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
            Expr::Name(name) => self.texts_of_name(name.id.as_str(), scope, steps),
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
            Expr::BinOp(operation) if self.purpose == Purpose::Template => {
                self.texts_of_operation(operation, scope, steps)
            }
            Expr::FString(text) if self.purpose == Purpose::Template => {
                self.texts_of_fstring(text, scope, steps)
            }
            Expr::Call(call) => self.texts_of_call(call, scope, steps),
            _ => Err(Unknown::NotLiteral),
        }
    }

    /// The texts that a name can be bound to.
    fn texts_of_name(
        &mut self,
        name: &str,
        scope: ScopeId,
        steps: usize,
    ) -> Result<Vec<String>, Unknown> {
        let mut found = Vec::new();
        for ((value, scope, steps), from) in self.values(name, scope, steps)? {
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

    /// `"a" + "b"` and `"a" * 3`.
    fn texts_of_operation(
        &mut self,
        operation: &ExprBinOp,
        scope: ScopeId,
        steps: usize,
    ) -> Result<Vec<String>, Unknown> {
        match operation.op {
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
        }
    }

    /// An f-string of which each field is such a text.
    fn texts_of_fstring(
        &mut self,
        text: &ExprFString,
        scope: ScopeId,
        steps: usize,
    ) -> Result<Vec<String>, Unknown> {
        let mut found = vec![String::new()];
        for element in text.value.elements() {
            let part = match element {
                InterpolatedStringElement::Literal(literal) => vec![literal.value.to_string()],
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

    /// The texts of several expressions.
    fn all(&mut self, places: &[Place<'_>]) -> Result<Vec<String>, Unknown> {
        let mut found = Vec::new();
        for (expr, scope, steps) in places {
            found.extend(self.texts(expr, *scope, *steps)?);
        }
        Ok(found)
    }

    /// Each text of the left before each of the right.
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
                self.texts_of_join(&method.value, items, scope, steps)
            }
            _ => Err(Unknown::NotLiteral),
        }
    }

    /// `separator.join([…])`, also of a list that is repeated.
    fn texts_of_join(
        &mut self,
        separator: &Expr,
        items: &Expr,
        scope: ScopeId,
        steps: usize,
    ) -> Result<Vec<String>, Unknown> {
        let separators = self.texts(separator, scope, steps)?;
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

    /// Whether a function certainly is `textwrap.dedent`.
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
    ) -> Result<Vec<(Place<'a>, From)>, Unknown> {
        let steps = steps.checked_sub(1).ok_or(Unknown::NotLiteral)?;
        let (owner, binding) = self
            .scopes
            .resolve(scope, name)
            .ok_or(Unknown::NotLiteral)?;
        let known = binding.values.len() + binding.iterables.len();
        // A name of a class body, or one of a built-in, may be another one before it is bound.
        let one = self.scopes.kind(owner) != ScopeKind::Class
            || self.scopes.owners(scope, name).len() == 1;
        if binding.count != known || known > MAX_VALUES || !one || name == "str" {
            return Err(Unknown::NotLiteral);
        }
        let values = binding.values.iter().map(|value| (value, From::Value));
        let loops = binding.iterables.iter().map(|(value, index)| match index {
            None => (value, From::Loop),
            Some(index) => (value, From::LoopItem(*index)),
        });
        let all = values.chain(loops);
        Ok(all
            .map(|(value, from)| ((value.expr, value.scope, steps), from))
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
        // Where `__getattr__` answers, any object may have it.
        let foreign = self.scopes.own_attributes.contains("__getattr__");
        if !own || foreign || self.scopes.changes_attribute(name) {
            return Err(Unknown::NotLiteral);
        }
        self.scopes.class_values(name).ok_or(Unknown::NotLiteral)
    }
}

/// How often `*` repeats a text, where that is written out and not much.
fn small_number(expr: &Expr) -> Option<usize> {
    match &expr.as_number_literal_expr()?.value {
        Number::Int(number) => number.as_usize().filter(|count| *count <= MAX_REPEATED),
        _ => None,
    }
}
