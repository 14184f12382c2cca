//! Request bodies: which media type is sent unasked, which others can be, and how forms are spelt.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::content::{is_media_type, media_schema, misspelt};
use super::document::{Document, text};
use super::examples::with_example;
use super::parameters::legal_style;
use super::part_headers::part_headers;
use super::schema::Schemas;
use crate::api::{Encoding, Location, Media, OperationBody, OperationMedia, Style};
use crate::invisible::visible;

/// The request body; else why the operation cannot be called.
pub(super) fn body(
    document: &Document,
    schemas: &Schemas<'_>,
    operation: &Map<String, Value>,
    warn: &mut dyn FnMut(String),
) -> Result<Option<OperationBody>, String> {
    let value = match operation.get("requestBody") {
        None | Some(Value::Null) => return Ok(None),
        Some(value) => document.resolve(value).map_err(|error| error.to_string())?,
    };
    let members = value.as_object().ok_or("the request body is no mapping")?;
    let content = match members.get("content") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Object(content)) if content.is_empty() => return Ok(None),
        Some(Value::Object(content)) => content,
        Some(_) => return Err("the content of the request body is no mapping".to_owned()),
    };
    let mut kept = Vec::new();
    let mut problems = Vec::new();
    for (name, value) in content {
        match media(document, schemas, (name, value), warn) {
            Ok(media) => kept.push(media),
            Err(problem) => problems.push((visible(name), problem)),
        }
    }
    if kept.is_empty()
        && let Some((name, meant, value)) = misspelt(content, "the body is sent as", warn)
    {
        kept.push(media(document, schemas, (meant, value), warn)?);
        problems.retain(|(problem, _)| *problem != visible(name));
    }
    kept.sort_by_key(|media| rank(media, schemas));
    if kept.is_empty() {
        // There is one at least, or the content were empty.
        let problem = problems.into_iter().next().map(|(_, problem)| problem);
        return Err(problem.unwrap_or_default());
    }
    for (name, problem) in problems {
        warn(format!(
            "the body cannot be sent as `{name}`: {problem}; its other media types can"
        ));
    }
    let mut default = kept.remove(0);
    if let Some(concrete) = stand_in(&default, schemas) {
        let range = OperationMedia {
            content_type: std::mem::replace(&mut default.content_type, concrete.to_owned()),
            ..default.clone()
        };
        kept.insert(0, range);
    }
    Ok(Some(OperationBody {
        content_type: default.content_type,
        required: members.get("required") == Some(&Value::Bool(true)),
        alternatives: kept,
        description: text(members, "description"),
        schema: default.schema,
        encoding: default.encoding,
    }))
}

/// One media type of a body; else why it cannot be sent.
fn media(
    document: &Document,
    schemas: &Schemas<'_>,
    (name, value): (&str, &Value),
    warn: &mut dyn FnMut(String),
) -> Result<OperationMedia, String> {
    if !is_media_type(name) {
        return Err("the media type of the request body is malformed".to_owned());
    }
    let value = document.resolve(value).map_err(|error| error.to_string())?;
    let kind = Media::of(name);
    let binary = json!({"type": "string", "format": "binary"});
    let mut declared = || {
        let raised = schemas.raise_leniently(&media_schema(value), "the body", warn);
        let schema = raised.map_err(|error| error.to_string())?;
        Ok::<_, String>(with_example(document, schema, value.as_object()))
    };
    let (schema, encoding) = match kind {
        Media::Json => (declared()?, BTreeMap::new()),
        Media::Range => match declared()? {
            bytes if is_binary(&bytes, schemas) => (binary, BTreeMap::new()),
            other => (other, BTreeMap::new()),
        },
        Media::Form | Media::Multipart => {
            let schema = declared()?;
            for unread in ["itemEncoding", "prefixEncoding"] {
                if value.get(unread).is_some() {
                    warn(format!(
                        "`{unread}` of the body `{}` does not count",
                        visible(name)
                    ));
                }
            }
            let given = value.get("encoding").and_then(Value::as_object);
            let given = given.into_iter().flatten();
            let mut encodings: BTreeMap<String, Encoding> = BTreeMap::new();
            for (property, value) in given {
                let value = document.resolve(value).ok().and_then(Value::as_object);
                let Some(value) = value else {
                    continue;
                };
                let mut own = encoding(document, kind, value).unwrap_or_default();
                if kind == Media::Multipart {
                    own.headers = part_headers(document, (property, value), warn);
                }
                if own != Encoding::default() {
                    encodings.insert(property.clone(), own);
                }
            }
            if kind == Media::Multipart {
                for (property, content_type) in media_types_of_files(&schema, schemas) {
                    let own = encodings.entry(property).or_default();
                    if own.style.is_none() {
                        own.content_type.get_or_insert(content_type);
                    }
                }
            }
            (schema, encodings)
        }
        Media::Text | Media::Events | Media::Lines => (json!({"type": "string"}), BTreeMap::new()),
        Media::Binary if name.contains('*') && representative(name).is_none() => {
            return Err(format!("request body {}", visible(name)));
        }
        Media::Binary => (binary, BTreeMap::new()),
    };
    Ok(OperationMedia {
        content_type: name.to_owned(),
        schema,
        encoding,
    })
}

/// Which media type goes first: JSON keeps every type exactly; forms name their fields, and only
/// multipart carries files; text and bytes are left to the caller to write; a range says nothing.
fn rank(media: &OperationMedia, schemas: &Schemas<'_>) -> u8 {
    let name = media.content_type.as_str();
    match Media::of(name) {
        Media::Json if name.eq_ignore_ascii_case("application/json") => 0,
        Media::Json if !name.contains('*') => 1,
        Media::Multipart if name.to_ascii_lowercase().starts_with("multipart/form-data") => {
            if holds_files(&media.schema, schemas) {
                2
            } else {
                4
            }
        }
        Media::Form => 3,
        Media::Multipart => 5,
        _ if name.contains('*') || name.is_empty() => 8,
        Media::Binary => 6,
        _ => 7,
    }
}

/// The media type to send unasked where the document gives only a range.
fn stand_in(media: &OperationMedia, schemas: &Schemas<'_>) -> Option<&'static str> {
    let name = media.content_type.to_ascii_lowercase();
    match Media::of(&name) {
        Media::Range if is_binary(&media.schema, schemas) => Some("application/octet-stream"),
        Media::Range => Some("application/json"),
        Media::Json if name.contains('*') => Some("application/json"),
        _ if name.contains('*') => representative(&name),
        _ => None,
    }
}

/// A media type that any server which takes the range should know.
fn representative(range: &str) -> Option<&'static str> {
    let range = range.split(';').next().unwrap_or_default();
    match range.trim().to_ascii_lowercase().as_str() {
        "text/*" => Some("text/plain"),
        "image/*" => Some("image/png"),
        "audio/*" => Some("audio/mpeg"),
        "video/*" => Some("video/mp4"),
        "multipart/*" => Some("multipart/form-data"),
        _ => None,
    }
}

/// How a property is spelt; `None` where by default. 3.0 knows styles in URL-encoded forms alone.
fn encoding(document: &Document, kind: Media, value: &Map<String, Value>) -> Option<Encoding> {
    let knows_styles = kind == Media::Form || document.dialect.has_multipart_styles();
    let is_given = ["style", "explode", "allowReserved"]
        .iter()
        .any(|key| value.get(*key).is_some_and(|member| !member.is_null()));
    if knows_styles && is_given {
        let style = value.get("style");
        let style = style.and_then(|style| legal_style(document.dialect, Location::Query, style));
        let style = style.unwrap_or(Style::Form);
        let explode = value.get("explode").and_then(Value::as_bool);
        return Some(Encoding {
            content_type: None,
            style: Some(style),
            explode: Some(explode.unwrap_or(style == Style::Form)),
            allow_reserved: value.get("allowReserved") == Some(&Value::Bool(true)),
            ..Encoding::default()
        });
    }
    // A wildcard names none, and of several kinds of files only the caller knows which it has.
    let listed = value.get("contentType")?.as_str()?.split(',');
    let listed: Vec<&str> = listed.map(str::trim).collect();
    let names_one = |item: &str| is_media_type(item) && !item.contains('*');
    let content_type = match listed.as_slice() {
        [only] => Some(*only).filter(|only| names_one(only)),
        several => several
            .iter()
            .copied()
            .find(|item| names_one(item) && Media::of(item) != Media::Binary),
    };
    let content_type = content_type?;
    Some(Encoding {
        content_type: Some(content_type.to_owned()),
        ..Encoding::default()
    })
}

/// The media types that 3.1 gives files in their own schemas (`contentMediaType`).
fn media_types_of_files(schema: &Value, schemas: &Schemas<'_>) -> Vec<(String, String)> {
    let schema = resolved(schema, schemas);
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties.into_iter().flatten();
    let found = properties.filter_map(|(name, property)| {
        let property = resolved(property, schemas);
        let item = property.get("items").map(|items| resolved(items, schemas));
        let file = item.unwrap_or(property);
        let content_type = file.get("contentMediaType")?.as_str()?;
        let is_sent = is_media_type(content_type)
            && !content_type.contains('*')
            && file.get("format").and_then(Value::as_str) == Some("binary");
        is_sent.then(|| (name.clone(), content_type.to_owned()))
    });
    found.collect()
}

/// Whether an object has a property, or a list as one, that is a file.
fn holds_files(schema: &Value, schemas: &Schemas<'_>) -> bool {
    let schema = resolved(schema, schemas);
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().any(|(_, property)| {
        let property = resolved(property, schemas);
        is_binary(&property, schemas)
            || property
                .get("items")
                .is_some_and(|items| is_binary(items, schemas))
    })
}

/// Whether a schema is that of bytes.
pub(super) fn is_binary(schema: &Value, schemas: &Schemas<'_>) -> bool {
    let schema = resolved(schema, schemas);
    schema.get("format").and_then(Value::as_str) == Some("binary")
}

fn resolved(schema: &Value, schemas: &Schemas<'_>) -> Value {
    schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|pointer| schemas.target(pointer))
        .unwrap_or_else(|| schema.clone())
}
