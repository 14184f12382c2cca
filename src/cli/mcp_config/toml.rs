//! A server's entry in a TOML file.

use serde_json::Value;
use toml_edit::{DocumentMut, Item, Table, TableLike, TomlError};

use super::document::{Addition, Error, Place, without_mark};

/// The text of a TOML file with the entry in it.
pub(super) fn add(text: &str, addition: &Addition<'_>) -> Result<String, Error> {
    let (mark, text) = without_mark(text);
    let mut document = text.parse().map_err(|error: TomlError| {
        let start = error.span().map_or(0, |span| span.start);
        Error::Toml(Place::of(text, start))
    })?;
    put(&mut document, addition)?;
    Ok(format!("{mark}{}", ended_like(text, &document.to_string())))
}

/// Lines that end as those of `before` do; the library writes a line feed alone.
fn ended_like(before: &str, after: &str) -> String {
    if after == before.replace("\r\n", "\n") {
        return before.to_owned();
    }
    let all = before.matches('\n').count();
    if before.matches("\r\n").count() * 2 > all {
        after.replace('\n', "\r\n")
    } else {
        after.to_owned()
    }
}

fn put(document: &mut DocumentMut, addition: &Addition<'_>) -> Result<(), Error> {
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
    Ok(())
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
    use super::super::document::tests::{addition, entry};
    use super::*;

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
        let once = add(text, &addition(&entry, "mcp_servers")).unwrap();
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
        let twice = add(&once, &addition(&entry, "mcp_servers")).unwrap();
        assert_eq!(once, twice);
        let fresh = add("", &addition(&entry, "mcp_servers")).unwrap();
        assert!(fresh.starts_with("[mcp_servers.mce]\n"), "{fresh}");
    }

    /// Both were lost, so that all of the file was changed.
    #[test]
    fn a_mark_and_ends_of_lines_stay() {
        let entry = entry();
        let text = "\u{feff}# Mine.\r\nmodel = \"best\"\r\n";
        let once = add(text, &addition(&entry, "mcp_servers")).unwrap();
        assert!(once.starts_with(text), "{once:?}");
        assert!(once.contains("[mcp_servers.mce]\r\n"), "{once:?}");
        assert_eq!(
            once.matches('\n').count(),
            once.matches("\r\n").count(),
            "{once:?}"
        );
        assert_eq!(add(&once, &addition(&entry, "mcp_servers")).unwrap(), once);
        // Where they are mixed, what is as it should be is not touched.
        let mixed = once.replacen("\r\n", "\n", 2);
        assert_eq!(
            add(&mixed, &addition(&entry, "mcp_servers")).unwrap(),
            mixed
        );
    }

    /// The error showed the line, whatever stood in it.
    #[test]
    fn nothing_of_a_file_that_is_no_toml_is_repeated() {
        let entry = entry();
        for (text, place) in [
            ("a = 1\ntoken = canary\n", "line 2, column 9"),
            ("canary = 1\ncanary = 2\n", "line 2, column 1"),
            ("\u{feff}token = \"canary", "line 1, column 16"),
        ] {
            let error = add(text, &addition(&entry, "mcp_servers")).unwrap_err();
            assert_eq!(error.to_string(), format!("it is no TOML: see {place}"));
        }
    }

    #[test]
    fn what_is_of_another_shape_is_refused() {
        let entry = entry();
        for text in ["mcp_servers = 1", "[mcp_servers]\nmce = 1", "a = "] {
            assert!(
                add(text, &addition(&entry, "mcp_servers")).is_err(),
                "{text}"
            );
        }
    }
}
