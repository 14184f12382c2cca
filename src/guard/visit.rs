//! The walk of the judging pass: which rule looks at what.

use crate::pysyntax::Ranged;
use crate::pysyntax::ast::visitor::source_order::{self, SourceOrderVisitor};
use crate::pysyntax::ast::{
    Alias, ExceptHandler, Expr, ExprContext, Keyword, Pattern, Stmt, TypeParam,
};

use super::check::{Checker, is_dunder};
use super::finding::quoted;
use super::rule;
use super::walk::{ScopeNode, ScopedVisitor, walk_expr, walk_stmt};

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
                self.check_decorators(&function.decorator_list);
                self.check_binding(function.name.as_str(), function.name.range);
            }
            Stmt::ClassDef(class) => {
                self.check_decorators(&class.decorator_list);
                self.check_binding(class.name.as_str(), class.name.range);
                self.check_class(class);
            }
            Stmt::If(statement) => {
                self.note_test(&statement.test);
                for clause in &statement.elif_else_clauses {
                    if let Some(test) = &clause.test {
                        self.note_test(test);
                    }
                }
            }
            Stmt::Assign(assign) => {
                for target in &assign.targets {
                    self.check_class_attribute(target, &assign.value);
                }
                if self.is_builtin(&assign.value, "type") {
                    let message = "`type` is given another name";
                    let hint = "call `type(x)` where the type is needed";
                    self.report(rule::METACLASS, assign.value.range(), message, hint);
                }
                if self.is_alias(&assign.targets, &assign.value) {
                    assign
                        .targets
                        .iter()
                        .for_each(|target| self.visit_expr(target));
                    return;
                }
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    self.check_class_attribute(&assign.target, value);
                }
            }
            Stmt::Global(statement) => self.check_declared(&statement.names),
            Stmt::Nonlocal(statement) => {
                self.check_declared(&statement.names);
                self.check_nonlocal(&statement.names);
            }
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
            Expr::NumberLiteral(number) => self.check_number(number.range),
            Expr::Call(call) => self.check_call(expr, call),
            Expr::Subscript(subscript) => {
                self.check_type_subscript(subscript);
                if subscript.ctx != ExprContext::Load && !self.known(&subscript.value).is_empty() {
                    let message = "an imported object is changed";
                    let hint = "keep the value in a variable of your own";
                    self.report(rule::MODULE_WRITE, subscript.range, message, hint);
                }
                walk_expr(self, expr);
            }
            Expr::If(choice) => {
                self.note_test(&choice.test);
                walk_expr(self, expr);
            }
            Expr::Compare(compare) if self.compares_own_class(compare) => {}
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
        if let Pattern::MatchClass(class) = pattern {
            let own = self.is_own_class(&class.cls);
            for keyword in &class.arguments.keywords {
                self.check_attribute_name(keyword.attr.as_str(), keyword.attr.range, own);
            }
        }
        source_order::walk_pattern(self, pattern);
    }

    fn visit_keyword(&mut self, keyword: &'a Keyword) {
        if let Some(name) = &keyword.arg
            && is_dunder(name.as_str())
            && !self
                .policy
                .attributes
                .dunder_keywords
                .contains(name.as_str())
        {
            let message = format!("the keyword {} may not be used", quoted(name.as_str()));
            self.report(rule::ARGUMENT_BLOCKED, name.range, message, "leave it out");
        }
        source_order::walk_keyword(self, keyword);
    }

    fn visit_type_param(&mut self, parameter: &'a TypeParam) {
        self.check_binding(parameter.name().as_str(), parameter.range());
        source_order::walk_type_param(self, parameter);
    }
}
