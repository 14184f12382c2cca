//! What goes over the stream between host and code, as messages: jobs, calls and answers.

use bytes::Bytes;
use indexmap::IndexMap;

use super::Afterwards;
use super::http::{self, Further};
use crate::sandbox::frames::{FrameError, unpack};
use crate::sandbox::{
    Call, CallError, Host, HttpPiece, HttpRequest, HttpResponse, Job, Page, PageCall, Reply,
};
use crate::wire::{Streamed, Value};

/// What the message of every job has: the code, its bound, and whether more may follow.
pub(in crate::sandbox) fn job_members(
    job: &Job,
    code: String,
    afterwards: Afterwards,
) -> IndexMap<String, Value> {
    IndexMap::from([
        ("code".to_owned(), Value::String(code)),
        (
            "max_output_bytes".to_owned(),
            Value::Number(job.max_output_bytes.into()),
        ),
        (
            "session".to_owned(),
            Value::Bool(afterwards == Afterwards::Waits),
        ),
    ])
}

/// What the code asks for.
pub(super) enum Asked {
    /// The value of a call.
    Value(Call),
    /// A page: beside its value, where the next one is.
    Page(PageCall),
    /// A plain HTTP request.
    Http(HttpRequest),
}

/// What it is told.
pub(super) enum Answered {
    Value(Reply),
    Page(Page),
    Http(HttpResponse),
    Piece(HttpPiece),
}

pub(super) async fn answer(host: &dyn Host, asked: Asked) -> Result<Answered, CallError> {
    match asked {
        Asked::Value(call) => host.perform(call).await.map(Answered::Value),
        Asked::Page(page) => host.page(page).await.map(Answered::Page),
        Asked::Http(request) => host.http(request).await.map(Answered::Http),
    }
}

pub(super) fn read_further(payload: &Bytes) -> Result<Further, FrameError> {
    http::further(unpack(payload)?)
        .ok_or_else(|| FrameError::Message("it is no word on a stream".to_owned()))
}

pub(super) fn read_call(payload: &Bytes) -> Result<Asked, FrameError> {
    call_of(unpack(payload)?).ok_or_else(|| FrameError::Message("it is no call".to_owned()))
}

fn call_of(message: Value) -> Option<Asked> {
    let Value::Object(mut members) = message else {
        return None;
    };
    let mut take = |name: &str| members.shift_remove(name);
    if let Some(request) = take("http") {
        return http::request(request).map(Asked::Http);
    }
    let content_type = match take("content_type") {
        None | Some(Value::Null) => None,
        Some(Value::String(content_type)) => Some(content_type),
        Some(_) => return None,
    };
    let url = take("url");
    let call = match (take("server")?, take("function")?, take("arguments")?) {
        (Value::String(server), Value::String(function), Value::Object(arguments)) => Call {
            server,
            function,
            arguments,
            content_type,
        },
        _ => return None,
    };
    match url {
        None => Some(Asked::Value(call)),
        Some(Value::Null) => Some(Asked::Page(PageCall { call, url: None })),
        Some(Value::String(url)) => {
            let url = Some(url);
            Some(Asked::Page(PageCall { call, url }))
        }
        Some(_) => None,
    }
}

/// `["ok", value]`, `["events", [values, why it was cut or null]]`, `["items", …]`, for a page `["ok",
/// value, next URL or null]`, for a plain request and a piece of its answer `["ok", object]`, or `["error",
/// what went wrong]`.
pub(super) fn answer_message(answer: Result<Answered, CallError>) -> Value {
    let word = |word: &str| Value::String(word.to_owned());
    Value::Array(match answer {
        Ok(Answered::Value(Reply {
            value,
            stream: Some(stream),
            ..
        })) => {
            let kind = match stream.kind {
                Streamed::Events => "events",
                Streamed::Items => "items",
            };
            let cut = stream.cut.map_or(Value::Null, error_message);
            let values = Value::Array(vec![value, cut]);
            vec![word(kind), values]
        }
        Ok(Answered::Value(reply)) => vec![word("ok"), reply.value],
        Ok(Answered::Page(Page { value, next })) => {
            vec![word("ok"), value, next.map_or(Value::Null, Value::String)]
        }
        Ok(Answered::Http(response)) => vec![word("ok"), http::response_message(response)],
        Ok(Answered::Piece(piece)) => vec![word("ok"), http::piece_message(piece)],
        Err(error) => vec![word("error"), error_message(error)],
    })
}

fn error_message(error: CallError) -> Value {
    let kind = error.kind();
    let failure = match &error {
        CallError::Http { failure, .. } => Some(Value::String(failure.class().to_owned())),
        _ => None,
    };
    let (status, message, body, headers) = match error {
        CallError::Api {
            status,
            message,
            body,
            headers,
        } => (status, message, body, headers),
        other => (0, other.to_string(), Value::Null, IndexMap::new()),
    };
    let headers = headers
        .into_iter()
        .map(|(name, value)| (name, Value::String(value)))
        .collect();
    let mut members = IndexMap::from([
        ("kind".to_owned(), Value::String(kind.to_owned())),
        ("message".to_owned(), Value::String(message)),
        ("status".to_owned(), Value::Number(status.into())),
        ("body".to_owned(), body),
        ("headers".to_owned(), Value::Object(headers)),
    ]);
    members.extend(failure.map(|failure| ("failure".to_owned(), failure)));
    Value::Object(members)
}

pub(super) fn internal(message: &str) -> CallError {
    CallError::Internal {
        message: message.to_owned(),
    }
}
