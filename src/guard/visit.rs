//! The walk of the judging pass: which rule looks at what.

use crate::pysyntax::Ranged;
use crate::pysyntax::ast::visitor::source_order::{self, SourceOrderVisitor};
use crate::pysyntax::ast::{
    Alias, Expr, ExprContext, ExprDictComp, ExprListComp, ExprSetComp, InterpolatedStringElement,
    Keyword, Pattern, Stmt, StmtAssign, StmtFor, TypeParam,
};

use super::check::Checker;
use super::scope::ScopeKind;
use super::walk::{ScopeNode, ScopedVisitor, captured, walk_expr, walk_stmt};

impl<'a> ScopedVisitor<'a> for Checker<'a> {
    fn enter_scope(&mut self, node: ScopeNode<'a>) {
        if let ScopeNode::Class(class) = node {
            self.classes.push(class);
        }
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
        if self.scopes.kind(self.scope()) == ScopeKind::Class {
            self.classes.pop();
        }
        self.stack.pop();
    }

    fn visit_for_blocks(&mut self, statement: &'a StmtFor) {
        let (definite, changed) = (self.definite.len(), self.flow.mark());
        let before = self.flow.enter_loop();
        self.visit_expr(&statement.target);
        self.bound_here(&statement.target);
        self.bind_target_surely(&statement.target, Vec::new());
        self.visit_body(&statement.body);
        // Whether there was anything to loop over is not known.
        self.definite.truncate(definite);
        self.flow.leave_loop(before, changed);
        self.visit_body(&statement.orelse);
    }
}

impl<'a> Checker<'a> {
    /// What is judged of a statement before what stands in it.
    fn check_stmt(&mut self, stmt: &'a Stmt) {
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
            Stmt::Assign(assign) => {
                for target in &assign.targets {
                    self.note_assigned(target);
                    self.check_class_attribute(target, &assign.value);
                }
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    self.note_assigned(&assign.target);
                    self.check_class_attribute(&assign.target, value);
                }
            }
            Stmt::Global(statement) => self.check_declared(&statement.names),
            Stmt::Nonlocal(statement) => {
                self.check_declared(&statement.names);
                self.check_nonlocal(&statement.names);
            }
            Stmt::AugAssign(assign) => {
                // Python reads the target before it binds it.
                if let Expr::Name(name) = &*assign.target {
                    self.check_load(&assign.target, name);
                }
            }
            Stmt::For(statement) if statement.is_async => {
                self.note_await();
                self.note_awaited_items(&statement.iter);
            }
            _ => {}
        }
    }

    /// What is bound once a statement has run.
    fn bind_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::Assign(assign) => {
                let known = self.known_for(&assign.targets, &assign.value);
                for target in &assign.targets {
                    self.bound_here(target);
                    self.bind_target_surely(target, known.clone());
                }
            }
            Stmt::AnnAssign(assign) if assign.value.is_some() => {
                self.bound_here(&assign.target);
                self.bind_target_surely(&assign.target, Vec::new());
            }
            Stmt::Import(import) => self.bind_imports(&import.names, None),
            Stmt::ImportFrom(import) => {
                let module = import.module.as_ref().map_or("", |module| module.as_str());
                self.bind_imports(&import.names, Some(module));
            }
            Stmt::FunctionDef(function) => {
                self.name_bound_here(function.name.as_str());
                self.bind_surely(function.name.as_str(), Vec::new());
            }
            Stmt::ClassDef(class) => {
                self.name_bound_here(class.name.as_str());
                self.bind_surely(class.name.as_str(), Vec::new());
            }
            _ => {}
        }
    }

    /// A statement that gives a module another name.
    fn visit_alias_assignment(&mut self, assign: &'a StmtAssign) {
        self.visit_alias_value(&assign.value);
        let known = self.known_for(&assign.targets, &assign.value);
        for target in &assign.targets {
            self.visit_expr(target);
            self.bind_target_surely(target, known.clone());
        }
    }
}

impl<'a> SourceOrderVisitor<'a> for Checker<'a> {
    fn visit_body(&mut self, body: &'a [Stmt]) {
        // Whether a block runs to its end is not known, so what it binds counts only inside it.
        let (definite, changed) = (self.definite.len(), self.flow.mark());
        for stmt in body {
            self.visit_stmt(stmt);
        }
        self.definite.truncate(definite);
        self.flow.leave_block(changed);
    }

    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        if self.work.get() == 0 {
            return;
        }
        self.check_stmt(stmt);
        match stmt {
            Stmt::If(statement) => self.visit_if(statement),
            Stmt::Try(statement) => self.visit_try(statement),
            Stmt::Match(statement) => self.visit_match(statement),
            Stmt::While(statement) => self.visit_while(statement),
            Stmt::With(statement) => self.visit_with(statement),
            Stmt::Assign(assign) if self.is_alias(&assign.targets, &assign.value) => {
                self.visit_alias_assignment(assign);
            }
            _ => {
                walk_stmt(self, stmt);
                self.bind_stmt(stmt);
            }
        }
    }

    fn visit_annotation(&mut self, expr: &'a Expr) {
        self.check_annotation(expr);
        self.note_types(expr);
        self.visit_expr(expr);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        if self.work.get() == 0 {
            return;
        }
        match expr {
            Expr::Name(name) => match name.ctx {
                ExprContext::Load => self.check_load(expr, name),
                _ => self.check_binding(name.id.as_str(), name.range),
            },
            Expr::Attribute(attribute) => {
                self.note_plain_use(&attribute.value);
                self.check_attribute(expr, attribute);
            }
            Expr::FString(text) => {
                for element in text.value.elements() {
                    if let InterpolatedStringElement::Interpolation(element) = element {
                        self.note_plain_use(&element.expression);
                    }
                }
                walk_expr(self, expr);
            }
            Expr::NumberLiteral(number) => self.check_number(number.range),
            Expr::StringLiteral(text) => self.check_evaluated_text(text),
            Expr::Call(call) => {
                self.note_awaited_arguments(call);
                self.check_call(expr, call);
            }
            Expr::Subscript(subscript) => {
                self.check_type_subscript(subscript);
                if self.may_be(&subscript.value, "type")
                    && !self.called_types.contains(&subscript.range)
                {
                    self.direct.insert(subscript.value.range());
                }
                self.check_item_change(subscript);
                walk_expr(self, expr);
            }
            Expr::If(choice) => {
                self.note_test(&choice.test);
                walk_expr(self, expr);
            }
            Expr::Compare(compare) if self.compares_own_class(compare) => {}
            Expr::Compare(compare) => {
                let identity = compare.ops.iter().all(|op| op.is_is() || op.is_is_not());
                let operands = || std::iter::once(&*compare.left).chain(&compare.comparators);
                for operand in operands() {
                    // What is compared with an object of the code's own is given to its methods.
                    let others = || operands().filter(|other| other.range() != operand.range());
                    if identity || others().all(|other| self.is_type_call(other)) {
                        self.direct.insert(operand.range());
                    }
                    if identity || others().all(Expr::is_literal_expr) {
                        self.note_plain_use(operand);
                    }
                    // `module is None` is how an optional import is tested.
                    if !(identity && operand.is_name_expr() && self.is_module_value(operand)) {
                        self.visit_expr(operand);
                    }
                }
            }
            Expr::Await(awaits) => {
                self.note_await();
                self.note_awaited(&awaits.value);
                walk_expr(self, expr);
            }
            Expr::ListComp(ExprListComp { generators, .. })
            | Expr::SetComp(ExprSetComp { generators, .. })
            | Expr::DictComp(ExprDictComp { generators, .. }) => {
                for generator in generators.iter().filter(|it| it.is_async) {
                    self.note_await();
                    self.note_awaited_items(&generator.iter);
                }
                walk_expr(self, expr);
            }
            Expr::Generator(generator) => {
                for generator in generator.generators.iter().filter(|it| it.is_async) {
                    self.note_awaited_items(&generator.iter);
                }
                walk_expr(self, expr);
            }
            _ => walk_expr(self, expr),
        }
    }

    fn visit_alias(&mut self, alias: &'a Alias) {
        self.check_import_in_class(alias);
        self.check_alias_name(alias);
        let bound = alias.asname.as_ref().unwrap_or(&alias.name);
        self.name_bound_here(bound.as_str());
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        if let Some(name) = captured(pattern) {
            self.check_binding(name.as_str(), name.range);
            self.captures.push(name.as_str());
        }
        if let Pattern::MatchClass(class) = pattern {
            self.direct.insert(class.cls.range());
            self.check_pattern_class(&class.cls);
            let own = self.is_own_class(&class.cls);
            for keyword in &class.arguments.keywords {
                let name = keyword.attr.as_str();
                let own = own && !self.may_lead_to_event_loop(name);
                self.check_text_attribute(name, keyword.attr.range, own);
            }
        }
        source_order::walk_pattern(self, pattern);
    }

    fn visit_keyword(&mut self, keyword: &'a Keyword) {
        self.check_dunder_keyword(keyword);
        source_order::walk_keyword(self, keyword);
    }

    fn visit_type_param(&mut self, parameter: &'a TypeParam) {
        self.check_binding(parameter.name().as_str(), parameter.range());
        // Bounds and defaults are types, which libraries evaluate where they are texts.
        let bound = match parameter {
            TypeParam::TypeVar(parameter) => parameter.bound.as_deref(),
            _ => None,
        };
        let types = bound.into_iter().chain(parameter.default());
        for text in types {
            self.check_annotation(text);
            self.note_types(text);
        }
        source_order::walk_type_param(self, parameter);
    }
}
