//! A server's entry in a file that people and clients write as well: all else in it stays as it is,
//! comments and layout too.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstObjectProp, CstRootNode};
use serde_json::{Map, Value};
use toml_edit::{DocumentMut, Item, Table, TableLike};

/// Why an entry cannot be put into a file.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("it is no JSON, not even with comments: {0}")]
    Json(#[from] jsonc_parser::errors::ParseError),
    #[error("it is no TOML: {0}")]
    Toml(#[from] toml_edit::TomlError),
    #[error("expected {expected} at `{place}`, found something else")]
    Shape {
        place: String,
        expected: &'static str,
    },
    #[error("it is nested deeper than {DEEPEST} levels")]
    Depth,
}

/// Levels of a file. Its parser goes as deep as the file does.
const DEEPEST: usize = 200;

/// What is put where.
pub(super) struct Addition<'a> {
    /// The member that holds servers.
    pub(super) servers: &'a str,
    /// The server's name.
    pub(super) name: &'a str,
    /// Its members.
    pub(super) members: &'a Map<String, Value>,
    /// Those of them that are merged member by member, such as variables and headers: what people added
    /// or filled in there stays.
    pub(super) merged: &'a [&'a str],
    /// Members that must not be there.
    pub(super) obsolete: &'a [&'a str],
    /// An item of the list `inputs`, known by its `id`.
    pub(super) input: Option<&'a Value>,
}

/// The text of a JSON file, which may have comments and trailing commas, with the entry in it.
pub(super) fn add_to_json(text: &str, addition: &Addition<'_>) -> Result<String, Error> {
    if deepest(text) > DEEPEST {
        return Err(Error::Depth);
    }
    let (mark, text) = match text.strip_prefix('\u{feff}') {
        Some(rest) => ("\u{feff}", rest),
        None => ("", text),
    };
    let root = CstRootNode::parse(text, &options())?;
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

/// The text of a TOML file with the entry in it.
pub(super) fn add_to_toml(text: &str, addition: &Addition<'_>) -> Result<String, Error> {
    let mut document: DocumentMut = text.parse()?;
    let shape = |place: String| Error::Shape {
        place,
        expected: "a table",
    };
    let servers = document
        .entry(addition.servers)
        .or_insert_with(|| {
            let mut table = Table::new();
            // No header of its own: those of its entries name it.
            table.set_implicit(true);
            Item::Table(table)
        })
        .as_table_like_mut()
        .ok_or_else(|| shape(addition.servers.to_owned()))?;
    let entry = servers
        .entry(addition.name)
        .or_insert_with(|| Item::Table(Table::new()))
        .as_table_like_mut()
        .ok_or_else(|| shape(format!("{}.{}", addition.servers, addition.name)))?;
    for name in addition.obsolete {
        entry.remove(name);
    }
    for (name, value) in addition.members {
        match (value, addition.merged.contains(&name.as_str())) {
            (Value::Object(wanted), true) => {
                let known = entry
                    .entry(name)
                    .or_insert_with(|| Item::Table(Table::new()))
                    .as_table_like_mut()
                    .ok_or_else(|| shape(name.clone()))?;
                for (name, value) in wanted {
                    if value != "" || !known.contains_key(name) {
                        set(known, name, value);
                    }
                }
            }
            (value, _) => set(entry, name, value),
        }
    }
    Ok(document.to_string())
}

/// Sets a member, and leaves one that is so already with its comments.
fn set(table: &mut dyn TableLike, name: &str, value: &Value) {
    let Some(wanted) = toml_value(value) else {
        return;
    };
    let known = table.get(name).and_then(Item::as_value);
    let plain = |value: &toml_edit::Value| {
        let mut value = value.clone();
        value.decor_mut().clear();
        value.to_string()
    };
    if known.is_some_and(|known| plain(known) == plain(&wanted)) {
        return;
    }
    table.insert(name, Item::Value(wanted));
}

/// What TOML has no value for is left out.
fn toml_value(value: &Value) -> Option<toml_edit::Value> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => number.as_i64()?.into(),
        Value::String(text) => text.as_str().into(),
        Value::Array(items) => {
            let items: toml_edit::Array = items.iter().filter_map(toml_value).collect();
            items.into()
        }
        Value::Object(members) => {
            let mut table = toml_edit::InlineTable::new();
            for (name, value) in members {
                table.insert(name, toml_value(value)?);
            }
            table.into()
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn members(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(members) => members,
            other => panic!("an object, not {other}"),
        }
    }

    fn addition<'a>(members: &'a Map<String, Value>, servers: &'a str) -> Addition<'a> {
        Addition {
            servers,
            name: "mce",
            members,
            merged: &["env", "headers"],
            obsolete: &["url", "headers"],
            input: None,
        }
    }

    fn entry() -> Map<String, Value> {
        members(json!({
            "command": "/bin/mce",
            "args": ["serve"],
            "env": {"TOKEN": "", "MCE_SANDBOX_MEMORY": "512m"}
        }))
    }

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
        let once = add_to_json(JSON, &addition(&entry, "mcpServers")).unwrap();
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
        let twice = add_to_json(&once, &addition(&entry, "mcpServers")).unwrap();
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
            let written = add_to_json(text, &addition(&entry, "servers")).unwrap();
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
        let once = add_to_json("{\"inputs\": [{\"id\": \"mine\"}]}", &addition).unwrap();
        let twice = add_to_json(&once, &addition).unwrap();
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
        let once = add_to_json(text, &addition).unwrap();
        let read: Value = serde_json::from_str(&once).unwrap();
        let headers = &read["servers"]["mce"]["headers"];
        assert_eq!(
            *headers,
            json!({"X-Proxy": "mine", "Authorization": "Bearer x"})
        );
        let text = "[servers.mce]\nurl = \"https://old\"\nheaders = {X-Proxy = \"mine\"}\n";
        let once = add_to_toml(text, &addition).unwrap();
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
            assert!(
                add_to_json(text, &addition(&entry, "servers")).is_err(),
                "{text}"
            );
        }
        let deep = "[".repeat(100_000);
        let error = add_to_json(&deep, &addition(&entry, "servers")).unwrap_err();
        assert!(matches!(error, Error::Depth), "{error}");
        for text in ["mcp_servers = 1", "[mcp_servers]\nmce = 1", "a = "] {
            assert!(
                add_to_toml(text, &addition(&entry, "mcp_servers")).is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn toml_keeps_comments_and_what_was_filled_in() {
        let entry = entry();
        let text = "\
# My settings.
model = \"best\"

[mcp_servers.other]
command = \"other\" # Stays.

[mcp_servers.mce]
command = \"/old/mce\"
url = \"https://old.example\"
startup_timeout_sec = 20

[mcp_servers.mce.env]
TOKEN = \"filled in\"
";
        let once = add_to_toml(text, &addition(&entry, "mcp_servers")).unwrap();
        let expected = "\
# My settings.
model = \"best\"

[mcp_servers.other]
command = \"other\" # Stays.

[mcp_servers.mce]
command = \"/bin/mce\"
startup_timeout_sec = 20
args = [\"serve\"]

[mcp_servers.mce.env]
TOKEN = \"filled in\"
MCE_SANDBOX_MEMORY = \"512m\"
";
        assert_eq!(once, expected);
        let twice = add_to_toml(&once, &addition(&entry, "mcp_servers")).unwrap();
        assert_eq!(once, twice);
        let fresh = add_to_toml("", &addition(&entry, "mcp_servers")).unwrap();
        assert!(fresh.starts_with("[mcp_servers.mce]\n"), "{fresh}");
    }
}
