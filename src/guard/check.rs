//! The pass that judges: what it knows of names, and the rules for them.

use rustc_hash::FxHashSet as HashSet;

use crate::pysyntax::ast::visitor::source_order::SourceOrderVisitor;
use crate::pysyntax::ast::{Alias, Expr, ExprCompare, ExprName, Identifier, ModModule, UnaryOp};
use crate::pysyntax::{Ranged, TextRange};

use super::finding::{Finding, quoted};
use super::literal::{self, TextBudget, Unknown};
use super::policy::Policy;
use super::reachable::reachable;
use super::scope::{Binding, Imported, ScopeId, ScopeKind, Scopes};
use super::{CompiledNames, Facts, MAX_VIOLATIONS, facts, rule};

/// Built-ins that name an attribute by a string: only called directly, with a literal.
pub(super) const ATTRIBUTE_BUILTINS: [&str; 4] = ["getattr", "setattr", "delattr", "hasattr"];

/// How many names are followed to an import.
const MAX_ALIASES: usize = 4;

/// The most digits that Python reads of a decimal integer (`sys.set_int_max_str_digits`).
const MAX_DIGITS: usize = 4300;

/// How many different imports may bind one name.
const MAX_IMPORTS: usize = 8;

/// How many bytes of literals are looked at as templates, names or types.
const TEXT_BUDGET: usize = 512 * 1024;

/// What is known of the value of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Known {
    /// A module, or a package of one.
    Module(String),
    /// A name of a module.
    Name(String, String),
}

/// Whether something is one of certain names of a certain module.
pub(super) fn is_name(known: &[Known], module: &str, names: &[&str]) -> bool {
    known.iter().any(|known| {
        matches!(known, Known::Name(found, name)
            if found == module && names.contains(&name.as_str()))
    })
}

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
        text_budget: TextBudget(TEXT_BUDGET),
        suggestion_budget: MAX_VIOLATIONS,
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
    /// What may still be looked at as templates, names or types.
    text_budget: TextBudget,
    /// How many more hints may look for similar names.
    pub(super) suggestion_budget: usize,
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

    /// Whether an expression is a name that certainly is the built-in.
    pub(super) fn is_builtin(&self, expr: &Expr, name: &str) -> bool {
        matches!(expr, Expr::Name(found) if found.id.as_str() == name)
            && self.resolve(name).is_none()
    }

    /// What an expression is known to be through imports; several where several imports bind it.
    pub(super) fn known(&self, expr: &Expr) -> Vec<Known> {
        let mut root = expr;
        while let Expr::Attribute(attribute) = root {
            root = &attribute.value;
        }
        match root {
            Expr::Name(name) if self.may_be_imported(name.id.as_str()) => self.known_chain(expr),
            _ => Vec::new(),
        }
    }

    /// Whether imports or another name bind a name; most names are done with here.
    fn may_be_imported(&self, name: &str) -> bool {
        self.resolve(name).is_some_and(|(_, binding)| {
            !binding.imports.is_empty() || matches!(binding.values.as_slice(), [Expr::Name(_)])
        })
    }

    fn known_chain(&self, expr: &Expr) -> Vec<Known> {
        match expr {
            Expr::Name(name) => self.known_name(self.scope(), name.id.as_str(), MAX_ALIASES),
            Expr::Attribute(attribute) => self
                .known_chain(&attribute.value)
                .into_iter()
                .filter_map(|known| match known {
                    Known::Module(module) => Some(self.member(&module, attribute.attr.as_str())),
                    Known::Name(..) => None,
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    fn known_name(&self, scope: ScopeId, name: &str, steps: usize) -> Vec<Known> {
        let Some((owner, binding)) = self.scopes.resolve(scope, name) else {
            return Vec::new();
        };
        if let [Expr::Name(value)] = binding.values.as_slice()
            && binding.count == 1
            && let Some(steps) = steps.checked_sub(1)
        {
            return self.known_name(owner, value.id.as_str(), steps);
        }
        if !binding.only_imports() || binding.imports.len() > MAX_IMPORTS {
            return Vec::new();
        }
        let known = |imported: &Imported| match imported {
            Imported::Module(module) => Known::Module(module.clone()),
            Imported::Name(module, name) => self.member(module, name),
        };
        binding.imports.iter().map(known).collect()
    }

    /// Whether a statement gives a module another name, and that name nothing else.
    pub(super) fn is_alias(&self, targets: &[Expr], value: &Expr) -> bool {
        let [Expr::Name(target)] = targets else {
            return false;
        };
        let once = self
            .resolve(target.id.as_str())
            .is_some_and(|(_, binding)| binding.count == 1);
        once && value.is_name_expr() && self.is_module_value(value)
    }

    /// Whether an expression is a module.
    fn is_module_value(&self, expr: &Expr) -> bool {
        self.known(expr)
            .iter()
            .any(|known| matches!(known, Known::Module(_)))
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

    fn member(&self, module: &str, name: &str) -> Known {
        let full = format!("{module}.{name}");
        if self.is_module(&full) {
            Known::Module(full)
        } else {
            Known::Name(module.to_owned(), name.to_owned())
        }
    }

    /// Whether an expression is a certain name of a certain module.
    pub(super) fn is_known(&self, expr: &Expr, module: &str, names: &[&str]) -> bool {
        is_name(&self.known(expr), module, names)
    }

    /// The texts that an expression can be, where all of them are literals.
    pub(super) fn texts(&mut self, expr: &Expr) -> Option<Vec<String>> {
        let scope = self.scope();
        match literal::texts(expr, self.scopes, scope, &mut self.text_budget) {
            Ok(texts) => Some(texts),
            Err(Unknown::NotLiteral) => None,
            Err(Unknown::TooMuch) => {
                let message = "texts of this size are used too often as templates, names or types";
                self.report(rule::TOO_LONG, expr.range(), message, "use f-strings");
                None
            }
        }
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
            || ATTRIBUTE_BUILTINS.contains(&name);
        if guarded && !self.scopes.kind(self.scope()).has_slots() {
            self.definite.push((self.scope(), name));
        }
    }

    /// A name that the code binds.
    pub(super) fn check_binding(&mut self, name: &str, range: TextRange) {
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
        let imported = self.may_be_imported(id);
        if !imported && resolved.is_some_and(|(scope, _)| self.scopes.kind(scope).has_slots()) {
            return;
        }
        let passed = self.check_name_reference(id, range);
        if ATTRIBUTE_BUILTINS.contains(&id) && self.may_be_builtin(id) {
            let message = format!("{} may only be called directly", quoted(id));
            let hint = "call it with a literal attribute name, or use a `lambda`";
            self.report(rule::ATTRIBUTE_DYNAMIC, range, message, hint);
        }
        if !imported {
            return;
        }
        if resolved.is_some_and(|(_, binding)| binding.imports.len() > MAX_IMPORTS) {
            let message = format!("{} is bound by too many imports", quoted(id));
            self.report(
                rule::MODULE_VALUE,
                range,
                message,
                "give each import its own name",
            );
        }
        let known = self.known(expr);
        let module = known.iter().any(|known| matches!(known, Known::Module(_)));
        if passed && module && !self.tested.contains(&range) {
            let message = format!("the module {} is used as a value", quoted(id));
            let hint = format!("name what is used of it, such as `{id}.…`");
            self.report(rule::MODULE_VALUE, range, message, hint);
        }
        self.check_attribute_getter_value(&known, range);
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

    pub(super) fn check_alias_name(&mut self, alias: &Alias) {
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

impl Checker<'_> {
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
        let text = self
            .code
            .get(range.start().to_usize()..range.end().to_usize());
        let text = text.unwrap_or_default();
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

    pub(super) fn check_declared(&mut self, names: &[Identifier]) {
        for name in names {
            self.check_binding(name.as_str(), name.range);
        }
    }
}
