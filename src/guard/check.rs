//! The pass that judges: what it holds while it walks the code, and what its rules ask of it. The
//! rules are in the modules beside this one, the walk is in [`super::visit`].

use std::cell::{Cell, OnceCell};

use rustc_hash::FxHashSet as HashSet;

use crate::pysyntax::ast::visitor::source_order::SourceOrderVisitor;
use crate::pysyntax::ast::{Arguments, Expr, ModModule, StmtClassDef, UnaryOp};
use crate::pysyntax::{Ranged, TextRange};

use super::binder::bind;
use super::finding::Finding;
use super::knowledge::Flow;
use super::libraries::ATTRIBUTE_BUILTINS;
use super::pieces::Pieces;
use super::policy::Policy;
use super::reachable::reachable;
use super::scope::{Binding, BindingId, ScopeId, ScopeKind, Scopes};
use super::texts::{self, Purpose, TextBudget, Unknown};
use super::{CompiledNames, Facts, MAX_VIOLATIONS, facts, rule};

/// How many names are followed in all. Code that people write takes a hundredth of it.
const WORK: usize = 400_000;

/// How many bytes of literals are looked at as templates, names or types.
const TEXT_BUDGET: usize = 512 * 1024;

/// Judges a parsed module.
pub(super) fn judge<'a>(
    code: &'a str,
    module: &'a ModModule,
    starts: &[usize],
    policy: &'a Policy,
    names: &'a CompiledNames,
) -> (Vec<Finding>, Facts) {
    let scopes = bind(module, starts);
    let mut checker = Checker {
        code,
        policy,
        names,
        facts: facts::of_module(module, &scopes),
        scopes: &scopes,
        stack: vec![0],
        next_scope: 1,
        definite: Vec::new(),
        flow: Flow::default(),
        text_budget: TextBudget(TEXT_BUDGET),
        suggestion_budget: MAX_VIOLATIONS,
        direct: HashSet::default(),
        captures: Vec::new(),
        metaclasses: HashSet::default(),
        plain: HashSet::default(),
        called: HashSet::default(),
        called_types: HashSet::default(),
        classes: Vec::new(),
        assigned: HashSet::default(),
        tested: HashSet::default(),
        work: Cell::new(WORK),
        told_too_much: false,
        asks_awaitable: OnceCell::new(),
        reads_objects: OnceCell::new(),
        last_resolved: Cell::new(None),
        judged_keywords: HashSet::default(),
        judged_types: HashSet::default(),
        findings: Vec::new(),
    };
    let mut pieces = Pieces::new(starts);
    for stmt in &module.body {
        if pieces.begins_with(stmt) {
            checker.definite.clear();
            checker.flow = Flow::default();
        }
        checker.visit_stmt(stmt);
        if checker.work.get() == 0 {
            checker.report_too_much(stmt.range());
            break;
        }
    }
    checker.facts.reachable = reachable(module, &checker.facts.servers, names);
    (checker.findings, checker.facts)
}

/// A name, from where it was resolved, and to what.
#[derive(Clone, Copy)]
struct Resolved<'a> {
    from: ScopeId,
    name: &'a str,
    owner: ScopeId,
    binding: &'a Binding<'a>,
}

/// What keywords are judged for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Keywords<'a> {
    /// Whether what is called keeps them to itself; not where it is of the code's own.
    Private { own: bool },
    /// What a module does with them.
    Of(&'a str),
}

/// The judging pass.
pub(super) struct Checker<'a> {
    pub(super) code: &'a str,
    pub(super) policy: &'a Policy,
    pub(super) names: &'a CompiledNames,
    pub(super) scopes: &'a Scopes<'a>,
    pub(super) facts: Facts,
    /// The names of dicts whose items were judged as keywords already, with what they were judged
    /// for.
    judged_keywords: HashSet<(BindingId<'a>, Keywords<'a>)>,
    /// Where values stand that were judged as types already.
    pub(super) judged_types: HashSet<TextRange>,
    /// Whether a report says that texts are used too often.
    told_too_much: bool,
    /// Whether the code may ask what can be awaited.
    pub(super) asks_awaitable: OnceCell<bool>,
    /// Whether a model may read attributes of any object.
    pub(super) reads_objects: OnceCell<bool>,
    /// The name that was resolved last: several rules look at one after the other.
    last_resolved: Cell<Option<Resolved<'a>>>,
    /// How many names, and steps on the way to one, may still be followed.
    pub(super) work: Cell<usize>,
    /// The scopes around, the innermost last.
    pub(super) stack: Vec<ScopeId>,
    /// The scope that is entered next: the walk enters them in the order of the pass that binds.
    pub(super) next_scope: ScopeId,
    /// Names of denied built-ins and decorators that are certainly bound at this place, with the
    /// module or class scope that binds them: there, a name whose binding was not executed is the
    /// built-in.
    pub(super) definite: Vec<BindingId<'a>>,
    /// What imported names were bound to last.
    pub(super) flow: Flow<'a>,
    /// What may still be looked at as templates, names or types.
    text_budget: TextBudget,
    /// How many more hints may look for similar names.
    pub(super) suggestion_budget: usize,
    /// Where things stand that are called, or that are named in one of the few other ways in which
    /// they may be.
    pub(super) direct: HashSet<TextRange>,
    /// The names that the pattern captures that is visited.
    pub(super) captures: Vec<&'a str>,
    /// Where the metaclasses of classes stand.
    pub(super) metaclasses: HashSet<TextRange>,
    /// Where attributes stand that are values and cannot be called.
    pub(super) plain: HashSet<TextRange>,
    /// Where things stand that are called.
    pub(super) called: HashSet<TextRange>,
    /// Where `type[…]` stands that is called.
    pub(super) called_types: HashSet<TextRange>,
    /// The classes around, the innermost last.
    pub(super) classes: Vec<&'a StmtClassDef>,
    /// Where the names of plain assignments stand.
    pub(super) assigned: HashSet<TextRange>,
    /// Where names stand that are only tested for truth.
    tested: HashSet<TextRange>,
    findings: Vec<Finding>,
}

impl<'a> Checker<'a> {
    /// Notes that code breaks a rule.
    pub(super) fn report(
        &mut self,
        rule: &'static str,
        range: TextRange,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.findings.push(Finding::new(rule, range, message, hint));
    }

    /// The scope around.
    pub(super) fn scope(&self) -> ScopeId {
        self.stack.last().copied().unwrap_or_default()
    }

    /// Judges something that another scope evaluates. What names were bound to last is known of this
    /// place only.
    pub(super) fn within(&mut self, scope: ScopeId, judge: impl FnOnce(&mut Self)) {
        if scope == self.scope() {
            return judge(self);
        }
        let flow = std::mem::take(&mut self.flow);
        self.stack.push(scope);
        judge(self);
        self.stack.pop();
        self.flow = flow;
    }

    /// Takes steps from what may still be followed.
    pub(super) fn spend_work(&self, steps: usize) {
        self.work.set(self.work.get().saturating_sub(steps));
    }

    /// What the code binds a name to, and the scope that does; `None` is a built-in, or nothing.
    pub(super) fn resolve(&self, name: &str) -> Option<(ScopeId, &'a Binding<'a>)> {
        let scopes: &'a Scopes<'a> = self.scopes;
        // Each rule follows few names for one expression; how many all of them follow is bounded here.
        self.spend_work(1);
        let from = self.scope();
        if let Some(last) = self.last_resolved.get()
            && last.from == from
            && last.name == name
        {
            return Some((last.owner, last.binding));
        }
        let (owner, name, binding) = scopes.resolve_entry(from, name)?;
        let resolved = Resolved {
            from,
            name,
            owner,
            binding,
        };
        self.last_resolved.set(Some(resolved));
        Some((owner, binding))
    }

    /// What the code binds a name to.
    pub(super) fn binding(&self, name: &str) -> Option<&'a Binding<'a>> {
        self.resolve(name).map(|(_, binding)| binding)
    }

    /// What the code binds the name to that an expression is.
    pub(super) fn binding_of(&self, expr: &Expr) -> Option<&'a Binding<'a>> {
        self.binding(expr.as_name_expr()?.id.as_str())
    }

    /// Whether the items of what a name is bound to are not judged as keywords yet: each call that
    /// takes them would else judge them again.
    pub(super) fn begin_keywords(&mut self, value: &Expr, keywords: Keywords<'a>) -> bool {
        let name = value.as_name_expr().map(|name| name.id.as_str());
        let resolved = name.and_then(|name| self.scopes.resolve_entry(self.scope(), name));
        resolved
            .is_none_or(|(owner, name, _)| self.judged_keywords.insert(((owner, name), keywords)))
    }

    /// Whether an expression is the first parameter of a method.
    pub(super) fn is_receiver(&self, expr: &Expr) -> bool {
        self.binding_of(expr)
            .is_some_and(|binding| binding.receiver && binding.count == 1)
    }

    /// Whether the code imports anything of a package.
    pub(super) fn imports(&self, package: &str) -> bool {
        self.scopes.imported_roots.contains(package)
    }

    /// Whether a load of the name here may reach the built-in of that name.
    pub(super) fn may_be_builtin(&self, name: &str) -> bool {
        match self.resolve(name) {
            None => true,
            Some((scope, _)) if self.scopes.kind(scope).has_slots() => false,
            Some((scope, binding)) => binding.deleted || !self.definite.contains(&(scope, name)),
        }
    }

    /// Whether an expression is a name that may be the built-in.
    pub(super) fn may_be(&self, expr: &Expr, name: &str) -> bool {
        matches!(expr, Expr::Name(found) if found.id.as_str() == name) && self.may_be_builtin(name)
    }

    /// Whether an expression is a name that certainly is the built-in.
    pub(super) fn is_builtin(&self, expr: &Expr, name: &str) -> bool {
        matches!(expr, Expr::Name(found) if found.id.as_str() == name)
            && self.resolve(name).is_none()
    }

    /// Remembers names that are only tested for truth, as an optional import is.
    pub(super) fn note_test(&mut self, test: &Expr) {
        match test {
            Expr::Name(name) => {
                self.tested.insert(name.range);
            }
            Expr::UnaryOp(operation) if operation.op == UnaryOp::Not => {
                self.note_test(&operation.operand);
            }
            Expr::BoolOp(operation) => {
                operation
                    .values
                    .iter()
                    .for_each(|value| self.note_test(value));
            }
            _ => {}
        }
    }

    /// The texts that an expression can be, where all of them are literals.
    pub(super) fn texts(&mut self, expr: &Expr, purpose: Purpose) -> Option<Vec<String>> {
        let scope = self.scope();
        match texts::texts(expr, self.scopes, scope, purpose, &mut self.text_budget) {
            Ok(texts) => Some(texts),
            Err(Unknown::NotLiteral) => None,
            Err(Unknown::TooMuch) => {
                self.report_too_many_texts(expr.range());
                None
            }
        }
    }

    /// The code would take too long to judge.
    fn report_too_much(&mut self, range: TextRange) {
        let message = "names are bound and used too often here to be followed";
        let range = TextRange::empty(range.start());
        self.report(
            rule::TOO_LONG,
            range,
            message,
            "split the work, or loop over data",
        );
    }

    /// Takes the work of reading a text from what may still be done, and says once where that was
    /// not enough.
    pub(super) fn spend_text(&mut self, length: usize, range: TextRange) -> bool {
        let spent = self.text_budget.spend(length).is_ok();
        if !spent {
            self.report_too_many_texts(range);
        }
        spent
    }

    fn report_too_many_texts(&mut self, range: TextRange) {
        if !std::mem::replace(&mut self.told_too_much, true) {
            let message = "texts of this size are used too often as templates, names or types";
            self.report(rule::TOO_LONG, range, message, "use f-strings");
        }
    }

    /// Whether a function or lambda is around.
    fn in_function(&self) -> bool {
        self.stack.iter().any(|id| {
            matches!(
                self.scopes.kind(*id),
                ScopeKind::Function | ScopeKind::Lambda
            )
        })
    }

    /// Notes that something is awaited.
    pub(super) fn note_await(&mut self) {
        if !self.in_function() {
            self.facts.top_level_await = true;
        }
    }

    /// Remembers the denied built-ins among the names of a target.
    pub(super) fn bound_here(&mut self, target: &'a Expr) {
        match target {
            Expr::Name(name) => self.name_bound_here(name.id.as_str()),
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|item| self.bound_here(item)),
            Expr::List(list) => list.elts.iter().for_each(|item| self.bound_here(item)),
            Expr::Starred(starred) => self.bound_here(&starred.value),
            _ => {}
        }
    }

    /// Remembers a name that is certainly bound here, if it is that of a denied built-in.
    pub(super) fn name_bound_here(&mut self, name: &'a str) {
        let guarded = self.policy.denied_names.contains_key(name)
            || self.policy.denied_decorators.contains_key(name)
            || ATTRIBUTE_BUILTINS.contains(&name)
            || name == "type";
        let bound = (self.scope(), name);
        if guarded && !self.scopes.kind(bound.0).has_slots() && !self.definite.contains(&bound) {
            self.definite.push(bound);
        }
    }

    /// Whether what stands there is only tested for truth.
    pub(super) fn is_tested(&self, range: TextRange) -> bool {
        self.tested.contains(&range)
    }

    /// The code of a range.
    pub(super) fn source(&self, range: TextRange) -> &'a str {
        let bytes = range.start().to_usize()..range.end().to_usize();
        self.code.get(bytes).unwrap_or_default()
    }
}

/// The dict of all parameters that `run_cached_code` was given.
pub(super) const PARAMS: &str = "_params";

/// Whether the arguments of a call are written one by one: no keywords, nothing starred.
pub(super) fn are_plain(arguments: &Arguments) -> bool {
    arguments.keywords.is_empty() && !has_starred(arguments)
}

/// Whether a call takes arguments of which it does not say how many they are.
pub(super) fn has_starred(arguments: &Arguments) -> bool {
    arguments.args.iter().any(Expr::is_starred_expr)
}

/// Whether Python gives the name a meaning.
pub(super) fn is_dunder(name: &str) -> bool {
    name.len() > 4 && name.starts_with("__") && name.ends_with("__")
}
