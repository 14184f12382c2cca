//! Headers of the parts of a multipart body (`encoding.<property>.headers`; OpenAPI 3.1.1, section
//! 4.8.15.1): one with a single legal value is sent, as nobody needs to be asked for it.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::document::Document;
use crate::headers::{is_part_header, is_part_header_value, is_token};
use crate::invisible::visible;

/// Headers of one part.
const MOST_HEADERS: usize = 16;

/// The headers that the parts of a property have; `warn` is told of those that are not sent.
pub(super) fn part_headers(
    document: &Document,
    (property, encoding): (&str, &Map<String, Value>),
    warn: &mut dyn FnMut(String),
) -> BTreeMap<String, String> {
    let mut kept: BTreeMap<String, String> = BTreeMap::new();
    let declared = encoding.get("headers").and_then(Value::as_object);
    for (name, value) in declared.into_iter().flatten() {
        // The specification has it ignored.
        if name.eq_ignore_ascii_case("content-type") {
            continue;
        }
        let is_known = || kept.keys().any(|known| known.eq_ignore_ascii_case(name));
        let problem = if !is_token(name) {
            "its name cannot be sent"
        } else if !is_part_header(name) {
            "it is not the document's to say"
        } else if kept.len() >= MOST_HEADERS || is_known() {
            "there are too many, or two of that name"
        } else if let Some(text) = fixed_value(document, value) {
            kept.insert(name.clone(), text);
            continue;
        } else {
            "the document gives it no single value that a header can carry"
        };
        warn(format!(
            "the header `{}` of the part `{}` is not sent: {problem}",
            visible(name),
            visible(property)
        ));
    }
    kept
}

/// The only value that a header may have, as text.
fn fixed_value(document: &Document, header: &Value) -> Option<String> {
    let header = document.resolve(header).ok()?;
    let schema = document.look_through(header.get("schema")?).ok()?;
    let listed = schema.get("enum").and_then(Value::as_array);
    let value = match (schema.get("const"), listed.map(Vec::as_slice)) {
        (Some(value), _) => value,
        (None, Some([only])) => only,
        _ => return None,
    };
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        _ => return None,
    };
    is_part_header_value(&text).then_some(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::yaml::Position;

    #[test]
    fn only_headers_with_one_legal_value_are_sent() {
        let root = json!({"openapi": "3.1.0", "components": {
            "headers": {"Kind": {"schema": {"$ref": "#/components/schemas/Kind"}}},
            "schemas": {"Kind": {"const": "scan"}},
        }});
        let document = Document::new(root, Position::default).unwrap();
        let encoding = json!({"headers": {
            "X-Kind": {"$ref": "#/components/headers/Kind"},
            "X-Pages": {"schema": {"type": "integer", "enum": [2]}},
            "x-kind": {"schema": {"const": "other"}},
            "Content-Type": {"schema": {"const": "text/plain"}},
            "Content-Disposition": {"schema": {"const": "form-data; name=other"}},
            "X-Either": {"schema": {"enum": ["a", "b"]}},
            "X-Default": {"required": true, "schema": {"default": "a"}},
            "X-Split": {"schema": {"const": "a\r\nX-Other: b"}},
            "X Blank": {"schema": {"const": "a"}},
            "X-Null": {"schema": {"const": null}},
        }});
        let mut told = Vec::new();
        let headers = part_headers(
            &document,
            ("file", encoding.as_object().unwrap()),
            &mut |text| told.push(text),
        );
        let pairs: Vec<_> = headers
            .iter()
            .map(|(a, b)| (a.as_str(), b.as_str()))
            .collect();
        assert_eq!(pairs, [("X-Kind", "scan"), ("X-Pages", "2")]);
        assert_eq!(told.len(), 7, "{told:#?}");
        assert_eq!(
            told[2],
            "the header `X-Either` of the part `file` is not sent: the document gives it no single value that a header can carry"
        );
    }
}
