//! Parameters: their type stands beside `in`, and `collectionFormat` is what style and explode are.

use serde_json::{Map, Value, json};

/// The member of a raised parameter that has the style of the lists within its list.
pub(in crate::openapi) const ITEMS_STYLES: &str = "itemsStyles";
/// Levels of lists within lists whose delimiters count. With four delimiters no deeper ones can be
/// told apart anyway.
const DEEPEST_LISTS: usize = 8;
/// Members of a parameter that say nothing about its value.
const NOT_OF_THE_VALUE: &[&str] = &[
    "name",
    "in",
    "required",
    "description",
    "collectionFormat",
    "allowEmptyValue",
    "schema",
    "content",
    "style",
    "explode",
    "allowReserved",
    "example",
    "examples",
];

/// A parameter in query, header or path as OpenAPI 3 writes it; else why it cannot be sent.
pub(in crate::openapi) fn parameter(
    members: &Map<String, Value>,
) -> Result<Map<String, Value>, String> {
    let schema = value_schema(members);
    if schema.get("type").and_then(Value::as_str) == Some("file") {
        return Err("a file is sent in forms only".to_owned());
    }
    let mut raised = Map::new();
    for key in ["name", "in", "required", "description", "allowEmptyValue"] {
        if let Some(value) = members.get(key) {
            raised.insert(key.to_owned(), value.clone());
        }
    }
    if is_list(&schema) {
        let in_query = members.get("in").and_then(Value::as_str) == Some("query");
        let (style, explode) = spelling(members, in_query)?;
        raised.insert("style".to_owned(), Value::from(style));
        raised.insert("explode".to_owned(), Value::Bool(explode));
        let mut styles = Vec::new();
        let mut within = inner_list(&schema);
        while let Some(items) = within {
            let (style, explode) = spelling(items, true)?;
            if explode {
                return Err("`collectionFormat: multi` is not for lists within lists".to_owned());
            }
            styles.push(Value::from(style));
            within = inner_list_of(items).filter(|_| styles.len() < DEEPEST_LISTS);
        }
        raised.insert(ITEMS_STYLES.to_owned(), Value::Array(styles));
    }
    raised.insert("schema".to_owned(), schema);
    Ok(raised)
}

/// The schema that the members of a parameter make, `schema` itself where somebody wrote one.
pub(in crate::openapi) fn value_schema(members: &Map<String, Value>) -> Value {
    if !members.contains_key("type")
        && let Some(schema @ Value::Object(_)) = members.get("schema")
    {
        return schema.clone();
    }
    let of_the_value = members
        .iter()
        .filter(|(key, _)| !NOT_OF_THE_VALUE.contains(&key.as_str()));
    Value::Object(
        of_the_value
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
    )
}

/// The `encoding` of a form field; none where the field is no list.
pub(super) fn encoding(members: &Map<String, Value>) -> Result<Option<Value>, String> {
    if !is_list(&value_schema(members)) {
        return Ok(None);
    }
    let (style, explode) = spelling(members, true)?;
    Ok(Some(json!({"style": style, "explode": explode})))
}

/// Whether a list holds lists.
pub(super) fn has_lists_in_list(schema: &Value) -> bool {
    is_list(schema) && inner_list(schema).is_some()
}

/// The items of a list, where they are lists.
fn inner_list(schema: &Value) -> Option<&Map<String, Value>> {
    inner_list_of(schema.as_object()?)
}

fn inner_list_of(list: &Map<String, Value>) -> Option<&Map<String, Value>> {
    let items = list.get("items").filter(|items| is_list(items))?;
    items.as_object()
}

fn is_list(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("array")
}

/// Style and explode of a list (Swagger 2.0, `collectionFormat` of the Parameter Object).
fn spelling(members: &Map<String, Value>, is_pair: bool) -> Result<(&'static str, bool), String> {
    let format = match members.get("collectionFormat") {
        None | Some(Value::Null) => "csv",
        Some(value) => value.as_str().unwrap_or_default(),
    };
    match format {
        "csv" if is_pair => Ok(("form", false)),
        "csv" => Ok(("simple", false)),
        "ssv" => Ok(("spaceDelimited", false)),
        "tsv" => Ok(("tabDelimited", false)),
        "pipes" => Ok(("pipeDelimited", false)),
        "multi" if is_pair => Ok(("form", true)),
        "multi" => Err("`collectionFormat: multi` is for query and forms only".to_owned()),
        _ => Err("its `collectionFormat` is unknown".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raised(parameter: &Value) -> Result<Value, String> {
        super::parameter(parameter.as_object().unwrap()).map(Value::Object)
    }

    #[test]
    fn every_collection_format_has_its_style() {
        for (place, format, style, explode) in [
            ("query", "csv", "form", false),
            ("query", "ssv", "spaceDelimited", false),
            ("query", "tsv", "tabDelimited", false),
            ("query", "pipes", "pipeDelimited", false),
            ("query", "multi", "form", true),
            ("path", "csv", "simple", false),
            ("path", "pipes", "pipeDelimited", false),
            ("header", "ssv", "spaceDelimited", false),
        ] {
            let declared = json!({"name": "a", "in": place, "type": "array",
                "items": {"type": "string"}, "collectionFormat": format});
            let raised = raised(&declared).unwrap();
            assert_eq!(raised["style"], style, "{place} {format}");
            assert_eq!(raised["explode"], explode, "{place} {format}");
        }
        for (place, format) in [("path", "multi"), ("header", "multi"), ("query", "json")] {
            let declared = json!({"name": "a", "in": place, "type": "array",
                "collectionFormat": format});
            assert!(raised(&declared).is_err(), "{place} {format}");
        }
    }

    #[test]
    fn what_describes_the_value_becomes_its_schema() {
        let declared = json!({"name": "n", "in": "query", "required": true, "description": "d",
            "type": "integer", "maximum": 9, "default": 3, "x-nullable": true,
            "collectionFormat": "json"});
        assert_eq!(
            raised(&declared).unwrap(),
            json!({"name": "n", "in": "query", "required": true, "description": "d",
                "schema": {"type": "integer", "maximum": 9, "default": 3, "x-nullable": true}})
        );
    }
}
