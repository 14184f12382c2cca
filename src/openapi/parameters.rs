//! Parameters: path-level ones overridden by the operation's, styles by their defaults.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::document::{Document, text};
use super::examples::with_example;
use super::schema::Schemas;
use crate::api::{Location, Media, OperationParameter, Style};
use crate::headers::{is_forbidden_header, is_token};
use crate::invisible::visible;

/// What became of one declared parameter.
enum Outcome {
    Kept(Box<OperationParameter>),
    /// Not the caller's to give: `Accept`, `Content-Type`, `Authorization`.
    Ignored,
    /// Cannot be sent, and why (completes `unsupported: `).
    Unusable {
        label: String,
        required: bool,
        reason: String,
    },
}

/// The parameters of an operation; else why it cannot be called.
pub(super) fn parameters(
    document: &Document,
    schemas: &Schemas<'_>,
    path_item: &Map<String, Value>,
    operation: &Map<String, Value>,
    warn: &mut dyn FnMut(String),
) -> Result<Vec<OperationParameter>, String> {
    let mut merged: IndexMap<String, Map<String, Value>> = IndexMap::new();
    for holder in [path_item, operation] {
        let declared = match holder.get("parameters") {
            None | Some(Value::Null) => continue,
            Some(Value::Array(declared)) => declared,
            Some(_) => return Err("`parameters` is no list".to_owned()),
        };
        for value in declared {
            let target = document.resolve(value).map_err(|error| error.to_string())?;
            let mut members = target
                .as_object()
                .ok_or("a parameter is no mapping")?
                .clone();
            // What stands beside a reference refines it, as people write and mean it.
            for key in ["required", "description"] {
                if let Some(member) = value.get(key) {
                    members.insert(key.to_owned(), member.clone());
                }
            }
            let location = text(&members, "in");
            let name = members.get("name").and_then(Value::as_str);
            let name = name.ok_or("a parameter has no name")?;
            // Header names are compared without case.
            let key = match location.as_str() {
                "header" => format!("header {}", name.to_ascii_lowercase()),
                other => format!("{other} {name}"),
            };
            merged.insert(key, members);
        }
    }
    let mut kept = Vec::new();
    for members in merged.values() {
        match parameter(document, schemas, members)? {
            Outcome::Kept(parameter) => kept.push(*parameter),
            Outcome::Ignored => {}
            Outcome::Unusable {
                required: true,
                reason,
                ..
            } => return Err(reason),
            Outcome::Unusable { label, reason, .. } => {
                warn(format!(
                    "the optional parameter {label} is left out: {reason}"
                ));
            }
        }
    }
    Ok(kept)
}

fn parameter(
    document: &Document,
    schemas: &Schemas<'_>,
    members: &Map<String, Value>,
) -> Result<Outcome, String> {
    let wire_name = text(members, "name");
    let place = text(members, "in");
    let required = members.get("required") == Some(&Value::Bool(true)) || place == "path";
    let label = format!("`{}` in {}", visible(&wire_name), visible(&place));
    let unusable = |reason: String| {
        Ok(Outcome::Unusable {
            label: label.clone(),
            required,
            reason,
        })
    };
    let (location, default_style) = match place.as_str() {
        "path" => (Location::Path, Style::Simple),
        "query" => (Location::Query, Style::Form),
        "header" => (Location::Header, Style::Simple),
        "cookie" => (Location::Cookie, Style::Form),
        _ => return unusable(format!("parameter {label}")),
    };
    if location == Location::Header {
        if ["accept", "content-type", "authorization"]
            .iter()
            .any(|name| wire_name.eq_ignore_ascii_case(name))
        {
            return Ok(Outcome::Ignored);
        }
        if is_forbidden_header(&wire_name) {
            return unusable(format!("requires header {wire_name}"));
        }
    }
    if location == Location::Query && wire_name.eq_ignore_ascii_case("_method") {
        return unusable("requires query parameter `_method`".to_owned());
    }
    if matches!(location, Location::Header | Location::Cookie) && !is_token(&wire_name) {
        return unusable(format!("parameter {label}: its name cannot be sent there"));
    }
    if wire_name.is_empty() {
        return unusable("a parameter with an empty name".to_owned());
    }
    let style = match members.get("style") {
        None | Some(Value::Null) => default_style,
        Some(value) => match legal_style(location, value) {
            Some(style) => style,
            None => return unusable(format!("parameter {label}: its style is not legal there")),
        },
    };
    let explode = members
        .get("explode")
        .and_then(Value::as_bool)
        .unwrap_or(style == Style::Form);
    let mut holder = Some(members);
    let (content_type, schema) = match members.get("content").and_then(Value::as_object) {
        Some(content) if !content.is_empty() => {
            let chosen = content
                .iter()
                .find(|(name, _)| Media::of(name) == Media::Json)
                .or_else(|| {
                    content
                        .iter()
                        .find(|(name, _)| Media::of(name) == Media::Text)
                });
            let Some((name, media)) = chosen else {
                return unusable(format!(
                    "parameter {label}: its media type is not supported"
                ));
            };
            let media = document.resolve(media).map_err(|error| error.to_string())?;
            holder = media.as_object();
            (Some(name.clone()), media.get("schema"))
        }
        _ => (None, members.get("schema")),
    };
    let schema = match schema {
        Some(schema) => match schemas.raise(schema) {
            Ok(schema) => schema,
            Err(error) => return unusable(error.to_string()),
        },
        None => Value::Bool(true),
    };
    Ok(Outcome::Kept(Box::new(OperationParameter {
        wire_name,
        location,
        required,
        style,
        explode,
        allow_reserved: members.get("allowReserved") == Some(&Value::Bool(true)),
        content_type,
        description: text(members, "description"),
        schema: with_example(document, schema, holder),
    })))
}

/// The style, where it may be used at this place (OpenAPI 3.1, section 4.8.12.3).
fn legal_style(location: Location, value: &Value) -> Option<Style> {
    let style = match value.as_str()? {
        "matrix" => Style::Matrix,
        "label" => Style::Label,
        "simple" => Style::Simple,
        "form" => Style::Form,
        "spaceDelimited" => Style::SpaceDelimited,
        "pipeDelimited" => Style::PipeDelimited,
        "deepObject" => Style::DeepObject,
        _ => return None,
    };
    let legal = match location {
        Location::Path => matches!(style, Style::Matrix | Style::Label | Style::Simple),
        Location::Query => matches!(
            style,
            Style::Form | Style::SpaceDelimited | Style::PipeDelimited | Style::DeepObject
        ),
        Location::Header => style == Style::Simple,
        Location::Cookie => style == Style::Form,
    };
    legal.then_some(style)
}
