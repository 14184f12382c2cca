//! One line for an answer that is not a success: the same here and in `mce_runtime.py`.

use super::Value;
use super::charset;
use super::decode::parse;
use super::media::{self, Kind};

const MAX_MESSAGE: usize = 300;
/// No more of a body's text is looked at, in bytes and then in characters.
const MAX_DETAIL: usize = 4096;
/// As deep as a message is looked for.
const MAX_DEPTH: usize = 4;
/// As many steps of a field's place are told.
const MAX_STEPS: usize = 8;
/// JSON that tells a reader nothing.
const SAYS_NOTHING: [&str; 4] = ["null", "{}", "[]", "\"\""];
/// Where APIs put their message, the most telling first.
const KEYS: [&str; 12] = [
    "message",
    "error_description",
    "detail",
    "error",
    "errors",
    "title",
    "msg",
    "reason",
    "description",
    "errorMessage",
    "error_message",
    "Message",
];

/// Status, reason phrase and the body's own message, of at most 300 characters, without control
/// characters. What the body says is not trusted: it may hold anything, a secret too.
#[must_use]
pub fn error_message(status: u16, content_type: Option<&str>, body: &[u8]) -> String {
    let reason = reason(status);
    let head = if reason.is_empty() {
        status.to_string()
    } else {
        format!("{status} {reason}")
    };
    let detail = tidy(&detail(content_type.unwrap_or_default(), body));
    let text = if detail.is_empty() || detail == reason || SAYS_NOTHING.contains(&detail.as_str()) {
        head
    } else {
        format!("{head}: {detail}")
    };
    if text.chars().nth(MAX_MESSAGE).is_none() {
        return text;
    }
    let mut cut: String = text.chars().take(MAX_MESSAGE - 1).collect();
    cut.push('…');
    cut
}

fn detail(content_type: &str, body: &[u8]) -> String {
    let essence = media::essence(content_type);
    let kind = media::kind(&essence);
    if kind == Kind::Bytes && !media::is_generic(&essence) {
        return String::new();
    }
    if kind == Kind::Json || matches!(body.first(), Some(b'{' | b'[')) {
        let value = parse(&text(content_type, body)).ok().flatten();
        let message = value
            .map(|value| message(&value, MAX_DEPTH))
            .unwrap_or_default();
        if !message.is_empty() {
            return message;
        }
    } else if kind == Kind::Bytes && !essence.is_empty() {
        return String::new();
    }
    let text = text(content_type, body.get(..MAX_DETAIL).unwrap_or(body));
    if essence == "text/html" {
        let title = text.split_once("<title>").map(|(_, rest)| rest);
        let title = title.and_then(|rest| rest.split_once("</title>"));
        return title.map(|(title, _)| title.to_owned()).unwrap_or_default();
    }
    text
}

/// The text of a body, whatever is in it.
fn text(content_type: &str, body: &[u8]) -> String {
    charset::decode(content_type, body)
        .unwrap_or_else(|| String::from_utf8_lossy(body).into_owned())
}

/// The first text that a body offers under one of the usual names.
fn message(value: &Value, depth: usize) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) if depth > 0 => {
            let messages = items.iter().take(5).map(|item| message(item, depth - 1));
            let messages: Vec<String> = messages.filter(|text| !text.is_empty()).collect();
            messages.join("; ")
        }
        Value::Object(members) if depth > 0 => {
            let text = KEYS
                .iter()
                .filter_map(|key| members.get(*key))
                .map(|item| message(item, depth - 1))
                .find(|text| !text.is_empty())
                .unwrap_or_default();
            match place(members.get("loc")) {
                Some(place) if !text.is_empty() => format!("{place}: {text}"),
                _ => text,
            }
        }
        _ => String::new(),
    }
}

/// Which field a message is about, where a list says so, as pydantic's do.
fn place(steps: Option<&Value>) -> Option<String> {
    let Some(Value::Array(steps)) = steps else {
        return None;
    };
    let steps = steps.iter().take(MAX_STEPS).filter_map(|step| match step {
        Value::String(name) => Some(name.clone()),
        Value::Number(index) => {
            let index = index.to_string().parse::<i64>().ok();
            let is_short = |index: &i64| index.unsigned_abs() < 10_u64.pow(18);
            index.filter(is_short).map(|index| index.to_string())
        }
        _ => None,
    });
    Some(steps.collect::<Vec<_>>().join(".")).filter(|place| !place.is_empty())
}

/// One line without control characters.
fn tidy(text: &str) -> String {
    let visible: String = text
        .chars()
        .take(MAX_DETAIL)
        .map(|character| {
            if character.is_control() {
                ' '
            } else {
                character
            }
        })
        .collect();
    visible.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// RFC 9110's phrases. A table of our own, as Python's changes from version to version.
fn reason(status: u16) -> &'static str {
    match status {
        300 => "Multiple Choices",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        407 => "Proxy Authentication Required",
        408 => "Request Timeout",
        409 => "Conflict",
        410 => "Gone",
        411 => "Length Required",
        412 => "Precondition Failed",
        413 => "Content Too Large",
        414 => "URI Too Long",
        415 => "Unsupported Media Type",
        416 => "Range Not Satisfiable",
        417 => "Expectation Failed",
        421 => "Misdirected Request",
        422 => "Unprocessable Content",
        423 => "Locked",
        424 => "Failed Dependency",
        425 => "Too Early",
        426 => "Upgrade Required",
        428 => "Precondition Required",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        451 => "Unavailable For Legal Reasons",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        505 => "HTTP Version Not Supported",
        507 => "Insufficient Storage",
        508 => "Loop Detected",
        511 => "Network Authentication Required",
        _ => "",
    }
}
