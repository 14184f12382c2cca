//! Rules for models of pydantic: aliases, which name attributes where a model reads objects, and
//! arguments that are types.

use crate::pysyntax::Ranged;
use crate::pysyntax::ast::{Expr, ExprCall, Keyword};

use super::check::{Checker, is_dunder};
use super::knowledge::{Known, is_name, is_of};
use super::rule;
use super::texts::Purpose;

impl Checker<'_> {
    /// Keywords of pydantic that are types or templates, and aliases, which name attributes where a
    /// model reads objects.
    pub(super) fn check_pydantic_call(&mut self, call: &ExprCall, known: &[Known]) {
        if !is_of(known, &["pydantic"]) {
            return;
        }
        let reads_objects = self.reads_objects();
        for keyword in &call.arguments.keywords {
            match keyword.arg.as_ref().map_or("", |name| name.as_str()) {
                "return_type" | "json_schema_input_type" => self.check_type_text(&keyword.value),
                "alias" | "validation_alias" => {
                    self.check_alias_texts(&keyword.value, reads_objects);
                }
                _ => self.check_alias_generator(keyword),
            }
        }
        if is_name(known, "pydantic", &["AliasChoices", "AliasPath"]) {
            for argument in &call.arguments.args {
                self.check_alias_texts(argument, reads_objects);
            }
        }
        if is_name(known, "pydantic", &["PlainSerializer", "WrapSerializer"])
            && let Some(text) = call.arguments.args.get(1)
        {
            self.check_type_text(text);
        }
    }

    /// The names in an alias, which pydantic reads as attributes where `reads_objects`.
    fn check_alias_texts(&mut self, value: &Expr, reads_objects: bool) {
        let Some(texts) = self.texts(value, Purpose::Name) else {
            let made = matches!(
                value,
                Expr::BinOp(_) | Expr::FString(_) | Expr::Name(_) | Expr::Subscript(_)
            );
            if reads_objects && made {
                let message = "where models read attributes, the alias must be a literal";
                self.report(
                    rule::ATTRIBUTE_DYNAMIC,
                    value.range(),
                    message,
                    "write the name as a string literal",
                );
            }
            return;
        };
        for text in texts {
            let rules = &self.policy.attributes;
            let private = reads_objects && (text.starts_with('_') || rules.denied.contains(&text));
            if is_dunder(&text) || rules.internals.contains(&text) || private {
                self.check_attribute_name(&text, value.range(), |_| false);
            }
        }
    }

    /// `alias_generator=` of a model that reads attributes of any object.
    pub(super) fn check_alias_generator(&mut self, keyword: &Keyword) {
        let named = keyword.arg.as_deref() == Some("alias_generator");
        if named && self.reads_objects() && self.known(&keyword.value).is_empty() {
            let message = "where models read attributes, names of attributes may not be computed";
            let hint = "give each field its `alias`, or validate a dict";
            self.report(rule::ARGUMENT_BLOCKED, keyword.range, message, hint);
        }
    }

    /// Whether a model may read attributes of any object; the setting may stand in a dict, so any
    /// mention of it counts.
    fn reads_objects(&self) -> bool {
        // As a keyword it may be spelt with other letters, which Python reads as these.
        *self.reads_objects.get_or_init(|| {
            let name = "from_attributes";
            self.code.contains(name) || self.scopes.stores_attribute(name)
        })
    }
}
