//! Answers that are streams: server-sent events (WHATWG HTML, section 9.2.6), and JSON values in
//! a row (JSON lines; RFC 7464). A stream that was cut short gives what arrived whole.

use indexmap::IndexMap;

use super::Value;
use super::decode::{DecodeError, parse};
use super::media;
use crate::api::{Function, Media, ResponseKind};

/// What a stream is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Streamed {
    /// Server-sent events.
    Events,
    /// JSON values.
    Items,
}

impl Streamed {
    /// What an answer of this status and media type is a stream of, if it is one.
    #[must_use]
    pub fn of(status: u16, content_type: Option<&str>) -> Option<Self> {
        if !(200..300).contains(&status) {
            return None;
        }
        match Media::of(content_type?) {
            Media::Events => Some(Self::Events),
            Media::Lines => Some(Self::Items),
            _ => None,
        }
    }
}

/// The events of a stream, each an object of `data`, `event`, `id` and `retry`; or its items.
/// `data` is read as JSON where the document describes it so; what is none stays text.
pub(super) fn decode(
    function: &Function,
    status: u16,
    content_type: &str,
    body: &[u8],
    kind: Streamed,
) -> Result<Value, DecodeError> {
    let text = String::from_utf8_lossy(body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body));
    let values = match kind {
        Streamed::Events => {
            let documented = super::decode::documented(function, status);
            let is_json = matches!(
                documented,
                Some(ResponseKind::JsonEvents | ResponseKind::Json)
            );
            events(&text, is_json)?
        }
        Streamed::Items if media::essence(content_type) == "application/json-seq" => {
            items(text.split('\u{1e}'))?
        }
        Streamed::Items => items(text.split('\n'))?,
    };
    Ok(Value::Array(values))
}

fn items<'a>(texts: impl Iterator<Item = &'a str>) -> Result<Vec<Value>, DecodeError> {
    let mut values = Vec::new();
    for text in texts.map(|text| text.trim_matches([' ', '\t', '\r', '\n'])) {
        if !text.is_empty() {
            values.push(parse(text)?.unwrap_or_else(|| Value::String(text.to_owned())));
        }
    }
    Ok(values)
}

fn events(text: &str, is_json: bool) -> Result<Vec<Value>, DecodeError> {
    let mut events = Vec::new();
    let mut data: Option<String> = None;
    let (mut name, mut id, mut retry) = (String::new(), String::new(), None);
    for line in lines(text) {
        if line.is_empty() {
            let kind = std::mem::take(&mut name);
            if let Some(data) = data.take() {
                let parsed = if is_json { parse(&data)? } else { None };
                events.push(Value::Object(IndexMap::from([
                    ("data".to_owned(), parsed.unwrap_or(Value::String(data))),
                    (
                        "event".to_owned(),
                        Value::String(if kind.is_empty() {
                            "message".to_owned()
                        } else {
                            kind
                        }),
                    ),
                    ("id".to_owned(), Value::String(id.clone())),
                    ("retry".to_owned(), retry.take().unwrap_or_default()),
                ])));
            }
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut name),
            "data" => match &mut data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => data = Some(value.to_owned()),
            },
            "id" if !value.contains('\0') => value.clone_into(&mut id),
            "retry" => retry = milliseconds(value).or(retry),
            // A comment has an empty name.
            _ => {}
        }
    }
    Ok(events)
}

/// The lines that have ended: by CR, LF, or both. The rest has not arrived yet.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.find(['\r', '\n'])?;
        let (line, after) = rest.split_at(end);
        rest = after.strip_prefix("\r\n").or_else(|| after.get(1..))?;
        Some(line)
    })
}

/// Digits as a number; nothing where there is anything else, or more of them than time has.
fn milliseconds(text: &str) -> Option<Value> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number: u64 = text.parse().ok().filter(|_| is_number && text.len() < 20)?;
    Some(Value::Number(number.into()))
}
