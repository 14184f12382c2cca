//! What of a manifest is searched.

use indexmap::IndexMap;
use serde_json::Value;

use crate::api::{Body, Function, Parameter};
use crate::search::{Document, Named};

/// How deep fields of a body are looked for.
const MAX_DEPTH: usize = 2;
/// How many references and alternatives are followed to one level of fields.
const MAX_STEPS: usize = 8;
/// Further fields of a body are not searched.
const MAX_FIELDS: usize = 400;
/// Schemas of one body beyond these are not looked at: `anyOf` within `anyOf` has no end of them.
const MAX_SCHEMAS: usize = 4_000;

/// Values of one parameter or field beyond these are not searched.
const MAX_VALUES: usize = 100;
/// How deep in a schema its values are looked for: those of the items of a list of alternatives.
const MAX_VALUE_DEPTH: usize = 4;

/// A function as the search sees it. `description` is what `functions.py` says beyond the summary,
/// by [`descriptions`](super::descriptions); the manifest does not have it.
///
/// Of the manifest it takes `server`, `title` and `types`; of a function `name`, `operation_id`,
/// `method`, `path`, `tags` and `summary`, of each of its `parameters` the `wire_name`, `description`
/// and the values that `schema` lists, and of the schemas of `body` and its `alternatives` the names,
/// descriptions and listed values of the properties, those of `types` included.
#[must_use]
pub fn search_document(
    server: &str,
    title: &str,
    types: &IndexMap<String, Value>,
    function: &Function,
    description: &str,
) -> Document {
    let mut fields = Fields::new(types);
    if let Some(body) = &function.body {
        fields.add_body(body);
    }
    Document {
        server: server.to_owned(),
        title: title.to_owned(),
        function: function.name.clone(),
        operation_id: function.operation_id.clone().unwrap_or_default(),
        method: function.method.clone(),
        path: function.path.clone(),
        tags: function.tags.clone(),
        summary: function.summary.clone(),
        description: description.to_owned(),
        parameters: function.parameters.iter().map(parameter).collect(),
        body_fields: fields
            .found
            .into_iter()
            .map(|(name, it)| field(name, it))
            .collect(),
    }
}

fn parameter(parameter: &Parameter) -> Named {
    Named {
        name: parameter.wire_name.clone(),
        description: parameter.description.clone(),
        values: values(&parameter.schema),
    }
}

fn field(name: &str, schema: &Value) -> Named {
    let description = schema.get("description").and_then(Value::as_str);
    Named {
        name: name.to_owned(),
        description: description.unwrap_or_default().to_owned(),
        values: values(schema),
    }
}

/// The texts that a schema, its items or alternatives list as values.
fn values(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    add_values(schema, MAX_VALUE_DEPTH, &mut found);
    found
}

fn add_values(schema: &Value, depth: usize, found: &mut Vec<String>) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    let listed = schema.get("enum").and_then(Value::as_array);
    for value in listed.into_iter().flatten().filter_map(Value::as_str) {
        if found.len() < MAX_VALUES {
            found.push(value.to_owned());
        }
    }
    if let Some(items) = schema.get("items") {
        add_values(items, depth, found);
    }
    for key in ["allOf", "oneOf", "anyOf"] {
        let parts = schema.get(key).and_then(Value::as_array);
        for part in parts.into_iter().flatten().take(MAX_VALUES) {
            add_values(part, depth, found);
        }
    }
}

/// The fields of a body, each once.
struct Fields<'a> {
    types: &'a IndexMap<String, Value>,
    found: IndexMap<&'a str, &'a Value>,
    schemas: usize,
}

impl<'a> Fields<'a> {
    fn new(types: &'a IndexMap<String, Value>) -> Self {
        Self {
            types,
            found: IndexMap::new(),
            schemas: 0,
        }
    }

    fn add_body(&mut self, body: &'a Body) {
        self.add(&body.schema, MAX_DEPTH, MAX_STEPS);
        for alternative in &body.alternatives {
            self.add(&alternative.schema, MAX_DEPTH, MAX_STEPS);
        }
    }

    /// Adds the properties of a schema, and theirs down to `depth`, through at most `steps` references,
    /// alternatives and lists each.
    fn add(&mut self, schema: &'a Value, depth: usize, steps: usize) {
        self.schemas += 1;
        let is_enough = self.found.len() >= MAX_FIELDS || self.schemas > MAX_SCHEMAS;
        let Some(steps) = steps.checked_sub(1).filter(|_| !is_enough) else {
            return;
        };
        let reference = schema.get("$ref").and_then(Value::as_str);
        let referred = reference.and_then(|it| self.types.get(it.strip_prefix("#/types/")?));
        if let Some(referred) = referred {
            self.add(referred, depth, steps);
        }
        for key in ["allOf", "oneOf", "anyOf"] {
            let parts = schema.get(key).and_then(Value::as_array);
            for part in parts.into_iter().flatten() {
                self.add(part, depth, steps);
            }
        }
        if let Some(items) = schema.get("items") {
            self.add(items, depth, steps);
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            self.found.entry(name).or_insert(property);
            if depth > 1 {
                self.add(property, depth - 1, MAX_STEPS);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn function(body: &Value, schema: &Value) -> Function {
        let text = json!({
            "name": "create_pet", "operation_id": "createPet", "method": "POST", "path": "/pets",
            "tags": ["pets"], "summary": "Create a pet", "deprecated": false,
            "parameters": [{
                "name": "dry_run", "wire_name": "dryRun", "in": "query", "required": false,
                "type": "str", "style": "form", "explode": true, "allow_reserved": false,
                "content_type": null, "nullable": false, "default": null, "enum": null,
                "description": "Try only.", "schema": schema,
            }],
            "body": {
                "name": "body", "content_type": "application/json", "required": true, "type": "Pet",
                "alternatives": [], "encoding": {}, "schema": body,
            },
            "returns": "None", "responses": [], "security": [], "pagination": null,
        });
        serde_json::from_value(text).expect("a function of a manifest")
    }

    #[test]
    fn parameters_fields_and_values_are_searched() {
        let types = IndexMap::from([(
            "Pet".to_owned(),
            json!({"properties": {
                "kind": {"description": "What it is.", "enum": ["cat", "dog"]},
                "owner": {"properties": {"email": {}}},
            }}),
        )]);
        let items = json!({"type": "array", "items": {"enum": ["all", "some", 3]}});
        let function = function(&json!({"$ref": "#/types/Pet"}), &items);
        let document = search_document("shop", "The shop", &types, &function, "More.");
        assert_eq!(document.description, "More.");
        assert_eq!(document.parameters[0].name, "dryRun");
        assert_eq!(document.parameters[0].values, ["all", "some"]);
        let names: Vec<_> = document.body_fields.iter().map(|it| &it.name).collect();
        assert_eq!(names, ["kind", "owner", "email"]);
        assert_eq!(document.body_fields[0].values, ["cat", "dog"]);
    }

    #[test]
    fn a_type_within_itself_ends() {
        let own = json!({"anyOf": [{"$ref": "#/types/Node"}, {"$ref": "#/types/Node"}],
            "properties": {"next": {"$ref": "#/types/Node"}}});
        let types = IndexMap::from([("Node".to_owned(), own)]);
        let function = function(&json!({"$ref": "#/types/Node"}), &json!({}));
        let document = search_document("shop", "", &types, &function, "");
        assert_eq!(document.body_fields.len(), 1);
    }
}
