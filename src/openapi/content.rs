//! Responses: which media type is used and what it carries.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::bodies::is_binary;
use super::document::{Document, text};
use super::events;
use super::schema::Schemas;
use crate::api::{Media, Response, ResponseKind};
use crate::headers::is_token;
use crate::invisible::visible;

/// The schema of a whole content; that of the items alone (3.2, `itemSchema`) makes a list.
pub(super) fn media_schema(media: &Value) -> Cow<'_, Value> {
    match (media.get("schema"), media.get("itemSchema")) {
        (Some(schema), _) => Cow::Borrowed(schema),
        (None, Some(items)) => Cow::Owned(json!({"type": "array", "items": items})),
        (None, None) => Cow::Owned(Value::Bool(true)),
    }
}

/// The headers that an operation's successes have, in lower case.
pub(super) fn success_headers(
    document: &Document,
    operation: &Map<String, Value>,
) -> BTreeSet<String> {
    let responses = operation.get("responses").and_then(Value::as_object);
    let successes = responses
        .into_iter()
        .flatten()
        .filter(|(status, _)| status.starts_with('2'));
    successes
        .filter_map(|(_, response)| document.resolve(response).ok()?.get("headers")?.as_object())
        .flat_map(Map::keys)
        .map(|name| name.to_ascii_lowercase())
        .collect()
}

/// Bytes of a media type with its parameters. Names have 127 at most (RFC 6838, section 4.2).
const LONGEST_MEDIA_TYPE: usize = 512;

/// Whether a text is a media type or a range of them, with or without parameters, and fit for a
/// header as it stands. Some have more than one slash, and mean it.
pub(super) fn is_media_type(text: &str) -> bool {
    let essence = text.split(';').next().unwrap_or_default().trim_end();
    text.len() <= LONGEST_MEDIA_TYPE
        && text.chars().all(|character| matches!(character, ' '..='~'))
        && text.trim() == text
        && essence.contains('/')
        && essence.split('/').all(is_token)
}

/// Of a content that names no media type the entry that is meant to, if there is one: its name, what
/// was meant, and its value. `used` begins the end of the warning, such as "it is read as".
pub(super) fn misspelt<'a>(
    content: &'a Map<String, Value>,
    used: &str,
    warn: &mut dyn FnMut(String),
) -> Option<(&'a str, &'a str, &'a Value)> {
    // By mistake rather than by malice.
    let is_misspelt = |name: &str| !is_media_type(name) && !name.chars().any(char::is_control);
    let (name, value) = content.iter().find(|(name, _)| is_misspelt(name))?;
    let meant = meant_by(name);
    warn(format!(
        "`{}` is no media type; {used} {meant}",
        visible(name)
    ));
    Some((name, meant, value))
}

/// The media type that was meant: the first of several, or the one whose parameters are malformed,
/// and JSON where nothing is said.
fn meant_by(name: &str) -> &str {
    let first = name.split([',', ';', ' ']).next().unwrap_or_default();
    let is_concrete = is_media_type(first) && !first.contains('*');
    if is_concrete {
        first
    } else {
        "application/json"
    }
}

/// Which media type of a response is used: JSON says most of what comes.
fn rank(media_type: &str) -> u8 {
    match Media::of(media_type) {
        Media::Json => 0,
        Media::Range => 1,
        Media::Text => 2,
        Media::Binary => 3,
        Media::Form | Media::Multipart => 4,
        Media::Events | Media::Lines => 5,
    }
}

/// The media type of a response that is used; the first of those that are alike.
pub(super) fn preferred<'a>(media_types: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    media_types.min_by_key(|name| rank(name))
}

/// The responses and their descriptions; else why the operation cannot be called.
pub(super) fn responses(
    document: &Document,
    schemas: &Schemas<'_>,
    operation: &Map<String, Value>,
    warn: &mut dyn FnMut(String),
) -> Result<(Vec<Response>, BTreeMap<String, String>), String> {
    let mut responses = Vec::new();
    let mut descriptions = BTreeMap::new();
    let Some(Value::Object(declared)) = operation.get("responses") else {
        warn("it documents no responses".to_owned());
        return Ok((responses, descriptions));
    };
    for (status, value) in declared {
        if status.starts_with("x-") {
            continue;
        }
        let Some(status) = legal_status(status) else {
            warn(format!(
                "the response `{}` is left out: it is no status",
                visible(status)
            ));
            continue;
        };
        if descriptions.contains_key(&status) {
            warn(format!(
                "the response {status} is there twice, spelt differently; the first counts"
            ));
            continue;
        }
        let value = document.resolve(value).map_err(|error| error.to_string())?;
        let Some(members) = value.as_object() else {
            warn(format!(
                "the response {status} is left out: it is no mapping"
            ));
            continue;
        };
        descriptions.insert(status.clone(), text(members, "description"));
        responses.push(response(document, schemas, status, members, warn)?);
    }
    Ok((responses, descriptions))
}

fn legal_status(status: &str) -> Option<String> {
    let mut characters = status.chars();
    let first = characters.next()?;
    let rest = characters.as_str();
    let legal = ('1'..='5').contains(&first)
        && (rest.len() == 2 && rest.chars().all(|c| c.is_ascii_digit())
            || rest.eq_ignore_ascii_case("xx"));
    if status == "default" {
        Some(status.to_owned())
    } else {
        legal.then(|| status.to_ascii_uppercase())
    }
}

fn response(
    document: &Document,
    schemas: &Schemas<'_>,
    status: String,
    members: &Map<String, Value>,
    warn: &mut dyn FnMut(String),
) -> Result<Response, String> {
    let empty = Map::new();
    let content = members
        .get("content")
        .and_then(Value::as_object)
        .unwrap_or(&empty);
    let named = content.iter().map(|(name, media)| (name.as_str(), media));
    let mut entries: Vec<(&str, &Value)> = named.filter(|(name, _)| is_media_type(name)).collect();
    if entries.is_empty() {
        let used = format!("the answer {status} is read as");
        let repaired = misspelt(content, &used, warn);
        entries.extend(repaired.map(|(_, meant, media)| (meant, media)));
    }
    entries.sort_by_key(|(name, _)| rank(name));
    let Some((name, media)) = entries.first() else {
        return Ok(Response {
            status,
            content_types: Vec::new(),
            kind: ResponseKind::Empty,
            schema: Value::Null,
        });
    };
    let media = document.resolve(media).map_err(|error| error.to_string())?;
    let what = format!("the answer {status}");
    let mut is_json = false;
    let declared = match Media::of(name) {
        Media::Events | Media::Lines => {
            let items = events::items(document, name, media).map_err(|error| error.to_string())?;
            is_json = items.is_json;
            Cow::Owned(items.schema)
        }
        _ => media_schema(media),
    };
    let schema = schemas.raise_leniently(&declared, &what, warn);
    let schema = schema.map_err(|error| error.to_string())?;
    let kind = match Media::of(name) {
        Media::Range if is_binary(&schema, schemas) => ResponseKind::Bytes,
        Media::Json | Media::Range => ResponseKind::Json,
        Media::Text => ResponseKind::Text,
        Media::Events if is_json => ResponseKind::JsonEvents,
        Media::Events => ResponseKind::Events,
        Media::Lines => ResponseKind::Items,
        _ => ResponseKind::Bytes,
    };
    Ok(Response {
        status,
        content_types: entries.iter().map(|(name, _)| (*name).to_owned()).collect(),
        schema: match kind {
            ResponseKind::Json | ResponseKind::JsonEvents | ResponseKind::Items => schema,
            _ => Value::Null,
        },
        kind,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_media_type_has_two_names_and_can_stand_in_a_header() {
        for text in [
            "application/json",
            "*/*",
            "text/*; q=0.5",
            "multipart/form-data; boundary=\"a b\"",
            "application/vnd.a+json ;charset=utf-8",
            "a/b/c",
        ] {
            assert!(is_media_type(text), "{text:?}");
        }
        for text in [
            "",
            "*",
            "json",
            "/json",
            "text/",
            " text/csv",
            "text/csv ",
            "text/c sv",
            "a//b",
            "a/b, c/d",
            "text/csv; a=\u{e9}",
            "text/csv;\r\nX: 1",
            &format!("text/csv; a={}", "b".repeat(600)),
        ] {
            assert!(!is_media_type(text), "{text:?}");
        }
    }
}
