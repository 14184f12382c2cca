//! Errors that the host raises: `ApiError` and `EgressError`, which the interpreter has no classes for.
//!
//! Each travels as a builtin exception of a class that stands for it, and is known again by its message.
//! Where two have the same message, the later one's ends in characters that nobody sees and that are
//! taken out of whatever leaves the worker.

use std::collections::HashMap;
use std::fmt::Write as _;

use monty_types::{ExcType, MontyException, MontyObject};

use super::values::{exception, from_host};
use crate::wire::Value;

/// Stands for `ApiError`, which derives from `Exception` as it does.
pub(super) const API_ERROR: ExcType = ExcType::RePatternError;
/// Stands for `EgressError`, which derives from `RuntimeError` as it does.
pub(super) const EGRESS_ERROR: ExcType = ExcType::NotImplementedError;

/// Begins what nobody sees: a language tag, which Unicode has withdrawn.
const MARK: char = '\u{E0001}';
/// The first of the tag characters, which stand for ASCII.
const TAGS: u32 = 0xE0000;

/// What an error is called and carries.
#[derive(Debug, Clone, PartialEq)]
struct Known {
    class: &'static str,
    fields: Vec<(&'static str, Value)>,
}

/// The errors that were raised so far.
#[derive(Debug, Default)]
pub(super) struct Errors {
    known: HashMap<String, Known>,
    has_marks: bool,
}

impl Errors {
    /// The exception for what the host answered with: `{"kind", "message", "status", "body", "headers"}`.
    pub(super) fn raised(&mut self, error: Value) -> MontyException {
        let Value::Object(mut members) = error else {
            return exception(ExcType::RuntimeError, "the host gave no reason");
        };
        let mut text = |name: &str| match members.shift_remove(name) {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        let (kind, message) = (text("kind"), text("message"));
        let (class, carrier) = match kind.as_str() {
            "argument" => return exception(ExcType::TypeError, message),
            "api" | "network" => ("ApiError", API_ERROR),
            "egress" | "limit" => ("EgressError", EGRESS_ERROR),
            _ => return exception(ExcType::RuntimeError, message),
        };
        let mut field = |name: &str, usual: Value| members.shift_remove(name).unwrap_or(usual);
        let fields = if class == "ApiError" {
            vec![
                ("status", field("status", Value::Number(0.into()))),
                ("body", field("body", Value::Null)),
                (
                    "headers",
                    field("headers", Value::Object(indexmap::IndexMap::new())),
                ),
            ]
        } else {
            Vec::new()
        };
        let known = Known { class, fields };
        exception(carrier, self.note(&message, known))
    }

    /// The message under which an error is known.
    fn note(&mut self, message: &str, error: Known) -> String {
        let mut name = message.to_owned();
        let mut number = 1_u32;
        while self.known.get(&name).is_some_and(|it| *it != error) {
            message.clone_into(&mut name);
            name.push(MARK);
            for digit in number.to_string().chars() {
                name.extend(char::from_u32(TAGS + u32::from(digit)));
            }
            self.has_marks = true;
            number += 1;
        }
        self.known.insert(name.clone(), error);
        name
    }

    /// A field of an exception; `None` where it has none of that name.
    pub(super) fn field(&self, message: &str, name: &str) -> Option<MontyObject> {
        let known = self.known.get(message)?;
        let (_, value) = known.fields.iter().find(|(field, _)| *field == name)?;
        Some(from_host(value.clone()))
    }

    /// The name of an exception's class.
    pub(super) fn class(&self, class: ExcType, message: Option<&str>) -> String {
        if class == API_ERROR || class == EGRESS_ERROR {
            let known = message.and_then(|message| self.known.get(message));
            if let Some(known) = known {
                return known.class.to_owned();
            }
        }
        class.to_string()
    }

    /// Which of the classes of failures an exception belongs to that nothing caught.
    pub(super) fn kind(&self, error: &MontyException) -> &'static str {
        match self.class(error.exc_type(), error.message()).as_str() {
            "ApiError" => "api",
            "EgressError" => "egress",
            _ => "execution",
        }
    }

    /// A text without what nobody sees.
    pub(super) fn without_marks(&self, text: String) -> String {
        if !self.has_marks || !text.contains(MARK) {
            return text;
        }
        let mut shown = String::with_capacity(text.len());
        let mut is_marked = false;
        for character in text.chars() {
            let is_digit = (TAGS + 0x30..=TAGS + 0x39).contains(&u32::from(character));
            is_marked = character == MARK || (is_marked && is_digit);
            if !is_marked {
                shown.push(character);
            }
        }
        shown
    }

    /// `Class: message` of an exception.
    pub(super) fn line(&self, error: &MontyException) -> String {
        let mut line = self.class(error.exc_type(), error.message());
        let message = match error.message() {
            // What is shown of a key is what it is written as.
            Some(key) if error.exc_type() == ExcType::KeyError => {
                MontyObject::String(key.to_owned()).py_repr()
            }
            message => message.unwrap_or_default().to_owned(),
        };
        if !message.is_empty() {
            // Writing to a text cannot fail.
            let _ = write!(line, ": {message}");
        }
        self.without_marks(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn api(message: &str, status: u16, body: &str) -> Value {
        Value::from(serde_json::json!({
            "kind": "api", "message": message, "status": status, "body": body, "headers": {"etag": "x"},
        }))
    }

    #[test]
    fn errors_of_the_same_message_keep_their_own_fields() {
        let mut errors = Errors::default();
        let first = errors.raised(api("404 Not Found", 404, "one"));
        let same = errors.raised(api("404 Not Found", 404, "one"));
        let other = errors.raised(api("404 Not Found", 404, "two"));
        assert_eq!(first, same);
        assert_eq!(first.message(), Some("404 Not Found"));
        let body = |error: &MontyException| errors.field(error.message().unwrap(), "body");
        assert_eq!(body(&first), Some(MontyObject::String("one".to_owned())));
        assert_eq!(body(&other), Some(MontyObject::String("two".to_owned())));
        assert_eq!(errors.line(&other), "ApiError: 404 Not Found");
        let printed = format!("a {} b", other.message().unwrap());
        assert_eq!(errors.without_marks(printed), "a 404 Not Found b");
        assert_eq!(errors.kind(&other), "api");
    }

    #[test]
    fn others_of_the_classes_that_stand_for_them_stay_what_they_are() {
        let errors = Errors::default();
        let own = exception(EGRESS_ERROR, "not yet");
        assert_eq!(errors.line(&own), "NotImplementedError: not yet");
        assert_eq!(errors.kind(&own), "execution");
        assert_eq!(errors.field("not yet", "status"), None);
    }
}
