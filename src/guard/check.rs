//! The pass that judges: what it knows of names, and the rules for them.

use rustc_hash::FxHashSet as HashSet;

use crate::pysyntax::ast::visitor::source_order::SourceOrderVisitor;
use crate::pysyntax::ast::{
    Alias, Expr, ExprCompare, ExprName, Identifier, ModModule, StmtClassDef, UnaryOp,
};
use crate::pysyntax::{Ranged, TextRange};

use super::finding::{Finding, quoted};
use super::knowledge::{Flow, Known};
use super::policy::Policy;
use super::reachable::reachable;
use super::scope::{Binding, MAX_IMPORTS, ScopeId, ScopeKind, Scopes};
use super::texts::{self, Purpose, TextBudget, Unknown};
use super::{CompiledNames, Facts, MAX_VIOLATIONS, facts, rule};

/// Built-ins that name an attribute by a string: only called directly, with a literal.
pub(super) const ATTRIBUTE_BUILTINS: [&str; 4] = ["getattr", "setattr", "delattr", "hasattr"];

/// Class attributes whose items name attributes.
pub(super) const NAMES_OF_ATTRIBUTES: [&str; 2] = ["__slots__", "__match_args__"];

/// The most digits that Python reads of a decimal integer (`sys.set_int_max_str_digits`).
const MAX_DIGITS: usize = 4300;

/// How many bytes of literals are looked at as templates, names or types.
const TEXT_BUDGET: usize = 512 * 1024;

/// Judges a parsed module.
pub(super) fn judge<'a>(
    code: &'a str,
    module: &'a ModModule,
    policy: &'a Policy,
    names: &'a CompiledNames,
) -> (Vec<Finding>, Facts) {
    let scopes = Scopes::of(module);
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
        annotations: 0,
        classes: Vec::new(),
        assigned: HashSet::default(),
        tested: HashSet::default(),
        findings: Vec::new(),
    };
    for stmt in &module.body {
        checker.visit_stmt(stmt);
    }
    checker.facts.reachable = reachable(module, &checker.facts.servers, names);
    (checker.findings, checker.facts)
}

/// The judging pass. Its rules are spread over the modules beside this one.
pub(super) struct Checker<'a> {
    pub(super) code: &'a str,
    pub(super) policy: &'a Policy,
    pub(super) names: &'a CompiledNames,
    pub(super) scopes: &'a Scopes<'a>,
    pub(super) facts: Facts,
    pub(super) stack: Vec<ScopeId>,
    pub(super) next_scope: ScopeId,
    /// Names of denied built-ins and decorators that are certainly bound at this place, with the module or class
    /// scope that binds them: there, a name whose binding was not executed is the built-in.
    pub(super) definite: Vec<(ScopeId, &'a str)>,
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
    /// How many annotations are around.
    pub(super) annotations: usize,
    /// The classes around, the innermost last.
    pub(super) classes: Vec<&'a StmtClassDef>,
    /// Where the names of plain assignments stand.
    pub(super) assigned: HashSet<TextRange>,
    /// Where names stand that are only tested for truth.
    tested: HashSet<TextRange>,
    findings: Vec<Finding>,
}

impl<'a> Checker<'a> {
    pub(super) fn report(
        &mut self,
        rule: &'static str,
        range: TextRange,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.findings.push(Finding::new(rule, range, message, hint));
    }

    pub(super) fn scope(&self) -> ScopeId {
        self.stack.last().copied().unwrap_or_default()
    }

    pub(super) fn resolve(&self, name: &str) -> Option<(ScopeId, &'a Binding<'a>)> {
        let scopes: &'a Scopes<'a> = self.scopes;
        scopes.resolve(self.scope(), name)
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

    /// Whether imports bind a name; most names are done with here.
    fn may_be_imported(&self, name: &str) -> bool {
        let binding = self.resolve(name);
        binding.is_some_and(|(owner, binding)| {
            !binding.imports.is_empty() || self.scopes.kind(owner) == ScopeKind::Class
        })
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
                let message = "texts of this size are used too often as templates, names or types";
                self.report(rule::TOO_LONG, expr.range(), message, "use f-strings");
                None
            }
        }
    }

    /// Takes the work of reading a text from what may still be done.
    pub(super) fn spend_text(&mut self, length: usize) -> bool {
        self.text_budget.spend(length).is_ok()
    }

    fn in_function(&self) -> bool {
        self.stack.iter().any(|id| {
            matches!(
                self.scopes.kind(*id),
                ScopeKind::Function | ScopeKind::Lambda
            )
        })
    }

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

    pub(super) fn name_bound_here(&mut self, name: &'a str) {
        let guarded = self.policy.denied_names.contains_key(name)
            || self.policy.denied_decorators.contains_key(name)
            || ATTRIBUTE_BUILTINS.contains(&name)
            || name == "type";
        if guarded && !self.scopes.kind(self.scope()).has_slots() {
            self.definite.push((self.scope(), name));
        }
    }

    /// A name that the code binds.
    pub(super) fn check_binding(&mut self, name: &'a str, range: TextRange) {
        self.bind_perhaps(name);
        let in_class = self.scopes.kind(self.scope()) == ScopeKind::Class;
        if in_class && self.policy.attributes.internals.contains(name) {
            let message = format!("{} belongs to Python's own machinery", quoted(name));
            self.report(
                rule::ATTRIBUTE_INTERNAL,
                range,
                message,
                "choose another name",
            );
        }
        if !is_dunder(name) || self.policy.names.assignable.contains(name) {
            return;
        }
        if in_class && NAMES_OF_ATTRIBUTES.contains(&name) && !self.assigned.contains(&range) {
            let message = format!(
                "{} is bound in a way that hides which names it holds",
                quoted(name)
            );
            let hint = format!("write `{name} = (\"…\",)`");
            self.report(rule::ATTRIBUTE_DYNAMIC, range, message, hint);
            return;
        }
        if !in_class {
            let message = format!("{} has a meaning of its own to Python", quoted(name));
            self.report(
                rule::NAME_PRIVATE,
                range,
                message,
                "choose a name without `__`",
            );
        } else if !self.policy.attributes.class_hooks.contains(name) {
            let message = format!("a class may not define {}", quoted(name));
            self.report(
                rule::CLASS_HOOK,
                range,
                message,
                "use an ordinary method or attribute",
            );
        }
    }

    pub(super) fn check_load(&mut self, expr: &Expr, name: &ExprName) {
        let id = name.id.as_str();
        let range = name.range;
        let resolved = self.resolve(id);
        self.check_mangled(id, range);
        let imported = self.may_be_imported(id);
        if !imported && resolved.is_some_and(|(scope, _)| self.scopes.kind(scope).has_slots()) {
            return;
        }
        let passed = self.check_name_reference(id, range);
        if id == "type" && self.may_be_builtin(id) {
            self.check_type_reference(range);
        }
        if ATTRIBUTE_BUILTINS.contains(&id) && self.may_be_builtin(id) {
            let message = format!("{} may only be called directly", quoted(id));
            let hint = "call it with a literal attribute name, or use a `lambda`";
            self.report(rule::ATTRIBUTE_DYNAMIC, range, message, hint);
        }
        if !imported {
            return;
        }
        let known = self.known(expr);
        if known.len() > MAX_IMPORTS {
            let message = format!("{} is bound by too many imports", quoted(id));
            self.report(
                rule::MODULE_VALUE,
                range,
                message,
                "give each import its own name",
            );
        }
        let module = known.iter().any(|known| matches!(known, Known::Module(_)));
        if passed && module && !self.is_tested(range) {
            self.report_module_value(expr);
        }
        self.check_direct_use(&known, range);
    }

    /// A name such as `__x` inside a class, which Python reads as `_Class__x`.
    fn check_mangled(&mut self, id: &str, range: TextRange) {
        if !id.starts_with("__") || id.ends_with("__") {
            return;
        }
        let Some(class) = self.scopes.class_around(self.scope()) else {
            return;
        };
        // Names of the class and of its functions are all read so, and mean the same.
        if self.resolve(id).is_none_or(|(owner, _)| owner < class) {
            let message = format!("inside a class Python reads {} as another name", quoted(id));
            let hint = "choose a name that begins with one `_` or none";
            self.report(rule::NAME_PRIVATE, range, message, hint);
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

    /// Judges a reference to a name; also those inside string annotations.
    pub(super) fn check_name_reference(&mut self, id: &str, range: TextRange) -> bool {
        if let Some(hint) = self.policy.denied_names.get(id) {
            if self.may_be_builtin(id) {
                let message = format!("the built-in {} may not be used", quoted(id));
                let hint = hint.clone();
                self.report(rule::NAME_BLOCKED, range, message, hint);
                return false;
            }
        } else if id.starts_with('_')
            && !self.policy.names.readable.contains(id)
            && id != PARAMS
            && self.resolve(id).is_none()
        {
            let message = format!("{} is not defined by the code", quoted(id));
            let hint = if is_dunder(id) {
                "use the documented built-ins and modules"
            } else {
                "define it, or choose a name without `_`"
            };
            self.report(rule::NAME_PRIVATE, range, message, hint);
            return false;
        }
        true
    }

    pub(super) fn check_alias_name(&mut self, alias: &'a Alias) {
        if let Some(name) = &alias.asname {
            self.check_binding(name.as_str(), name.range);
        }
    }
}

/// The dict of all parameters that `run_cached_code` was given.
pub(super) const PARAMS: &str = "_params";

/// Whether Python gives the name a meaning.
pub(super) fn is_dunder(name: &str) -> bool {
    name.len() > 4 && name.starts_with("__") && name.ends_with("__")
}

impl<'a> Checker<'a> {
    /// `self.__class__ is other.__class__`, as `__eq__` is often written.
    pub(super) fn compares_own_class(&self, compare: &ExprCompare) -> bool {
        let class_of = |expr: &Expr| match expr {
            Expr::Attribute(attribute) if attribute.attr.as_str() == "__class__" => attribute
                .value
                .as_name_expr()
                .map(|name| self.is_receiver(name.id.as_str())),
            _ => None,
        };
        let operands = std::iter::once(&*compare.left).chain(&compare.comparators);
        let receivers: Option<Vec<bool>> = operands.map(class_of).collect();
        receivers.is_some_and(|receivers| receivers.contains(&true))
    }

    /// Whether a name is the first parameter of a method.
    pub(super) fn is_receiver(&self, name: &str) -> bool {
        self.resolve(name)
            .is_some_and(|(_, binding)| binding.receiver && binding.count == 1)
    }

    /// A decimal integer that Python refuses to read, to protect itself from quadratic work.
    pub(super) fn check_number(&mut self, range: TextRange) {
        let text = self.source(range);
        let decimal = text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'_');
        if text.len() > MAX_DIGITS && decimal && text.replace('_', "").len() > MAX_DIGITS {
            let message = format!("the number has more than {MAX_DIGITS} digits");
            self.report(
                rule::SYNTAX,
                range,
                message,
                "write it as a power or in hexadecimal",
            );
        }
    }

    /// `nonlocal` of a name that no function around binds, which Python does not compile.
    pub(super) fn check_nonlocal(&mut self, names: &[Identifier]) {
        for name in names {
            let owner = self
                .resolve(name.as_str())
                .map(|(scope, _)| self.scopes.kind(scope));
            if !owner.is_some_and(ScopeKind::has_slots) {
                let message = format!("no function around binds {}", quoted(name.as_str()));
                self.report(
                    rule::SYNTAX,
                    name.range,
                    message,
                    "assign it in the outer function",
                );
            }
        }
    }

    pub(super) fn check_declared(&mut self, names: &'a [Identifier]) {
        for name in names {
            self.check_mangled(name.as_str(), name.range);
            self.check_binding(name.as_str(), name.range);
        }
    }
}
