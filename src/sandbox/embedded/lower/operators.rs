//! Operators that the interpreter does not have for all values.

use crate::pysyntax::ast::token::TokenKind;
use crate::pysyntax::ast::visitor::Visitor as _;
use crate::pysyntax::ast::{CmpOp, Expr, ExprBinOp, ExprCompare, Number, Operator, StmtAssert};
use crate::pysyntax::{Ranged, TextRange};

use super::builtins;
use super::infer::Kind;
use super::rewrite::Rewriter;

fn token(operator: Operator) -> Option<TokenKind> {
    Some(match operator {
        Operator::Add => TokenKind::Plus,
        Operator::Sub => TokenKind::Minus,
        Operator::Mod => TokenKind::Percent,
        Operator::BitOr => TokenKind::Vbar,
        Operator::Div => TokenKind::Slash,
        Operator::Pow => TokenKind::DoubleStar,
        Operator::Mult => TokenKind::Star,
        Operator::FloorDiv => TokenKind::DoubleSlash,
        _ => return None,
    })
}

/// Whether an expression is a whole number above zero.
pub fn is_positive(expr: &Expr) -> bool {
    matches!(expr, Expr::NumberLiteral(literal)
        if matches!(&literal.value, Number::Int(number) if number.as_u64() != Some(0)))
}

impl<'a> Rewriter<'_, 'a> {
    pub fn binary(&mut self, operation: &'a ExprBinOp) {
        let helper = self.helper(operation);
        if let (Some(helper), Some(kind)) = (helper, token(operation.op)) {
            let between = TextRange::new(operation.left.end(), operation.right.start());
            if let Some(at) = self.source.first(between, kind) {
                self.edits
                    .wrap(operation.range(), format!("{helper}("), ")");
                self.edits.replace(at, ",");
            }
        } else if operation.op == Operator::MatMult {
            self.refuse("`@`", operation.start());
        }
        self.visit_expr(&operation.left);
        self.visit_expr(&operation.right);
    }

    /// What stands for an operator where its operands may be such that the interpreter fails.
    fn helper(&self, operation: &ExprBinOp) -> Option<&'static str> {
        let (left, right) = (self.kind(&operation.left), self.kind(&operation.right));
        match operation.op {
            // It takes bools for no numbers.
            Operator::Add | Operator::Sub => {
                let is_fine = left.is_never_number()
                    || right.is_never_number()
                    || (left.is_never_bool() && right.is_never_bool());
                (!is_fine).then_some(if operation.op == Operator::Add {
                    "_mce_add"
                } else {
                    "_mce_subtract"
                })
            }
            // Nor does it multiply time spans by floats.
            Operator::Mult => {
                let is_fine = (left.is_number() || left.is_never_number())
                    && (right.is_number() || right.is_never_number());
                (!is_fine).then_some("_mce_multiply")
            }
            // Floats are not divided by ints.
            Operator::FloorDiv => {
                let is_fine = left == Kind::Int && is_positive(&operation.right);
                (!is_fine).then_some("_mce_floor_divide")
            }
            Operator::Mod => {
                let is_fine = left == Kind::Int && is_positive(&operation.right);
                (!is_fine).then_some("_mce_percent")
            }
            Operator::BitOr => {
                let is_fine = [left, right]
                    .iter()
                    .any(|kind| kind.is_number() || matches!(kind, Kind::Set | Kind::Bool));
                (!is_fine).then_some("_mce_or")
            }
            // Ints of more than 53 bits are not rounded as they should be.
            Operator::Div => {
                let is_fine = left == Kind::Float && right == Kind::Float;
                (!is_fine).then_some("_mce_true_divide")
            }
            Operator::Pow => {
                let is_natural = matches!(&*operation.right, Expr::NumberLiteral(literal) if matches!(literal.value, Number::Int(_)));
                (!is_natural).then_some("_mce_power")
            }
            _ => None,
        }
    }

    pub fn compare(&mut self, compare: &'a ExprCompare) {
        let operands = || std::iter::once(&*compare.left).chain(&compare.comparators);
        if operands().any(|operand| self.is_type_call(operand))
            && operands().any(|operand| {
                let elements = match operand {
                    Expr::Tuple(tuple) => &*tuple.elts,
                    Expr::List(list) => &*list.elts,
                    other => std::slice::from_ref(other),
                };
                elements.iter().any(|it| self.is_exception_class(it))
            })
        {
            self.refuse("comparing the type of an exception", compare.start());
            return;
        }
        if let ([operator], [right]) = (&*compare.ops, &*compare.comparators) {
            let helper = match operator {
                CmpOp::Lt => Some(("_mce_less(", TokenKind::Less)),
                CmpOp::LtE => Some(("_mce_less_equal(", TokenKind::LessEqual)),
                CmpOp::Gt => Some(("_mce_greater(", TokenKind::Greater)),
                CmpOp::GtE => Some(("_mce_greater_equal(", TokenKind::GreaterEqual)),
                _ => None,
            };
            let between = TextRange::new(compare.left.end(), right.start());
            if let Some((helper, kind)) = helper
                && (self.may_be_set(&compare.left) || self.may_be_set(right))
                && let Some(at) = self.source.first(between, kind)
            {
                self.edits.wrap(compare.range(), helper, ")");
                self.edits.replace(at, ",");
            }
        }
        self.visit_expr(&compare.left);
        for comparator in &compare.comparators {
            self.visit_expr(comparator);
        }
    }

    fn is_type_call(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Call(call) => {
                call.arguments.args.len() == 1 && self.is_builtin(&call.func, "type")
            }
            Expr::Attribute(attribute) => attribute.attr.as_str() == "__class__",
            _ => false,
        }
    }

    /// Whether an expression surely names the class of an exception.
    pub fn is_exception_class(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Name(name) => {
                self.is_unbound(name.id.as_str()) && builtins::is_exception(name.id.as_str())
                    || self.is_api_error(expr)
            }
            Expr::Attribute(attribute) => builtins::is_exception(attribute.attr.as_str()),
            _ => false,
        }
    }

    /// Whether an expression surely is the error class of a compiled server.
    pub fn is_api_error(&self, expr: &Expr) -> bool {
        let binding = expr
            .as_name_expr()
            .and_then(|name| self.scopes.resolve(self.scope, name.id.as_str()))
            .and_then(super::scope::Binding::import);
        binding.is_some_and(|(_, name)| matches!(name, Some("ApiError" | "EgressError")))
    }

    /// Whether an operand may be a set. One that nothing in the code tells to be one is not looked
    /// for: comparing sets without a set in sight fails as such where it is run.
    fn may_be_set(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Set(_) | Expr::SetComp(_) => true,
            Expr::Name(_) => self.kind(expr) == Kind::Set,
            Expr::BinOp(operation) => {
                matches!(
                    operation.op,
                    Operator::BitAnd | Operator::BitOr | Operator::Sub | Operator::BitXor
                ) && (self.may_be_set(&operation.left) || self.may_be_set(&operation.right))
            }
            Expr::Call(call) => match &*call.func {
                Expr::Attribute(attribute) => matches!(
                    attribute.attr.as_str(),
                    "keys"
                        | "items"
                        | "union"
                        | "intersection"
                        | "difference"
                        | "symmetric_difference"
                ),
                _ => self.kind(expr) == Kind::Set,
            },
            _ => false,
        }
    }

    /// `assert`: the interpreter puts words of its own into the error.
    pub fn assert(&mut self, assert: &'a StmtAssert) {
        let Some(keyword) = self.source.first(assert.range(), TokenKind::Assert) else {
            return;
        };
        let test = self.grown(assert.test.range(), assert.range());
        self.edits
            .replace(TextRange::new(keyword.start(), test.start()), "(");
        match &assert.msg {
            None => self.edits.after(test.end(), ") or _mce_assertion()"),
            Some(message) => {
                let message = self.grown(message.range(), assert.range());
                let between = TextRange::new(test.end(), message.start());
                let padding = self.padding(between, "");
                self.edits
                    .replace(between, format!(") or _mce_assertion({padding}"));
                self.edits.after(assert.end(), ")");
            }
        }
        self.visit_expr(&assert.test);
        if let Some(message) = &assert.msg {
            self.visit_expr(message);
        }
    }
}
