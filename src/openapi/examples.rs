//! Examples that stand beside schemas, in parameters and media types.

use serde_json::{Map, Value, json};

use super::document::Document;
use super::schema::is_example;

/// The schema of a parameter or of a body, with the example that stands beside it as the first of
/// its own (OpenAPI 3.1, sections 4.8.12 and 4.8.14).
pub(super) fn with_example(
    document: &Document,
    schema: Value,
    holder: Option<&Map<String, Value>>,
) -> Value {
    let Value::Object(mut members) = schema else {
        return schema;
    };
    if let Some(example) = holder.and_then(|holder| example(document, holder)) {
        members.insert("examples".to_owned(), json!([example]));
    }
    Value::Object(members)
}

/// `example`, the first of `examples` that holds a value, or what Swagger tools call `x-example`.
fn example(document: &Document, holder: &Map<String, Value>) -> Option<Value> {
    let single = holder.get("example").or_else(|| holder.get("x-example"));
    if let Some(value) = single {
        return is_example(value).then(|| value.clone());
    }
    let several = holder.get("examples")?.as_object()?;
    several.values().find_map(|example| {
        let value = document.resolve(example).ok()?.get("value")?;
        is_example(value).then(|| value.clone())
    })
}
