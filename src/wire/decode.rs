//! A response becomes a value.

use crate::api::{Function, ResponseKind};

use super::json::{Budget, JsonError, parse_within};
use super::media::{self, Kind};
use super::stream::{self, Streamed};
use super::{Value, charset};

/// Why a response has no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The JSON is nested deeper than any caller could walk.
    #[error("the response is JSON nested deeper than 127 levels")]
    TooDeep,
    /// The JSON holds more values than are kept.
    #[error("the response is JSON of more than 1,000,000 values; ask for fewer at once")]
    TooMany,
}

/// The value of a response: JSON as parsed (numbers keep their spelling, of duplicate keys the
/// last wins), text as `str`, all else as bytes, nothing as null. A success that is a stream is a
/// list of its events or items, see [`Streamed`].
///
/// The response's own media type decides. Where it says little (none, octet-stream, or plain text
/// that the document does not speak of) the documented kind does. What calls itself JSON and is
/// none becomes text, so that the caller can see it. Text that is not of its own charset stays
/// bytes.
///
/// # Errors
/// [`DecodeError`].
pub fn decode(
    function: &Function,
    status: u16,
    content_type: Option<&str>,
    body: &[u8],
) -> Result<Value, DecodeError> {
    if let Some(kind) = Streamed::of(&function.method, status, content_type) {
        let content_type = content_type.unwrap_or_default();
        return stream::decode(function, status, content_type, body, kind).map(|(value, _)| value);
    }
    if body.is_empty() || has_no_body(&function.method, status) {
        return Ok(Value::Null);
    }
    let content_type = content_type.unwrap_or_default();
    let essence = media::essence(content_type);
    let mut kind = media::kind(&essence);
    if !accepts(function, &essence) {
        let says_little = media::is_generic(&essence);
        match documented(function, status) {
            Some(ResponseKind::Json) if says_little || essence == "text/plain" => {
                if let Some(text) = charset::decode(content_type, body)
                    && let Some(value) = parse(&text)?
                {
                    return Ok(value);
                }
            }
            Some(
                ResponseKind::Text
                | ResponseKind::Events
                | ResponseKind::JsonEvents
                | ResponseKind::Items,
            ) if says_little => kind = Kind::Text,
            _ => {}
        }
        if essence.is_empty() && kind == Kind::Bytes {
            return Ok(std::str::from_utf8(body).map_or_else(
                |_| Value::Bytes(bytes::Bytes::copy_from_slice(body)),
                |text| Value::String(text.to_owned()),
            ));
        }
    }
    if kind == Kind::Bytes {
        return Ok(Value::Bytes(bytes::Bytes::copy_from_slice(body)));
    }
    let Some(text) = charset::decode(content_type, body) else {
        return Ok(Value::Bytes(bytes::Bytes::copy_from_slice(body)));
    };
    if kind == Kind::Json
        && let Some(value) = parse(&text)?
    {
        return Ok(value);
    }
    Ok(Value::String(text))
}

/// The value of JSON text; none where it is not JSON.
pub(super) fn parse(text: &str) -> Result<Option<Value>, DecodeError> {
    parse_of(text, &Budget::new())
}

/// As [`parse`], of one text of several that share a budget.
pub(super) fn parse_of(text: &str, budget: &Budget) -> Result<Option<Value>, DecodeError> {
    match parse_within(text.as_bytes(), budget) {
        Ok(value) => Ok(Some(value)),
        Err(JsonError::TooDeep) => Err(DecodeError::TooDeep),
        Err(JsonError::TooMany) => Err(DecodeError::TooMany),
        Err(JsonError::Invalid(_)) => Ok(None),
    }
}

/// Whether an answer has no body, whatever its headers say.
pub(super) fn has_no_body(method: &str, status: u16) -> bool {
    matches!(status, 204 | 205) || method == "HEAD"
}

/// Whether a media type is among those asked for.
fn accepts(function: &Function, essence: &str) -> bool {
    let accept = function.accept().unwrap_or_default();
    !essence.is_empty()
        && accept
            .split(',')
            .any(|item| media::essence(item) == essence)
}

/// The documented kind of an answer: by its status, its class (`4XX`), or the default.
pub(super) fn documented(function: &Function, status: u16) -> Option<ResponseKind> {
    let exact = status.to_string();
    let class = format!("{}XX", status / 100);
    [exact.as_str(), class.as_str(), "default"]
        .into_iter()
        .find_map(|wanted| {
            let mut responses = function.responses.iter();
            responses.find(|response| response.status.eq_ignore_ascii_case(wanted))
        })
        .map(|response| response.kind)
}
