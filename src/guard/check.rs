//! The pass that judges names, and walks to where the other rules apply.

use crate::pysyntax::ast::visitor::source_order::{self, SourceOrderVisitor};
use crate::pysyntax::ast::{
    Alias, ExceptHandler, Expr, ExprContext, ExprName, Identifier, ModModule, Pattern,
    PatternKeyword, Stmt, TypeParam,
};
use crate::pysyntax::{Ranged, TextRange};

use super::finding::{Finding, quoted};
use super::policy::Policy;
use super::scope::{Binding, Imported, ScopeId, ScopeKind, Scopes};
use super::walk::{ScopeNode, ScopedVisitor, walk_expr, walk_stmt};
use super::{CompiledNames, Facts, facts, literal, rule};

/// Built-ins that name an attribute by a string: only called directly, with a literal.
pub(super) const ATTRIBUTE_BUILTINS: [&str; 4] = ["getattr", "setattr", "delattr", "hasattr"];

/// What is known of the value of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Known {
    /// A module, or a package of one.
    Module(String),
    /// A name of a module.
    Name(String, String),
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
        findings: Vec::new(),
    };
    for stmt in &module.body {
        checker.visit_stmt(stmt);
    }
    (checker.findings, checker.facts)
}

/// The judging pass. Its rules are spread over the modules beside this one.
pub(super) struct Checker<'a> {
    pub(super) code: &'a str,
    pub(super) policy: &'a Policy,
    pub(super) names: &'a CompiledNames,
    pub(super) scopes: &'a Scopes<'a>,
    pub(super) facts: Facts,
    stack: Vec<ScopeId>,
    next_scope: ScopeId,
    /// Names of denied built-ins that are certainly bound at this place, with the module or class
    /// scope that binds them: there, a name whose binding was not executed is the built-in.
    definite: Vec<(ScopeId, &'a str)>,
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
        match expr {
            Expr::Name(name) => {
                let Some((_, binding)) = self.resolve(name.id.as_str()) else {
                    return Vec::new();
                };
                if !binding.only_imports() {
                    return Vec::new();
                }
                binding
                    .imports
                    .iter()
                    .map(|imported| match imported {
                        Imported::Module(module) => Known::Module(module.clone()),
                        Imported::Name(module, name) => self.member(module, name),
                    })
                    .collect()
            }
            Expr::Attribute(attribute) => self
                .known(&attribute.value)
                .into_iter()
                .filter_map(|known| match known {
                    Known::Module(module) => Some(self.member(&module, attribute.attr.as_str())),
                    Known::Name(..) => None,
                })
                .collect(),
            _ => Vec::new(),
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
        self.known(expr).iter().any(|known| {
            matches!(known, Known::Name(found, name)
                if found == module && names.contains(&name.as_str()))
        })
    }

    /// The texts that an expression can be, where all of them are literals.
    pub(super) fn texts(&self, expr: &Expr) -> Option<Vec<String>> {
        literal::texts(expr, self.scopes, self.scope())
    }

    fn in_function(&self) -> bool {
        self.stack.iter().any(|id| {
            matches!(
                self.scopes.kind(*id),
                ScopeKind::Function | ScopeKind::Lambda
            )
        })
    }

    fn note_await(&mut self) {
        if !self.in_function() {
            self.facts.top_level_await = true;
        }
    }

    /// Remembers the denied built-ins among the names of a target.
    fn bound_here(&mut self, target: &'a Expr) {
        match target {
            Expr::Name(name) => self.name_bound_here(name.id.as_str()),
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|item| self.bound_here(item)),
            Expr::List(list) => list.elts.iter().for_each(|item| self.bound_here(item)),
            Expr::Starred(starred) => self.bound_here(&starred.value),
            _ => {}
        }
    }

    fn name_bound_here(&mut self, name: &'a str) {
        let guarded =
            self.policy.denied_names.contains_key(name) || ATTRIBUTE_BUILTINS.contains(&name);
        if guarded && !self.scopes.kind(self.scope()).has_slots() {
            self.definite.push((self.scope(), name));
        }
    }

    /// A name that the code binds.
    pub(super) fn check_binding(&mut self, name: &str, range: TextRange) {
        if !is_dunder(name) || self.policy.names.assignable.contains(name) {
            return;
        }
        let in_class = self.scopes.kind(self.scope()) == ScopeKind::Class;
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

    fn check_load(&mut self, expr: &Expr, name: &ExprName) {
        let id = name.id.as_str();
        if self.check_name_reference(id, name.range) && !self.known_modules_ok(name) {
            let message = format!("the module {} is used as a value", quoted(id));
            let hint = format!("name what is used of it, such as `{id}.…`");
            self.report(rule::MODULE_VALUE, name.range, message, hint);
        }
        if ATTRIBUTE_BUILTINS.contains(&id) && self.may_be_builtin(id) {
            let message = format!("{} may only be called directly", quoted(id));
            let hint = "call it with a literal attribute name, or use a `lambda`";
            self.report(rule::ATTRIBUTE_DYNAMIC, name.range, message, hint);
        }
        self.check_attribute_getter_value(expr);
    }

    fn known_modules_ok(&self, name: &ExprName) -> bool {
        let Some((_, binding)) = self.resolve(name.id.as_str()) else {
            return true;
        };
        !binding.only_imports()
            || !binding.imports.iter().any(|imported| match imported {
                Imported::Module(_) => true,
                Imported::Name(module, name) => self.is_module(&format!("{module}.{name}")),
            })
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

    fn check_alias_name(&mut self, alias: &Alias) {
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

impl<'a> ScopedVisitor<'a> for Checker<'a> {
    fn enter_scope(&mut self, node: ScopeNode<'a>) {
        let id = self.next_scope;
        self.next_scope += 1;
        self.stack.push(id);
        let parameters = match node {
            ScopeNode::Function(function) => Some(&*function.parameters),
            ScopeNode::Lambda(lambda) => lambda.parameters.as_deref(),
            _ => None,
        };
        for parameter in parameters
            .into_iter()
            .flat_map(|parameters| parameters.iter())
        {
            let name = parameter.name();
            self.check_binding(name.as_str(), name.range);
        }
    }

    fn leave_scope(&mut self) {
        self.stack.pop();
    }

    fn for_target_bound(&mut self, target: &'a Expr) {
        self.bound_here(target);
    }
}

impl<'a> SourceOrderVisitor<'a> for Checker<'a> {
    fn visit_body(&mut self, body: &'a [Stmt]) {
        // Whether a block runs to its end is not known, so what it binds counts only inside it.
        let mark = self.definite.len();
        for stmt in body {
            self.visit_stmt(stmt);
        }
        self.definite.truncate(mark);
    }

    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        let mark = self.definite.len();
        match stmt {
            Stmt::Import(import) => self.check_import(import),
            Stmt::ImportFrom(import) => self.check_import_from(import),
            Stmt::FunctionDef(function) => {
                self.check_binding(function.name.as_str(), function.name.range);
            }
            Stmt::ClassDef(class) => {
                self.check_binding(class.name.as_str(), class.name.range);
                self.check_class(class);
            }
            Stmt::Assign(assign) => {
                for target in &assign.targets {
                    self.check_class_attribute(target, &assign.value);
                }
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    self.check_class_attribute(&assign.target, value);
                }
            }
            Stmt::Global(statement) => self.check_declared(&statement.names),
            Stmt::Nonlocal(statement) => self.check_declared(&statement.names),
            Stmt::For(statement) if statement.is_async => self.note_await(),
            Stmt::With(statement) => {
                if statement.is_async {
                    self.note_await();
                }
                for item in &statement.items {
                    self.visit_expr(&item.context_expr);
                    if let Some(target) = &item.optional_vars {
                        self.visit_expr(target);
                        self.bound_here(target);
                    }
                }
                self.visit_body(&statement.body);
                return;
            }
            _ => {}
        }
        walk_stmt(self, stmt);
        match stmt {
            Stmt::For(_) => self.definite.truncate(mark),
            Stmt::Assign(assign) => {
                assign
                    .targets
                    .iter()
                    .for_each(|target| self.bound_here(target));
            }
            Stmt::AnnAssign(assign) if assign.value.is_some() => self.bound_here(&assign.target),
            Stmt::FunctionDef(function) => self.name_bound_here(function.name.as_str()),
            Stmt::ClassDef(class) => self.name_bound_here(class.name.as_str()),
            _ => {}
        }
    }

    fn visit_annotation(&mut self, expr: &'a Expr) {
        self.check_annotation(expr);
        self.visit_expr(expr);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) => match name.ctx {
                ExprContext::Load => self.check_load(expr, name),
                _ => self.check_binding(name.id.as_str(), name.range),
            },
            Expr::Attribute(attribute) => self.check_attribute(expr, attribute),
            Expr::Call(call) => self.check_call(expr, call),
            Expr::Subscript(subscript) => {
                self.check_type_subscript(subscript);
                walk_expr(self, expr);
            }
            Expr::Compare(compare) if compare.ops.iter().all(|op| op.is_is() || op.is_is_not()) => {
                // `module is None` is how an optional import is tested.
                for operand in std::iter::once(&*compare.left).chain(&compare.comparators) {
                    if self.known(operand).is_empty() {
                        self.visit_expr(operand);
                    }
                }
            }
            Expr::Await(_) => {
                self.note_await();
                walk_expr(self, expr);
            }
            Expr::ListComp(comp) => {
                if comp.generators.iter().any(|generator| generator.is_async) {
                    self.note_await();
                }
                walk_expr(self, expr);
            }
            Expr::SetComp(comp) => {
                if comp.generators.iter().any(|generator| generator.is_async) {
                    self.note_await();
                }
                walk_expr(self, expr);
            }
            Expr::DictComp(comp) => {
                if comp.generators.iter().any(|generator| generator.is_async) {
                    self.note_await();
                }
                walk_expr(self, expr);
            }
            _ => walk_expr(self, expr),
        }
    }

    fn visit_alias(&mut self, alias: &'a Alias) {
        self.check_alias_name(alias);
        let bound = alias.asname.as_ref().unwrap_or(&alias.name);
        self.name_bound_here(bound.as_str());
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        if let Some(name) = &inner.name {
            self.check_binding(name.as_str(), name.range);
        }
        source_order::walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        let name = match pattern {
            Pattern::MatchAs(pattern) => pattern.name.as_ref(),
            Pattern::MatchStar(pattern) => pattern.name.as_ref(),
            Pattern::MatchMapping(pattern) => pattern.rest.as_ref(),
            _ => None,
        };
        if let Some(name) = name {
            self.check_binding(name.as_str(), name.range);
        }
        source_order::walk_pattern(self, pattern);
    }

    fn visit_pattern_keyword(&mut self, keyword: &'a PatternKeyword) {
        self.check_attribute_name(keyword.attr.as_str(), keyword.attr.range, true);
        source_order::walk_pattern_keyword(self, keyword);
    }

    fn visit_type_param(&mut self, parameter: &'a TypeParam) {
        self.check_binding(parameter.name().as_str(), parameter.range());
        source_order::walk_type_param(self, parameter);
    }
}

impl Checker<'_> {
    fn check_declared(&mut self, names: &[Identifier]) {
        for name in names {
            self.check_binding(name.as_str(), name.range);
        }
    }
}
