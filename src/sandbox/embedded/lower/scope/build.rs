//! The walk that finds what binds names.

use std::collections::{HashMap, HashSet};

use crate::pysyntax::ast::visitor::{self, Visitor};
use crate::pysyntax::ast::{
    Alias, Comprehension, ExceptHandler, Expr, ExprContext, Identifier, Parameters, Pattern, Stmt,
    StmtClassDef, StmtFunctionDef, TypeParam, TypeParams,
};
use crate::pysyntax::{Ranged, TextRange, TextSize};

use super::super::types::looks_like_type;
use super::{Binding, Kind, Scope, ScopeId, Scopes, Site};

/// Finds all bindings of a module.
pub(super) fn build(body: &[Stmt]) -> Scopes<'_> {
    let mut builder = Builder {
        scopes: Scopes {
            scopes: Vec::new(),
            by_node: HashMap::new(),
        },
        current: ScopeId::MODULE,
        in_annotation: false,
        statement: TextSize::default(),
        loads: Vec::new(),
        outer: Vec::new(),
    };
    builder.scopes.scopes.push(Scope {
        kind: Kind::Module,
        parent: None,
        bindings: HashMap::new(),
        globals: HashSet::new(),
        nonlocals: HashSet::new(),
    });
    builder.visit_body(body);
    builder.finish()
}

struct Builder<'a> {
    scopes: Scopes<'a>,
    current: ScopeId,
    in_annotation: bool,
    /// From where on what the statement binds is there.
    statement: TextSize,
    loads: Vec<(ScopeId, &'a str)>,
    /// What `nonlocal` names are bound to.
    outer: Vec<(ScopeId, &'a str, Option<Site<'a>>)>,
}

impl<'a> Builder<'a> {
    fn enter(&mut self, kind: Kind, node: TextRange) -> ScopeId {
        let outside = self.current;
        let id = ScopeId(self.scopes.scopes.len());
        self.scopes.scopes.push(Scope {
            kind,
            parent: Some(outside),
            bindings: HashMap::new(),
            globals: HashSet::new(),
            nonlocals: HashSet::new(),
        });
        self.scopes.by_node.insert(node, id);
        self.current = id;
        outside
    }

    fn binding(&mut self, scope: ScopeId, name: &'a str) -> Option<&mut Binding<'a>> {
        let declares = self.scopes.scopes.get(scope.0)?;
        let owner = if declares.globals.contains(name) {
            ScopeId::MODULE
        } else {
            scope
        };
        let owner = self.scopes.scopes.get_mut(owner.0)?;
        Some(owner.bindings.entry(name).or_default())
    }

    /// Notes a place that binds a name; `None` where it is deleted.
    fn note(&mut self, scope: ScopeId, name: &'a str, site: Option<Site<'a>>) {
        let at = match site {
            Some(Site::Class(class)) => class.end(),
            _ => self.statement,
        };
        let is_outer = |scope: &Scope<'a>| scope.nonlocals.contains(name);
        if self.scopes.scopes.get(scope.0).is_some_and(is_outer) {
            self.outer.push((scope, name, site));
        } else if let Some(binding) = self.binding(scope, name) {
            match site {
                Some(site) => {
                    binding.first.get_or_insert(at);
                    binding.sites.push(site);
                }
                None => binding.deleted = true,
            }
        }
    }

    fn bind(&mut self, name: &'a str, site: Site<'a>) {
        self.note(self.current, name, Some(site));
    }

    fn finish(mut self) -> Scopes<'a> {
        for (scope, name, site) in std::mem::take(&mut self.outer) {
            let owner = self
                .scopes
                .parent(scope)
                .and_then(|parent| self.scopes.owner(parent, name));
            let owner = owner.unwrap_or(ScopeId::MODULE);
            if let Some(scope) = self.scopes.scopes.get_mut(owner.0) {
                let binding = scope.bindings.entry(name).or_default();
                match site {
                    Some(site) => binding.sites.push(site),
                    None => binding.deleted = true,
                }
            }
        }
        for (scope, name) in std::mem::take(&mut self.loads) {
            let Some(owner) = self.scopes.owner(scope, name) else {
                continue;
            };
            let owner = self.scopes.scopes.get_mut(owner.0);
            if let Some(binding) = owner.and_then(|owner| owner.bindings.get_mut(name)) {
                binding.loads += 1;
            }
        }
        self.scopes
    }

    fn as_annotation(&mut self, visit: impl FnOnce(&mut Self)) {
        let outside = std::mem::replace(&mut self.in_annotation, true);
        visit(self);
        self.in_annotation = outside;
    }

    fn target(&mut self, target: &'a Expr, site: Site<'a>) {
        match target {
            Expr::Name(name) => self.bind(name.id.as_str(), site),
            Expr::Tuple(tuple) => {
                for (index, element) in tuple.elts.iter().enumerate() {
                    let site = match (site, index) {
                        (Site::Item(iter, scope), 0) if tuple.elts.len() == 2 => {
                            Site::First(iter, scope)
                        }
                        _ => Site::Other,
                    };
                    self.target(element, site);
                }
            }
            other => self.visit_expr(other),
        }
    }

    fn signature(&mut self, parameters: &'a Parameters) {
        for parameter in parameters {
            if let Some(annotation) = parameter.annotation() {
                self.visit_annotation(annotation);
            }
            if let Some(default) = parameter.default() {
                self.visit_expr(default);
            }
        }
    }

    fn parameters(&mut self, parameters: &'a Parameters) {
        for parameter in parameters {
            self.bind(parameter.name().as_str(), Site::Parameter);
        }
    }

    fn type_params(&mut self, params: Option<&'a TypeParams>) {
        for param in params.iter().flat_map(|params| &params.type_params) {
            let name = match param {
                TypeParam::TypeVar(it) => &it.name,
                TypeParam::TypeVarTuple(it) => &it.name,
                TypeParam::ParamSpec(it) => &it.name,
            };
            self.bind(name.as_str(), Site::Other);
        }
    }

    fn function(&mut self, function: &'a StmtFunctionDef) {
        for decorator in &function.decorator_list {
            self.visit_decorator(decorator);
        }
        self.signature(&function.parameters);
        if let Some(returns) = &function.returns {
            self.visit_annotation(returns);
        }
        self.bind(function.name.as_str(), Site::Function);
        let outside = self.enter(Kind::Function, function.range());
        self.type_params(function.type_params.as_deref());
        self.parameters(&function.parameters);
        self.visit_body(&function.body);
        self.current = outside;
    }

    fn class(&mut self, class: &'a StmtClassDef) {
        for decorator in &class.decorator_list {
            self.visit_decorator(decorator);
        }
        if let Some(arguments) = &class.arguments {
            self.as_annotation(|this| this.visit_arguments(arguments));
        }
        self.bind(class.name.as_str(), Site::Class(class));
        let outside = self.enter(Kind::Class, class.range());
        self.type_params(class.type_params.as_deref());
        self.visit_body(&class.body);
        self.current = outside;
    }

    fn comprehension(
        &mut self,
        node: TextRange,
        elements: &[&'a Expr],
        generators: &'a [Comprehension],
    ) {
        if let Some(first) = generators.first() {
            self.visit_expr(&first.iter);
        }
        let outside = self.enter(Kind::Comprehension, node);
        for (index, generator) in generators.iter().enumerate() {
            let scope = if index == 0 { outside } else { self.current };
            if index > 0 {
                self.visit_expr(&generator.iter);
            }
            let site = if generator.is_async {
                Site::Other
            } else {
                Site::Item(&generator.iter, scope)
            };
            self.target(&generator.target, site);
            for condition in &generator.ifs {
                self.visit_expr(condition);
            }
        }
        for element in elements {
            self.visit_expr(element);
        }
        self.current = outside;
    }

    fn imported(&mut self, module: &'a str, alias: &'a Alias, is_from: bool) {
        let name = alias.name.as_str();
        if is_from {
            let bound = alias.asname.as_ref().map_or(name, |it| it.as_str());
            self.bind(bound, Site::Import(module, Some(name)));
        } else if let Some(bound) = &alias.asname {
            self.bind(bound.as_str(), Site::Import(name, None));
        } else {
            let top = name.split('.').next().unwrap_or(name);
            self.bind(top, Site::Import(top, None));
        }
    }
}

impl<'a> Visitor<'a> for Builder<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        self.statement = match stmt {
            Stmt::Assign(_) | Stmt::AnnAssign(_) => stmt.end(),
            _ => stmt.start(),
        };
        match stmt {
            Stmt::FunctionDef(function) => self.function(function),
            Stmt::ClassDef(class) => self.class(class),
            Stmt::Assign(assign) => {
                if looks_like_type(&assign.value) {
                    self.as_annotation(|this| this.visit_expr(&assign.value));
                } else {
                    self.visit_expr(&assign.value);
                }
                for target in &assign.targets {
                    let is_name = target.is_name_expr();
                    let site = Site::Value(&assign.value, self.current);
                    self.target(target, if is_name { site } else { Site::Other });
                }
            }
            Stmt::AnnAssign(assign) => {
                self.visit_annotation(&assign.annotation);
                if let Some(value) = &assign.value {
                    self.visit_expr(value);
                    self.target(&assign.target, Site::Value(value, self.current));
                } else if let Expr::Name(name) = &*assign.target {
                    // It makes the name local without a value.
                    let (scope, name) = (self.current, name.id.as_str());
                    self.binding(scope, name);
                }
            }
            Stmt::AugAssign(assign) => {
                self.visit_expr(&assign.value);
                if let Expr::Name(name) = &*assign.target {
                    self.bind(name.id.as_str(), Site::Augmented(assign, self.current));
                    self.loads.push((self.current, name.id.as_str()));
                } else {
                    self.visit_expr(&assign.target);
                }
            }
            Stmt::For(it) => {
                self.visit_expr(&it.iter);
                let site = if it.is_async {
                    Site::Other
                } else {
                    Site::Item(&it.iter, self.current)
                };
                self.target(&it.target, site);
                self.visit_body(&it.body);
                self.visit_body(&it.orelse);
            }
            Stmt::Import(import) => {
                for alias in &import.names {
                    self.imported("", alias, false);
                }
            }
            Stmt::ImportFrom(import) => {
                let module = import.module.as_ref().map_or("", |it| it.as_str());
                for alias in &import.names {
                    self.imported(module, alias, true);
                }
            }
            Stmt::Global(it) => {
                let names = it.names.iter().map(Identifier::as_str);
                if self.current != ScopeId::MODULE
                    && let Some(scope) = self.scopes.scopes.get_mut(self.current.0)
                {
                    scope.globals.extend(names);
                }
            }
            Stmt::Nonlocal(it) => {
                let names = it.names.iter().map(Identifier::as_str);
                if let Some(scope) = self.scopes.scopes.get_mut(self.current.0) {
                    scope.nonlocals.extend(names);
                }
            }
            Stmt::TypeAlias(alias) => {
                if let Expr::Name(name) = &*alias.name {
                    self.bind(name.id.as_str(), Site::Other);
                }
                self.as_annotation(|this| this.visit_expr(&alias.value));
            }
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn visit_annotation(&mut self, annotation: &'a Expr) {
        self.as_annotation(|this| this.visit_expr(annotation));
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) => match name.ctx {
                ExprContext::Store => self.bind(name.id.as_str(), Site::Other),
                ExprContext::Del => {
                    self.note(self.current, name.id.as_str(), None);
                    self.loads.push((self.current, name.id.as_str()));
                }
                ExprContext::Load | ExprContext::Invalid => {
                    if !self.in_annotation {
                        self.loads.push((self.current, name.id.as_str()));
                    }
                }
            },
            Expr::Named(named) => {
                self.visit_expr(&named.value);
                let mut scope = self.current;
                while self.scopes.kind(scope) == Kind::Comprehension
                    && let Some(parent) = self.scopes.parent(scope)
                {
                    scope = parent;
                }
                if let Expr::Name(name) = &*named.target {
                    let site = Site::Value(&named.value, self.current);
                    self.note(scope, name.id.as_str(), Some(site));
                }
            }
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.signature(parameters);
                }
                let outside = self.enter(Kind::Lambda, lambda.range());
                if let Some(parameters) = &lambda.parameters {
                    self.parameters(parameters);
                }
                self.visit_expr(&lambda.body);
                self.current = outside;
            }
            Expr::ListComp(it) => self.comprehension(it.range(), &[&it.elt], &it.generators),
            Expr::SetComp(it) => self.comprehension(it.range(), &[&it.elt], &it.generators),
            Expr::Generator(it) => self.comprehension(it.range(), &[&it.elt], &it.generators),
            Expr::DictComp(it) => {
                let elements: Vec<&'a Expr> = it
                    .key
                    .iter()
                    .map(|key| &**key)
                    .chain([&*it.value])
                    .collect();
                self.comprehension(it.range(), &elements, &it.generators);
            }
            Expr::Call(call) if is_cast(&call.func) => {
                for (index, argument) in call.arguments.args.iter().enumerate() {
                    if index == 0 {
                        self.visit_annotation(argument);
                    } else {
                        self.visit_expr(argument);
                    }
                }
                self.visit_expr(&call.func);
                for keyword in &call.arguments.keywords {
                    self.visit_expr(&keyword.value);
                }
            }
            _ => visitor::walk_expr(self, expr),
        }
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(it) = handler;
        if let Some(name) = &it.name {
            self.bind(name.as_str(), Site::Exception);
        }
        visitor::walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        let name = match pattern {
            Pattern::MatchAs(it) => it.name.as_ref(),
            Pattern::MatchStar(it) => it.name.as_ref(),
            Pattern::MatchMapping(it) => it.rest.as_ref(),
            _ => None,
        };
        if let Some(name) = name {
            self.bind(name.as_str(), Site::Other);
        }
        visitor::walk_pattern(self, pattern);
    }
}

/// Whether a callee is `cast` or `….cast`.
fn is_cast(callee: &Expr) -> bool {
    match callee {
        Expr::Name(name) => name.id.as_str() == "cast",
        Expr::Attribute(attribute) => attribute.attr.as_str() == "cast",
        _ => false,
    }
}
