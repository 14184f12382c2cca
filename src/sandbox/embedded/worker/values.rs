//! Values of the interpreter as JSON with byte strings, and back.

use std::fmt::Write as _;

use bytes::Bytes;
use indexmap::IndexMap;
use monty_types::{
    DictPairs, ExcType, MontyDate, MontyDateTime, MontyException, MontyObject, MontyTime,
    MontyTimeDelta,
};
use num_bigint::BigInt;
use serde_json::Number;

use crate::wire::Value;

/// How deep an argument or a result may be nested. The runner of containers and the host have the same
/// number.
const MAX_DEPTH: usize = 100;

/// Why a value cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unfit {
    /// `TypeError` or `ValueError`.
    pub(super) class: ExcType,
    /// What follows `f() argument 'name'`.
    pub(super) text: String,
}

impl Unfit {
    fn of_type(text: impl Into<String>) -> Self {
        Self {
            class: ExcType::TypeError,
            text: text.into(),
        }
    }

    fn of_value(text: impl Into<String>) -> Self {
        Self {
            class: ExcType::ValueError,
            text: text.into(),
        }
    }
}

/// A value of the host as one of the interpreter.
pub(super) fn from_host(value: Value) -> MontyObject {
    match value {
        Value::Null => MontyObject::None,
        Value::Bool(value) => MontyObject::Bool(value),
        Value::Number(number) => from_number(&number),
        Value::String(text) => MontyObject::String(text),
        Value::Bytes(bytes) => MontyObject::Bytes(bytes.to_vec()),
        Value::Array(items) => MontyObject::List(items.into_iter().map(from_host).collect()),
        Value::Object(members) => MontyObject::dict(
            members
                .into_iter()
                .map(|(key, value)| (MontyObject::String(key), from_host(value)))
                .collect::<Vec<_>>(),
        ),
    }
}

/// An integer of any size, or a float, as Python reads JSON.
fn from_number(number: &Number) -> MontyObject {
    let text = number.to_string();
    if text.contains(['.', 'e', 'E']) {
        return MontyObject::Float(text.parse().unwrap_or(f64::NAN));
    }
    match text.parse::<i64>() {
        Ok(value) => MontyObject::Int(value),
        Err(_) => text
            .parse::<BigInt>()
            .map_or_else(|_| MontyObject::Float(f64::NAN), MontyObject::BigInt),
    }
}

/// An argument of a call.
pub(super) fn argument(value: MontyObject) -> Result<Value, Unfit> {
    plain(value, 0)
}

fn plain(value: MontyObject, depth: usize) -> Result<Value, Unfit> {
    if depth > MAX_DEPTH {
        return Err(Unfit::of_value(format!(
            "is nested deeper than {MAX_DEPTH} levels"
        )));
    }
    Ok(match value {
        MontyObject::None => Value::Null,
        MontyObject::Bool(value) => Value::Bool(value),
        MontyObject::Int(value) => Value::Number(value.into()),
        MontyObject::BigInt(value) => Value::Number(number_of(&value.to_string())),
        MontyObject::Float(value) => finite(value)?,
        MontyObject::String(text) | MontyObject::Path(text) | MontyObject::Repr(text) => {
            Value::String(text)
        }
        MontyObject::Bytes(bytes) => Value::Bytes(Bytes::from(bytes)),
        MontyObject::List(items)
        | MontyObject::Tuple(items)
        | MontyObject::NamedTuple { values: items, .. }
        | MontyObject::Set(items)
        | MontyObject::FrozenSet(items) => {
            let items = items.into_iter().map(|item| plain(item, depth + 1));
            Value::Array(items.collect::<Result<_, _>>()?)
        }
        MontyObject::Dict(pairs) => members(pairs, depth)?,
        MontyObject::Date(date) => Value::String(date_text(&date)),
        MontyObject::DateTime(value) => Value::String(datetime_text(&value)),
        MontyObject::Time(value) => Value::String(time_text(&value)),
        MontyObject::ClassInstance(instance) if instance.class_type.is_dataclass => {
            members(instance.attrs, depth)?
        }
        MontyObject::Cycle(..) => return Err(Unfit::of_value("holds itself")),
        other => {
            return Err(Unfit::of_type(format!(
                "cannot be of type {}",
                type_name(&other)
            )));
        }
    })
}

fn members(pairs: DictPairs, depth: usize) -> Result<Value, Unfit> {
    let mut found = IndexMap::with_capacity(pairs.len());
    for (key, value) in pairs {
        found.insert(argument_key(key)?, plain(value, depth + 1)?);
    }
    Ok(Value::Object(found))
}

/// A member's name, by the rules of Python's `json`.
fn argument_key(key: MontyObject) -> Result<String, Unfit> {
    Ok(match key {
        MontyObject::String(text) => text,
        MontyObject::None => "null".to_owned(),
        MontyObject::Bool(value) => value.to_string(),
        MontyObject::Int(_) | MontyObject::BigInt(_) => key.py_repr(),
        MontyObject::Float(value) => {
            finite(value)?;
            key.py_repr()
        }
        MontyObject::Date(date) => date_text(&date),
        MontyObject::DateTime(value) => datetime_text(&value),
        other => {
            return Err(Unfit::of_type(format!(
                "has a key of type {}",
                type_name(&other)
            )));
        }
    })
}

fn finite(value: f64) -> Result<Value, Unfit> {
    if value.is_finite() {
        let text = MontyObject::Float(value).py_repr();
        Ok(Value::Number(number_of(&text)))
    } else {
        Err(Unfit::of_value(format!(
            "must be a finite number, not {}",
            MontyObject::Float(value).py_repr()
        )))
    }
}

/// A number in its own spelling.
fn number_of(text: &str) -> Number {
    text.parse().unwrap_or_else(|_| Number::from(0))
}

/// The name of a value's type.
pub(super) fn type_name(value: &MontyObject) -> String {
    match value {
        MontyObject::Ellipsis => "ellipsis".to_owned(),
        MontyObject::NotImplemented => "NotImplementedType".to_owned(),
        MontyObject::None => "NoneType".to_owned(),
        MontyObject::Bool(_) => "bool".to_owned(),
        MontyObject::Int(_) | MontyObject::BigInt(_) => "int".to_owned(),
        MontyObject::Float(_) => "float".to_owned(),
        MontyObject::String(_) => "str".to_owned(),
        MontyObject::Bytes(_) => "bytes".to_owned(),
        MontyObject::List(_) => "list".to_owned(),
        MontyObject::Tuple(_) => "tuple".to_owned(),
        MontyObject::NamedTuple { type_name, .. } => type_name.clone(),
        MontyObject::Dict(_) => "dict".to_owned(),
        MontyObject::Set(_) => "set".to_owned(),
        MontyObject::FrozenSet(_) => "frozenset".to_owned(),
        MontyObject::Date(_) => "date".to_owned(),
        MontyObject::DateTime(_) => "datetime".to_owned(),
        MontyObject::Time(_) => "time".to_owned(),
        MontyObject::TimeDelta(_) => "timedelta".to_owned(),
        MontyObject::TimeZone(_) => "timezone".to_owned(),
        MontyObject::Exception { exc_type, .. } => exc_type.to_string(),
        MontyObject::Type(_) => "type".to_owned(),
        MontyObject::ClassInstance(instance) => instance.class_type.name.clone(),
        _ => "function".to_owned(),
    }
}

/// Why a result has no JSON form, or is larger than it may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoResult {
    /// More bytes than the limit.
    TooLarge,
    /// Said of the value.
    NoForm(String),
}

/// What stands in JSON for a result: the same as the runner of containers writes.
pub(super) fn result(value: MontyObject, limit: usize) -> Result<Value, NoResult> {
    let mut room = limit;
    shown(value, 0, &mut room)
}

fn take(room: &mut usize, bytes: usize) -> Result<(), NoResult> {
    *room = room.checked_sub(bytes).ok_or(NoResult::TooLarge)?;
    Ok(())
}

fn shown(value: MontyObject, depth: usize, room: &mut usize) -> Result<Value, NoResult> {
    // A comma or a bracket at least.
    take(room, 1)?;
    let shown = match value {
        MontyObject::List(items) | MontyObject::Tuple(items) => return array(items, depth, room),
        MontyObject::Set(items) | MontyObject::FrozenSet(items) => {
            return array(sorted(items), depth, room);
        }
        MontyObject::NamedTuple {
            field_names,
            values,
            ..
        } => {
            let names = field_names.into_iter().map(MontyObject::String);
            return object(names.zip(values), depth, room);
        }
        MontyObject::Dict(pairs) => return object(pairs, depth, room),
        MontyObject::ClassInstance(instance) if instance.class_type.is_dataclass => {
            return object(instance.attrs, depth, room);
        }
        MontyObject::Cycle(..) => {
            return Err(NoResult::NoForm("the value contains itself".to_owned()));
        }
        MontyObject::None => Value::Null,
        MontyObject::Bool(value) => Value::Bool(value),
        MontyObject::Int(value) => Value::Number(value.into()),
        MontyObject::BigInt(value) => {
            let text = value.to_string();
            if text.len() > 4_300 {
                return Err(NoResult::NoForm(
                    "an integer has more than 4300 digits".to_owned(),
                ));
            }
            Value::Number(number_of(&text))
        }
        MontyObject::Float(value) if value.is_nan() => Value::String("NaN".to_owned()),
        MontyObject::Float(f64::INFINITY) => Value::String("Infinity".to_owned()),
        MontyObject::Float(f64::NEG_INFINITY) => Value::String("-Infinity".to_owned()),
        value @ MontyObject::Float(_) => Value::Number(number_of(&value.py_repr())),
        MontyObject::String(text) | MontyObject::Path(text) | MontyObject::Repr(text) => {
            Value::String(text)
        }
        MontyObject::Bytes(bytes) => {
            use base64::Engine as _;
            Value::String(base64::engine::general_purpose::STANDARD.encode(bytes))
        }
        MontyObject::Date(date) => Value::String(date_text(&date)),
        MontyObject::DateTime(value) => Value::String(datetime_text(&value)),
        MontyObject::Time(value) => Value::String(time_text(&value)),
        MontyObject::TimeDelta(value) => {
            let seconds = MontyObject::Float(total_seconds(&value));
            Value::Number(number_of(&seconds.py_repr()))
        }
        MontyObject::ClassInstance(instance) => {
            Value::String(format!("<{} object>", instance.class_type.name))
        }
        other => Value::String(other.py_repr()),
    };
    if let Value::String(text) = &shown {
        take(room, text.len() + 2)?;
    }
    Ok(shown)
}

fn array(items: Vec<MontyObject>, depth: usize, room: &mut usize) -> Result<Value, NoResult> {
    check_depth(depth)?;
    let items = items.into_iter().map(|item| shown(item, depth + 1, room));
    Ok(Value::Array(items.collect::<Result<_, _>>()?))
}

fn object(
    pairs: impl IntoIterator<Item = (MontyObject, MontyObject)>,
    depth: usize,
    room: &mut usize,
) -> Result<Value, NoResult> {
    check_depth(depth)?;
    let mut members = IndexMap::new();
    for (key, value) in pairs {
        let key = result_key(key);
        take(room, key.len() + 3)?;
        if members.contains_key(&key) {
            let start: String = key.chars().take(80).collect();
            return Err(NoResult::NoForm(format!(
                "two keys of one object are both written as {}",
                MontyObject::String(start).py_repr()
            )));
        }
        members.insert(key, shown(value, depth + 1, room)?);
    }
    Ok(Value::Object(members))
}

fn check_depth(depth: usize) -> Result<(), NoResult> {
    if depth < MAX_DEPTH {
        Ok(())
    } else {
        Err(NoResult::NoForm(format!(
            "the value is nested deeper than {MAX_DEPTH} levels"
        )))
    }
}

/// JSON's own words for what JSON has, `str()` for the rest.
fn result_key(key: MontyObject) -> String {
    match key {
        MontyObject::String(text) | MontyObject::Path(text) => text,
        MontyObject::None => "null".to_owned(),
        MontyObject::Bool(value) => value.to_string(),
        MontyObject::Date(date) => date_text(&date),
        MontyObject::DateTime(value) => datetime_text(&value),
        MontyObject::Time(value) => time_text(&value),
        other => other.py_repr(),
    }
}

/// Sorted where all are numbers or all are texts, as `sorted()` can; else in their order.
fn sorted(mut items: Vec<MontyObject>) -> Vec<MontyObject> {
    let is_text = |item: &MontyObject| matches!(item, MontyObject::String(_));
    let is_number = |item: &MontyObject| {
        matches!(
            item,
            MontyObject::Int(_) | MontyObject::Float(_) | MontyObject::Bool(_)
        )
    };
    if items.iter().all(is_text) {
        items.sort_by(|one, other| match (one, other) {
            (MontyObject::String(one), MontyObject::String(other)) => one.cmp(other),
            _ => std::cmp::Ordering::Equal,
        });
    } else if items.iter().all(|item| matches!(item, MontyObject::Int(_))) {
        items.sort_by_key(|item| match item {
            MontyObject::Int(value) => *value,
            _ => 0,
        });
    } else if items.iter().all(is_number) {
        items.sort_by(|one, other| float_of(one).total_cmp(&float_of(other)));
    }
    items
}

#[expect(clippy::cast_precision_loss, reason = "for an order only")]
fn float_of(item: &MontyObject) -> f64 {
    match item {
        MontyObject::Int(value) => *value as f64,
        MontyObject::Float(value) => *value,
        MontyObject::Bool(true) => 1.0,
        _ => 0.0,
    }
}

fn date_text(date: &MontyDate) -> String {
    format!("{:04}-{:02}-{:02}", date.year, date.month, date.day)
}

fn datetime_text(value: &MontyDateTime) -> String {
    let mut text = format!(
        "{:04}-{:02}-{:02}T{}",
        value.year,
        value.month,
        value.day,
        clock(value.hour, value.minute, value.second, value.microsecond)
    );
    push_offset(&mut text, value.offset_seconds);
    text
}

fn time_text(value: &MontyTime) -> String {
    let mut text = clock(value.hour, value.minute, value.second, value.microsecond);
    push_offset(&mut text, value.offset_seconds);
    text
}

fn clock(hour: u8, minute: u8, second: u8, microsecond: u32) -> String {
    let text = format!("{hour:02}:{minute:02}:{second:02}");
    if microsecond == 0 {
        text
    } else {
        format!("{text}.{microsecond:06}")
    }
}

fn push_offset(text: &mut String, offset: Option<i32>) {
    let Some(offset) = offset else {
        return;
    };
    let sign = if offset < 0 { '-' } else { '+' };
    let seconds = offset.unsigned_abs();
    text.push(sign);
    // Writing to a text cannot fail.
    let _ = write!(text, "{:02}:{:02}", seconds / 3600, seconds / 60 % 60);
    if seconds % 60 != 0 {
        let _ = write!(text, ":{:02}", seconds % 60);
    }
}

/// As `timedelta.total_seconds()` computes it.
#[expect(
    clippy::cast_precision_loss,
    reason = "a timedelta has fewer microseconds than a float counts exactly in all but extreme cases, \
              and Python divides the same way"
)]
fn total_seconds(value: &MontyTimeDelta) -> f64 {
    let seconds = i128::from(value.days) * 86_400 + i128::from(value.seconds);
    let microseconds = seconds * 1_000_000 + i128::from(value.microseconds);
    microseconds as f64 / 1e6
}

/// An exception of a builtin class.
pub(super) fn exception(class: ExcType, message: impl Into<String>) -> MontyException {
    MontyException::new(class, Some(message.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(value: MontyObject) -> String {
        result(value, 1 << 20).unwrap().into_json().to_string()
    }

    #[test]
    fn results_are_written_as_containers_write_them() {
        let text = |text: &str| MontyObject::String(text.to_owned());
        let cases = [
            (MontyObject::Float(1.0), "1.0"),
            (MontyObject::Float(1e16), "1e+16"),
            (MontyObject::Float(f64::NAN), "\"NaN\""),
            (MontyObject::Float(f64::NEG_INFINITY), "\"-Infinity\""),
            (MontyObject::Bytes(vec![0, 255]), "\"AP8=\""),
            (
                MontyObject::Set(vec![text("b"), text("a")]),
                "[\"a\",\"b\"]",
            ),
            (
                MontyObject::Set(vec![MontyObject::Int(3), MontyObject::Float(0.5)]),
                "[0.5,3]",
            ),
            (
                MontyObject::dict(vec![
                    (MontyObject::Int(1), MontyObject::None),
                    (MontyObject::Bool(true), text("é")),
                ]),
                "{\"1\":null,\"true\":\"é\"}",
            ),
            (
                MontyObject::NamedTuple {
                    type_name: "P".to_owned(),
                    field_names: vec!["x".to_owned()],
                    values: vec![MontyObject::Int(1)],
                },
                "{\"x\":1}",
            ),
            (
                MontyObject::TimeDelta(MontyTimeDelta {
                    days: 1,
                    seconds: 1,
                    microseconds: 500_000,
                }),
                "86401.5",
            ),
            (
                MontyObject::BigInt("123456789012345678901234567890".parse().unwrap()),
                "123456789012345678901234567890",
            ),
        ];
        for (value, expected) in cases {
            assert_eq!(json(value), expected);
        }
    }

    #[test]
    fn results_are_bounded_in_bytes_and_depth() {
        let mut deep = MontyObject::Int(1);
        for _ in 0..150 {
            deep = MontyObject::List(vec![deep]);
        }
        assert!(matches!(result(deep, 1 << 20), Err(NoResult::NoForm(_))));
        let long = MontyObject::List(vec![MontyObject::String("x".repeat(100)); 20]);
        assert_eq!(result(long.clone(), 2_000), Err(NoResult::TooLarge));
        assert!(result(long, 2_200).is_ok());
        let twice = MontyObject::dict(vec![
            (MontyObject::Int(1), MontyObject::None),
            (MontyObject::String("1".to_owned()), MontyObject::None),
        ]);
        assert!(matches!(result(twice, 100), Err(NoResult::NoForm(_))));
    }

    #[test]
    fn arguments_say_what_does_not_fit() {
        let wrong = |value| argument(value).unwrap_err().text;
        assert_eq!(
            wrong(MontyObject::Float(f64::NAN)),
            "must be a finite number, not nan"
        );
        assert_eq!(wrong(MontyObject::Ellipsis), "cannot be of type ellipsis");
        assert_eq!(
            wrong(MontyObject::dict(vec![(
                MontyObject::Tuple(Vec::new()),
                MontyObject::None
            )])),
            "has a key of type tuple"
        );
        let date = MontyObject::Date(MontyDate {
            year: 2024,
            month: 2,
            day: 9,
        });
        assert_eq!(
            argument(MontyObject::List(vec![date])).unwrap().into_json(),
            serde_json::json!(["2024-02-09"])
        );
    }

    #[test]
    fn numbers_of_any_size_arrive() {
        let host = |text: &str| {
            from_host(Value::from(
                serde_json::from_str::<serde_json::Value>(text).unwrap(),
            ))
        };
        assert_eq!(host("12"), MontyObject::Int(12));
        assert_eq!(host("1.50"), MontyObject::Float(1.5));
        assert_eq!(
            host("18446744073709551616"),
            MontyObject::BigInt("18446744073709551616".parse().unwrap())
        );
    }
}
