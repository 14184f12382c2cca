//! One traversal of a module in the order that Python's scopes need, shared by the pass that binds
//! names and the pass that judges them: both must enter the same scopes in the same order.

use crate::pysyntax::ast::visitor::source_order::{self, SourceOrderVisitor};
use crate::pysyntax::ast::{
    Comprehension, Expr, ExprLambda, ExprListComp, ExprSetComp, Identifier, Parameters, Pattern,
    Stmt, StmtClassDef, StmtFor, StmtFunctionDef, TypeParams,
};

/// What opens a scope.
#[derive(Clone, Copy)]
pub(super) enum ScopeNode<'a> {
    Function(&'a StmtFunctionDef),
    Lambda(&'a ExprLambda),
    Class(&'a StmtClassDef),
    Comprehension,
    Generator,
    /// `def f[T]`, `class C[T]`, `type A[T]`.
    TypeParameters,
}

/// A visitor that is told about scopes.
pub(super) trait ScopedVisitor<'a>: SourceOrderVisitor<'a> + Sized {
    /// Called before what is inside the scope is visited.
    fn enter_scope(&mut self, node: ScopeNode<'a>);
    /// Called after.
    fn leave_scope(&mut self);
    /// Called after the target of a comprehension is visited.
    fn comprehension_bound(&mut self, _comprehension: &'a Comprehension) {}
    /// Visits the target and the blocks of a `for`.
    fn visit_for_blocks(&mut self, statement: &'a StmtFor) {
        self.visit_expr(&statement.target);
        self.visit_body(&statement.body);
        self.visit_body(&statement.orelse);
    }
}

/// Visits the children of a statement.
pub(super) fn walk_stmt<'a, V: ScopedVisitor<'a>>(visitor: &mut V, stmt: &'a Stmt) {
    match stmt {
        Stmt::FunctionDef(function) => walk_function(visitor, function),
        Stmt::ClassDef(class) => walk_class(visitor, class),
        Stmt::TypeAlias(alias) => {
            visitor.visit_expr(&alias.name);
            let scoped = enter_type_parameters(visitor, alias.type_params.as_deref());
            visitor.visit_annotation(&alias.value);
            if scoped {
                visitor.leave_scope();
            }
        }
        Stmt::For(statement) => {
            visitor.visit_expr(&statement.iter);
            visitor.visit_for_blocks(statement);
        }
        _ => source_order::walk_stmt(visitor, stmt),
    }
}

/// Visits the children of an expression.
pub(super) fn walk_expr<'a, V: ScopedVisitor<'a>>(visitor: &mut V, expr: &'a Expr) {
    match expr {
        Expr::Lambda(lambda) => {
            if let Some(parameters) = &lambda.parameters {
                walk_defaults(visitor, parameters);
            }
            visitor.enter_scope(ScopeNode::Lambda(lambda));
            visitor.visit_expr(&lambda.body);
            visitor.leave_scope();
        }
        Expr::ListComp(ExprListComp {
            elt, generators, ..
        })
        | Expr::SetComp(ExprSetComp {
            elt, generators, ..
        }) => walk_comprehension(visitor, generators, ScopeNode::Comprehension, &[elt]),
        Expr::Generator(comp) => {
            walk_comprehension(
                visitor,
                &comp.generators,
                ScopeNode::Generator,
                &[&comp.elt],
            );
        }
        Expr::DictComp(comp) => {
            let elements: Vec<&Expr> = comp
                .key
                .as_deref()
                .into_iter()
                .chain([&*comp.value])
                .collect();
            walk_comprehension(
                visitor,
                &comp.generators,
                ScopeNode::Comprehension,
                &elements,
            );
        }
        _ => source_order::walk_expr(visitor, expr),
    }
}

/// The name that a pattern itself captures.
pub(super) fn captured(pattern: &Pattern) -> Option<&Identifier> {
    match pattern {
        Pattern::MatchAs(pattern) => pattern.name.as_ref(),
        Pattern::MatchStar(pattern) => pattern.name.as_ref(),
        Pattern::MatchMapping(pattern) => pattern.rest.as_ref(),
        _ => None,
    }
}

fn walk_function<'a, V: ScopedVisitor<'a>>(visitor: &mut V, function: &'a StmtFunctionDef) {
    for decorator in &function.decorator_list {
        visitor.visit_decorator(decorator);
    }
    // Python evaluates them before it makes the type parameters.
    walk_defaults(visitor, &function.parameters);
    let scoped = enter_type_parameters(visitor, function.type_params.as_deref());
    walk_annotations(visitor, &function.parameters);
    if let Some(returns) = &function.returns {
        visitor.visit_annotation(returns);
    }
    visitor.enter_scope(ScopeNode::Function(function));
    visitor.visit_body(&function.body);
    visitor.leave_scope();
    if scoped {
        visitor.leave_scope();
    }
}

fn walk_class<'a, V: ScopedVisitor<'a>>(visitor: &mut V, class: &'a StmtClassDef) {
    for decorator in &class.decorator_list {
        visitor.visit_decorator(decorator);
    }
    let scoped = enter_type_parameters(visitor, class.type_params.as_deref());
    if let Some(arguments) = &class.arguments {
        visitor.visit_arguments(arguments);
    }
    visitor.enter_scope(ScopeNode::Class(class));
    visitor.visit_body(&class.body);
    visitor.leave_scope();
    if scoped {
        visitor.leave_scope();
    }
}

fn enter_type_parameters<'a, V: ScopedVisitor<'a>>(
    visitor: &mut V,
    parameters: Option<&'a TypeParams>,
) -> bool {
    let Some(parameters) = parameters else {
        return false;
    };
    visitor.enter_scope(ScopeNode::TypeParameters);
    visitor.visit_type_params(parameters);
    true
}

fn walk_defaults<'a, V: ScopedVisitor<'a>>(visitor: &mut V, parameters: &'a Parameters) {
    for parameter in parameters.iter_source_order() {
        if let Some(default) = parameter.default() {
            visitor.visit_expr(default);
        }
    }
}

fn walk_annotations<'a, V: ScopedVisitor<'a>>(visitor: &mut V, parameters: &'a Parameters) {
    for parameter in parameters.iter_source_order() {
        if let Some(annotation) = parameter.annotation() {
            visitor.visit_annotation(annotation);
        }
    }
}

fn walk_comprehension<'a, V: ScopedVisitor<'a>>(
    visitor: &mut V,
    generators: &'a [Comprehension],
    node: ScopeNode<'a>,
    elements: &[&'a Expr],
) {
    // Python evaluates the first iterable outside the comprehension's scope.
    if let Some(first) = generators.first() {
        visitor.visit_expr(&first.iter);
    }
    visitor.enter_scope(node);
    for (index, generator) in generators.iter().enumerate() {
        if index > 0 {
            visitor.visit_expr(&generator.iter);
        }
        visitor.visit_expr(&generator.target);
        visitor.comprehension_bound(generator);
        for condition in &generator.ifs {
            visitor.visit_expr(condition);
        }
    }
    for element in elements {
        visitor.visit_expr(element);
    }
    visitor.leave_scope();
}
