//! What of a manifest is searched.

use indexmap::IndexMap;
use serde_json::Value;

use crate::api::{Body, Function};
use crate::search::{Document, Named};

/// How deep fields of a body are looked for.
const MAX_DEPTH: usize = 2;
/// How many references and alternatives are followed to one level of fields.
const MAX_STEPS: usize = 8;
/// Further fields of a body are not searched.
const MAX_FIELDS: usize = 400;
/// Schemas of one body beyond these are not looked at: `anyOf` within `anyOf` has no end of them.
const MAX_SCHEMAS: usize = 4_000;

/// A function as the search sees it.
///
/// Of the manifest it takes `server` and `title`; of a function `name`, `operation_id`, `method`,
/// `path`, `tags`, `summary`, of `parameters` the `wire_name` and `description`, and the names and
/// descriptions of the properties of `body.schema`, with `types` for its references.
#[must_use]
pub fn search_document(
    server: &str,
    title: &str,
    types: &IndexMap<String, Value>,
    function: &Function,
) -> Document {
    let named = |name: &str, description: &str| Named {
        name: name.to_owned(),
        description: description.to_owned(),
    };
    let parameters = function.parameters.iter();
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
        description: String::new(),
        parameters: parameters
            .map(|it| named(&it.wire_name, &it.description))
            .collect(),
        body_fields: fields
            .found
            .iter()
            .map(|(name, description)| named(name, description))
            .collect(),
    }
}

/// The fields of a body, each once.
struct Fields<'a> {
    types: &'a IndexMap<String, Value>,
    found: IndexMap<&'a str, &'a str>,
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
            let description = property.get("description").and_then(Value::as_str);
            self.found
                .entry(name)
                .or_insert(description.unwrap_or_default());
            if depth > 1 {
                self.add(property, depth - 1, MAX_STEPS);
            }
        }
    }
}
