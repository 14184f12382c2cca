//! Forms that the parser takes and `CPython` does not: stars, `yield`, `:=`, `try`, patterns and
//! f-strings where they may not stand.

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{
    ExceptHandler, Expr, ExprFString, ExprNamed, InterpolatedStringElement, Operator, Pattern,
    Stmt, StmtTry, UnaryOp,
};
use ruff_text_size::{Ranged, TextRange};

use super::SemanticVisitor;

/// How deep `{…}` may stand in the specifications of each other.
const MAX_SPECIFICATIONS: usize = 2;

/// How many targets may stand before a starred one.
const MAX_BEFORE_STAR: usize = 255;

/// Keywords that `CPython` takes right after a number, with a warning.
const AFTER_NUMBERS: [&str; 8] = ["and", "else", "for", "if", "in", "is", "not", "or"];

impl SemanticVisitor<'_> {
    /// `*x` may stand in displays, arguments, subscripts and targets, and nowhere else.
    pub(super) fn check_star(&mut self, expr: &Expr) {
        let items: &[Expr] = match expr {
            Expr::Tuple(tuple) => &tuple.elts,
            Expr::List(list) => &list.elts,
            Expr::Set(set) => &set.elts,
            Expr::Call(call) => &call.arguments.args,
            Expr::Subscript(subscript) => std::slice::from_ref(&*subscript.slice),
            Expr::Starred(starred) if !self.stars.contains(&starred.range) => {
                self.error(starred.range, "a starred expression may not stand here");
                return;
            }
            _ => return,
        };
        let targets = match expr {
            Expr::Tuple(tuple) => tuple.ctx.is_store(),
            Expr::List(list) => list.ctx.is_store(),
            _ => false,
        };
        let first = items.iter().position(Expr::is_starred_expr);
        if targets && first.is_some_and(|index| index > MAX_BEFORE_STAR) {
            self.error(expr.range(), "too many targets before the starred one");
        }
        let starred = items.iter().filter(|item| item.is_starred_expr());
        self.stars.extend(starred.map(Ranged::range));
    }

    /// `yield is x`, `(yield, x)`: the parser takes a bare `yield` for an operand, which needs
    /// parentheses.
    pub(super) fn check_operands(&mut self, expr: &Expr) {
        let operands: &[Expr] = match expr {
            Expr::Compare(compare) => std::slice::from_ref(&*compare.left),
            Expr::BinOp(operation) => std::slice::from_ref(&*operation.left),
            Expr::If(choice) => std::slice::from_ref(&*choice.body),
            Expr::Attribute(attribute) => std::slice::from_ref(&*attribute.value),
            Expr::Subscript(subscript) => std::slice::from_ref(&*subscript.value),
            Expr::BoolOp(operation) => &operation.values,
            Expr::Tuple(tuple) => &tuple.elts,
            Expr::List(list) => &list.elts,
            Expr::Set(set) => &set.elts,
            _ => return,
        };
        for operand in operands {
            let yields = operand.is_yield_expr() || operand.is_yield_from_expr();
            if yields && !self.is_in_parentheses(operand.range()) {
                self.error(operand.range(), "`yield` needs parentheses here");
            }
        }
    }

    /// Whether a range has parentheses of its own around it.
    fn is_in_parentheses(&self, range: TextRange) -> bool {
        let source = self.context.source;
        let before = source.get(..range.start().to_usize()).unwrap_or_default();
        let after = source.get(range.end().to_usize()..).unwrap_or_default();
        before.trim_end().ends_with('(') && after.trim_start().starts_with(')')
    }

    /// `5async for`: only some keywords may follow a number without a space.
    pub(super) fn check_number(&mut self, number: TextRange) {
        let after = self.context.source.get(number.end().to_usize()..);
        let after = after.unwrap_or_default();
        let ends = !after.starts_with(|next: char| next.is_alphanumeric() || next == '_');
        if !ends && !AFTER_NUMBERS.iter().any(|word| after.starts_with(word)) {
            self.error(number, "a number needs a space after it here");
        }
    }

    /// `((a) := 1)`
    pub(super) fn check_target(&mut self, named: &ExprNamed) {
        if named.target.start() != named.start() {
            self.error(
                named.target.range(),
                "the target of `:=` may not have parentheses",
            );
        }
    }

    /// Format specifications within format specifications.
    pub(super) fn check_specifications(&mut self, text: &ExprFString) {
        for element in text.value.elements() {
            if let InterpolatedStringElement::Interpolation(_) = element
                && specifications(element) > MAX_SPECIFICATIONS
            {
                self.error(element.range(), "an f-string is nested too deep here");
            }
        }
    }

    /// Handlers of a `try`, and what may not leave those of `except*`.
    pub(super) fn check_try(&mut self, statement: &StmtTry) {
        if statement.handlers.is_empty() && !statement.orelse.is_empty() {
            self.error(statement.range, "`else` needs an `except` before it");
        }
        let last = statement.handlers.len().saturating_sub(1);
        for (index, handler) in statement.handlers.iter().enumerate() {
            let ExceptHandler::ExceptHandler(handler) = handler;
            if handler.type_.is_none() && index < last {
                self.error(handler.range, "default `except:` must be last");
            }
            if statement.is_star {
                let mut search = Leaving {
                    loops: 0,
                    found: Vec::new(),
                };
                search.visit_body(&handler.body);
                for range in search.found {
                    let message = "`break`, `continue` and `return` may not stand in `except*`";
                    self.error(range, message);
                }
            }
        }
    }

    /// Patterns after which no other one is tried, values that are none, and commas that are missing.
    pub(super) fn check_pattern(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::MatchSequence(sequence) => self.check_commas(&sequence.patterns),
            Pattern::MatchOr(choice) => {
                let before_last = choice.patterns.len().saturating_sub(1);
                for alternative in choice.patterns.iter().take(before_last) {
                    if alternative.is_irrefutable() {
                        let message = "this pattern makes those after it unreachable";
                        self.error(alternative.range(), message);
                    }
                }
            }
            _ => {}
        }
        let values: &[Expr] = match pattern {
            Pattern::MatchValue(pattern) => std::slice::from_ref(&*pattern.value),
            Pattern::MatchMapping(pattern) => &pattern.keys,
            _ => &[],
        };
        for value in values.iter().filter(|value| !is_pattern_value(value)) {
            let message = "a pattern may hold literals and dotted names, and nothing else";
            self.error(value.range(), message);
        }
    }

    /// The items of a sequence pattern need commas between them, on which the parser does not insist.
    fn check_commas(&mut self, patterns: &[Pattern]) {
        for pair in patterns.windows(2) {
            let [before, after] = pair else { continue };
            let between = before.end().to_usize()..after.start().to_usize();
            let between = self.context.source.get(between).unwrap_or_default();
            let code = |line: &str| line.split('#').next().unwrap_or_default().contains(',');
            if !between.lines().any(code) {
                self.error(after.range(), "expected `,` before this pattern");
            }
        }
    }

    /// Where some lines begin with tabs and others with spaces, `CPython` and the parser may find
    /// another depth.
    pub(super) fn check_indentation(&mut self, stmt: &Stmt) {
        let before = self.context.source.as_bytes();
        let before = before.get(..stmt.start().to_usize()).unwrap_or_default();
        let is_blank = |byte: &&u8| matches!(**byte, b' ' | b'\t');
        let length = before.iter().rev().take_while(is_blank).count();
        let (line, indentation) = before.split_at(before.len() - length);
        let begins_line = matches!(line.last(), None | Some(b'\n' | b'\r'));
        let Some(first) = indentation.first().filter(|_| begins_line) else {
            return;
        };
        let kind = *self.indentation.get_or_insert(*first);
        if indentation.iter().any(|blank| *blank != kind) {
            let message = "tabs and spaces are mixed in the indentation";
            self.error(TextRange::empty(stmt.start()), message);
        }
    }

    /// A docstring is stored as UTF-8, which has no halves of surrogate pairs.
    pub(super) fn check_docstring(&mut self, body: &[Stmt]) {
        let Some(Stmt::Expr(first)) = body.first() else {
            return;
        };
        let Expr::StringLiteral(text) = &*first.value else {
            return;
        };
        let bytes = text.range.start().to_usize()..text.range.end().to_usize();
        let source = self.context.source.get(bytes).unwrap_or_default();
        let lower = source.to_ascii_lowercase();
        let half = lower.match_indices("\\u").any(|(at, _)| {
            let digits = lower.get(at + 2..).unwrap_or_default();
            let digits = digits.strip_prefix("0000").unwrap_or(digits);
            digits.starts_with('d')
                && digits
                    .as_bytes()
                    .get(1)
                    .is_some_and(|it| b"89abcdef".contains(it))
        });
        if half {
            self.error(
                text.range,
                "a docstring may not hold half of a surrogate pair",
            );
        }
    }
}

/// How deep specifications stand in each other.
fn specifications(element: &InterpolatedStringElement) -> usize {
    match element {
        InterpolatedStringElement::Literal(_) => 0,
        InterpolatedStringElement::Interpolation(inner) => {
            let specification = inner.format_spec.iter().flat_map(|it| &it.elements);
            1 + specification.map(specifications).max().unwrap_or(0)
        }
    }
}

/// Looks for statements that leave a block.
struct Leaving {
    loops: usize,
    found: Vec<TextRange>,
}

impl Visitor<'_> for Leaving {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Return(_) => self.found.push(stmt.range()),
            Stmt::Break(_) | Stmt::Continue(_) if self.loops == 0 => self.found.push(stmt.range()),
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
            Stmt::For(statement) => self.visit_loop(&statement.body, &statement.orelse),
            Stmt::While(statement) => self.visit_loop(&statement.body, &statement.orelse),
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn visit_expr(&mut self, _expr: &Expr) {}
}

impl Leaving {
    fn visit_loop(&mut self, body: &[Stmt], orelse: &[Stmt]) {
        self.loops += 1;
        self.visit_body(body);
        self.loops -= 1;
        self.visit_body(orelse);
    }
}

/// Whether a pattern may compare with an expression: a literal, a signed or complex number, or a
/// dotted name.
fn is_pattern_value(value: &Expr) -> bool {
    let is_number = |expr: &Expr| match expr {
        Expr::UnaryOp(operation) => {
            operation.op == UnaryOp::USub && operation.operand.is_number_literal_expr()
        }
        _ => expr.is_number_literal_expr(),
    };
    match value {
        Expr::BinOp(operation) => {
            matches!(operation.op, Operator::Add | Operator::Sub)
                && is_number(&operation.left)
                && operation.right.is_number_literal_expr()
        }
        Expr::Attribute(attribute) => {
            attribute.value.is_name_expr()
                || attribute.value.is_attribute_expr() && is_pattern_value(&attribute.value)
        }
        _ => is_number(value) || value.is_literal_expr(),
    }
}
