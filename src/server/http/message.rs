//! The message of a request: read within bounds of size and time, and looked at before the SDK gets it.

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use futures::StreamExt as _;
use rmcp::model::{ClientJsonRpcMessage, ErrorCode};
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::surrogates;
use super::bodies::Share;
use crate::config::HttpSettings;

/// What the transport has to know of a message.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Message {
    #[serde(default)]
    method: Option<String>,
}

/// Why a message is not answered.
#[derive(Debug, PartialEq)]
pub(super) enum Refusal {
    /// It is no JSON by its header.
    MediaType,
    /// It is longer than may be.
    TooLarge(usize),
    /// Others take all that bodies may take.
    TooMany,
    /// It did not arrive in time, or not whole.
    Unfinished,
    /// It is no JSON.
    NoJson,
    /// It is JSON, but no message of MCP; with its id.
    NoMessage(Option<Value>),
}

/// Bytes of a message that begins a session, which is kept for as long as the session is.
const MOST_OPENING: usize = 32 * 1024;

impl Message {
    /// Reads the message of a POST; the request is as it was.
    pub(super) async fn read(
        request: Request,
        settings: &HttpSettings,
        mut share: Share,
    ) -> Result<(Self, Request), Refusal> {
        // Forms of other pages cannot say that they are JSON without being asked (CORS).
        if !is_json(request.headers()) {
            return Err(Refusal::MediaType);
        }
        let (head, body) = request.into_parts();
        let most = settings.max_body_bytes;
        let reading = collect(&head.headers, body, most, &mut share);
        let bytes = tokio::time::timeout(settings.read, reading)
            .await
            .map_err(|_| Refusal::Unfinished)??;
        let bytes = surrogates::replaced(bytes);
        let message = Self::of(&bytes)?;
        if message.begins_session() && bytes.len() > MOST_OPENING {
            return Err(Refusal::TooLarge(MOST_OPENING));
        }
        Ok((message, Request::from_parts(head, Body::from(bytes))))
    }

    fn of(bytes: &[u8]) -> Result<Self, Refusal> {
        // The SDK would answer these with statuses that say something else.
        if serde_json::from_slice::<ClientJsonRpcMessage>(bytes).is_ok() {
            return Ok(serde_json::from_slice(bytes).unwrap_or_default());
        }
        match serde_json::from_slice::<Value>(bytes) {
            Err(_) => Err(Refusal::NoJson),
            Ok(value) => {
                let id = value
                    .get("id")
                    .filter(|id| id.is_string() || id.is_number());
                Err(Refusal::NoMessage(id.cloned()))
            }
        }
    }

    /// Whether a session begins with it.
    pub(super) fn begins_session(&self) -> bool {
        self.method.as_deref() == Some("initialize")
    }

    /// Whether it is answered by a stream that need not end.
    pub(super) fn asks_for_a_subscription(&self) -> bool {
        self.method.as_deref() == Some("subscriptions/listen")
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let mut kinds = headers.get_all(CONTENT_TYPE).iter();
    let (Some(kind), None) = (kinds.next(), kinds.next()) else {
        return false;
    };
    let essence = kind.to_str().ok().and_then(|kind| kind.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

async fn collect(
    headers: &HeaderMap,
    body: Body,
    most: usize,
    share: &mut Share,
) -> Result<Vec<u8>, Refusal> {
    let announced = headers
        .get(CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > most) {
        return Err(Refusal::TooLarge(most));
    }
    let mut pieces = body.into_data_stream();
    let mut bytes = Vec::new();
    while let Some(piece) = pieces.next().await {
        let piece: Bytes = piece.map_err(|_| Refusal::Unfinished)?;
        if piece.len() > most - bytes.len() {
            return Err(Refusal::TooLarge(most));
        }
        if !share.grow(piece.len()) {
            return Err(Refusal::TooMany);
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, code, message, id) = match self {
            Self::MediaType => {
                let text = "a message has the header `Content-Type: application/json`";
                return (StatusCode::UNSUPPORTED_MEDIA_TYPE, text).into_response();
            }
            Self::TooLarge(most) => {
                let text =
                    format!("a message has {most} bytes at most (`MCE_HTTP_MAX_BODY_BYTES`)");
                return closing((StatusCode::PAYLOAD_TOO_LARGE, text).into_response());
            }
            Self::TooMany => {
                let text = "too many long messages arrive at once; try again";
                let status = StatusCode::SERVICE_UNAVAILABLE;
                return closing((status, [(RETRY_AFTER, "1")], text).into_response());
            }
            Self::Unfinished => {
                let text = "the message did not arrive in time (`MCE_HTTP_READ_SECONDS`)";
                return closing((StatusCode::REQUEST_TIMEOUT, text).into_response());
            }
            Self::NoJson => (
                StatusCode::BAD_REQUEST,
                ErrorCode::PARSE_ERROR,
                "Parse error: the body is not JSON",
                None,
            ),
            Self::NoMessage(id) => (
                StatusCode::BAD_REQUEST,
                ErrorCode::INVALID_REQUEST,
                "Invalid Request: the body is no message of MCP (batches are none)",
                id,
            ),
        };
        let body = json!({
            "jsonrpc": "2.0",
            "id": id,
            "error": {"code": code.0, "message": message}
        });
        let kind = HeaderValue::from_static("application/json");
        (status, [(CONTENT_TYPE, kind)], body.to_string()).into_response()
    }
}

/// What is left of the body is not read.
fn closing(mut answer: Response) -> Response {
    let headers = answer.headers_mut();
    headers.insert("connection", HeaderValue::from_static("close"));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_message_is_told_apart_from_what_is_no_json() {
        let of = |text: &str| Message::of(text.as_bytes()).map(|it| it.method);
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        assert_eq!(of(ping), Ok(Some("ping".to_owned())));
        assert_eq!(of(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), Ok(None));
        for text in ["", "{", "ping", &"[".repeat(100_000)] {
            assert_eq!(of(text), Err(Refusal::NoJson));
        }
        assert_eq!(of(&format!("[{ping}]")), Err(Refusal::NoMessage(None)));
        let old = r#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#;
        assert_eq!(of(old), Err(Refusal::NoMessage(Some(json!(7)))));
    }

    #[test]
    fn a_form_is_no_json() {
        for (kind, expected) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("text/plain", false),
            ("application/x-www-form-urlencoded", false),
            ("text/plain; application/json", false),
            ("application/json-patch+json", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
            assert_eq!(is_json(&headers), expected, "{kind}");
        }
        assert!(!is_json(&HeaderMap::new()));
    }
}
