//! The body of a request: its media type, and its bytes.

use bytes::Bytes;

use crate::api::{Body, Encoding, Media};

use super::charset;
use super::form;
use super::media::{self, Kind};
use super::style::{self, Problem};
use super::value::{Escapes, Value};

type Encodings = std::collections::BTreeMap<String, Encoding>;

/// A media type of a body that was chosen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chosen<'a> {
    /// What is sent.
    pub(super) content_type: &'a str,
    pub(super) schema: &'a serde_json::Value,
    pub(super) encoding: &'a Encodings,
}

/// The media type to send: the one asked for, if it is declared or a declared range covers it;
/// the body's own where none was.
pub(super) fn choose<'a>(
    body: &'a Body,
    wanted: Option<&'a str>,
) -> Result<Chosen<'a>, UnknownMedia> {
    let default = Chosen {
        content_type: &body.content_type,
        schema: &body.schema,
        encoding: &body.encoding,
    };
    let Some(wanted) = wanted else {
        return Ok(default);
    };
    let others = body.alternatives.iter().map(|other| Chosen {
        content_type: &other.content_type,
        schema: &other.schema,
        encoding: &other.encoding,
    });
    let declared = || std::iter::once(default).chain(others.clone());
    let exactly = declared().find(|media| media.content_type == wanted);
    let essence = media::essence(wanted);
    let is_concrete = media::is_concrete(wanted);
    let alike = || declared().find(|media| media::essence(media.content_type) == essence);
    let covering = || {
        let range = declared().find(|media| media::covers(media.content_type, &essence));
        range.map(|range| Chosen {
            content_type: wanted,
            ..range
        })
    };
    exactly
        .or_else(alike)
        .filter(|media| !media.content_type.contains('*'))
        .or_else(|| if is_concrete { covering() } else { None })
        .ok_or_else(|| UnknownMedia {
            known: declared()
                .map(|media| serde_json::Value::from(media.content_type).to_string())
                .collect::<Vec<_>>()
                .join(", "),
        })
}

/// A media type that a body cannot be sent as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnknownMedia {
    /// Those it can be sent as.
    pub(super) known: String,
}

/// The `Content-Type` and the bytes of a value.
pub(super) fn encode(chosen: Chosen<'_>, value: &Value) -> Result<(String, Bytes), Problem> {
    let declared = chosen.content_type;
    match Media::of(declared) {
        Media::Form => {
            let text = form::urlencoded(value, chosen.encoding)?;
            charset::check_form(declared)?;
            Ok((declared.to_owned(), Bytes::from(text)))
        }
        Media::Multipart => {
            let encoded = form::multipart(declared, value, chosen.encoding)?;
            charset::check_form(declared)?;
            Ok(encoded)
        }
        _ => Ok((declared.to_owned(), plain(declared, value)?)),
    }
}

/// The bytes of a value in a media type that is no form.
fn plain(content_type: &str, value: &Value) -> Result<Bytes, Problem> {
    match (media::kind(content_type), value) {
        (Kind::Json, value) => {
            // What is ASCII only is the same text in nearly every charset.
            let escapes = if charset::is_foreign(content_type) {
                Escapes::NonAscii
            } else {
                Escapes::Necessary
            };
            Ok(charset::encode(content_type, &style::json(value, escapes)?)?.into())
        }
        (Kind::Text, Value::String(text)) => Ok(charset::encode(content_type, text)?.into()),
        (Kind::Text, other) => Err(format!("must be str, not {}", other.type_name())),
        (Kind::Bytes, Value::Bytes(bytes)) => Ok(bytes.clone()),
        (Kind::Bytes, other) => Err(format!("must be bytes, not {}", other.type_name())),
    }
}
