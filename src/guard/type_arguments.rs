//! Rules for arguments that are types: typing and pydantic evaluate the strings among them, as they
//! do those in annotations.

use crate::pysyntax::Ranged;
use crate::pysyntax::ast::{Expr, ExprCall};

use super::check::Checker;
use super::keywords::MAX_ITEMS;
use super::knowledge::{Known, is_name};
use super::libraries::{TYPE_EVALUATORS, TYPE_KEYWORDS, TYPE_TAKERS, TypeArguments};
use super::literal;
use super::texts::Purpose;

impl Checker<'_> {
    /// Calls of what takes types, and `operator.getitem(list, "type")`.
    pub(super) fn check_type_call(&mut self, call: &ExprCall, known: &[Known]) {
        let taker = TYPE_TAKERS
            .iter()
            .find(|(module, names, _)| is_name(known, module, names));
        if let Some((.., types)) = taker {
            self.check_type_arguments(call, *types);
        } else if is_name(known, "operator", &["getitem"])
            && let [container, item, ..] = &*call.arguments.args
            && self.is_generic(container)
        {
            self.check_type_text(item);
        }
    }

    /// The arguments of a call that are types. Of starred ones it is not known which are.
    fn check_type_arguments(&mut self, call: &ExprCall, types: TypeArguments) {
        for (index, argument) in call.arguments.args.iter().enumerate() {
            let is_type = match types {
                TypeArguments::First => index == 0,
                TypeArguments::AllButFirst => index > 0,
            };
            if argument.is_starred_expr() {
                self.report_annotation(argument.range());
            } else if is_type {
                self.check_type_value(argument);
            }
        }
        let all_keywords = types == TypeArguments::AllButFirst;
        for keyword in &call.arguments.keywords {
            match keyword.arg.as_deref() {
                // Those are judged as names of attributes.
                Some("alias" | "validation_alias") => {}
                Some(name) if all_keywords || TYPE_KEYWORDS.contains(&name) => {
                    self.check_type_value(&keyword.value);
                }
                Some(_) => {}
                None => self.check_type_values(&keyword.value),
            }
        }
    }

    /// The types in a dict that is given as keywords.
    fn check_type_values(&mut self, value: &Expr) {
        match value {
            Expr::Dict(_) => self.check_type_value(value),
            Expr::DictComp(comp) => self.check_type_value(&comp.value),
            Expr::Name(name) => {
                let Some(binding) = self.binding_of(value) else {
                    return;
                };
                if binding.values.len() + binding.items.len() > MAX_ITEMS {
                    return self.report_annotation(name.range);
                }
                for value in &binding.values {
                    if !self.judged_types.insert(value.expr.range()) {
                        continue;
                    }
                    match value.expr {
                        Expr::Dict(_) | Expr::DictComp(_) => {
                            self.within(value.scope, |it| it.check_type_values(value.expr));
                        }
                        _ => self.report_annotation(name.range),
                    }
                }
                for (_, value) in &binding.items {
                    if self.judged_types.insert(value.expr.range()) {
                        self.within(value.scope, |it| it.check_type_value(value.expr));
                    }
                }
            }
            _ => self.report_annotation(value.range()),
        }
    }

    /// A value that is a type, a tuple that begins with one, or a dict or list of these.
    fn check_type_value(&mut self, value: &Expr) {
        match value {
            Expr::Tuple(tuple) => self.check_type_tuple(&tuple.elts),
            Expr::List(list) => {
                for item in &list.elts {
                    // `NamedTuple("N", [("field", type)])` has the type second.
                    if let Expr::Tuple(pair) = item
                        && let Some(second) = pair.elts.get(1)
                    {
                        self.check_type_text(second);
                    }
                }
            }
            Expr::Dict(dict) => {
                for item in &dict.items {
                    match &item.value {
                        Expr::Tuple(tuple) => {
                            tuple
                                .elts
                                .first()
                                .into_iter()
                                .for_each(|first| self.check_type_text(first));
                        }
                        other => self.check_type_text(other),
                    }
                }
            }
            Expr::Call(call)
                if self.is_builtin(&call.func, "tuple") || self.is_builtin(&call.func, "list") =>
            {
                self.report_annotation(value.range());
            }
            Expr::Name(_) => {
                // The fields of `TypedDict("T", FIELDS)`.
                let binding = self.binding_of(value);
                if binding.is_some_and(|binding| binding.values.len() > MAX_ITEMS) {
                    return self.report_annotation(value.range());
                }
                for value in binding.into_iter().flat_map(|binding| &binding.values) {
                    if matches!(value.expr, Expr::Dict(_) | Expr::List(_) | Expr::Tuple(_)) {
                        self.within(value.scope, |it| it.check_type_value(value.expr));
                    }
                }
                self.check_type_text(value);
            }
            _ => self.check_type_text(value),
        }
    }

    /// A tuple of a type and a default, `create_model("M", field=(type, default))`, or of a name
    /// and a type, which a text that is put together gives away.
    fn check_type_tuple(&mut self, items: &[Expr]) {
        if let Some(first) = items.first() {
            self.check_type_text(first);
        }
        if let [_, second] = items
            && literal::is_text(second)
            && self.texts(second, Purpose::Name).is_none()
        {
            self.check_type_text(second);
        }
    }

    /// A text that the type of something else may evaluate.
    pub(super) fn check_made_type(&mut self, argument: &Expr) {
        if argument.is_string_literal_expr()
            && TYPE_EVALUATORS.iter().any(|module| self.imports(module))
        {
            self.check_type_text(argument);
        }
    }
}
