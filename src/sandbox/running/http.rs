//! Plain HTTP requests and their answers as messages.
//!
//! A request is a call `{"http": {"stream": number, "method", "url", "headers": [[name, value], …],
//! "body": bytes, "timeouts": {"pool" | "connect" | "write" | "read": seconds}}}`, and its answer
//! `{"status", "version", "headers": [[name, value], …], "body": bytes, "more": bool}`. A further piece
//! is asked for by `{"stream": number, "read": seconds | null}`, and comes as `{"body": bytes, "more":
//! bool}`; `{"stream": number, "close": true}` is not answered.

use std::time::Duration;

use indexmap::IndexMap;

use crate::sandbox::{HttpPiece, HttpRequest, HttpResponse, HttpTimeouts};
use crate::wire::Value;

/// The longest that anybody is said to wait for, in seconds.
const LONGEST: f64 = 86_400.0;

/// What the code has to say about the body of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Further {
    /// It asks for the next piece, and waits so long for it.
    More(u64, Option<Duration>),
    /// It wants no more.
    Close(u64),
}

type Members = IndexMap<String, Value>;

/// A request; none where a member is missing, of another type or unknown.
pub(super) fn request(message: Value) -> Option<HttpRequest> {
    let mut members = object(message)?;
    let request = HttpRequest {
        stream: number(members.shift_remove("stream")?)?,
        method: text(members.shift_remove("method")?)?,
        url: text(members.shift_remove("url")?)?,
        headers: headers(members.shift_remove("headers")?)?,
        body: match members.shift_remove("body")? {
            Value::Bytes(body) => body,
            _ => return None,
        },
        timeouts: timeouts(members.shift_remove("timeouts")?)?,
    };
    members.is_empty().then_some(request)
}

/// A word on the body of an answer.
pub(super) fn further(message: Value) -> Option<Further> {
    let mut members = object(message)?;
    let stream = number(members.shift_remove("stream")?)?;
    let further = match (members.shift_remove("read"), members.shift_remove("close")) {
        (Some(Value::Null), None) => Further::More(stream, None),
        (Some(read), None) => Further::More(stream, Some(seconds(&read)?)),
        (None, Some(Value::Bool(true))) => Further::Close(stream),
        _ => return None,
    };
    members.is_empty().then_some(further)
}

fn object(value: Value) -> Option<Members> {
    match value {
        Value::Object(members) => Some(members),
        _ => None,
    }
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn number(value: Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64(),
        _ => None,
    }
}

fn seconds(value: &Value) -> Option<Duration> {
    match value {
        Value::Number(number) => {
            let seconds = number.as_f64().filter(|it| *it >= 0.0)?;
            Duration::try_from_secs_f64(seconds.min(LONGEST)).ok()
        }
        _ => None,
    }
}

fn headers(value: Value) -> Option<Vec<(String, String)>> {
    let Value::Array(items) = value else {
        return None;
    };
    items
        .into_iter()
        .map(|item| match item {
            Value::Array(pair) => match <[Value; 2]>::try_from(pair) {
                Ok([Value::String(name), Value::String(value)]) => Some((name, value)),
                _ => None,
            },
            _ => None,
        })
        .collect()
}

fn timeouts(value: Value) -> Option<HttpTimeouts> {
    let mut timeouts = HttpTimeouts::default();
    for (name, value) in object(value)? {
        let place = match name.as_str() {
            "pool" => &mut timeouts.pool,
            "connect" => &mut timeouts.connect,
            "write" => &mut timeouts.write,
            "read" => &mut timeouts.read,
            _ => return None,
        };
        *place = Some(seconds(&value)?);
    }
    Some(timeouts)
}

pub(super) fn response_message(response: HttpResponse) -> Value {
    let HttpResponse {
        status,
        version,
        headers,
        piece,
    } = response;
    let headers = headers
        .into_iter()
        .map(|(name, value)| Value::Array(vec![Value::String(name), Value::String(value)]));
    let mut members = members_of(piece);
    members.extend([
        ("status".to_owned(), Value::Number(status.into())),
        ("version".to_owned(), Value::String(version.to_owned())),
        ("headers".to_owned(), Value::Array(headers.collect())),
    ]);
    Value::Object(members)
}

pub(super) fn piece_message(piece: HttpPiece) -> Value {
    Value::Object(members_of(piece))
}

fn members_of(piece: HttpPiece) -> Members {
    IndexMap::from([
        ("body".to_owned(), Value::Bytes(piece.bytes)),
        ("more".to_owned(), Value::Bool(piece.more)),
    ])
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use serde_json::json;

    use super::*;

    fn message() -> serde_json::Value {
        json!({
            "stream": 7, "method": "GET", "url": "https://a.example/", "headers": [["a", "b"]],
            "timeouts": {"read": 1.5},
        })
    }

    fn read(message: serde_json::Value) -> Option<HttpRequest> {
        let mut message = Value::from(message);
        if let Value::Object(members) = &mut message {
            members
                .entry("body".to_owned())
                .or_insert(Value::Bytes(Bytes::from_static(b"x")));
        }
        request(message)
    }

    #[test]
    fn a_request_is_read_as_it_is_written() {
        assert_eq!(
            read(message()),
            Some(HttpRequest {
                stream: 7,
                method: "GET".into(),
                url: "https://a.example/".into(),
                headers: vec![("a".into(), "b".into())],
                body: Bytes::from_static(b"x"),
                timeouts: HttpTimeouts {
                    read: Some(Duration::from_millis(1500)),
                    ..HttpTimeouts::default()
                },
            })
        );
    }

    #[test]
    fn a_request_of_another_form_is_none() {
        for (member, value) in [
            ("stream", json!(-1)),
            ("stream", json!("7")),
            ("stream", json!(1.5)),
            ("method", json!(null)),
            ("url", json!(["https://a.example/"])),
            ("headers", json!({"a": "b"})),
            ("headers", json!([["a"]])),
            ("headers", json!([["a", "b", "c"]])),
            ("headers", json!([["a", 1]])),
            ("body", json!("text")),
            ("timeouts", json!({"read": "1"})),
            ("timeouts", json!({"read": -1})),
            ("timeouts", json!({"other": 1})),
            ("timeouts", json!(5)),
            ("more", json!(1)),
        ] {
            let mut message = message();
            message[member] = value.clone();
            assert_eq!(read(message), None, "{member}: {value}");
        }
        for member in ["stream", "method", "url", "headers", "timeouts"] {
            let mut message = message();
            message.as_object_mut().unwrap().remove(member);
            assert_eq!(read(message), None, "without {member}");
        }
        assert_eq!(request(Value::Null), None);
    }

    #[test]
    fn a_timeout_may_be_as_long_as_a_number_can_say() {
        let mut long = message();
        long["timeouts"] = serde_json::from_str("{\"read\": 1e308}").unwrap();
        let read = read(long).unwrap().timeouts.read;
        assert_eq!(read, Some(Duration::from_hours(24)));
    }

    #[test]
    fn a_word_on_a_stream_asks_or_closes() {
        let read = |message| further(Value::from(message));
        assert_eq!(
            read(json!({"stream": 1, "read": null})),
            Some(Further::More(1, None))
        );
        assert_eq!(
            read(json!({"stream": 1, "close": true})),
            Some(Further::Close(1))
        );
        for message in [
            json!({"stream": 1}),
            json!({"stream": 1, "close": false}),
            json!({"stream": 1, "read": 1, "close": true}),
            json!({"stream": 1, "read": "x"}),
            json!({"stream": null, "close": true}),
            json!({"stream": 1, "close": true, "x": 1}),
            json!([]),
        ] {
            assert_eq!(read(message.clone()), None, "{message}");
        }
    }
}
