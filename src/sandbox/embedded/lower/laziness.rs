//! Generator expressions, and builtins that give one item at a time: the interpreter makes lists of
//! all of them at once.

use crate::pysyntax::ast::visitor::{self, Visitor};
use crate::pysyntax::ast::{
    Comprehension, Expr, ExprAttribute, ExprCall, ExprGenerator, ExprName, StmtFor,
};
use crate::pysyntax::{Ranged, TextRange, TextSize};

use super::infer::Kind;
use super::rewrite::Rewriter;
use super::scope::Site;

/// What looks for an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    Any,
    All,
    First,
}

impl<'a> Rewriter<'_, 'a> {
    /// A generator expression that may be gone over in steps.
    pub fn generator(&mut self, generator: &'a ExprGenerator) {
        let text = self.lazy(generator);
        let padding = self.padding(generator.range(), &text);
        let text = text.strip_suffix(')').unwrap_or(&text);
        self.edits
            .replace(generator.range(), format!("{text}{padding})"));
    }

    /// The call that makes a generator of a generator expression.
    fn lazy(&mut self, generator: &'a ExprGenerator) -> String {
        let Some(first) = self.checked(generator) else {
            return String::new();
        };
        let mut closures = Closures { found: None };
        closures.visit_expr(&generator.elt);
        if let Some(at) = closures.found {
            // It would keep the item that it was made with, and not see the ones that follow.
            self.refuse("a function in a generator expression", at);
        }
        self.generators = true;
        let iter = self.rendered(&first.iter);
        let mut text = String::new();
        self.inside(generator.range(), |this| {
            let produce = this.lazy_from(generator, 0);
            let helper = lazy_helper(generator, 0);
            text = format!("{helper}({produce}, _mce_iter({iter}))");
        });
        text
    }

    /// The first clause, where all is such that it can be taken apart.
    fn checked(&mut self, generator: &'a ExprGenerator) -> Option<&'a Comprehension> {
        let first = generator.generators.first()?;
        let mut effects = Effects {
            found: None,
            skipped: Some(first.iter.range()),
        };
        effects.visit_expr(&generator.elt);
        for clause in &generator.generators {
            effects.visit_comprehension(clause);
            if clause.is_async {
                effects.found.get_or_insert((clause.start(), "`async for`"));
            }
        }
        if let Some((at, what)) = effects.found {
            self.refuse(format!("{what} in a generator expression"), at);
            return None;
        }
        Some(first)
    }

    /// The function that gives the values for one item of a clause, in a list.
    fn lazy_from(&mut self, generator: &'a ExprGenerator, index: usize) -> String {
        let Some(clause) = generator.generators.get(index) else {
            return String::new();
        };
        let element = match generator.generators.get(index + 1) {
            None => format!("({})", self.rendered(&generator.elt)),
            Some(next) => {
                let iter = self.rendered(&next.iter);
                let produce = self.lazy_from(generator, index + 1);
                let helper = lazy_helper(generator, index + 1);
                format!("{helper}({produce}, _mce_iter({iter}))")
            }
        };
        self.produce(clause, &element)
    }

    /// `lambda item: [element for target in [item] if …]`.
    pub fn produce(&mut self, clause: &'a Comprehension, element: &str) -> String {
        let item = self.name("item");
        let target = self.comprehension_target(&clause.target);
        let mut text = format!("lambda {item}: [{element} for {target} in [{item}]");
        for condition in &clause.ifs {
            let condition = self.rendered(condition);
            text.push_str(" if (");
            text.push_str(&condition);
            text.push(')');
        }
        text.push(']');
        text
    }

    fn comprehension_target(&mut self, target: &'a Expr) -> String {
        if !is_names(target) {
            self.refuse("such a target in a comprehension", target.start());
        }
        self.source.slice(target.range()).to_owned()
    }

    /// `any`, `all` or `next` of a generator expression.
    pub fn found(&mut self, callee: &'a ExprName, generator: &'a ExprGenerator, search: Search) {
        let nested = generator.generators.len() > 1;
        if search == Search::First && nested {
            self.generator(generator);
            return;
        }
        let Some(first) = self.checked(generator) else {
            return;
        };
        let helper = match search {
            Search::Any => "_mce_any_of",
            Search::All => "_mce_all_of",
            Search::First => "_mce_first_of",
        };
        let iter = self.rendered(&first.iter);
        let mut produce = String::new();
        self.inside(generator.range(), |this| {
            produce = this.search_from(generator, 0, helper);
        });
        self.rename(callee, helper);
        let text = format!("{produce}, ({iter})");
        let padding = self.padding(generator.range(), &text);
        self.edits
            .replace(generator.range(), format!("{text}{padding}"));
    }

    fn search_from(&mut self, generator: &'a ExprGenerator, index: usize, helper: &str) -> String {
        let Some(clause) = generator.generators.get(index) else {
            return String::new();
        };
        let element = match generator.generators.get(index + 1) {
            None => format!("({})", self.rendered(&generator.elt)),
            Some(next) => {
                let iter = self.rendered(&next.iter);
                let produce = self.search_from(generator, index + 1, helper);
                format!("{helper}({produce}, ({iter}))")
            }
        };
        self.produce(clause, &element)
    }

    /// Visits what is taken as a whole before anything else is done: there, a list is as good.
    pub fn consumed(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Generator(generator) => {
                let mut effects = Effects {
                    found: None,
                    skipped: None,
                };
                if let Some(first) = generator.generators.first() {
                    effects.skipped = Some(first.iter.range());
                }
                effects.visit_expr(&generator.elt);
                for clause in &generator.generators {
                    effects.visit_comprehension(clause);
                    if clause.is_async {
                        self.refuse("`async for` in a generator expression", clause.start());
                    }
                }
                if let Some((at, what @ "`await`")) = effects.found {
                    self.refuse(format!("{what} in a generator expression"), at);
                }
                self.clauses(expr.range(), &[&generator.elt], &generator.generators);
            }
            Expr::Call(call) => match self.builtin_name(&call.func) {
                Some("zip" | "enumerate" | "reversed") => self.eager_call(call),
                Some("map") if call.arguments.keywords.is_empty() => {
                    if let Expr::Name(callee) = &*call.func
                        && call.arguments.args.len() > 1
                        && !self.is_pure(call.arguments.args.first())
                    {
                        self.rename(callee, "_mce_map_list");
                    }
                    self.eager_call(call);
                }
                Some("filter") => {
                    if let Expr::Name(callee) = &*call.func
                        && !matches!(call.arguments.args.first(), Some(Expr::NoneLiteral(_)))
                    {
                        self.rename(callee, "_mce_filter_list");
                    }
                    self.eager_call(call);
                }
                _ => self.visit_expr(expr),
            },
            _ => self.visit_expr(expr),
        }
    }

    /// Whether a function certainly does nothing but give a value.
    fn is_pure(&self, function: Option<&'a Expr>) -> bool {
        function.is_some_and(|function| {
            matches!(
                self.builtin_name(function),
                Some(
                    "str"
                        | "int"
                        | "float"
                        | "len"
                        | "bool"
                        | "repr"
                        | "abs"
                        | "list"
                        | "tuple"
                        | "set"
                )
            )
        })
    }

    fn eager_call(&mut self, call: &'a ExprCall) {
        for argument in &call.arguments.args {
            if call.arguments.args.len() == 1 {
                self.consumed(argument);
            } else {
                self.visit_expr(argument);
            }
        }
        for keyword in &call.arguments.keywords {
            self.visit_expr(&keyword.value);
        }
    }

    /// `map`, `filter`, `zip`, `enumerate` and `reversed` where something may happen between the steps.
    pub fn lazy_call(&mut self, call: &'a ExprCall, callee: &'a ExprName, name: &str) {
        self.generators = true;
        let helper = format!("_mce_lazy_{name}");
        self.rename(callee, &helper);
        for argument in &call.arguments.args {
            self.visit_expr(argument);
        }
        for keyword in &call.arguments.keywords {
            self.visit_expr(&keyword.value);
        }
    }

    /// Visits what a loop or a comprehension goes over. `body` is the text that runs between steps.
    pub fn iterated(&mut self, iter: &'a Expr, body: &str) {
        if let Expr::Call(call) = iter
            && let Some("zip" | "enumerate" | "reversed") = self.builtin_name(&call.func)
            && call
                .arguments
                .args
                .iter()
                .all(|argument| self.is_stable(argument, body))
        {
            self.eager_call(call);
        } else {
            self.visit_expr(iter);
        }
    }

    /// Whether going over a value gives the same at once and in steps.
    fn is_stable(&self, expr: &Expr, body: &str) -> bool {
        match expr {
            Expr::List(_)
            | Expr::ListComp(_)
            | Expr::Tuple(_)
            | Expr::Dict(_)
            | Expr::DictComp(_)
            | Expr::Set(_)
            | Expr::SetComp(_) => true,
            Expr::Call(call) => match &*call.func {
                Expr::Name(name) if self.is_unbound(name.id.as_str()) => matches!(
                    name.id.as_str(),
                    "list" | "tuple" | "dict" | "set" | "frozenset" | "sorted" | "range" | "str"
                ),
                Expr::Attribute(attribute) => {
                    matches!(
                        attribute.attr.as_str(),
                        "split" | "splitlines" | "most_common"
                    ) || (matches!(attribute.attr.as_str(), "items" | "keys" | "values")
                        && self.is_dict(&attribute.value, body))
                }
                _ => false,
            },
            Expr::Subscript(subscript) => subscript.slice.is_slice_expr(),
            Expr::Name(name) => {
                let name = name.id.as_str();
                if mentions(body, name) {
                    return false;
                }
                if !self.facts.has_iterators {
                    return true;
                }
                if self.kind(expr) == Kind::Text {
                    return true;
                }
                let binding = self.scopes.resolve(self.scope, name);
                binding.is_some_and(|binding| {
                    !binding.sites.is_empty()
                        && binding.sites.iter().all(|site| match site {
                            Site::Value(value, _) => {
                                !value.is_name_expr() && self.is_stable(value, "")
                            }
                            _ => false,
                        })
                })
            }
            _ => matches!(self.kind(expr), Kind::Text | Kind::Set) || !self.facts.has_iterators,
        }
    }

    fn is_dict(&self, expr: &Expr, body: &str) -> bool {
        match expr {
            Expr::Name(name) => {
                !mentions(body, name.id.as_str())
                    && (self.is_stable(expr, body) || !self.facts.has_api_errors)
            }
            Expr::Dict(_) | Expr::DictComp(_) => true,
            _ => false,
        }
    }

    /// `x.extend(…)` of a generator expression that may fail half way.
    pub fn extend(&mut self, call: &'a ExprCall, attribute: &'a ExprAttribute) -> bool {
        let [argument @ Expr::Generator(generator)] = &*call.arguments.args else {
            return false;
        };
        if is_plain(&generator.elt)
            && generator
                .generators
                .iter()
                .all(|it| it.ifs.iter().all(is_plain))
        {
            self.attribute(attribute, true);
            self.consumed(argument);
            return true;
        }
        self.method(call, attribute, "_mce_extend", ", ");
        self.visit_expr(&attribute.value);
        let text = self.lazy(generator);
        let padding = self.padding(generator.range(), &text);
        self.edits
            .replace(generator.range(), format!("{text}{padding}"));
        true
    }

    /// A comprehension that the interpreter has.
    pub fn comprehension(&mut self, expr: &'a Expr, clauses: &'a [Comprehension]) {
        if clauses.iter().any(|clause| clause.is_async) {
            self.async_comprehension(expr, clauses);
            return;
        }
        match expr {
            Expr::ListComp(it) => self.clauses(expr.range(), &[&it.elt], clauses),
            Expr::SetComp(it) => self.clauses(expr.range(), &[&it.elt], clauses),
            Expr::DictComp(it) => {
                if let Some(key) = &it.key {
                    self.clauses(expr.range(), &[key, &it.value], clauses);
                } else {
                    self.refuse("unpacking in a comprehension", expr.start());
                }
            }
            _ => {}
        }
    }

    pub fn clauses(
        &mut self,
        node: TextRange,
        elements: &[&'a Expr],
        clauses: &'a [Comprehension],
    ) {
        let body = self.source.slice(node);
        if let Some(first) = clauses.first() {
            self.iterated(&first.iter, body);
        }
        self.inside(node, |this| {
            for (index, clause) in clauses.iter().enumerate() {
                if index > 0 {
                    this.iterated(&clause.iter, body);
                }
                if !is_names(&clause.target) {
                    this.refuse("such a target in a comprehension", clause.target.start());
                }
                for condition in &clause.ifs {
                    this.visit_expr(condition);
                }
            }
            for element in elements {
                this.visit_expr(element);
            }
        });
    }

    /// `for`.
    pub fn for_loop(&mut self, it: &'a StmtFor) {
        if it.is_async {
            self.async_for(it);
            return;
        }
        let body = it.body.first().zip(it.body.last());
        let body = body.map_or("", |(first, last)| {
            self.source.slice(TextRange::new(first.start(), last.end()))
        });
        self.iterated(&it.iter, body);
        self.block_target(&it.target, &it.body);
        self.visit_body(&it.body);
        self.visit_body(&it.orelse);
    }
}

fn lazy_helper(generator: &ExprGenerator, index: usize) -> &'static str {
    if index + 1 < generator.generators.len() {
        "_mce_lazy_nested"
    } else {
        "_mce_lazy"
    }
}

/// Whether a text may do something with what a name is bound to: a method, `del`, an assignment to an
/// item.
fn mentions(body: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    body.match_indices(name).any(|(at, _)| {
        let before = body.get(..at).unwrap_or_default();
        let after = body.get(at + name.len()..).unwrap_or_default();
        if before.ends_with(is_word) || before.ends_with('.') || after.starts_with(is_word) {
            return false;
        }
        let after = after.trim_start();
        after.starts_with('.')
            || after.starts_with("+=")
            || before.trim_end().ends_with("del")
            || (after.starts_with('[') && after.lines().next().is_some_and(|it| it.contains('=')))
    })
}

fn is_names(target: &Expr) -> bool {
    match target {
        Expr::Name(_) => true,
        Expr::Starred(starred) => is_names(&starred.value),
        Expr::Tuple(tuple) => tuple.elts.iter().all(is_names),
        Expr::List(list) => list.elts.iter().all(is_names),
        _ => false,
    }
}

/// Whether evaluating an expression neither does anything nor fails.
fn is_plain(expr: &Expr) -> bool {
    match expr {
        Expr::Name(_)
        | Expr::NumberLiteral(_)
        | Expr::StringLiteral(_)
        | Expr::BooleanLiteral(_)
        | Expr::NoneLiteral(_) => true,
        Expr::Tuple(tuple) => tuple.elts.iter().all(is_plain),
        _ => false,
    }
}

/// Finds functions and generators among values.
struct Closures {
    found: Option<TextSize>,
}

impl<'a> Visitor<'a> for Closures {
    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Lambda(_) | Expr::Generator(_) => {
                self.found.get_or_insert(expr.start());
            }
            // What is called with a generator takes it, as far as anybody can tell; a function that it
            // is called with is called before it returns.
            Expr::Call(call) => self.visit_expr(&call.func),
            _ => visitor::walk_expr(self, expr),
        }
    }
}

/// Finds what cannot stand in a function of its own.
struct Effects {
    found: Option<(TextSize, &'static str)>,
    /// The iterable that is evaluated outside.
    skipped: Option<TextRange>,
}

impl<'a> Visitor<'a> for Effects {
    fn visit_expr(&mut self, expr: &'a Expr) {
        if self.skipped == Some(expr.range()) {
            return;
        }
        match expr {
            Expr::Await(_) => {
                // The gravest comes first.
                self.found = Some((expr.start(), "`await`"));
            }
            Expr::Named(_) => {
                self.found.get_or_insert((expr.start(), "`:=`"));
                visitor::walk_expr(self, expr);
            }
            _ => visitor::walk_expr(self, expr),
        }
    }
}
