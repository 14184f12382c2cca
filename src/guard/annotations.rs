//! Rules for annotations. Python and libraries evaluate the strings among them, so strings and
//! annotations alike may hold nothing but the grammar of a type.

use crate::pysyntax::ast::{Expr, ExprSubscript, Operator, StringLiteral};
use crate::pysyntax::{Ranged, TextRange, parse_annotation, parse_expression};

use super::check::{Checker, Known};
use super::{literal, rule};

/// How deep string annotations may stand inside each other.
const MAX_NESTED_STRINGS: usize = 3;

/// Built-in classes whose subscripts are types.
const GENERIC_BUILTINS: [&str; 6] = ["dict", "frozenset", "list", "set", "tuple", "type"];

impl Checker<'_> {
    /// An annotation as it stands in the code; the names in it are judged by the walk.
    pub(super) fn check_annotation(&mut self, expr: &Expr) {
        self.check_type(expr, None, 0);
    }

    /// A value that a library evaluates as a type if it is a string.
    pub(super) fn check_type_text(&mut self, expr: &Expr) {
        if literal::is_text(expr) {
            self.check_type(expr, None, 0);
        } else if let Some(texts) = self.texts(expr) {
            self.check_type_texts(&texts, expr.range());
        } else if matches!(expr, Expr::Name(name) if self.is_made_text(name.id.as_str())) {
            self.report_annotation(expr.range());
        }
    }

    /// `list["…"]`, wherever it stands.
    pub(super) fn check_type_subscript(&mut self, subscript: &ExprSubscript) {
        let generic = match &*subscript.value {
            Expr::Name(name) if GENERIC_BUILTINS.contains(&name.id.as_str()) => {
                self.resolve(name.id.as_str()).is_none()
            }
            Expr::Name(name) if self.is_own_generic(name.id.as_str()) => true,
            value => self.known(value).iter().any(|known| {
                matches!(known, Known::Name(module, _)
                    if matches!(module.as_str(), "typing" | "collections.abc" | "pydantic"))
            }),
        };
        if generic {
            self.check_subscript(subscript, None, 0);
        }
    }

    /// Whether a name is a class of the code that takes type arguments.
    fn is_own_generic(&self, name: &str) -> bool {
        self.resolve(name).is_some_and(|(_, binding)| {
            binding.classes.iter().any(|class| {
                class.type_params.is_some() || class.bases().iter().any(Expr::is_subscript_expr)
            })
        })
    }

    fn check_subscript(
        &mut self,
        subscript: &ExprSubscript,
        inside: Option<TextRange>,
        depth: usize,
    ) {
        if self.is_known(&subscript.value, "typing", &["Literal"]) {
            return;
        }
        let items = match &*subscript.slice {
            Expr::Tuple(tuple) => tuple.elts.as_slice(),
            item => std::slice::from_ref(item),
        };
        let annotated = self.is_known(&subscript.value, "typing", &["Annotated"]);
        for (index, item) in items.iter().enumerate() {
            // What follows the type of `Annotated` is data, whose code the walk judges.
            if !(annotated && index > 0) || inside.is_some() && !item.is_literal_expr() {
                self.check_type(item, inside, depth);
            }
        }
    }

    /// Judges a type expression. `inside` is the place of the string that holds it; only there are
    /// its names judged here.
    fn check_type(&mut self, expr: &Expr, inside: Option<TextRange>, depth: usize) {
        match expr {
            Expr::Name(name) => {
                if let Some(place) = inside {
                    self.check_name_reference(name.id.as_str(), place);
                } else if let Some(texts) = self.texts(expr) {
                    self.check_type_texts(&texts, expr.range());
                } else if self.is_made_text(name.id.as_str()) {
                    self.report_annotation(expr.range());
                }
            }
            Expr::Attribute(attribute) => {
                if let Some(place) = inside {
                    let name = attribute.attr.as_str();
                    let mut on_module = false;
                    for known in self.known(&attribute.value) {
                        if let Known::Module(module) = known {
                            on_module = true;
                            self.check_member(&module, name, place);
                        }
                    }
                    if !on_module {
                        self.check_attribute_name(name, place, true);
                    }
                    self.check_type(&attribute.value, inside, depth);
                }
            }
            Expr::Subscript(subscript) => {
                self.check_type(&subscript.value, inside, depth);
                self.check_subscript(subscript, inside, depth);
            }
            Expr::BinOp(operation) if operation.op == Operator::BitOr => {
                self.check_type(&operation.left, inside, depth);
                self.check_type(&operation.right, inside, depth);
            }
            Expr::Tuple(tuple) => {
                tuple
                    .elts
                    .iter()
                    .for_each(|item| self.check_type(item, inside, depth));
            }
            Expr::List(list) => {
                list.elts
                    .iter()
                    .for_each(|item| self.check_type(item, inside, depth));
            }
            Expr::Starred(starred) => self.check_type(&starred.value, inside, depth),
            Expr::StringLiteral(text) => {
                let parsed = match (text.value.as_slice(), inside) {
                    ([part], None) => self.parse_part(part),
                    _ => parse_expression(text.value.to_str()),
                };
                match parsed {
                    Some(inner) if depth < MAX_NESTED_STRINGS => {
                        let place = inside.unwrap_or(text.range);
                        self.check_type(&inner, Some(place), depth + 1);
                    }
                    _ => self.report_annotation(inside.unwrap_or(text.range)),
                }
            }
            Expr::NoneLiteral(_)
            | Expr::EllipsisLiteral(_)
            | Expr::NumberLiteral(_)
            | Expr::BooleanLiteral(_)
            | Expr::BytesLiteral(_) => {}
            Expr::Call(call) if inside.is_none() && self.makes_type(&call.func) => {}
            _ => self.report_annotation(inside.unwrap_or(expr.range())),
        }
    }

    fn parse_part(&self, part: &StringLiteral) -> Option<Expr> {
        // An escape in the text makes its value differ from its source.
        let source = self
            .code
            .get(part.range.start().to_usize()..part.range.end().to_usize())?;
        if source.contains('\\') {
            parse_expression(&part.value)
        } else {
            parse_annotation(self.code, part)
        }
    }

    fn check_type_texts(&mut self, texts: &[String], place: TextRange) {
        for text in texts {
            match parse_expression(text) {
                Some(inner) => self.check_type(&inner, Some(place), 1),
                None => self.report_annotation(place),
            }
        }
    }

    /// Whether a name holds a text that is put together at run time.
    fn is_made_text(&self, name: &str) -> bool {
        self.resolve(name).is_some_and(|(_, binding)| {
            binding.values.iter().any(|value| match value {
                Expr::BinOp(operation) => operation.op != Operator::BitOr,
                Expr::FString(_) | Expr::StringLiteral(_) => true,
                Expr::Call(call) => match &*call.func {
                    Expr::Attribute(attribute) => self.known(&attribute.value).is_empty(),
                    _ => false,
                },
                _ => false,
            })
        })
    }

    /// Whether a call in an annotation is one of a library that makes types.
    fn makes_type(&self, func: &Expr) -> bool {
        self.known(func).iter().any(|known| {
            matches!(known, Known::Name(module, _)
                if matches!(module.as_str(), "typing" | "pydantic" | "dataclasses"))
        })
    }

    fn report_annotation(&mut self, place: TextRange) {
        let message = "an annotation may hold nothing but a type";
        let hint = "write a type such as `list[str] | None`";
        self.report(rule::ANNOTATION, place, message, hint);
    }
}
