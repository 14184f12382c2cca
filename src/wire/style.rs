//! How parameters are spelt (OpenAPI 3.1, section 4.8.12; RFC 6570).
//!
//! Recursion here follows the depth of an argument, which [`super::check`] bounds first.

use std::borrow::Cow;

use crate::api::{Parameter, Style};

use super::media::{self, Kind};
use super::percent::{self, RESERVED_KEPT, RESERVED_KEPT_BUT_COMMA, STRICT, STRICT_AND_DOT};
use super::value::{Escapes, HoldsBytes, Value};

/// What is wrong with an argument; `function() argument 'name'` goes before it.
pub(super) type Problem = String;

impl From<HoldsBytes> for Problem {
    fn from(_: HoldsBytes) -> Self {
        "must not hold bytes".to_owned()
    }
}

/// Compact JSON.
pub(super) fn json(value: &Value, escapes: Escapes) -> Result<String, Problem> {
    let mut text = String::new();
    value.write_json(&mut text, escapes)?;
    Ok(text)
}

/// A value as text: strings as they are, all else as JSON, nested values too.
pub(super) fn text(value: &Value) -> Result<String, Problem> {
    match value {
        Value::String(text) => Ok(text.clone()),
        other => json(other, Escapes::Necessary),
    }
}

fn texts(items: &[Value]) -> Result<Vec<String>, Problem> {
    items.iter().map(text).collect()
}

/// An object's names and values in turn.
fn members(object: &indexmap::IndexMap<String, Value>) -> Result<Vec<String>, Problem> {
    let mut parts = Vec::with_capacity(2 * object.len());
    for (name, item) in object {
        parts.push(name.clone());
        parts.push(text(item)?);
    }
    Ok(parts)
}

/// The value of a parameter that the document describes by `content`.
fn content_text(media_type: &str, value: &Value, escapes: Escapes) -> Result<String, Problem> {
    match (media::kind(media_type), value) {
        (Kind::Json, value) => json(value, escapes),
        (_, Value::String(text)) => Ok(text.clone()),
        (_, other) => Err(format!("must be str, not {}", other.type_name())),
    }
}

/// A path parameter (styles simple, label, matrix, in 2.0 delimited), ready to stand in the template.
pub(super) fn segment(parameter: &Parameter, value: &Value) -> Result<String, Problem> {
    if let Some(media_type) = &parameter.content_type {
        let text = content_text(media_type, value, Escapes::Necessary)?;
        return Ok(percent::encode(&text, STRICT));
    }
    let is_label = parameter.style == Style::Label;
    let is_matrix = parameter.style == Style::Matrix;
    let delimiter = Delimiter::of(parameter.style);
    let (raw, is_whole) = match value {
        Value::Object(object) => (members(object)?, false),
        Value::Array(items) => (texts(items)?, false),
        scalar => (vec![text(scalar)?], true),
    };
    if !is_whole && delimiter.as_char != ',' {
        delimiter.check(&raw)?;
    }
    // An exploded label separates by dots, which are not encoded otherwise.
    let set = if is_label && parameter.explode && !is_whole {
        STRICT_AND_DOT
    } else {
        STRICT
    };
    let named = parameter.explode && matches!(value, Value::Object(_));
    let mut parts = encoded(&raw, set);
    if named {
        parts = parts.chunks(2).map(|pair| pair.join("=")).collect();
    }
    let is_empty = if is_matrix {
        parts.is_empty()
    } else {
        parts.iter().all(String::is_empty)
    };
    if is_empty {
        return Err("must not be empty, as it is part of the path".to_owned());
    }
    if is_label {
        let separator = if parameter.explode { "." } else { "," };
        return Ok(format!(".{}", parts.join(separator)));
    }
    if !is_matrix {
        return Ok(parts.join(delimiter.encoded));
    }
    if !parameter.explode {
        parts = vec![parts.join(",")];
    }
    let name = percent::encode(&parameter.wire_name, STRICT);
    let spelt = parts.iter().map(|part| match part.as_str() {
        part if named => format!(";{part}"),
        "" => format!(";{name}"),
        part => format!(";{name}={part}"),
    });
    Ok(spelt.collect())
}

fn encoded(parts: &[String], set: &'static percent_encoding::AsciiSet) -> Vec<String> {
    parts
        .iter()
        .map(|part| percent::encode(part, set))
        .collect()
}

/// How the value of a query or cookie parameter, or of a property of a form, is spelt.
pub(super) struct Spelling<'a> {
    pub(super) name: &'a str,
    pub(super) style: Style,
    pub(super) explode: bool,
    pub(super) allow_reserved: bool,
}

/// A query or cookie parameter as names (as they are) and percent-encoded values.
///
/// An object may bring names of its own; none may be that of one of the `siblings`, or an
/// argument could stand in for another parameter.
pub(super) fn pairs<'a>(
    parameter: &Parameter,
    value: &Value,
    siblings: impl Iterator<Item = &'a Parameter>,
) -> Result<Vec<(String, String)>, Problem> {
    let name = &parameter.wire_name;
    let spelling = Spelling {
        name,
        style: parameter.style,
        explode: parameter.explode,
        allow_reserved: parameter.allow_reserved,
    };
    if let Some(media_type) = &parameter.content_type {
        let text = content_text(media_type, value, Escapes::Necessary)?;
        return Ok(vec![(
            name.clone(),
            percent::encode(&text, kept(&spelling)),
        )]);
    }
    let pairs = match parameter.style {
        Style::Cookie => cookies(&spelling, value)?,
        _ => spread(&spelling, value)?,
    };
    let taken: Vec<&str> = siblings
        .map(|sibling| sibling.wire_name.as_str())
        .filter(|other| other != name)
        .collect();
    if let Some((key, _)) = pairs.iter().find(|(key, _)| taken.contains(&key.as_str())) {
        return Err(is_taken(key));
    }
    Ok(pairs)
}

/// A list whose own lists are one text each, where the parameter says how.
pub(super) fn with_items_joined<'a>(
    parameter: &Parameter,
    value: &'a Value,
) -> Result<Cow<'a, Value>, Problem> {
    let Value::Array(items) = value else {
        return Ok(Cow::Borrowed(value));
    };
    if parameter.items_styles.is_empty() {
        return Ok(Cow::Borrowed(value));
    }
    let joined = items.iter().map(|item| match item {
        Value::Array(_) => joined(item, &parameter.items_styles).map(Value::String),
        other => Ok(other.clone()),
    });
    let joined: Result<Vec<Value>, Problem> = joined.collect();
    Ok(Cow::Owned(Value::Array(joined?)))
}

/// A value as one text, lists by the delimiters of the styles, one for each level of them.
fn joined(value: &Value, styles: &[Style]) -> Result<String, Problem> {
    let (Value::Array(items), [style, within @ ..]) = (value, styles) else {
        return text(value);
    };
    let parts = items.iter().map(|item| joined(item, within));
    let parts: Vec<String> = parts.collect::<Result<_, _>>()?;
    let delimiter = Delimiter::of(*style);
    delimiter.check(&parts)?;
    Ok(parts.join(delimiter.as_char.encode_utf8(&mut [0; 4])))
}

/// A parameter that is the query as a whole.
pub(super) fn whole(parameter: &Parameter, value: &Value) -> Result<String, Problem> {
    let media_type = parameter.content_type.as_deref().unwrap_or_default();
    let text = content_text(media_type, value, Escapes::Necessary)?;
    Ok(percent::encode(&text, STRICT))
}

/// A value as names (as they are) and percent-encoded values.
pub(super) fn spread(
    spelling: &Spelling<'_>,
    value: &Value,
) -> Result<Vec<(String, String)>, Problem> {
    let set = kept(spelling);
    Ok(match flat(spelling, value)? {
        Flat::Pairs(pairs) => pairs
            .into_iter()
            .map(|(key, text)| (key, percent::encode(&text, set)))
            .collect(),
        Flat::Delimited(parts) => delimited(spelling, &parts)?,
    })
}

/// As [`spread`], of the style that writes cookies as they are.
fn cookies(spelling: &Spelling<'_>, value: &Value) -> Result<Vec<(String, String)>, Problem> {
    let pairs = unencoded(spelling, value)?.into_iter();
    let checked = pairs.map(|(name, text)| {
        if text.contains(';') {
            return Err("holds ';', which ends a cookie".to_owned());
        }
        Ok((name, field_value(text)?))
    });
    checked.collect()
}

/// As [`spread`], for a place where nothing is percent-encoded.
pub(super) fn unencoded(
    spelling: &Spelling<'_>,
    value: &Value,
) -> Result<Vec<(String, String)>, Problem> {
    match flat(spelling, value)? {
        Flat::Pairs(pairs) => Ok(pairs),
        Flat::Delimited(parts) => {
            let delimiter = Delimiter::of(spelling.style);
            delimiter.check(&parts)?;
            if parts.is_empty() {
                return Ok(Vec::new());
            }
            let text = parts.join(delimiter.as_char.encode_utf8(&mut [0; 4]));
            Ok(vec![(spelling.name.to_owned(), text)])
        }
    }
}

/// A value on its way to pairs, not yet encoded.
enum Flat {
    Pairs(Vec<(String, String)>),
    /// What becomes one value.
    Delimited(Vec<String>),
}

fn flat(spelling: &Spelling<'_>, value: &Value) -> Result<Flat, Problem> {
    let name = spelling.name;
    Ok(match value {
        Value::Array(_) | Value::Object(_) if spelling.style == Style::DeepObject => {
            let mut pairs = Vec::new();
            deep(name.to_owned(), value, &mut pairs)?;
            Flat::Pairs(pairs)
        }
        Value::Array(items) if !spelling.explode => Flat::Delimited(texts(items)?),
        Value::Object(object) if !spelling.explode => Flat::Delimited(members(object)?),
        Value::Array(items) => {
            let texts = texts(items)?.into_iter();
            Flat::Pairs(texts.map(|text| (name.to_owned(), text)).collect())
        }
        Value::Object(object) => {
            let mut pairs = Vec::with_capacity(object.len());
            for (key, item) in object {
                pairs.push((key.clone(), text(item)?));
            }
            Flat::Pairs(pairs)
        }
        scalar => Flat::Pairs(vec![(name.to_owned(), text(scalar)?)]),
    })
}

fn kept(spelling: &Spelling<'_>) -> &'static percent_encoding::AsciiSet {
    if spelling.allow_reserved {
        RESERVED_KEPT
    } else {
        STRICT
    }
}

fn is_taken(key: &str) -> Problem {
    let key = serde_json::Value::from(key);
    format!("holds the key {key}, which is another parameter")
}

/// What stands between the items of a list that is one value.
struct Delimiter {
    as_char: char,
    /// As it stands in a URL. A space, tab or bar may not as it is; OpenAPI's own examples encode
    /// them.
    encoded: &'static str,
}

impl Delimiter {
    fn of(style: Style) -> Self {
        let (as_char, encoded) = match style {
            Style::SpaceDelimited => (' ', "%20"),
            Style::PipeDelimited => ('|', "%7C"),
            Style::TabDelimited => ('\t', "%09"),
            _ => (',', ","),
        };
        Self { as_char, encoded }
    }

    /// No item may hold the delimiter, which nobody could tell from it.
    fn check(&self, parts: &[String]) -> Result<(), Problem> {
        if parts.iter().any(|part| part.contains(self.as_char)) {
            let shown = self.as_char.escape_default();
            return Err(format!(
                "holds an item with '{shown}' in it, which is the delimiter"
            ));
        }
        Ok(())
    }
}

/// A list or an object as one delimited value; an empty one is left out.
fn delimited(spelling: &Spelling<'_>, parts: &[String]) -> Result<Vec<(String, String)>, Problem> {
    let delimiter = Delimiter::of(spelling.style);
    if delimiter.as_char != ',' {
        delimiter.check(parts)?;
    }
    if parts.is_empty() {
        return Ok(Vec::new());
    }
    let set = match (spelling.allow_reserved, delimiter.as_char) {
        (false, _) => STRICT,
        (true, ',') => RESERVED_KEPT_BUT_COMMA,
        (true, _) => RESERVED_KEPT,
    };
    let text = encoded(parts, set).join(delimiter.encoded);
    Ok(vec![(spelling.name.to_owned(), text)])
}

/// Style deepObject. OpenAPI leaves deeper values open: written as qs, PHP and Rails read them.
fn deep(name: String, value: &Value, pairs: &mut Vec<(String, String)>) -> Result<(), Problem> {
    match value {
        Value::Object(object) => {
            for (key, item) in object {
                deep(format!("{name}[{key}]"), item, pairs)?;
            }
        }
        Value::Array(items) => {
            let is_nested = items
                .iter()
                .any(|item| matches!(item, Value::Array(_) | Value::Object(_)));
            for (index, item) in items.iter().enumerate() {
                let name = if is_nested {
                    format!("{name}[{index}]")
                } else {
                    format!("{name}[]")
                };
                deep(name, item, pairs)?;
            }
        }
        scalar => pairs.push((name, text(scalar)?)),
    }
    Ok(())
}

/// A header parameter (style simple, in 2.0 delimited), sent as it is; an empty list or object is left out.
pub(super) fn header(parameter: &Parameter, value: &Value) -> Result<Option<String>, Problem> {
    if let Some(media_type) = &parameter.content_type {
        return field_value(content_text(media_type, value, Escapes::NonAscii)?).map(Some);
    }
    let mut parts = match value {
        Value::Array(items) => texts(items)?,
        Value::Object(object) => members(object)?,
        scalar => return field_value(text(scalar)?).map(Some),
    };
    let delimiter = Delimiter::of(parameter.style);
    delimiter.check(&parts)?;
    if parameter.explode && matches!(value, Value::Object(_)) {
        parts = parts.chunks(2).map(|pair| pair.join("=")).collect();
    }
    if parts.is_empty() {
        return Ok(None);
    }
    let text = parts.join(&delimiter.as_char.to_string());
    if delimiter.as_char != '\t' {
        return field_value(text).map(Some);
    }
    // A tab is legal between visible characters (RFC 9110, section 5.5), but in no item.
    // At either end it would be taken for a blank around the value.
    if text.starts_with('\t') || text.ends_with('\t') {
        return Err(NO_FIELD_VALUE.to_owned());
    }
    for part in parts {
        field_value(part)?;
    }
    Ok(Some(text))
}

/// A parameter that is the `Cookie` header itself: its cookies go beside the others.
pub(super) fn cookie_header<'a>(
    value: &Value,
    siblings: &(impl Iterator<Item = &'a Parameter> + Clone),
) -> Result<Vec<(String, String)>, Problem> {
    let mut cookies = Vec::new();
    for item in field_value(text(value)?)?.split(';') {
        let item = item.trim_matches(' ');
        if item.is_empty() {
            continue;
        }
        let Some((name, text)) = item.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            return Err("must be spelt `name=value; name=value`".to_owned());
        };
        if siblings.clone().any(|sibling| sibling.wire_name == name) {
            return Err(is_taken(name));
        }
        cookies.push((name.to_owned(), text.to_owned()));
    }
    Ok(cookies)
}

const NO_FIELD_VALUE: &str = "must hold visible ASCII characters only, and no space at either end, as it is sent in a header";

/// What a header can carry unchanged.
fn field_value(text: String) -> Result<String, Problem> {
    let is_visible = text.chars().all(|character| matches!(character, ' '..='~'));
    if is_visible && !text.starts_with(' ') && !text.ends_with(' ') {
        return Ok(text);
    }
    Err(NO_FIELD_VALUE.to_owned())
}
