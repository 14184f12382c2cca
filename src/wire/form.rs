//! Forms: `application/x-www-form-urlencoded` and `multipart/…` (OpenAPI 3.1.1, section 4.8.15;
//! RFC 7578; the escapes of WHATWG's multipart/form-data).
//!
//! What OpenAPI leaves open is decided here as follows:
//!
//! - A member or an item of a list that is null is left out: a form has no null. Only what the
//!   document describes as JSON has, and there an item that is null is sent as one.
//! - URL-encoded, a value is spelt as in a query (`%20` for a blank, which every reader of forms
//!   takes); an object without a style is JSON text.
//! - In multipart, text is a part without a media type, an object one of JSON, bytes a file of
//!   `application/octet-stream` named like its property; each item of a list is a part. An object is
//!   that whatever its style: no reader of multipart bodies takes objects apart.
//! - A list of a text and bytes, and perhaps a media type, is a file: that is how a tuple
//!   `(filename, bytes, content type)` arrives.
//! - A name or a file name of a part may hold no backslash and no control character but a line's
//!   end. Some readers take a backslash for an escape, some do not, some take one before the closing
//!   quote for the escape of that quote: whatever were sent, one of them would read another name,
//!   and what follows it as further parameters.
//! - Parameters of a declared multipart type stay, but for a boundary.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use bytes::Bytes;
use sha2::{Digest, Sha256};

use crate::api::{Encoding, MediaType, Style};
use crate::headers::{is_part_header, is_part_header_value};

use super::charset;
use super::media::{self, Kind};
use super::percent::{self, STRICT};
use super::style::{self, Problem, Spelling};
use super::value::{Escapes, Value};

type Encodings = BTreeMap<String, Encoding>;

const JSON: &str = "application/json";
const BYTES: &str = "application/octet-stream";

/// The members of a form that are not null.
fn members(value: &Value) -> Result<impl Iterator<Item = (&String, &Value)>, Problem> {
    match value {
        Value::Object(members) => Ok(members.iter().filter(|(_, item)| **item != Value::Null)),
        other => Err(format!("must be dict, not {}", other.type_name())),
    }
}

fn of_member(name: &str) -> impl Fn(Problem) -> Problem {
    let name = serde_json::Value::from(name);
    move |problem| format!("member {name} {problem}")
}

/// The style of a property, where it has one.
fn spelling<'a>(name: &'a str, encoding: Option<&Encoding>) -> Option<Spelling<'a>> {
    let encoding = encoding?;
    let style = encoding.style?;
    Some(Spelling {
        name,
        style,
        explode: encoding.explode.unwrap_or(style == Style::Form),
        allow_reserved: encoding.allow_reserved,
    })
}

/// A URL-encoded form.
pub(super) fn urlencoded(value: &Value, encodings: &Encodings) -> Result<String, Problem> {
    let mut items: Vec<String> = Vec::new();
    for (name, item) in members(value)? {
        let pairs = field(name, item, encodings.get(name)).map_err(of_member(name))?;
        let spelt = pairs.into_iter().map(|(key, text)| {
            let key = percent::encode(&key, STRICT);
            format!("{key}={text}")
        });
        items.extend(spelt);
    }
    Ok(items.join("&"))
}

/// The names (as they are) and values (encoded) of a property.
fn field(
    name: &str,
    value: &Value,
    encoding: Option<&Encoding>,
) -> Result<Vec<(String, String)>, Problem> {
    if let Some(spelling) = spelling(name, encoding) {
        return style::spread(&spelling, &without_nulls(value));
    }
    let content_type = encoding.and_then(|encoding| encoding.content_type.as_deref());
    let is_json = is_json(content_type);
    let encoded = |item: &Value| -> Result<(String, String), Problem> {
        let text = if is_json {
            style::json(item, Escapes::Necessary)?
        } else {
            style::text(item)?
        };
        Ok((name.to_owned(), percent::encode(&text, STRICT)))
    };
    match value {
        Value::Array(items) => items
            .iter()
            .filter(|item| is_json || **item != Value::Null)
            .map(encoded)
            .collect(),
        item => Ok(vec![encoded(item)?]),
    }
}

fn is_json(content_type: Option<&str>) -> bool {
    content_type.is_some_and(|it| media::kind(it) == Kind::Json)
}

/// A list without those of its items that are null.
fn without_nulls(value: &Value) -> Cow<'_, Value> {
    match value {
        Value::Array(items) if items.contains(&Value::Null) => {
            let items = items.iter().filter(|item| **item != Value::Null);
            Cow::Owned(Value::Array(items.cloned().collect()))
        }
        other => Cow::Borrowed(other),
    }
}

/// A part of a multipart body.
struct Part {
    headers: String,
    content: Bytes,
}

/// A multipart body with its `Content-Type`. The boundary is made of the content, so that the same
/// request is always the same bytes.
pub(super) fn multipart(
    content_type: &str,
    value: &Value,
    encodings: &Encodings,
) -> Result<(String, Bytes), Problem> {
    let essence = media::essence(content_type);
    let mut parts = Vec::new();
    match value {
        // Other kinds than forms may have parts without names.
        Value::Array(items) if essence != "multipart/form-data" => {
            for item in items.iter().filter(|item| **item != Value::Null) {
                parts.push(part(None, item, None)?);
            }
        }
        value => {
            for (name, item) in members(value)? {
                let added = named_parts(name, item, encodings.get(name));
                parts.extend(added.map_err(of_member(name))?);
            }
        }
    }
    let boundary = boundary(&parts);
    let size: usize = parts
        .iter()
        .map(|part| part.headers.len() + part.content.len() + boundary.len() + 16)
        .sum();
    let mut body = Vec::with_capacity(size + boundary.len() + 16);
    for part in &parts {
        body.extend_from_slice(format!("--{boundary}\r\n{}\r\n\r\n", part.headers).as_bytes());
        body.extend_from_slice(&part.content);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    Ok((labelled(content_type, &boundary), body.into()))
}

/// The media type with this boundary and none of its own.
fn labelled(content_type: &str, boundary: &str) -> String {
    let mut label = media::essence(content_type);
    let parameters = MediaType::parse(content_type).map(|it| it.parameters);
    for (name, value) in parameters.into_iter().flatten() {
        if !name.eq_ignore_ascii_case("boundary") {
            let _ = write!(label, "; {name}={value}");
        }
    }
    let _ = write!(label, "; boundary={boundary}");
    label
}

/// The digest of all parts, taken again until no part holds it.
fn boundary(parts: &[Part]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.headers.as_bytes());
        hash.update(b"\r\n\r\n");
        hash.update(&part.content);
        hash.update(b"\r\n");
    }
    let mut digest = hash.finalize();
    loop {
        let mut boundary = "mce-".to_owned();
        for byte in digest.iter().take(16) {
            // Writing to a string cannot fail.
            let _ = write!(boundary, "{byte:02x}");
        }
        let is_in = |content: &[u8]| memchr::memmem::find(content, boundary.as_bytes()).is_some();
        let is_taken = |part: &Part| is_in(part.headers.as_bytes()) || is_in(&part.content);
        if !parts.iter().any(is_taken) {
            return boundary;
        }
        digest = Sha256::digest(digest);
    }
}

/// The parts of a property.
fn named_parts(
    name: &str,
    value: &Value,
    encoding: Option<&Encoding>,
) -> Result<Vec<Part>, Problem> {
    let further = further(encoding)?;
    // A list whose items hold its delimiter cannot be one part, but a part for each item.
    if let Some(spelling) = spelling(name, encoding)
        && spelling.style != Style::DeepObject
        && file(value).is_none()
        && !is_list_of_files(value)
        && !matches!(value, Value::Object(_))
        && let Ok(fields) = style::unencoded(&spelling, &without_nulls(value))
    {
        let parts = fields.into_iter().map(|(name, text)| {
            Ok(Part {
                headers: disposition(&name, None)? + &further,
                content: text.into(),
            })
        });
        return parts.collect();
    }
    let content_type = encoding.and_then(|encoding| encoding.content_type.as_deref());
    let named = |item| {
        let mut part = part(Some(name), item, content_type)?;
        part.headers.push_str(&further);
        Ok(part)
    };
    match value {
        Value::Array(items) if file(value).is_none() => items
            .iter()
            .filter(|item| is_json(content_type) || **item != Value::Null)
            .map(named)
            .collect(),
        item => Ok(vec![named(item)?]),
    }
}

/// The headers that every part of a property has, each behind a line's end.
fn further(encoding: Option<&Encoding>) -> Result<String, Problem> {
    let headers = encoding.map(|encoding| encoding.headers.iter());
    let mut lines = String::new();
    for (name, value) in headers.into_iter().flatten() {
        if !is_part_header(name) || !is_part_header_value(value) {
            let name = serde_json::Value::from(name.as_str());
            return Err(format!("has the header {name}, which cannot be sent"));
        }
        let _ = write!(lines, "\r\n{name}: {value}");
    }
    Ok(lines)
}

fn is_list_of_files(value: &Value) -> bool {
    matches!(value, Value::Array(items) if items.iter().any(|item| file(item).is_some()))
}

/// A file of a form.
struct File<'a> {
    name: Option<&'a str>,
    content: &'a Bytes,
    content_type: Option<&'a str>,
}

/// Bytes, or a list of a file name, bytes, and perhaps a media type.
fn file(value: &Value) -> Option<File<'_>> {
    let (name, content, content_type) = match value {
        Value::Bytes(content) => (None, content, None),
        Value::Array(items) => match items.as_slice() {
            [Value::String(name), Value::Bytes(content)] => (Some(name), content, None),
            [
                Value::String(name),
                Value::Bytes(content),
                Value::String(content_type),
            ] => (Some(name), content, Some(content_type.as_str())),
            _ => return None,
        },
        _ => return None,
    };
    Some(File {
        name: name.map(String::as_str),
        content,
        content_type,
    })
}

fn part(name: Option<&str>, value: &Value, declared: Option<&str>) -> Result<Part, Problem> {
    if let Some(file) = file(value) {
        let content_type = file.content_type.or(declared).unwrap_or(BYTES);
        if !media::is_concrete(content_type) {
            let content_type = serde_json::Value::from(content_type);
            return Err(format!(
                "has the content type {content_type}, which is no media type"
            ));
        }
        return Ok(Part {
            headers: headers(
                name,
                Some(file.name.or(name).unwrap_or("file")),
                Some(content_type),
            )?,
            content: file.content.clone(),
        });
    }
    let is_json = match declared {
        Some(_) => is_json(declared),
        None => matches!(value, Value::Array(_) | Value::Object(_)),
    };
    let content = match (is_json, declared, value) {
        (false, Some(_), Value::Array(_) | Value::Object(_)) => {
            return Err(format!(
                "must be str or bytes, not {}, as its content type is no JSON",
                value.type_name()
            ));
        }
        (true, ..) => style::json(value, Escapes::Necessary)?,
        (false, ..) => style::text(value)?,
    };
    let content_type = declared.or(is_json.then_some(JSON));
    Ok(Part {
        headers: headers(name, None, content_type)?,
        content: match content_type {
            Some(content_type) => charset::encode(content_type, &content)?.into(),
            None => content.into(),
        },
    })
}

fn headers(
    name: Option<&str>,
    file_name: Option<&str>,
    content_type: Option<&str>,
) -> Result<String, Problem> {
    let mut lines: Vec<String> = Vec::new();
    if let Some(name) = name {
        lines.push(disposition(name, file_name)?);
    }
    match content_type {
        Some(content_type) => lines.push(format!("Content-Type: {content_type}")),
        None if name.is_none() => lines.push("Content-Type: text/plain; charset=utf-8".to_owned()),
        None => {}
    }
    Ok(lines.join("\r\n"))
}

fn disposition(name: &str, file_name: Option<&str>) -> Result<String, Problem> {
    let name = escaped("name", name)?;
    let mut line = format!("Content-Disposition: form-data; name=\"{name}\"");
    if let Some(file_name) = file_name {
        let file_name = escaped("file name", file_name)?;
        let _ = write!(line, "; filename=\"{file_name}\"");
    }
    Ok(line)
}

/// A name within the quotes of a header, as browsers write it, if all readers read it alike.
fn escaped(what: &str, name: &str) -> Result<String, Problem> {
    let is_unclear = |it: char| match it {
        '\r' | '\n' => false,
        '\\' | '\u{2028}' | '\u{2029}' => true,
        other => other.is_control(),
    };
    if name.contains(is_unclear) {
        let name = serde_json::Value::from(name);
        return Err(format!(
            "has the {what} {name}, which holds a backslash or a control character"
        ));
    }
    Ok(name
        .replace('"', "%22")
        .replace('\r', "%0D")
        .replace('\n', "%0A"))
}
