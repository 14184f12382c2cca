//! Headers of the config, names and values.

use indexmap::IndexMap;

use super::Template;
use super::error::quote;
use super::reader::Reader;
use super::secrets;
use crate::headers::{is_forbidden_header, is_token};
use crate::yaml::{Node, NodeValue, Position};

/// How many headers a server may be given in one place.
const MOST: usize = 100;

/// Reads a mapping of header names to values. A value is a string or
/// `{value: …, allow_literal: true}`.
pub(super) fn read(
    reader: &mut Reader,
    node: &Node,
    what: &str,
    allow_literal: bool,
) -> IndexMap<String, Template> {
    let mut headers = IndexMap::new();
    let entries = reader.entries(node, what);
    if entries.len() > MOST {
        reader.complain(
            node.position,
            format!("{what} has more than {MOST} headers"),
        );
        return headers;
    }
    for (key, value) in entries {
        let what = format!("the header {} of {what}", quote(&key.text));
        check_name(reader, key.position, &what, &key.text);
        let (value, allow_literal) = if matches!(value.value, NodeValue::Mapping(_)) {
            let Some(fields) = reader.fields(value, &what, &["value", "allow_literal"]) else {
                continue;
            };
            let allow = fields
                .get("allow_literal")
                .and_then(|node| reader.boolean(node, &format!("`allow_literal` of {what}")));
            let Some(value) = fields.require(reader, "value", &what) else {
                continue;
            };
            (value, allow.unwrap_or(allow_literal))
        } else {
            (value, allow_literal)
        };
        let Some(template) = reader.template(value, &what) else {
            continue;
        };
        check_value(reader, value.position, &what, &template);
        if !allow_literal && secrets::is_secret_name(&key.text) {
            secrets::refuse_literal(reader, value.position, &what, &template);
        }
        insert(reader, &mut headers, key.position, &key.text, template);
    }
    headers
}

/// Reads the legacy `headers` string, `[name:value,name2:value2]`, into what `extra_headers` gave.
pub(super) fn read_legacy(
    reader: &mut Reader,
    node: &Node,
    allow_literal: bool,
    headers: &mut IndexMap<String, Template>,
) {
    if !matches!(node.value, NodeValue::String(_)) {
        reader.wrong_type(node, "`headers`", "a string like `[name:value]`");
        if matches!(node.value, NodeValue::Mapping(_))
            && let Some(complaint) = reader.complaints.last_mut()
        {
            complaint.hint = Some("a mapping of headers is called `extra_headers`".to_owned());
        }
        return;
    }
    // Checked as a whole first: no entry may hold a line break or half a variable.
    let Some(whole) = reader.optional_template(node, "`headers`") else {
        return;
    };
    let text = whole.text.trim();
    let text = text.strip_prefix('[').unwrap_or(text);
    let text = text.strip_suffix(']').unwrap_or(text);
    if text.trim().is_empty() {
        return;
    }
    if text.split(',').count() > MOST {
        let message = format!("`headers` has more than {MOST} headers");
        reader.complain(node.position, message);
        return;
    }
    for (index, entry) in text.split(',').enumerate() {
        let number = index + 1;
        let Some((name, value)) = entry.split_once(':') else {
            // Not repeated: it may be the rest of a secret that held a comma.
            reader.advise(
                node.position,
                format!("entry {number} of `headers` has no `:`"),
                "entries are `name:value`, separated by commas; use `extra_headers` for a value \
                 that holds a comma",
            );
            continue;
        };
        let (name, value) = (name.trim(), value.trim());
        let what = format!("entry {number} of `headers`, {},", quote(name));
        if name.is_empty() {
            reader.complain(
                node.position,
                format!("entry {number} of `headers` has no name before its `:`"),
            );
            continue;
        }
        check_name(reader, node.position, &what, name);
        if value.is_empty() {
            reader.complain(node.position, format!("{what} has no value"));
            continue;
        }
        let Ok(template) = Template::parse(value, &whole.place) else {
            reader.complain(node.position, format!("{what} holds a broken variable"));
            continue;
        };
        check_value(reader, node.position, &what, &template);
        if !allow_literal && secrets::is_secret_name(name) {
            secrets::refuse_literal(reader, node.position, &what, &template);
        }
        insert(reader, headers, node.position, name, template);
    }
}

fn insert(
    reader: &mut Reader,
    headers: &mut IndexMap<String, Template>,
    position: Position,
    name: &str,
    value: Template,
) {
    if headers.keys().any(|other| other.eq_ignore_ascii_case(name)) {
        reader.complain(
            position,
            format!(
                "the header {} is given twice; case does not tell headers apart",
                quote(name)
            ),
        );
        return;
    }
    headers.insert(name.to_owned(), value);
}

/// Complains about a name that is no header's, or of a header that is never sent.
pub(super) fn check_name(reader: &mut Reader, position: Position, what: &str, name: &str) {
    if !is_token(name) {
        reader.complain(
            position,
            format!("{what} has a name that no header can have"),
        );
    } else if is_forbidden_header(name) {
        reader.complain(
            position,
            format!("{what} is never sent: it would change where or how the request goes"),
        );
    }
}

fn check_value(reader: &mut Reader, position: Position, what: &str, template: &Template) {
    let valid = template
        .text
        .bytes()
        .all(|byte| byte == b' ' || byte == b'\t' || byte.is_ascii_graphic());
    if !valid {
        reader.complain(
            position,
            format!("{what} has a value that is not printable ASCII"),
        );
    }
}
