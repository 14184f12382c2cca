//! Parameters: path-level ones overridden by the operation's, styles by their defaults.

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::document::{Document, cost, text};
use super::examples::with_example;
use super::paths;
use super::schema::Schemas;
use super::swagger::ITEMS_STYLES;
use super::version::Dialect;
use crate::api::schema::type_names;
use crate::api::{Location, Media, OperationParameter, Style};
use crate::headers::{is_forbidden_header, is_override, is_token};
use crate::invisible::visible;

/// Examples of a parameter that are looked at for one that can be used.
const MOST_EXAMPLES: usize = 20;

/// What became of one declared parameter.
enum Outcome {
    Kept(Box<OperationParameter>),
    /// Not the caller's to give: `Accept`, `Content-Type`, `Content-Length`, `Authorization`.
    Ignored,
    /// Cannot be sent, and why (completes `unsupported: `).
    Unusable(String),
}

/// The parameters that a path item and one of its operations declare, the operation's in place of
/// those of the same name and place; else why the operation cannot be called.
pub(super) fn declared(
    document: &Document,
    path_item: &Map<String, Value>,
    operation: &Map<String, Value>,
    warn: &mut dyn FnMut(String),
) -> Result<Vec<Map<String, Value>>, String> {
    let mut merged: IndexMap<String, Map<String, Value>> = IndexMap::new();
    for (holder, is_shared) in [(path_item, true), (operation, false)] {
        let listed = match holder.get("parameters") {
            None | Some(Value::Null) => continue,
            Some(Value::Array(listed)) => listed,
            Some(Value::Object(members)) if members.is_empty() => continue,
            Some(_) => return Err("`parameters` is no list".to_owned()),
        };
        let mut here: IndexMap<String, Map<String, Value>> = IndexMap::new();
        for value in listed {
            let target = document.resolve(value).map_err(|error| error.to_string())?;
            if is_shared && std::ptr::eq(target, value) {
                // One that is referred to is counted where that is resolved.
                let charged = document.charge(cost(target));
                charged.map_err(|error| error.to_string())?;
            }
            let declared = target.as_object().ok_or("a parameter is no mapping")?;
            let mut members = without_most_examples(declared);
            // What stands beside a reference refines it, as people write and mean it.
            for key in ["required", "description"] {
                if let Some(member) = value.get(key) {
                    members.insert(key.to_owned(), member.clone());
                }
            }
            let location = location(&mut members);
            let name = match members.get("name") {
                Some(Value::String(name)) => name.clone(),
                // A body has no use for one.
                _ if location == "body" => String::new(),
                _ if is_required(&members) => return Err("a parameter has no name".to_owned()),
                _ => {
                    warn("an optional parameter without a name is left out".to_owned());
                    continue;
                }
            };
            // Header names are compared without case.
            let key = match location.as_str() {
                "header" => format!("header {}", name.to_ascii_lowercase()),
                other => format!("{other} {name}"),
            };
            if here.insert(key, members).is_some() {
                warn(format!(
                    "the parameter {} is declared twice; the last one counts",
                    shown(&name, &location)
                ));
            }
        }
        merged.extend(here);
    }
    Ok(merged.into_values().collect())
}

/// A copy with the first of `examples` only: of thousands that many operations share one is used.
fn without_most_examples(parameter: &Map<String, Value>) -> Map<String, Value> {
    let members = parameter.iter().map(|(key, member)| {
        let few = match (key.as_str(), member) {
            ("examples", Value::Object(examples)) => {
                let first = examples.iter().take(MOST_EXAMPLES);
                Value::Object(first.map(|(key, it)| (key.clone(), it.clone())).collect())
            }
            _ => member.clone(),
        };
        (key.clone(), few)
    });
    members.collect()
}

/// The places that are written in one case and without blanks.
const PLACES: &[&str] = &[
    "path",
    "query",
    "header",
    "cookie",
    "body",
    "formData",
    "querystring",
];

/// Where a declared parameter stands, spelt as it should be.
fn location(members: &mut Map<String, Value>) -> String {
    let spelt = text(members, "in");
    let mut known = PLACES.iter();
    match known.find(|known| spelt.trim().eq_ignore_ascii_case(known)) {
        Some(known) => {
            members.insert("in".to_owned(), Value::from(*known));
            (*known).to_owned()
        }
        None => spelt,
    }
}

/// Whether a declared parameter must be given; one in the path always must.
pub(super) fn is_required(members: &Map<String, Value>) -> bool {
    members.get("required") == Some(&Value::Bool(true)) || text(members, "in") == "path"
}

/// A parameter for messages.
pub(super) fn label(members: &Map<String, Value>) -> String {
    shown(&text(members, "name"), &text(members, "in"))
}

fn shown(name: &str, location: &str) -> String {
    format!("`{}` in {}", visible(name), visible(location))
}

/// What the parameters of an operation of this path say; else why it cannot be called.
pub(super) fn parameters(
    document: &Document,
    schemas: &Schemas<'_>,
    (path, declared): (&str, &[Map<String, Value>]),
    warn: &mut dyn FnMut(String),
) -> Result<Vec<OperationParameter>, String> {
    let mut kept = Vec::new();
    for members in declared {
        match parameter(document, schemas, members, warn)? {
            Outcome::Kept(parameter) => kept.push(*parameter),
            Outcome::Ignored => {}
            Outcome::Unusable(reason) if is_required(members) => return Err(reason),
            Outcome::Unusable(reason) => warn(left_out(members, &reason)),
        }
    }
    let in_query = kept.iter().filter(|it| it.location == Location::Query);
    let is_beside = in_query.count() > 1 || paths::has_query(path);
    if is_beside && kept.iter().any(|it| it.style == Style::Whole) {
        return Err("a parameter that is the whole query stands beside others".to_owned());
    }
    Ok(kept)
}

/// The warning of a parameter that is not needed and cannot be sent.
pub(super) fn left_out(members: &Map<String, Value>, reason: &str) -> String {
    let label = label(members);
    format!("the optional parameter {label} is left out: {reason}")
}

fn parameter(
    document: &Document,
    schemas: &Schemas<'_>,
    members: &Map<String, Value>,
    warn: &mut dyn FnMut(String),
) -> Result<Outcome, String> {
    let wire_name = text(members, "name");
    let place = text(members, "in");
    let label = label(members);
    let unusable = |reason: String| Ok(Outcome::Unusable(reason));
    let (location, default_style) = match place.as_str() {
        "path" => (Location::Path, Style::Simple),
        "query" => (Location::Query, Style::Form),
        "header" => (Location::Header, Style::Simple),
        "cookie" => (Location::Cookie, Style::Form),
        "querystring" if document.dialect.has_further_methods() => {
            return whole_query(document, schemas, members, warn);
        }
        _ => return unusable(format!("parameter {label}, which is no place")),
    };
    if let Some(outcome) = refusal(location, &wire_name, &label) {
        return Ok(outcome);
    }
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
                })
                .or_else(|| {
                    content
                        .iter()
                        .find(|(name, _)| Media::of(name) == Media::Range)
                });
            let Some((name, media)) = chosen else {
                return unusable(format!(
                    "parameter {label}: its media type is not supported"
                ));
            };
            let media = document.resolve(media).map_err(|error| error.to_string())?;
            holder = media.as_object();
            let schema = media.get("schema");
            (Some(of_content(name, schema, schemas)), schema)
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
    let style = match members.get("style") {
        None | Some(Value::Null) => default_style,
        Some(value) => match legal_style(document.dialect, location, value) {
            Some(style) => style,
            // Every style of a place writes a single value alike, but those that put something
            // before it.
            None if is_single(&schema, schemas) => {
                warn(format!(
                    "the style of the parameter {label} is not legal there and does not count"
                ));
                default_style
            }
            None => return unusable(format!("parameter {label}: its style is not legal there")),
        },
    };
    let items_styles = items_styles(document.dialect, members);
    let explode = members
        .get("explode")
        .and_then(Value::as_bool)
        .unwrap_or(matches!(style, Style::Form | Style::Cookie));
    let is_lost = !explode
        && items_styles
            .first()
            .is_some_and(|inner| is_delimiter_lost(location, style, *inner));
    if is_lost
        || items_styles
            .windows(2)
            .any(|pair| matches!(pair, [a, b] if a == b))
    {
        warn(format!(
            "lists within the list of the parameter {label} have its own delimiter, so those of more than one item cannot be sent"
        ));
    }
    Ok(Outcome::Kept(Box::new(OperationParameter {
        wire_name,
        location,
        required: is_required(members),
        style,
        explode,
        // In other places reserved characters would end the value or its segment.
        allow_reserved: location == Location::Query
            && members.get("allowReserved") == Some(&Value::Bool(true)),
        items_styles,
        content_type,
        description: text(members, "description"),
        schema: with_example(document, schema, holder),
    })))
}

/// The styles of lists within lists. Only what was read from 2.0 has any.
fn items_styles(dialect: Dialect, members: &Map<String, Value>) -> Vec<Style> {
    let styles = members
        .get(ITEMS_STYLES)
        .filter(|_| dialect == Dialect::Swagger2)
        .and_then(Value::as_array);
    let styles = styles.into_iter().flatten();
    styles
        .filter_map(|style| legal_style(dialect, Location::Query, style))
        .collect()
}

/// Whether nobody could tell the items of a list from those of the lists within it. A comma within
/// an item is encoded but in headers; other delimiters always are, and so tell nothing.
fn is_delimiter_lost(location: Location, outer: Style, inner: Style) -> bool {
    match outer {
        Style::Simple => location == Location::Header && inner == Style::Form,
        Style::Form => false,
        outer => outer == inner,
    }
}

/// The media type that a parameter's value is written in. A range says nothing: of a single value
/// that is its text.
fn of_content(name: &str, schema: Option<&Value>, schemas: &Schemas<'_>) -> String {
    if Media::of(name) != Media::Range {
        return name.to_owned();
    }
    let raised = schema.and_then(|schema| schemas.raise(schema).ok());
    if raised.is_some_and(|schema| is_single(&schema, schemas)) {
        "text/plain".to_owned()
    } else {
        "application/json".to_owned()
    }
}

/// What a parameter's place and name alone forbid.
fn refusal(location: Location, wire_name: &str, label: &str) -> Option<Outcome> {
    if location == Location::Header {
        if ["accept", "content-type", "content-length", "authorization"]
            .iter()
            .any(|name| wire_name.eq_ignore_ascii_case(name))
        {
            return Some(Outcome::Ignored);
        }
        if is_forbidden_header(wire_name) {
            return Some(Outcome::Unusable(format!("requires header {wire_name}")));
        }
    }
    if location == Location::Query && is_override(wire_name) {
        let reason = format!("requires query parameter `{}`", visible(wire_name));
        return Some(Outcome::Unusable(reason));
    }
    if matches!(location, Location::Header | Location::Cookie) && !is_token(wire_name) {
        let reason = format!("parameter {label}: its name cannot be sent there");
        return Some(Outcome::Unusable(reason));
    }
    if wire_name.is_empty() {
        let reason = "a parameter with an empty name";
        return Some(Outcome::Unusable(reason.to_owned()));
    }
    None
}

/// A parameter that is the query as a whole (OpenAPI 3.2, `in: querystring`). Of a form, that is
/// what an exploded object is; a credential goes behind it, behind JSON too. A mere text could be
/// any name, that of a credential too; of JSON only `true`, `null` and numbers could, which are
/// compared with the names when they are sent.
fn whole_query(
    document: &Document,
    schemas: &Schemas<'_>,
    members: &Map<String, Value>,
    warn: &mut dyn FnMut(String),
) -> Result<Outcome, String> {
    let label = label(members);
    let content = members.get("content").and_then(Value::as_object);
    let find = |kind: Media| {
        let mut content = content.into_iter().flatten();
        content.find(|(name, _)| Media::of(name) == kind)
    };
    let Some((name, media)) = find(Media::Form).or_else(|| find(Media::Json)) else {
        return Ok(Outcome::Unusable(format!(
            "parameter {label}: its media type is not supported"
        )));
    };
    let media = document.resolve(media).map_err(|error| error.to_string())?;
    let schema = match schemas.raise(media.get("schema").unwrap_or(&Value::Bool(true))) {
        Ok(schema) => schema,
        Err(error) => return Ok(Outcome::Unusable(error.to_string())),
    };
    let is_form = Media::of(name) == Media::Form;
    if is_form && media.get("encoding").is_some() {
        warn(format!(
            "the `encoding` of the query {label} does not count"
        ));
    }
    if is_form && has_nested_members(&schema, schemas) {
        warn(format!(
            "lists and objects within the query {label} are sent as JSON"
        ));
    }
    Ok(Outcome::Kept(Box::new(OperationParameter {
        wire_name: text(members, "name"),
        location: Location::Query,
        required: is_required(members),
        style: if is_form { Style::Form } else { Style::Whole },
        explode: is_form,
        allow_reserved: false,
        items_styles: Vec::new(),
        content_type: (!is_form).then(|| name.clone()),
        description: text(members, "description"),
        schema: with_example(document, schema, media.as_object()),
    })))
}

/// Whether members of a raised schema may be lists or objects themselves.
fn has_nested_members(schema: &Value, schemas: &Schemas<'_>) -> bool {
    let target = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|pointer| schemas.target(pointer));
    let properties = target.as_ref().unwrap_or(schema).get("properties");
    let properties = properties.and_then(Value::as_object);
    let mut properties = properties.into_iter().flat_map(Map::values);
    properties.any(|property| !is_single(property, schemas))
}

/// Whether a raised schema holds neither lists nor objects.
fn is_single(schema: &Value, schemas: &Schemas<'_>) -> bool {
    let target = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|pointer| schemas.target(pointer));
    let Some(members) = target.as_ref().unwrap_or(schema).as_object() else {
        return false;
    };
    let types = type_names(members);
    !types.is_empty() && !types.iter().any(|name| matches!(*name, "array" | "object"))
}

/// The style, where it may be used at this place (OpenAPI 3.1, section 4.8.12.3). What 2.0 says by
/// `collectionFormat` it says everywhere.
pub(super) fn legal_style(dialect: Dialect, location: Location, value: &Value) -> Option<Style> {
    let style = match value.as_str()? {
        "matrix" => Style::Matrix,
        "label" => Style::Label,
        "simple" => Style::Simple,
        "form" => Style::Form,
        "spaceDelimited" => Style::SpaceDelimited,
        "pipeDelimited" => Style::PipeDelimited,
        "tabDelimited" if dialect == Dialect::Swagger2 => Style::TabDelimited,
        "deepObject" => Style::DeepObject,
        "cookie" if dialect.has_further_methods() => Style::Cookie,
        _ => return None,
    };
    let is_delimited = matches!(
        style,
        Style::SpaceDelimited | Style::PipeDelimited | Style::TabDelimited
    );
    if dialect == Dialect::Swagger2 && is_delimited {
        return Some(style);
    }
    let legal = match location {
        Location::Path => matches!(style, Style::Matrix | Style::Label | Style::Simple),
        Location::Query => matches!(style, Style::Form | Style::DeepObject) || is_delimited,
        Location::Header => style == Style::Simple,
        Location::Cookie => matches!(style, Style::Form | Style::Cookie),
    };
    legal.then_some(style)
}
