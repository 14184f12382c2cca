//! Rules for annotations. Python and libraries evaluate the strings among them, so strings and
//! annotations alike may hold nothing but the grammar of a type.

use crate::pysyntax::ast::visitor::source_order::{self, SourceOrderVisitor};
use crate::pysyntax::ast::{
    Expr, ExprAttribute, ExprStringLiteral, ExprSubscript, Operator, StringLiteral,
};
use crate::pysyntax::{Ranged, TextRange, is_too_deep, parse_annotation, parse_expression};

use super::calls::names_attributes;
use super::check::{Checker, is_dunder};
use super::knowledge::{Known, is_any_module, is_name, is_of};
use super::libraries::{
    ATTRIBUTE_BUILTINS, ATTRIBUTE_GETTERS, EVALUATORS, GENERIC_BUILTINS, GENERIC_MODULES,
    TYPE_MAKERS,
};
use super::texts::Purpose;
use super::{literal, rule};

/// How deep string annotations may stand inside each other.
const MAX_NESTED_STRINGS: usize = 3;

/// How many values of a name are looked at for a class that takes type arguments.
const MAX_VALUES: usize = 8;

/// Words that may stand beside another word in an expression.
const OPERATORS: [&str; 13] = [
    "and", "async", "await", "else", "for", "from", "if", "in", "is", "lambda", "not", "or",
    "yield",
];

/// Whether a text has two words in a row, as no expression has.
fn is_prose(text: &str) -> bool {
    let mut before = "";
    text.split(' ').any(|word| {
        let is_word =
            |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let both = is_word(before) && is_word(word);
        let operator = OPERATORS.contains(&before) || OPERATORS.contains(&word);
        before = word;
        both && !operator
    })
}

/// Looks for a call of a denied name, or for a dunder attribute.
struct Denied<'p> {
    is_denied: &'p dyn Fn(&Expr) -> bool,
    found: bool,
}

impl<'a> SourceOrderVisitor<'a> for Denied<'_> {
    fn visit_expr(&mut self, expr: &'a Expr) {
        self.found |= (self.is_denied)(expr);
        source_order::walk_expr(self, expr);
    }
}

impl Checker<'_> {
    /// Whether an expression is one that `Literal[…]` may hold: a constant, or a member of a class
    /// of the code.
    fn is_constant(&self, expr: &Expr) -> bool {
        match expr {
            Expr::UnaryOp(operation) => operation.operand.is_number_literal_expr(),
            Expr::Attribute(attribute) => {
                !attribute.attr.starts_with('_')
                    && self
                        .binding_of(&attribute.value)
                        .is_some_and(|binding| binding.count == binding.classes.len())
            }
            _ => expr.is_literal_expr(),
        }
    }

    /// An annotation as it stands in the code; the names in it are judged by the walk.
    pub(super) fn check_annotation(&mut self, expr: &Expr) {
        self.check_type(expr, None, 0);
    }

    /// Remembers where a type names what may otherwise only be called, such as `type[Node]`.
    pub(super) fn note_types(&mut self, expr: &Expr) {
        match expr {
            // What a field is annotated with can be read from its description, and called.
            Expr::Name(_) | Expr::Attribute(_) if names_attributes(&self.known(expr)) => {}
            Expr::Name(_) | Expr::Attribute(_) => {
                self.direct.insert(expr.range());
            }
            Expr::Subscript(subscript) if self.is_type_name(&subscript.value) => {
                self.note_types(&subscript.value);
                let items = match &*subscript.slice {
                    Expr::Tuple(tuple) => tuple.elts.as_slice(),
                    item => std::slice::from_ref(item),
                };
                for item in items {
                    self.note_types(item);
                }
            }
            Expr::BinOp(operation)
                if operation.op == Operator::BitOr
                    && self.is_type_name(&operation.left)
                    && self.is_type_name(&operation.right) =>
            {
                self.note_types(&operation.left);
                self.note_types(&operation.right);
            }
            Expr::List(list) => list.elts.iter().for_each(|item| self.note_types(item)),
            _ => {}
        }
    }

    /// Whether an expression is a type and no object of the code, whose methods would be given the
    /// other types.
    fn is_type_name(&self, expr: &Expr) -> bool {
        match expr {
            Expr::NoneLiteral(_) | Expr::StringLiteral(_) => true,
            Expr::Attribute(_) => !self.known(expr).is_empty(),
            Expr::Subscript(subscript) => self.is_type_name(&subscript.value),
            Expr::BinOp(operation) => {
                self.is_type_name(&operation.left) && self.is_type_name(&operation.right)
            }
            Expr::Name(name) => self.binding(name.id.as_str()).is_none_or(|binding| {
                binding.count == binding.import_count + binding.classes.len()
                    || binding.count == binding.values.len()
                        && binding
                            .values
                            .iter()
                            .all(|value| !value.expr.is_call_expr())
            }),
            _ => false,
        }
    }

    /// A value that a library evaluates as a type if it is a string.
    pub(super) fn check_type_text(&mut self, expr: &Expr) {
        match expr {
            Expr::Name(_) | Expr::Attribute(_) => {
                if let Some(texts) = self.texts(expr, Purpose::Name) {
                    self.check_type_texts(&texts, expr.range());
                } else if matches!(expr, Expr::Name(name) if self.is_made_text(name.id.as_str())) {
                    self.report_annotation(expr.range());
                }
            }
            Expr::If(choice) => {
                self.check_type_text(&choice.body);
                self.check_type_text(&choice.orelse);
            }
            Expr::BoolOp(choice) => choice
                .values
                .iter()
                .for_each(|value| self.check_type_text(value)),
            Expr::Named(named) => self.check_type_text(&named.value),
            Expr::Call(call) => {
                // What functions of the code return is not followed; methods of texts give texts.
                let function = call.func.is_name_expr() || !self.known(&call.func).is_empty();
                if !function && !self.makes_type(&call.func) {
                    self.report_annotation(expr.range());
                }
            }
            _ => self.check_type(expr, None, 0),
        }
    }

    /// `list["…"]`, wherever it stands.
    pub(super) fn check_type_subscript(&mut self, subscript: &ExprSubscript) {
        if self.is_generic(&subscript.value) {
            self.check_subscript(subscript, None, 0);
        }
    }

    /// Whether subscripts of an expression are types.
    pub(super) fn is_generic(&self, expr: &Expr) -> bool {
        let builtin = |expr: &Expr| {
            expr.as_name_expr().is_some_and(|name| {
                GENERIC_BUILTINS.contains(&name.id.as_str())
                    && self.may_be_builtin(name.id.as_str())
            })
        };
        match expr {
            _ if builtin(expr) => true,
            Expr::Name(name) => {
                let aliases = self.binding_of(expr).is_some_and(|binding| {
                    let values = &binding.values;
                    values.len() > MAX_VALUES || values.iter().any(|value| builtin(value.expr))
                });
                aliases || self.is_own_generic(name.id.as_str()) || self.is_library_class(expr)
            }
            _ => self.is_library_class(expr),
        }
    }

    /// Whether an expression is of a module with classes whose subscripts are types.
    fn is_library_class(&self, expr: &Expr) -> bool {
        is_of(&self.known(expr), &GENERIC_MODULES)
    }

    /// Whether a name is a class of the code that takes type arguments.
    fn is_own_generic(&self, name: &str) -> bool {
        self.binding(name).is_some_and(|binding| {
            binding.classes.iter().any(|class| {
                class.type_params.is_some() || class.bases().iter().any(Expr::is_subscript_expr)
            })
        })
    }

    /// What stands in the brackets of a type; `inside` as in [`Self::check_type`].
    fn check_subscript(
        &mut self,
        subscript: &ExprSubscript,
        inside: Option<TextRange>,
        depth: usize,
    ) {
        let items = match &*subscript.slice {
            Expr::Tuple(tuple) => tuple.elts.as_slice(),
            item => std::slice::from_ref(item),
        };
        if self.is_surely(&subscript.value, "typing", &["Literal"]) {
            // In the code the walk judges what stands here; in a text nothing else does.
            if let Some(place) = inside
                && !items.iter().all(|item| self.is_constant(item))
            {
                self.report_annotation(place);
            }
            return;
        }
        let annotated = self.is_surely(&subscript.value, "typing", &["Annotated"]);
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
                    self.check_name_in_text(expr, name.id.as_str(), place);
                } else if let Some(texts) = self.texts(expr, Purpose::Name) {
                    self.check_type_texts(&texts, expr.range());
                } else if self.is_made_text(name.id.as_str()) {
                    self.report_annotation(expr.range());
                }
            }
            Expr::Attribute(attribute) => {
                if let Some(place) = inside {
                    self.check_attribute_in_text(attribute, place);
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

    /// A text anywhere in code that uses a library which evaluates texts as types: where it goes
    /// cannot always be told, so it may not be a type with a call of a denied built-in in it.
    pub(super) fn check_evaluated_text(&mut self, text: &ExprStringLiteral) {
        let value = text.value.to_str();
        if !value.contains(['(', '.']) || !self.imports("pydantic") || is_prose(value) {
            return;
        }
        let mentions = value
            .split(|character: char| !(character.is_alphanumeric() || character == '_'))
            .any(|word| {
                EVALUATORS.contains(&word)
                    || ATTRIBUTE_BUILTINS.contains(&word)
                    || word.starts_with("__")
                    || self.scopes.imported_roots.contains(word)
            });
        if !mentions || !self.spend_text(value.len(), text.range) {
            return;
        }
        let Some(expr) = parse_expression(value) else {
            if is_too_deep(value) {
                self.report_annotation(text.range);
            }
            return;
        };
        if matches!(
            expr,
            Expr::Call(_) | Expr::Subscript(_) | Expr::BinOp(_) | Expr::Attribute(_)
        ) {
            let mut search = Denied {
                is_denied: &|expr| self.is_denied_in_text(expr),
                found: false,
            };
            search.visit_expr(&expr);
            if search.found {
                self.report_annotation(text.range);
            }
        }
    }

    /// Whether evaluating an expression reaches what the code itself may not: a call of a denied
    /// built-in, a dunder attribute, a name of a module that may not be taken.
    fn is_denied_in_text(&self, expr: &Expr) -> bool {
        match expr {
            // Not `open (3)`, as prose is written.
            Expr::Call(call) => call.func.as_name_expr().is_some_and(|name| {
                call.arguments.start() == name.end()
                    && (EVALUATORS.contains(&name.id.as_str())
                        || ATTRIBUTE_BUILTINS.contains(&name.id.as_str())
                        || name.id.starts_with("__"))
            }),
            Expr::Attribute(attribute) => {
                let known = self.known(&attribute.value);
                let mut modules = known.iter().filter_map(Known::as_module);
                is_dunder(&attribute.attr)
                    || modules.any(|module| !self.may_be_taken(module, &attribute.attr))
            }
            _ => false,
        }
    }

    /// An attribute in a text that is evaluated as a type.
    fn check_attribute_in_text(&mut self, attribute: &ExprAttribute, place: TextRange) {
        let name = attribute.attr.as_str();
        let known = self.known(&attribute.value);
        for module in known.iter().filter_map(Known::as_module) {
            self.check_member(module, name, place);
        }
        if !is_any_module(&known) {
            self.check_attribute_name(name, place, |_| true);
        }
    }

    /// A name in a text that is evaluated as a type: as if it were read there.
    fn check_name_in_text(&mut self, expr: &Expr, id: &str, place: TextRange) {
        self.check_name_reference(id, place);
        let known = self.known(expr);
        let by_name = ATTRIBUTE_BUILTINS.contains(&id) && self.may_be_builtin(id)
            || is_name(&known, "operator", &ATTRIBUTE_GETTERS);
        if by_name || is_any_module(&known) {
            self.report_annotation(place);
        }
    }

    /// The expression in one string of the code, with the places where its parts stand.
    fn parse_part(&self, part: &StringLiteral) -> Option<Expr> {
        // An escape in the text makes its value differ from its source.
        if self.source(part.range).contains('\\') {
            parse_expression(&part.value)
        } else {
            parse_annotation(self.code, part)
        }
    }

    /// Texts that are evaluated as types.
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
        self.binding(name).is_some_and(|binding| {
            binding.values.len() > MAX_VALUES
                || binding.values.iter().any(|value| match value.expr {
                    Expr::BinOp(operation) => {
                        operation.op != Operator::BitOr || literal::is_text(&operation.right)
                    }
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
        is_of(&self.known(func), &TYPE_MAKERS)
    }

    /// Something that is evaluated as a type and is none.
    pub(super) fn report_annotation(&mut self, place: TextRange) {
        let message = "an annotation may hold nothing but a type";
        let hint = "write a type such as `list[str] | None`";
        self.report(rule::ANNOTATION, place, message, hint);
    }
}
