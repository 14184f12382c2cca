//! A server's entry in a JSON file, which may have comments and trailing commas.

use std::collections::BTreeSet;

use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, ParseOptions, ast, parse_to_ast};
use serde_json::{Map, Value};

use super::document::{Addition, DEEPEST, Error, Place, without_mark};

/// The text of a JSON file, which may have comments and trailing commas, with the entry in it.
pub(super) fn add(text: &str, addition: &Addition<'_>) -> Result<String, Error> {
    if deepest(text) > DEEPEST {
        return Err(Error::Depth);
    }
    let (mark, text) = without_mark(text);
    let root = CstRootNode::parse(text, &options()).map_err(|error| no_json(&error, text))?;
    refuse_doubled(text)?;
    let whole = root.object_value_or_create().ok_or_else(|| Error::Shape {
        place: "the top".to_owned(),
        expected: "an object",
    })?;
    let servers = object_in(&whole, addition.servers)?;
    match servers.get(addition.name) {
        None => {
            let members = CstInputValue::from_json(addition.members);
            servers.append(addition.name, members);
        }
        Some(property) => {
            let entry = property.object_value().ok_or_else(|| Error::Shape {
                place: format!("{}.{}", addition.servers, addition.name),
                expected: "an object",
            })?;
            merge_json(&entry, addition);
        }
    }
    if let Some(input) = addition.input {
        add_input(&whole, input)?;
    }
    Ok(format!("{mark}{root}"))
}

/// What clients' files hold beyond JSON, and no more.
fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn no_json(error: &ParseError, text: &str) -> Error {
    let what = match error.kind() {
        // It repeats what the file has there.
        ParseErrorKind::String(_) => "a string is not valid".to_owned(),
        kind => kind.to_string(),
    };
    let place = Place::of(text, error.range().start);
    Error::Json { what, place }
}

/// Of a key that stands twice clients take the one or the other, and what is merged into one of them
/// would be lost with it.
fn refuse_doubled(text: &str) -> Result<(), Error> {
    let collecting = CollectOptions::default();
    let parsed = parse_to_ast(text, &collecting, &options());
    let parsed = parsed.map_err(|error| no_json(&error, text))?;
    let mut values: Vec<_> = parsed.value.iter().collect();
    while let Some(value) = values.pop() {
        match value {
            ast::Value::Object(object) => {
                let mut names = BTreeSet::new();
                for property in &object.properties {
                    if !names.insert(property.name.as_str()) {
                        let start = property.range.start;
                        return Err(Error::Doubled(Place::of(text, start)));
                    }
                    values.push(&property.value);
                }
            }
            ast::Value::Array(array) => values.extend(&array.elements),
            _ => {}
        }
    }
    Ok(())
}

fn deepest(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

fn object_in(object: &CstObject, name: &str) -> Result<CstObject, Error> {
    object
        .object_value_or_create(name)
        .ok_or_else(|| Error::Shape {
            place: name.to_owned(),
            expected: "an object",
        })
}

fn merge_json(entry: &CstObject, addition: &Addition<'_>) {
    for name in addition.obsolete {
        if let Some(property) = entry.get(name) {
            property.remove();
        }
    }
    for (name, value) in addition.members {
        let found = entry.get(name);
        let known = found.as_ref().and_then(|it| it.value()?.to_serde_value());
        if known.as_ref() == Some(value) {
            continue;
        }
        let is_merged = addition.merged.contains(&name.as_str());
        let object = found.as_ref().and_then(CstObjectProp::object_value);
        match (is_merged, object, value, found) {
            (true, Some(known), Value::Object(wanted), _) => {
                for (name, value) in wanted {
                    merge_member(&known, name, value);
                }
            }
            (_, _, value, Some(property)) => property.set_value(CstInputValue::from_value(value)),
            (_, _, value, None) => {
                entry.append(name, CstInputValue::from_value(value));
            }
        }
    }
}

/// An empty value is one for people to fill in, and takes the place of none.
fn merge_member(members: &CstObject, name: &str, value: &Value) {
    match members.get(name) {
        None => {
            members.append(name, CstInputValue::from_value(value));
        }
        Some(_) if value == "" => {}
        Some(property) => {
            let known = property.value().and_then(|it| it.to_serde_value());
            if known.as_ref() != Some(value) {
                property.set_value(CstInputValue::from_value(value));
            }
        }
    }
}

fn add_input(whole: &CstObject, input: &Value) -> Result<(), Error> {
    let inputs = whole
        .array_value_or_create("inputs")
        .ok_or_else(|| Error::Shape {
            place: "inputs".to_owned(),
            expected: "a list",
        })?;
    let known = inputs.elements().into_iter().any(|element| {
        let value = element.to_serde_value();
        value.is_some_and(|it| it.get("id") == input.get("id"))
    });
    if !known {
        inputs.append(CstInputValue::from_value(input));
    }
    Ok(())
}

/// A JSON value as the library takes it.
trait FromJson {
    fn from_value(value: &Value) -> CstInputValue;
    fn from_json(members: &Map<String, Value>) -> CstInputValue;
}

impl FromJson for CstInputValue {
    fn from_value(value: &Value) -> CstInputValue {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Number(number.to_string()),
            Value::String(text) => Self::String(text.clone()),
            Value::Array(items) => Self::Array(items.iter().map(Self::from_value).collect()),
            Value::Object(members) => Self::from_json(members),
        }
    }

    fn from_json(members: &Map<String, Value>) -> CstInputValue {
        let members = members.iter();
        Self::Object(
            members
                .map(|(name, value)| (name.clone(), Self::from_value(value)))
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::document::tests::{addition, entry, members};
    use super::*;

    const JSON: &str = r#"{
  // My servers.
  "mcpServers": {
    "other": {"command": "other"}, // Stays.
    "mce": {
      "command": "/old/mce", // Where it is.
      "url": "https://old.example",
      "disabled": true,
      "env": {
        "TOKEN": "filled in",
        "OWN": "mine",
      }
    }
  },
  "theme": "dark"
}
"#;

    #[test]
    fn an_entry_is_merged_and_all_else_stays() {
        let entry = entry();
        let once = add(JSON, &addition(&entry, "mcpServers")).unwrap();
        for kept in [
            "// My servers.",
            r#""other": {"command": "other"}, // Stays."#,
            "// Where it is.",
            r#""disabled": true"#,
            r#""TOKEN": "filled in""#,
            r#""OWN": "mine""#,
            r#""theme": "dark""#,
            r#""command": "/bin/mce""#,
            r#""MCE_SANDBOX_MEMORY": "512m""#,
        ] {
            assert!(once.contains(kept), "no {kept} in\n{once}");
        }
        assert!(!once.contains("old"), "{once}");
        let twice = add(&once, &addition(&entry, "mcpServers")).unwrap();
        assert_eq!(once, twice);
    }

    #[test]
    fn an_empty_file_and_one_without_servers_get_them() {
        let entry = entry();
        for text in [
            "",
            "{}",
            "{\"theme\": \"dark\"}",
            "\u{feff}{}\r\n",
            "// nothing yet\n",
        ] {
            let written = add(text, &addition(&entry, "servers")).unwrap();
            let root = CstRootNode::parse(written.trim_start_matches('\u{feff}'), &options());
            let value = root.unwrap().to_serde_value().unwrap();
            assert_eq!(
                value["servers"]["mce"]["args"],
                json!(["serve"]),
                "{written}"
            );
        }
    }

    #[test]
    fn an_input_is_added_once() {
        let entry = entry();
        let input = json!({"id": "token", "password": true});
        let addition = Addition {
            input: Some(&input),
            ..addition(&entry, "servers")
        };
        let once = add("{\"inputs\": [{\"id\": \"mine\"}]}", &addition).unwrap();
        let twice = add(&once, &addition).unwrap();
        assert_eq!(once, twice);
        assert_eq!(once.matches("\"token\"").count(), 1, "{once}");
        assert!(once.contains("\"mine\""), "{once}");
    }

    /// They were taken for ours alone once, and those of a proxy were lost.
    #[test]
    fn headers_of_others_stay() {
        let entry =
            members(json!({"url": "https://new", "headers": {"Authorization": "Bearer x"}}));
        let addition = Addition {
            obsolete: &["command"],
            ..addition(&entry, "servers")
        };
        let text =
            r#"{"servers": {"mce": {"url": "https://old", "headers": {"X-Proxy": "mine"}}}}"#;
        let once = add(text, &addition).unwrap();
        let read: Value = serde_json::from_str(&once).unwrap();
        let headers = &read["servers"]["mce"]["headers"];
        assert_eq!(
            *headers,
            json!({"X-Proxy": "mine", "Authorization": "Bearer x"})
        );
        let text = "[servers.mce]\nurl = \"https://old\"\nheaders = {X-Proxy = \"mine\"}\n";
        let once = super::super::toml::add(text, &addition).unwrap();
        assert!(once.contains("X-Proxy = \"mine\""), "{once}");
        assert!(once.contains("Authorization = \"Bearer x\""), "{once}");
    }

    #[test]
    fn what_is_of_another_shape_is_refused() {
        let entry = entry();
        for text in [
            "[]",
            "{\"servers\": []}",
            "{\"servers\": {\"mce\": 1}}",
            "{\"servers\": {}",
            "{a: 1}",
            "nonsense",
        ] {
            assert!(add(text, &addition(&entry, "servers")).is_err(), "{text}");
        }
        let deep = "[".repeat(100_000);
        let error = add(&deep, &addition(&entry, "servers")).unwrap_err();
        assert!(matches!(error, Error::Depth), "{error}");
    }

    /// The file of a client on Windows.
    #[test]
    fn a_mark_and_ends_of_lines_stay() {
        let entry = entry();
        let text = format!("\u{feff}{}", JSON.replace('\n', "\r\n"));
        let once = add(&text, &addition(&entry, "mcpServers")).unwrap();
        assert!(
            once.starts_with("\u{feff}{\r\n  // My servers.\r\n"),
            "{once:?}"
        );
        assert!(once.contains("\"command\": \"/bin/mce\""), "{once:?}");
        assert_eq!(
            once.matches('\n').count(),
            once.matches("\r\n").count(),
            "{once:?}"
        );
        assert_eq!(add(&once, &addition(&entry, "mcpServers")).unwrap(), once);
        let fresh = add("{\r\n}\r\n", &addition(&entry, "mcpServers")).unwrap();
        assert_eq!(
            fresh.matches('\n').count(),
            fresh.matches("\r\n").count(),
            "{fresh:?}"
        );
    }

    /// What was merged into the first of them was lost on the client, which took the second.
    #[test]
    fn a_key_that_stands_twice_refuses_the_file_and_nothing_of_it_is_repeated() {
        let entry = entry();
        for (text, place) in [
            ("{\"servers\": {},\n \"servers\": {}}", "line 2, column 2"),
            (
                r#"{"servers": {"mce": {"env": {"canary": 1, "canary": 2}}}}"#,
                "line 1, column 43",
            ),
            (
                r#"{"other": [{"canary": 1, "c\u0061nary": 1}]}"#,
                "line 1, column 26",
            ),
        ] {
            let error = add(text, &addition(&entry, "servers"))
                .unwrap_err()
                .to_string();
            assert!(error.contains("has a key twice in one object"), "{error}");
            assert!(error.contains(place), "{error}");
            assert!(!error.contains("canary"), "{error}");
        }
        for text in [
            r#"{"env": {"TOKEN": "canary\ud800"}}"#,
            r#"{"env": canary}"#,
            r#"{"canary""#,
        ] {
            let error = add(text, &addition(&entry, "servers"))
                .unwrap_err()
                .to_string();
            assert!(
                error.contains("it is no JSON") && error.contains("line 1, column"),
                "{error}"
            );
            assert!(
                !error.contains("canary") && !error.contains("d800"),
                "{error}"
            );
        }
    }
}
