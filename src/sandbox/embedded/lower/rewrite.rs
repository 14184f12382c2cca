//! The walk over a module that asks for the edits.

use std::collections::BTreeSet;

use crate::pysyntax::ast::token::TokenKind;
use crate::pysyntax::ast::visitor::{self, Visitor};
use crate::pysyntax::ast::{
    Expr, ExprContext, ExprName, InterpolatedStringElement, Number, Operator, Parameters, Stmt,
    StmtFunctionDef, StmtIf, StmtRaise, TypeParams,
};
use crate::pysyntax::{Ranged, TextRange, TextSize};

use super::builtins::{Builtin, builtin};
use super::edits::Edits;
use super::facts::Facts;
use super::infer::{Inference, Kind};
use super::scope::{self, ScopeId, Scopes};
use super::source::Source;
use super::{Known, Unsupported};

/// The most branches of one `if`: the interpreter counts each as a level.
const MAX_BRANCHES: usize = 150;

/// Asks for edits and notes what they need.
pub struct Rewriter<'r, 'a> {
    pub source: &'r Source<'a>,
    pub scopes: &'r Scopes<'a>,
    pub inference: Inference<'r, 'a>,
    pub known: &'r Known<'r>,
    pub facts: Facts,
    pub edits: Edits,
    pub scope: ScopeId,
    /// The bridged modules that are imported.
    pub modules: BTreeSet<String>,
    /// Whether helpers make generators.
    pub generators: bool,
    /// What the lines of the block start with.
    pub indentation: String,
    /// The name of the innermost function.
    pub function: &'a str,
    failure: Option<Unsupported>,
    count: u32,
}

impl<'r, 'a> Rewriter<'r, 'a> {
    pub fn new(
        source: &'r Source<'a>,
        scopes: &'r Scopes<'a>,
        known: &'r Known<'r>,
        facts: Facts,
    ) -> Self {
        Self {
            source,
            scopes,
            inference: Inference::new(scopes),
            known,
            facts,
            edits: Edits::default(),
            scope: ScopeId::MODULE,
            modules: BTreeSet::new(),
            generators: false,
            indentation: String::new(),
            function: "",
            failure: None,
            count: 0,
        }
    }

    pub fn module(&mut self, body: &'a [Stmt]) -> Result<(), Unsupported> {
        self.visit_body(body);
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Notes what cannot be done exactly; the first such ends it all.
    pub fn refuse(&mut self, feature: impl Into<String>, at: TextSize) {
        if self.failure.is_none() {
            self.failure = Some(self.source.unsupported(feature, at));
        }
    }

    /// A new name for a helping variable.
    pub fn name(&mut self, what: &str) -> String {
        self.count += 1;
        format!("_mce_{what}_{}", self.count)
    }

    /// Whether a name is a builtin here.
    pub fn is_builtin(&self, expr: &Expr, name: &str) -> bool {
        expr.as_name_expr()
            .is_some_and(|it| it.id.as_str() == name && self.is_unbound(name))
    }

    /// The builtin that an expression names.
    pub fn builtin_name(&self, expr: &'a Expr) -> Option<&'a str> {
        let name = expr.as_name_expr()?.id.as_str();
        self.is_unbound(name).then_some(name)
    }

    pub fn is_unbound(&self, name: &str) -> bool {
        self.scopes.resolve(self.scope, name).is_none()
    }

    pub fn kind(&self, expr: &Expr) -> Kind {
        self.inference.kind(self.scope, expr)
    }

    pub fn in_class_body(&self) -> bool {
        self.scopes.kind(self.scope) == scope::Kind::Class
    }

    /// The lowered text of an expression that moves, without the parentheses around it.
    pub fn rendered(&mut self, expr: &'a Expr) -> String {
        self.rendered_by(expr.range(), |this| this.visit_expr(expr))
    }

    /// The text of a range with the edits that a visit of what is in it asks for.
    pub fn rendered_by(&mut self, range: TextRange, visit: impl FnOnce(&mut Self)) -> String {
        let mark = self.edits.mark();
        visit(self);
        let edits = self.edits.since(mark);
        edits.apply(self.source, range).0
    }

    /// As many line breaks as a range has more than the text that stands for it.
    pub fn padding(&self, range: TextRange, text: &str) -> String {
        let breaks = self.source.breaks(range);
        "\n".repeat(breaks.saturating_sub(text.matches('\n').count()))
    }

    /// Puts simple statements in the place of one, on as many lines.
    pub fn replace_statement(&mut self, range: TextRange, text: String) {
        let padding = self.padding(range, &text);
        if padding.is_empty() {
            self.edits.replace(range, text);
        } else {
            self.edits.replace(range, format!("({padding}); {text}"));
        }
    }

    /// Puts a helper's name in the place of a name.
    pub fn rename(&mut self, name: &ExprName, helper: &str) {
        self.edits.replace(name.range(), helper);
    }

    /// Visits what is inside of a scope.
    pub fn inside(&mut self, node: TextRange, visit: impl FnOnce(&mut Self)) {
        let outside = std::mem::replace(&mut self.scope, self.scopes.at(node));
        visit(self);
        self.scope = outside;
    }

    /// A line break and the indentation of the block.
    pub fn line_break(&self) -> String {
        format!("\n{}", self.indentation)
    }

    /// Whether a statement has to be the only one of its lines.
    fn takes_lines(stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Delete(delete) => delete.targets.iter().any(super::deletion::names_a_variable),
            _ => false,
        }
    }

    /// Takes over the indentation of a block that starts with a statement, and gives the one before.
    pub fn indent(&mut self, first: &Stmt) -> String {
        let inside = if self.source.starts_line(first.start()) {
            self.source.indentation(first.start()).to_owned()
        } else {
            format!("{}    ", self.indentation)
        };
        std::mem::replace(&mut self.indentation, inside)
    }

    /// Gives each statement of a block a line of its own.
    fn spread(&mut self, body: &'a [Stmt]) {
        let mut end = None;
        for stmt in body {
            let start = stmt.start();
            if !self.source.starts_line(start) {
                let before = end.or_else(|| {
                    let before = TextRange::up_to(start);
                    self.source
                        .last(before, TokenKind::Colon)
                        .map(TextRange::end)
                });
                if let Some(before) = before {
                    let line_break = self.line_break();
                    self.edits
                        .replace(TextRange::new(before, start), line_break);
                }
            }
            end = Some(stmt.end());
        }
    }

    pub fn visit_function(&mut self, function: &'a StmtFunctionDef) {
        for decorator in &function.decorator_list {
            self.visit_expr(&decorator.expression);
        }
        let parameters = function.type_params.as_deref();
        self.signature(&function.parameters, parameters);
        if let Some(returns) = &function.returns {
            self.annotation(returns, parameters);
        }
        let outside = std::mem::replace(&mut self.function, function.name.as_str());
        self.inside(function.range(), |this| this.visit_body(&function.body));
        self.function = outside;
    }

    /// Visits what of parameters is evaluated.
    fn signature(&mut self, parameters: &'a Parameters, of_types: Option<&TypeParams>) {
        for parameter in parameters {
            if let Some(annotation) = parameter.annotation() {
                self.annotation(annotation, of_types);
            }
            if let Some(default) = parameter.default() {
                self.visit_expr(default);
            }
        }
    }

    /// Checks an annotation, which the interpreter skips: what it would do cannot be left out.
    fn annotation(&mut self, annotation: &'a Expr, parameters: Option<&TypeParams>) {
        if !self.facts.postpones {
            self.evaluated_type(annotation, parameters);
        }
    }

    /// Checks a type that `CPython` evaluates and lowered code does not.
    pub fn evaluated_type(&mut self, annotation: &'a Expr, parameters: Option<&TypeParams>) {
        let mut parts = Annotation {
            effect: None,
            names: Vec::new(),
        };
        parts.visit_expr(annotation);
        if let Some(at) = parts.effect {
            self.refuse("such an annotation", at);
        }
        for name in parts.names {
            let is_own = || {
                let own = parameters.map_or(&[][..], |it| &it.type_params);
                own.iter().any(|it| it.name().id == name.id)
            };
            if !self.is_defined_before(name.id.as_str(), annotation.start()) && !is_own() {
                let feature = format!(
                    "the name `{}` in an annotation before it is defined",
                    name.id
                );
                self.refuse(feature, name.start());
            }
        }
    }

    /// Whether a name is that of something which surely is there at a place of the scope.
    fn is_defined_before(&self, name: &str, at: TextSize) -> bool {
        let Some(owner) = self.scopes.owner(self.scope, name) else {
            return builtin(name) != Builtin::Unknown;
        };
        let mut scope = self.scope;
        while scope != owner {
            if self.scopes.kind(scope) != scope::Kind::Class {
                // The function around may be called later.
                return true;
            }
            match self.scopes.parent(scope) {
                Some(parent) => scope = parent,
                None => return true,
            }
        }
        let binding = self.scopes.resolve(scope, name);
        binding.is_none_or(|binding| binding.first.is_none_or(|first| first <= at))
    }

    fn raise(&mut self, stmt: &'a Stmt, raise: &'a StmtRaise) {
        visitor::walk_stmt(self, stmt);
        match raise.cause.as_deref() {
            // The interpreter does not evaluate the cause.
            None | Some(Expr::Name(_) | Expr::NoneLiteral(_)) => {}
            Some(Expr::Call(call)) if self.is_exception_class(&call.func) => {}
            Some(cause) => self.refuse("this cause of an exception", cause.start()),
        }
    }

    fn branches(&mut self, stmt: &'a Stmt, it: &'a StmtIf) {
        if it.elif_else_clauses.len() > MAX_BRANCHES {
            self.refuse("an `if` with this many branches", it.start());
        }
        // What stands there is never run.
        if self.is_type_checking(&it.test) {
            for stmt in &it.body {
                if matches!(stmt, Stmt::Import(_) | Stmt::ImportFrom(_)) {
                    self.replace_statement(stmt.range(), "pass".to_owned());
                } else {
                    self.visit_stmt(stmt);
                }
            }
            for clause in &it.elif_else_clauses {
                self.visit_elif_else_clause(clause);
            }
            return;
        }
        visitor::walk_stmt(self, stmt);
    }

    fn load(&mut self, name: &'a ExprName) {
        if name.id.starts_with("__") {
            self.check_private(name.id.as_str(), name.start(), false);
        }
        if let Some(binding) = self.scopes.resolve(self.scope, name.id.as_str()) {
            let is_module = self.scope == ScopeId::MODULE;
            let is_later = binding.first.is_some_and(|first| first > name.start());
            if is_module
                && (is_later || binding.deleted)
                && builtin(name.id.as_str()) != Builtin::Unknown
            {
                self.refuse(
                    format!("`{}` as a builtin and as a variable", name.id),
                    name.start(),
                );
            }
            return;
        }
        match builtin(name.id.as_str()) {
            Builtin::Native | Builtin::Unknown => {}
            Builtin::Helper(helper) => self.rename(name, helper),
            Builtin::Missing => self.refuse(format!("`{}`", name.id), name.start()),
        }
    }

    /// `{moment:%H:%M}`: the interpreter has not all codes as they are.
    fn format_of_time(&mut self, element: &InterpolatedStringElement) {
        let InterpolatedStringElement::Interpolation(it) = element else {
            return;
        };
        let Some(spec) = it.format_spec.as_deref() else {
            return;
        };
        let text = self.source.slice(spec.range());
        let has_code = text.match_indices('%').any(|(at, _)| {
            let next = text.get(at + 1..).and_then(|rest| rest.chars().next());
            next.is_some_and(|it| it.is_ascii_alphabetic())
        });
        let is_plain = !text.contains(['"', '\\', '\n', '{']);
        if !has_code || !is_plain || !it.conversion.is_none() || it.debug_text.is_some() {
            return;
        }
        let colon = spec.start() - TextSize::new(1);
        let open = it.start() + TextSize::new(1);
        self.edits.replace(TextRange::empty(open), "_mce_format(");
        self.edits
            .replace(TextRange::new(colon, spec.end()), format!(", \"{text}\")"));
    }

    /// Refuses an f-string that shows the text of an expression that is edited.
    fn interpolated(&mut self, element: &'a InterpolatedStringElement) {
        let mark = self.edits.mark();
        self.format_of_time(element);
        visitor::walk_interpolated_string_element(self, element);
        if let InterpolatedStringElement::Interpolation(it) = element
            && it.debug_text.is_some()
            && self.edits.mark() > mark
        {
            self.refuse("`=` in an f-string after this expression", it.start());
        }
    }
}

impl<'a> Visitor<'a> for Rewriter<'_, 'a> {
    fn visit_body(&mut self, body: &'a [Stmt]) {
        let Some(first) = body.first() else {
            return;
        };
        let outside = self.indent(first);
        if body.iter().any(Self::takes_lines) {
            self.spread(body);
        }
        for stmt in body {
            self.visit_stmt(stmt);
        }
        self.indentation = outside;
    }

    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        if self.failure.is_some() {
            return;
        }
        match stmt {
            Stmt::FunctionDef(function) => self.visit_function(function),
            Stmt::ClassDef(class) => self.class(class),
            Stmt::Import(import) => self.import(import),
            Stmt::ImportFrom(import) => self.import_from(import),
            Stmt::Delete(delete) => self.delete(delete),
            Stmt::Match(it) => self.match_statement(it),
            Stmt::Assign(assign) => self.assign(assign),
            Stmt::AugAssign(assign) => self.augmented_assign(assign),
            Stmt::AnnAssign(assign) => {
                // Those of variables of a function are never evaluated.
                if self.scopes.kind(self.scope) != scope::Kind::Function {
                    self.annotation(&assign.annotation, None);
                }
                self.annotated_assign(assign);
            }
            Stmt::TypeAlias(alias) => self.type_alias(alias),
            Stmt::For(it) => self.for_loop(it),
            Stmt::With(it) => self.with(it),
            Stmt::If(it) => self.branches(stmt, it),
            Stmt::Raise(raise) => self.raise(stmt, raise),
            Stmt::Assert(assert) => self.assert(assert),
            Stmt::Try(it) if it.is_star => self.refuse("`except*`", it.start()),
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn visit_annotation(&mut self, annotation: &'a Expr) {
        self.annotation(annotation, None);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        if self.failure.is_some() {
            return;
        }
        match expr {
            Expr::Name(name) => {
                if name.ctx == ExprContext::Load {
                    self.load(name);
                }
            }
            Expr::NumberLiteral(literal) => {
                if matches!(literal.value, Number::Complex { .. }) {
                    self.refuse("complex numbers", literal.start());
                }
            }
            Expr::TString(it) => self.refuse("template strings", it.start()),
            Expr::Call(call) => self.call(call),
            Expr::BinOp(operation) => self.binary(operation),
            Expr::Compare(compare) => self.compare(compare),
            Expr::Attribute(attribute) => self.attribute(attribute, false),
            Expr::Subscript(subscript) => self.subscript(subscript),
            Expr::Generator(generator) => self.generator(generator),
            Expr::ListComp(it) => self.comprehension(expr, &it.generators),
            Expr::SetComp(it) => self.comprehension(expr, &it.generators),
            Expr::DictComp(it) => self.comprehension(expr, &it.generators),
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.signature(parameters, None);
                }
                self.inside(lambda.range(), |this| this.visit_expr(&lambda.body));
            }
            Expr::Await(it) => {
                if self.facts.bridges_asyncio {
                    self.edits.wrap(it.value.range(), "_mce_await(", ")");
                }
                self.visit_expr(&it.value);
            }
            Expr::Starred(starred) if starred.ctx == ExprContext::Load => {
                self.consumed(&starred.value);
            }
            Expr::Named(named) => {
                if self.in_class_body() {
                    self.refuse("`:=` in a class body", named.start());
                }
                self.visit_expr(&named.value);
            }
            Expr::FString(it) => {
                for part in &it.value {
                    if let crate::pysyntax::ast::FStringPart::FString(part) = part {
                        for element in &part.elements {
                            self.visit_interpolated_string_element(element);
                        }
                    }
                }
            }
            _ => visitor::walk_expr(self, expr),
        }
    }

    fn visit_interpolated_string_element(&mut self, element: &'a InterpolatedStringElement) {
        self.interpolated(element);
    }
}

/// What an annotation looks up, and where it would do something.
struct Annotation<'a> {
    effect: Option<TextSize>,
    names: Vec<&'a ExprName>,
}

impl<'a> Visitor<'a> for Annotation<'a> {
    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) => self.names.push(name),
            Expr::BinOp(operation) if operation.op == Operator::BitOr => {
                visitor::walk_expr(self, expr);
            }
            Expr::Subscript(_)
            | Expr::Attribute(_)
            | Expr::Tuple(_)
            | Expr::List(_)
            | Expr::Starred(_)
            | Expr::UnaryOp(_) => visitor::walk_expr(self, expr),
            Expr::StringLiteral(_)
            | Expr::BytesLiteral(_)
            | Expr::NumberLiteral(_)
            | Expr::BooleanLiteral(_)
            | Expr::NoneLiteral(_)
            | Expr::EllipsisLiteral(_) => {}
            _ => {
                self.effect.get_or_insert(expr.start());
            }
        }
    }
}
