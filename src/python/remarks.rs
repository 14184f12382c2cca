//! Short remarks on a value: what its schema says beyond the type.

use std::fmt::Write as _;

use indexmap::IndexMap;
use serde_json::Value;

use super::text::{json_start, one_line};
use crate::api::schema::keyword;

type Schemas = IndexMap<String, Value>;

/// Longer ones say more about a regular expression than about a value.
const LONGEST_PATTERN: usize = 60;
const LONGEST_DEFAULT: usize = 80;
/// Values of a discriminator that are listed.
const MOST_MAPPED: usize = 12;
/// Formats that the Python type says already, or that no caller can act on.
const PLAIN_FORMATS: &[&str] = &[
    "binary", "byte", "decimal", "double", "enum", "float", "int32", "int64", "integer", "number",
    "object", "password", "string", "text",
];

/// Which formats are worth a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// All that the type does not say.
    Any,
    /// Those of dates and times, which a name seldom tells.
    OfTimes,
}

/// Format, bounds, pattern and default of a value, as far as `said` does not tell them.
pub(super) fn limits(schema: &Value, types: &Schemas, said: &str, formats: Format) -> String {
    let find = |word: &str| keyword(schema, word, types);
    let mut remarks: Vec<String> = Vec::new();
    if let Some(format) = find("format").and_then(Value::as_str)
        && !PLAIN_FORMATS
            .iter()
            .any(|plain| format.eq_ignore_ascii_case(plain))
        && (formats == Format::Any || matches!(format, "date" | "date-time" | "time"))
        && !tells_format(said, format)
    {
        remarks.push(format!("Format `{}`.", one_line(format, 40)));
    }
    let text = |word: &str| {
        let value = find(word)?.to_string();
        (value.len() <= 20).then_some(value)
    };
    for (lowest, highest, unit) in [
        ("minimum", "maximum", ""),
        ("minLength", "maxLength", " characters"),
        ("minItems", "maxItems", " items"),
    ] {
        // At least nothing says nothing.
        let lowest = text(lowest).filter(|it| unit.is_empty() || it != "0");
        let highest = text(highest).filter(|it| it.len() <= 9);
        let known = |bound: &Option<String>| bound.as_ref().is_none_or(|it| tells(said, it));
        if known(&lowest) && known(&highest) {
            continue;
        }
        remarks.push(match (lowest, highest) {
            (Some(low), Some(high)) if low == high => format!("Exactly {low}{unit}."),
            (Some(low), Some(high)) => format!("{low} to {high}{unit}."),
            (Some(low), None) => format!("At least {low}{unit}."),
            (None, Some(high)) => format!("At most {high}{unit}."),
            (None, None) => continue,
        });
    }
    for (bound, words) in [
        ("exclusiveMinimum", "More than"),
        ("exclusiveMaximum", "Less than"),
    ] {
        if let Some(value) = text(bound) {
            remarks.push(format!("{words} {value}."));
        }
    }
    if let Some(pattern) = find("pattern").and_then(Value::as_str)
        && pattern.chars().nth(LONGEST_PATTERN).is_none()
        && !tells(said, pattern)
    {
        remarks.push(format!("Pattern `{}`.", one_line(pattern, LONGEST_PATTERN)));
    }
    if let Some(default) = find("default").filter(|default| !default.is_null()) {
        let default = one_line(&json_start(default, LONGEST_DEFAULT), LONGEST_DEFAULT);
        let bare = default.trim_matches('"');
        if !(said.to_ascii_lowercase().contains("default") && said.contains(bare)) {
            remarks.push(format!("The API's default is `{default}`."));
        }
    }
    remarks.join(" ")
}

/// Whether a text says how something is written.
fn tells_format(said: &str, format: &str) -> bool {
    let said = said.to_ascii_lowercase();
    let is_link = matches!(format, "uri" | "url") && (tells(&said, "url") || tells(&said, "uri"));
    is_link || said.contains("format") || said.contains("iso 8601") || tells(&said, format)
}

/// Whether a text holds a word.
fn tells(said: &str, word: &str) -> bool {
    if word.len() > said.len() {
        return false;
    }
    let is_part = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    said.match_indices(word).any(|(place, _)| {
        let (before, from) = said.split_at(place);
        let after = from.get(word.len()..).unwrap_or_default();
        !is_part(before.chars().next_back()) && !is_part(after.chars().next())
    })
}

/// Which key tells the alternatives of a value, or of its items, apart and what stands for which.
pub(super) fn discriminator(schema: &Value, types: &Schemas) -> Option<String> {
    let of = |schema| keyword(schema, "discriminator", types);
    let discriminator = of(schema).or_else(|| of(keyword(schema, "items", types)?))?;
    let property = discriminator.get("propertyName")?.as_str()?;
    let mut text = format!("`{}` tells which it is", one_line(property, 60));
    let mapping = discriminator.get("mapping").and_then(Value::as_object);
    let mapped: Vec<String> = mapping
        .into_iter()
        .flatten()
        .take(MOST_MAPPED)
        .map(|(value, target)| {
            let value = one_line(value, 60);
            let target = target.as_str().and_then(|it| it.strip_prefix("#/types/"));
            match target.filter(|name| types.contains_key(*name) && *name != value) {
                Some(name) => format!("`{value}` for {name}"),
                None => format!("`{value}`"),
            }
        })
        .collect();
    if !mapped.is_empty() {
        let _ = write!(text, ": {}", mapped.join(", "));
        if mapping.is_some_and(|mapping| mapping.len() > MOST_MAPPED) {
            text.push_str(", …");
        }
    }
    text.push('.');
    Some(text)
}

/// One sentence after another.
pub(super) fn joined(said: &str, further: &str) -> String {
    match (said.is_empty(), further.is_empty()) {
        (_, true) => said.to_owned(),
        (true, false) => further.to_owned(),
        (false, false) => {
            let ends = said.ends_with(['.', '!', '?', ':', ';', '…']);
            format!("{said}{}{further}", if ends { " " } else { ". " })
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_said_is_not_said_again() {
        let types = Schemas::new();
        let of = |schema: Value, said: &str| limits(&schema, &types, said, Format::Any);
        let page = json!({"type": "integer", "minimum": 1, "maximum": 100, "default": 30});
        assert_eq!(of(page.clone(), ""), "1 to 100. The API's default is `30`.");
        assert_eq!(of(page.clone(), "Rows (1-100), by default 30"), "");
        assert_eq!(
            of(page, "One of 1000 pages"),
            "1 to 100. The API's default is `30`."
        );
        assert_eq!(
            of(
                json!({"format": "date-time", "minLength": 0, "pattern": "^a"}),
                ""
            ),
            "Format `date-time`. Pattern `^a`."
        );
        assert_eq!(of(json!({"format": "int64"}), ""), "");
        assert_eq!(of(json!({"format": "uri"}), "The URL"), "");
        assert_eq!(
            limits(&json!({"format": "uri"}), &types, "", Format::OfTimes),
            ""
        );
        assert_eq!(
            of(
                json!({"exclusiveMinimum": 0, "maxLength": 2_147_483_647_u64}),
                ""
            ),
            "More than 0."
        );
    }

    #[test]
    fn discriminators_name_the_key_and_what_it_may_be() {
        let types = Schemas::from([
            ("Cat".to_owned(), json!({"type": "object"})),
            (
                "Any1".to_owned(),
                json!({"discriminator": {"propertyName": "kind"}}),
            ),
        ]);
        let schema = json!({"discriminator": {"propertyName": "kind", "mapping": {
            "cat": "#/types/Cat", "dog": "dog.json", "Cat": "#/types/Cat"}}});
        assert_eq!(
            discriminator(&schema, &types).as_deref(),
            Some("`kind` tells which it is: `cat` for Cat, `dog`, `Cat`.")
        );
        let reference = json!({"$ref": "#/types/Any1"});
        assert_eq!(
            discriminator(&reference, &types).as_deref(),
            Some("`kind` tells which it is.")
        );
    }
}
