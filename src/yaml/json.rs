//! JSON texts, read by `serde_json` with duplicate keys refused and depth counted beforehand.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::events::shown;
use super::{Error, Limits, Position, events};

/// The prefix of the error for a duplicate key, which is then looked up with both positions.
const DUPLICATE: &str = "duplicate key";

/// Reads a text that begins with `{` or `[`.
pub(super) fn read(text: &str, limits: &Limits) -> Result<Value, Error> {
    check_bounds(text, limits)?;
    let nodes = Cell::new(limits.nodes);
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.disable_recursion_limit();
    let result = Exact { nodes: &nodes }
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value));
    result.map_err(|error| {
        let message = error.to_string();
        let message = message
            .rsplit_once(" at line ")
            .map_or(message.as_str(), |(message, _)| message);
        if message.starts_with(DUPLICATE)
            && let Err(precise) = events::read(text, limits)
            // The YAML scanner may stumble over legal JSON before it gets there.
            && precise.message.starts_with(DUPLICATE)
        {
            return precise;
        }
        let position = Position {
            line: error.line(),
            column: error.column(),
        };
        if message.starts_with(DUPLICATE) {
            return Error::new(position, message);
        }
        Error::new(position, format!("expected JSON: {message}"))
    })
}

/// Counts nesting before any parser recurses, and values before any takes memory for them;
/// quoted text left aside.
fn check_bounds(text: &str, limits: &Limits) -> Result<(), Error> {
    let (mut depth, mut line, mut line_start) = (0_usize, 1_usize, 0_usize);
    let (mut quoted, mut escaped) = (false, false);
    // Each comma stands before a value. First ones are not seen here but while parsing.
    let mut nodes = 1_usize;
    for (at, byte) in text.bytes().enumerate() {
        if byte == b'\n' {
            line += 1;
            line_start = at + 1;
        }
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => depth += 1,
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            b',' if !quoted => nodes += 1,
            _ => {}
        }
        let bound = if depth > limits.depth {
            format!("{} levels of nesting", limits.depth)
        } else if nodes > limits.nodes {
            format!("{} values", limits.nodes)
        } else {
            continue;
        };
        let column = at - line_start + 1;
        return Err(Error::limit(
            Position { line, column },
            format!("expected at most {bound}, found more"),
        ));
    }
    Ok(())
}

/// Deserialises into a [`Value`], refusing duplicate keys and too many nodes.
#[derive(Clone, Copy)]
struct Exact<'a> {
    nodes: &'a Cell<usize>,
}

impl<'de> DeserializeSeed<'de> for Exact<'_> {
    type Value = Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        match self.nodes.get().checked_sub(1) {
            Some(left) => self.nodes.set(left),
            None => return Err(D::Error::custom("too many values")),
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Exact<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
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

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            // `serde_json` hands an exactly spelt number over as a map with this one key.
            if object.is_empty() && key == NUMBER_TOKEN {
                let spelt: String = members.next_value()?;
                let number: Number = spelt.parse().map_err(A::Error::custom)?;
                return Ok(Value::Number(number));
            }
            if object.contains_key(&key) {
                return Err(A::Error::custom(format_args!(
                    "{DUPLICATE} `{}`",
                    shown(&key)
                )));
            }
            let value = members.next_value_seed(self)?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

/// The key under which `serde_json` passes numbers with `arbitrary_precision`.
const NUMBER_TOKEN: &str = "$serde_json::private::Number";
