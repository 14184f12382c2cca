//! Answers that are streams: server-sent events (WHATWG HTML, section 9.2.6), and JSON values in
//! a row (JSON lines; RFC 7464). A stream that was cut short gives what arrived whole.
//!
//! An item costs more in memory than on the wire, and an id is repeated with every event: what a
//! stream becomes is bounded as a whole, and what is past the bound is cut off.

use indexmap::IndexMap;

use super::Value;
use super::decode::{DecodeError, has_no_body, parse_of};
use super::json::Budget;
use super::media;
use crate::api::{Function, Media, ResponseKind};

/// The values that an event is, beside its data.
const VALUES_OF_AN_EVENT: usize = 5;

/// The most bytes that the texts of a stream may have in all.
const MAX_TEXT: usize = 64 << 20;

/// What a stream is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Streamed {
    /// Server-sent events.
    Events,
    /// JSON values.
    Items,
}

impl Streamed {
    /// What an answer to this method, of this status and media type, is a stream of, if it is one.
    #[must_use]
    pub fn of(method: &str, status: u16, content_type: Option<&str>) -> Option<Self> {
        if !(200..300).contains(&status) || has_no_body(method, status) {
            return None;
        }
        match Media::of(content_type?) {
            Media::Events => Some(Self::Events),
            Media::Lines => Some(Self::Items),
            _ => None,
        }
    }
}

/// The events of a stream, each an object of `data`, `event`, `id` and `retry`; or its items. And
/// whether there were more than are kept. `data` is read as JSON where the document describes it so;
/// what is none stays text.
///
/// # Errors
/// [`DecodeError`], where an item is nested too deeply.
pub fn decode(
    function: &Function,
    status: u16,
    content_type: &str,
    body: &[u8],
    kind: Streamed,
) -> Result<(Value, bool), DecodeError> {
    let text = String::from_utf8_lossy(body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body));
    let mut kept = Kept::new();
    let result = match kind {
        Streamed::Events => {
            let documented = super::decode::documented(function, status);
            let is_json = matches!(
                documented,
                Some(ResponseKind::JsonEvents | ResponseKind::Json)
            );
            events(&text, is_json, &mut kept)
        }
        Streamed::Items if media::essence(content_type) == "application/json-seq" => {
            items(text.split('\u{1e}'), &mut kept)
        }
        Streamed::Items => items(text.split('\n'), &mut kept),
    };
    let is_cut = match result {
        Ok(()) => false,
        Err(DecodeError::TooMany) => true,
        Err(error) => return Err(error),
    };
    Ok((Value::Array(kept.values), is_cut))
}

/// What was read of a stream, and how much more may be.
struct Kept {
    values: Vec<Value>,
    budget: Budget,
    text: usize,
}

impl Kept {
    fn new() -> Self {
        Self {
            values: Vec::new(),
            budget: Budget::new(),
            text: MAX_TEXT,
        }
    }

    /// Takes so many values and bytes of text, or says that they are too many.
    fn take(&mut self, values: usize, text: usize) -> Result<(), DecodeError> {
        match self.text.checked_sub(text) {
            Some(left) if self.budget.take(values) => self.text = left,
            _ => return Err(DecodeError::TooMany),
        }
        Ok(())
    }
}

fn items<'a>(texts: impl Iterator<Item = &'a str>, kept: &mut Kept) -> Result<(), DecodeError> {
    for text in texts.map(|text| text.trim_matches([' ', '\t', '\r', '\n'])) {
        if !text.is_empty() {
            kept.take(0, text.len())?;
            let value = parse_of(text, &kept.budget)?;
            kept.values
                .push(value.unwrap_or_else(|| Value::String(text.to_owned())));
        }
    }
    Ok(())
}

fn events(text: &str, is_json: bool, kept: &mut Kept) -> Result<(), DecodeError> {
    let mut data: Option<String> = None;
    let (mut name, mut id, mut retry) = (String::new(), String::new(), None);
    for line in lines(text) {
        if line.is_empty() {
            let kind = std::mem::take(&mut name);
            if let Some(data) = data.take() {
                kept.take(VALUES_OF_AN_EVENT, data.len() + kind.len() + id.len())?;
                let parsed = if is_json {
                    parse_of(&data, &kept.budget)?
                } else {
                    None
                };
                kept.values.push(Value::Object(IndexMap::from([
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
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn function() -> Function {
        let function = serde_json::json!({
            "name": "f", "operation_id": null, "method": "GET", "path": "/x", "tags": [],
            "summary": "", "deprecated": false, "parameters": [], "body": null,
            "returns": "Any", "responses": [], "security": [], "pagination": null,
        });
        serde_json::from_value(function).unwrap()
    }

    fn count(body: &str, kind: Streamed) -> (usize, bool) {
        let result = decode(&function(), 200, "x/y", body.as_bytes(), kind);
        match result.unwrap() {
            (Value::Array(values), is_cut) => (values.len(), is_cut),
            other => panic!("{other:?}"),
        }
    }

    /// The bound is on the stream, however little each of its items holds.
    #[test]
    fn a_stream_of_too_many_values_is_cut() {
        assert_eq!(
            count(&"1\n".repeat(400_000), Streamed::Items),
            (400_000, false)
        );
        let (found, is_cut) = count(&"1\n".repeat(2_000_000), Streamed::Items);
        assert!(is_cut && found <= 1_000_000, "{found}");
        let (found, is_cut) = count(&"[1,2,3,4,5,6,7]\n".repeat(200_000), Streamed::Items);
        assert!(is_cut && found <= 125_000, "{found}");
        assert_eq!(
            count(&"x\n".repeat(900_000), Streamed::Items),
            (900_000, false)
        );
        let (found, is_cut) = count(&"data\n\n".repeat(1_000_000), Streamed::Events);
        assert!(is_cut && found <= 200_000, "{found}");
    }

    #[test]
    fn an_id_that_is_repeated_with_every_event_counts_every_time() {
        let body = format!("id: {}\n{}", "x".repeat(1 << 20), "data\n\n".repeat(1000));
        assert_eq!(count(&body, Streamed::Events), (64, true));
    }

    #[test]
    fn an_answer_without_a_body_is_no_stream() {
        let events = Some("text/event-stream");
        assert_eq!(Streamed::of("GET", 200, events), Some(Streamed::Events));
        for (method, status) in [("GET", 204), ("POST", 205), ("HEAD", 200), ("GET", 404)] {
            assert_eq!(Streamed::of(method, status, events), None);
        }
    }
}
