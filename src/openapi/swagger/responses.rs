//! Responses: the media types that the operation `produces`, and a schema for the one that is used.

use serde_json::{Map, Value, json};

use super::body::media_types;
use crate::openapi::content::preferred;
use crate::openapi::document::{Document, cost_of_text, text};

/// The responses of an operation as OpenAPI 3 writes them; else why it cannot be called.
pub(in crate::openapi) fn responses(
    document: &Document,
    operation: &Map<String, Value>,
    warn: &mut dyn FnMut(String),
) -> Result<Option<Value>, String> {
    let Some(declared) = operation.get("responses").and_then(Value::as_object) else {
        return Ok(None);
    };
    let produces = media_types(document, operation, "produces", warn);
    let repeated = produces.iter().map(|name| cost_of_text(name)).sum();
    let mut raised = Map::new();
    for (status, value) in declared {
        let value = document.resolve(value).map_err(|error| error.to_string())?;
        let value = match value.as_object() {
            Some(members) => {
                let charged = document.charge(repeated);
                charged.map_err(|error| error.to_string())?;
                response(members, &produces)
            }
            None => value.clone(),
        };
        raised.insert(status.clone(), value);
    }
    Ok(Some(Value::Object(raised)))
}

fn response(members: &Map<String, Value>, produces: &[String]) -> Value {
    let mut content = Map::new();
    // Some 2.0 documents already say it in the way of 3.0.
    if let Some(Value::Object(written)) = members.get("content") {
        content.clone_from(written);
    } else if let Some(schema) = members.get("schema") {
        let is_file = schema.get("type").and_then(Value::as_str) == Some("file");
        let default = if is_file {
            "application/octet-stream"
        } else {
            "application/json"
        };
        for media_type in produces {
            content.insert(media_type.clone(), json!({}));
        }
        // Only one of them is ever read; copies for the others would be as many as are listed.
        let used = preferred(produces.iter().map(String::as_str)).unwrap_or(default);
        let mut media = json!({"schema": schema});
        let examples = members.get("examples").and_then(|all| all.get(used));
        if let (Some(example), Some(media)) = (examples, media.as_object_mut()) {
            media.insert("example".to_owned(), example.clone());
        }
        content.insert(used.to_owned(), media);
    }
    let mut raised = json!({"description": text(members, "description"), "content": content});
    if let (Some(headers), Some(raised)) = (members.get("headers"), raised.as_object_mut()) {
        raised.insert("headers".to_owned(), headers.clone());
    }
    raised
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::Position;

    #[test]
    fn a_schema_is_that_of_the_media_type_that_is_used() {
        let root = json!({"swagger": "2.0", "produces": ["application/xml"], "responses": {
            "Gone": {"description": "gone", "schema": {"type": "string"}}}});
        let document = Document::new(root, Position::default).unwrap();
        let operation = |operation: Value| {
            let members = operation.as_object().unwrap().clone();
            let read = responses(&document, &members, &mut |_| {});
            read.unwrap().unwrap()
        };
        assert_eq!(
            operation(json!({"responses": {
                "204": {"description": "none"},
                "410": {"$ref": "#/responses/Gone"},
            }})),
            json!({
                "204": {"description": "none", "content": {}},
                "410": {"description": "gone",
                    "content": {"application/xml": {"schema": {"type": "string"}}}},
            })
        );
        assert_eq!(
            operation(
                json!({"produces": ["text/csv", "application/json", "text/csv"],
                "responses": {"200": {"description": "", "schema": {"type": "object"}}}})
            ),
            json!({"200": {"description": "", "content": {
                "text/csv": {}, "application/json": {"schema": {"type": "object"}}}}})
        );
        let media_types = |operation: &Value| {
            let content = operation["200"]["content"].as_object().unwrap();
            content.keys().cloned().collect::<Vec<_>>().join(" ")
        };
        let produces = |produces: Value, schema: Value| {
            media_types(&operation(
                json!({"produces": produces, "responses": {"200": {"schema": schema}}}),
            ))
        };
        assert_eq!(produces(json!([]), json!({})), "application/json");
        assert_eq!(
            produces(json!([]), json!({"type": "file"})),
            "application/octet-stream"
        );
        assert_eq!(
            produces(json!(["image/png", "Header:"]), json!({"type": "file"})),
            "image/png"
        );
    }
}
