//! JSON text becomes a [`Value`], exactly: numbers keep their spelling, of duplicate keys the last
//! wins, and nothing that stands in the text is taken for anything else.
//!
//! `serde_json` hands most numbers to its reader as an object with the one key [`NUMBER_KEY`], and its
//! own value type takes any object with that key for a number (and one with a like key for JSON
//! text to be parsed). An API, or code, could write such an object; here it stays what it is.

use std::cell::Cell;
use std::fmt;

use indexmap::IndexMap;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use super::Value;

/// The most values that one text may hold. A value costs some hundred bytes, however few it has in
/// the text, so that a bound on the text alone would bound little.
const MAX_VALUES: usize = 1_000_000;

/// The key under which `serde_json` passes numbers.
const NUMBER_KEY: &str = "$serde_json::private::Number";

/// Why a text is not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum JsonError {
    /// Nested deeper than any caller could walk.
    #[error("it is nested deeper than 127 levels")]
    TooDeep,
    /// More values than are kept.
    #[error("it holds more than {MAX_VALUES} values")]
    TooMany,
    /// No JSON.
    #[error("{0}")]
    Invalid(String),
}

/// How many values may still be read, over several texts.
#[derive(Debug)]
pub(super) struct Budget(Cell<Option<usize>>);

impl Budget {
    pub(super) fn new() -> Self {
        Self(Cell::new(Some(MAX_VALUES)))
    }

    /// Takes some; whether there were as many.
    pub(super) fn take(&self, count: usize) -> bool {
        let left = self.0.get().and_then(|left| left.checked_sub(count));
        self.0.set(left);
        left.is_some()
    }
}

/// Reads a text.
pub(crate) fn parse_json(text: &[u8]) -> Result<Value, JsonError> {
    parse_within(text, &Budget::new())
}

/// Reads one text of several that share a budget.
pub(super) fn parse_within(text: &[u8], budget: &Budget) -> Result<Value, JsonError> {
    let Budget(left) = budget;
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    Exact { left }
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value))
        .map_err(|error| {
            let message = error.to_string();
            if left.get().is_none() {
                JsonError::TooMany
            } else if message.starts_with("recursion limit") {
                // `serde_json` has no other way to tell this from text that is not JSON.
                JsonError::TooDeep
            } else {
                JsonError::Invalid(message)
            }
        })
}

/// Reads one value, as long as some are left.
#[derive(Clone, Copy)]
struct Exact<'a> {
    left: &'a Cell<Option<usize>>,
}

impl<'de> DeserializeSeed<'de> for Exact<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.left
            .set(self.left.get().and_then(|left| left.checked_sub(1)));
        if self.left.get().is_none() {
            return Err(de::Error::custom("too many values"));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Exact<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = IndexMap::new();
        while let Some(key) = members.next_key::<String>()? {
            let value = if object.is_empty() && key == NUMBER_KEY {
                match members.next_value_seed(NumberOr(self))? {
                    Spelt::Number(number) => return Ok(Value::Number(number)),
                    Spelt::Other(value) => value,
                }
            } else {
                members.next_value_seed(self)?
            };
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

/// What stands under [`NUMBER_KEY`].
enum Spelt {
    /// A number, as `serde_json` passes it: a text that it owns.
    Number(Number),
    /// What the text itself holds under that key. Its strings are lent, never owned.
    Other(Value),
}

#[derive(Clone, Copy)]
struct NumberOr<'a>(Exact<'a>);

impl<'de> DeserializeSeed<'de> for NumberOr<'_> {
    type Value = Spelt;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Spelt, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for NumberOr<'_> {
    type Value = Spelt;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(formatter)
    }

    fn visit_string<E: de::Error>(self, spelling: String) -> Result<Spelt, E> {
        spelling.parse().map(Spelt::Number).map_err(E::custom)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Spelt, E> {
        self.0.visit_unit().map(Spelt::Other)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Spelt, E> {
        self.0.visit_bool(value).map(Spelt::Other)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Spelt, E> {
        self.0.visit_i64(value).map(Spelt::Other)
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Spelt, E> {
        self.0.visit_u64(value).map(Spelt::Other)
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Spelt, E> {
        self.0.visit_str(value).map(Spelt::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Spelt, A::Error> {
        self.0.visit_seq(items).map(Spelt::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Spelt, A::Error> {
        self.0.visit_map(members).map(Spelt::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        parse_json(text.as_bytes()).unwrap().into_json().to_string()
    }

    #[test]
    fn numbers_keep_their_spelling_wherever_they_stand() {
        for text in [
            "1.50",
            "-0",
            "1E+400",
            "[12345678901234567890123,{\"a\":-1.0e-7}]",
            "{\"a\":1,\"b\":[2,[3]]}",
        ] {
            assert_eq!(shown(text).to_ascii_lowercase(), text.to_ascii_lowercase());
        }
    }

    #[test]
    fn an_object_with_a_key_of_the_parsers_own_stays_an_object() {
        for text in [
            r#"{"$serde_json::private::Number":"12"}"#,
            r#"{"$serde_json::private::Number":"no number","b":1}"#,
            r#"{"$serde_json::private::Number":7}"#,
            r#"{"$serde_json::private::Number":{"$serde_json::private::Number":"1"}}"#,
            r#"[{"$serde_json::private::Number":null},{"$serde_json::private::Number":[true]}]"#,
            r#"{"a":{"$serde_json::private::RawValue":"[1,2"}}"#,
        ] {
            assert_eq!(shown(text), text);
        }
        // Strings with escapes come to the reader by another way.
        assert_eq!(
            shown(r#"{"\u0024serde_json::private::Number":"\u0031"}"#),
            r#"{"$serde_json::private::Number":"1"}"#
        );
    }

    #[test]
    fn of_duplicate_keys_the_last_wins() {
        assert_eq!(shown(r#"{"a":1,"b":2,"a":3}"#), r#"{"a":3,"b":2}"#);
    }

    #[test]
    fn what_is_too_deep_too_much_or_no_json_is_told_apart() {
        let deep = "[".repeat(128) + &"]".repeat(128);
        assert_eq!(parse_json(deep.as_bytes()), Err(JsonError::TooDeep));
        let many = format!("[{}0]", "0,".repeat(MAX_VALUES - 1));
        assert_eq!(parse_json(many.as_bytes()), Err(JsonError::TooMany));
        let most = format!("[{}0]", "0,".repeat(MAX_VALUES - 2));
        assert!(parse_json(most.as_bytes()).is_ok());
        for text in ["", "[1", "NaN", "[1] 2", "\"\\ud800\""] {
            let result = parse_json(text.as_bytes());
            assert!(matches!(result, Err(JsonError::Invalid(_))), "{text}");
        }
    }
}
