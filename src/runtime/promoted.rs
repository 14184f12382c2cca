//! Functions that the config promotes to tools of their own (`top_level_functions`): their names and
//! the JSON Schema of their arguments, which comes from the manifest.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::calling::CallRequest;
use super::discovery::one_line;
use super::registry::Served;
use super::{ExecutionResult, Runtime, Stages};
use crate::api::{Function, Manifest, is_mutating, schema};
use crate::invisible::is_invisible;
use crate::wire;

/// Bound on the schema of one tool, in bytes: a client reads it with every session.
const SCHEMA_BYTES: usize = 8 * 1024;
/// Bound on a text of the document, in characters.
const TEXT_CHARS: usize = 200;

/// A function that is a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct PromotedFunction {
    /// The server.
    pub server: String,
    /// The function, which is also the tool's name.
    pub name: String,
    /// The HTTP method.
    pub method: String,
    /// Whether it may change something.
    pub mutating: bool,
    /// The path, as the document has it.
    pub path: String,
    /// What the document says it does, on one line.
    pub summary: String,
    /// The JSON Schema (2020-12) of its arguments: an object by Python names.
    pub arguments: Map<String, Value>,
    /// Whether the schema is only the names and kinds, since the whole is too long.
    pub shortened: bool,
}

impl Runtime {
    /// The promoted functions of all servers that are served, by server and in the config's order.
    /// Entries that were not compiled are left out, with a warning in the log.
    pub async fn promoted(&self) -> Vec<PromotedFunction> {
        let mut promoted = Vec::new();
        for (server, served) in self.registry.servers(self.promoting()).await {
            let Ok(served) = served else { continue };
            promoted.extend(
                served
                    .promoted
                    .get_or_init(|| described(&server, &served))
                    .iter()
                    .cloned(),
            );
        }
        promoted
    }

    /// Calls the promoted function of this name for a model; `None` where none is promoted. The call
    /// is one like others: the same checks, limits, credentials and audit.
    pub async fn call_promoted(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        principal: &str,
        stages: &Stages,
    ) -> Option<ExecutionResult> {
        for (server, served) in self.registry.servers(self.promoting()).await {
            let Ok(served) = served else { continue };
            let entries = served.target.config.top_level_functions.iter();
            let mut functions = entries.filter_map(|entry| function(&served, entry));
            if let Some(found) = functions.find(|function| function.name == name) {
                let arguments = arguments.into_iter();
                // As in Python, where `None` leaves an argument out.
                let arguments =
                    arguments.filter(|(name, value)| !value.is_null() || !is_optional(found, name));
                let request = CallRequest {
                    server,
                    function: name.to_owned(),
                    arguments: arguments
                        .map(|(name, value)| {
                            let value = argument(found, &name, value);
                            (name, value)
                        })
                        .collect(),
                    content_type: None,
                    principal: principal.to_owned(),
                    preview: true,
                    stages: stages.clone(),
                };
                return Some(self.call(request).await);
            }
        }
        None
    }

    /// The servers that promote functions.
    fn promoting(&self) -> Vec<String> {
        let configs = self.registry.configs().into_iter();
        configs
            .filter(|config| !config.top_level_functions.is_empty())
            .map(|config| config.name.clone())
            .collect()
    }
}

/// Whether an argument that is declared may be left out.
fn is_optional(function: &Function, name: &str) -> bool {
    let mut parameters = function.parameters.iter();
    let parameter = parameters.find(|parameter| parameter.name == name);
    let body = function.body.as_ref().filter(|body| body.name == name);
    parameter.is_some_and(|parameter| !parameter.required)
        || body.is_some_and(|body| !body.required)
}

/// The promoted functions of a server. Entries that were not compiled are left out, with a warning.
fn described(name: &str, served: &Served) -> Vec<PromotedFunction> {
    let mut promoted = Vec::new();
    for entry in &served.target.config.top_level_functions {
        if let Some(function) = function(served, entry) {
            promoted.push(describe(served.manifest(), function));
        } else {
            tracing::warn!(
                server = name,
                entry,
                "an entry of `top_level_functions` is no compiled function; run `mce compile`"
            );
        }
    }
    promoted
}

/// Whether the body is bytes, which JSON spells as base64.
fn is_bytes(function: &Function) -> bool {
    let body = function.body.as_ref();
    body.is_some_and(|body| body.r#type == "bytes")
}

/// An argument as it is sent. What is no base64 stays text, which the check of arguments refuses.
fn argument(function: &Function, name: &str, value: Value) -> wire::Value {
    let is_body = function.body.as_ref().is_some_and(|body| body.name == name);
    if let (true, Value::String(text)) = (is_body && is_bytes(function), &value)
        && let Ok(bytes) = STANDARD.decode(text)
    {
        return wire::Value::Bytes(bytes.into());
    }
    wire::Value::from(value)
}

/// The function that an entry stands for: by its name, or else by its operationId.
fn function<'s>(served: &'s Served, entry: &str) -> Option<&'s Function> {
    let manifest = served.manifest();
    manifest.function(entry).or_else(|| {
        let mut functions = manifest.functions.iter();
        functions.find(|function| function.operation_id.as_deref() == Some(entry))
    })
}

fn describe(manifest: &Manifest, function: &Function) -> PromotedFunction {
    let whole = whole(manifest, function);
    let shortened = Value::Object(whole.clone()).to_string().len() > SCHEMA_BYTES;
    PromotedFunction {
        server: manifest.server.clone(),
        name: function.name.clone(),
        method: function.method.clone(),
        mutating: is_mutating(&function.method),
        path: shown(&function.path),
        summary: shown(&function.summary),
        arguments: if shortened {
            short(manifest, function)
        } else {
            whole
        },
        shortened,
    }
}

/// An argument: its name, what the document says of it, its schema, and whether it is required.
struct Argument<'a> {
    name: &'a str,
    description: String,
    schema: &'a Value,
    required: bool,
}

fn arguments(function: &Function) -> Vec<Argument<'_>> {
    let parameters = function.parameters.iter().map(|parameter| Argument {
        name: &parameter.name,
        description: shown(&parameter.description),
        schema: &parameter.schema,
        required: parameter.required,
    });
    let form = if is_bytes(function) { " (base64)" } else { "" };
    let body = function.body.iter().map(move |body| Argument {
        name: &body.name,
        description: format!("The body, sent as {}{form}", shown(&body.content_type)),
        schema: &body.schema,
        required: body.required,
    });
    parameters.chain(body).collect()
}

fn object(properties: Map<String, Value>, arguments: &[Argument<'_>]) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("type".to_owned(), json!("object"));
    object.insert("properties".to_owned(), Value::Object(properties));
    let required = arguments.iter().filter(|argument| argument.required);
    let required: Vec<&str> = required.map(|argument| argument.name).collect();
    if !required.is_empty() {
        object.insert("required".to_owned(), json!(required));
    }
    object.insert("additionalProperties".to_owned(), json!(false));
    object
}

/// The whole schema, with the types it refers to in `$defs`.
fn whole(manifest: &Manifest, function: &Function) -> Map<String, Value> {
    let arguments = arguments(function);
    let mut properties = Map::new();
    for argument in &arguments {
        let mut schema = tidied(argument.schema);
        to_definitions(&mut schema);
        if let Value::Object(members) = &mut schema {
            if !members.contains_key("description") && !argument.description.is_empty() {
                members.insert("description".to_owned(), json!(argument.description));
            }
        } else {
            schema = json!({ "description": argument.description });
        }
        properties.insert(argument.name.to_owned(), schema);
    }
    let mut object = object(properties, &arguments);
    let schemas = arguments.iter().map(|argument| argument.schema);
    let names = schema::reachable(schemas, &manifest.types);
    let definitions: Map<String, Value> = manifest
        .types
        .iter()
        .filter(|(name, _)| names.contains(*name))
        .map(|(name, definition)| {
            let mut definition = tidied(definition);
            to_definitions(&mut definition);
            (name.clone(), definition)
        })
        .collect();
    if !definitions.is_empty() {
        object.insert("$defs".to_owned(), Value::Object(definitions));
    }
    object
}

/// A text of a document: on one line, shortened, without what a reader cannot see.
fn shown(text: &str) -> String {
    one_line(text, TEXT_CHARS)
}

/// A schema as a model reads it: its texts as they are [`shown`], and nothing that only tools of
/// OpenAPI know. Values stay what they are.
fn tidied(schema: &Value) -> Value {
    let Value::Object(members) = schema else {
        return schema.clone();
    };
    let tidied = members.iter().filter_map(|(keyword, value)| {
        let name = keyword.as_str();
        // Values that cannot be seen whole are not shown: the function itself still takes them.
        let hides = matches!(name, "enum" | "const" | "default" | "pattern")
            && value.to_string().chars().any(is_invisible);
        if name.starts_with("x-") || LEFT_OUT.contains(&name) || hides {
            return None;
        }
        let value = if let (true, Value::String(text)) = (TEXTS.contains(&name), value) {
            json!(shown(text))
        } else if schema::SCHEMA_KEYWORDS.contains(&name) {
            tidied(value)
        } else if let (true, Value::Array(items)) =
            (schema::SCHEMA_LIST_KEYWORDS.contains(&name), value)
        {
            items.iter().map(tidied).collect()
        } else if let (true, Value::Object(items)) =
            (schema::SCHEMA_MAP_KEYWORDS.contains(&name), value)
        {
            let items = items.iter();
            Value::Object(
                items
                    .map(|(name, item)| (name.clone(), tidied(item)))
                    .collect(),
            )
        } else {
            value.clone()
        };
        Some((keyword.clone(), value))
    });
    Value::Object(tidied.collect())
}

/// Keywords whose values are texts for readers.
const TEXTS: [&str; 2] = ["description", "title"];
/// Keywords that say nothing about values.
const LEFT_OUT: [&str; 5] = ["example", "examples", "externalDocs", "xml", "$comment"];

fn to_definitions(schema: &mut Value) {
    schema::references_mut(schema, &mut |reference| {
        if let Some(name) = reference.strip_prefix("#/types/") {
            *reference = format!("#/$defs/{name}");
        }
    });
}

/// Names and kinds alone. Where even those are too many, only what is required is listed and more
/// is accepted.
fn short(manifest: &Manifest, function: &Function) -> Map<String, Value> {
    let mut arguments = arguments(function);
    let kind = |schema: &Value| schema::keyword(schema, "type", &manifest.types).cloned();
    let properties = |arguments: &[Argument<'_>]| -> Map<String, Value> {
        let arguments = arguments.iter().map(|argument| {
            let mut schema = Map::new();
            if let Some(kind) = kind(argument.schema) {
                schema.insert("type".to_owned(), kind);
            }
            (argument.name.to_owned(), Value::Object(schema))
        });
        arguments.collect()
    };
    let all = object(properties(&arguments), &arguments);
    if Value::Object(all.clone()).to_string().len() <= SCHEMA_BYTES {
        return all;
    }
    arguments.retain(|argument| argument.required);
    let mut open = object(properties(&arguments), &arguments);
    open.insert("additionalProperties".to_owned(), json!(true));
    open
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::fixture;

    fn manifest(change: impl FnOnce(&mut Value)) -> Manifest {
        let mut manifest = fixture::manifest("pets", &[("get_pet", "GET")], "");
        change(&mut manifest);
        serde_json::from_value(manifest).unwrap()
    }

    #[test]
    fn arguments_are_the_parameters_and_the_body_with_their_types() {
        let manifest = manifest(|manifest| {
            manifest["functions"][0]["body"] = json!({
                "name": "body", "content_type": "application/json", "required": true,
                "type": "Pet", "alternatives": [], "encoding": {},
                "schema": {"$ref": "#/types/Pet"}
            });
            manifest["types"]["Pet"]["properties"]["owner"] = json!({"$ref": "#/types/Owner"});
            manifest["types"]["Owner"] = json!({"type": "object"});
            manifest["types"]["Other"] = json!({"type": "object"});
        });
        let described = describe(&manifest, &manifest.functions[0]);
        assert!(!described.shortened);
        assert_eq!(
            Value::Object(described.arguments),
            json!({
                "type": "object",
                "properties": {
                    "pet_id": {"type": "integer"},
                    "body": {
                        "$ref": "#/$defs/Pet",
                        "description": "The body, sent as application/json"
                    }
                },
                "required": ["pet_id", "body"],
                "additionalProperties": false,
                "$defs": {
                    "Pet": {
                        "type": "object",
                        "properties": {
                            "id": {"type": "integer"},
                            "owner": {"$ref": "#/$defs/Owner"}
                        }
                    },
                    "Owner": {"type": "object"}
                }
            })
        );
    }

    #[test]
    fn texts_of_documents_are_short_and_hide_nothing() {
        let manifest = manifest(|manifest| {
            let function = &mut manifest["functions"][0];
            function["summary"] = json!("Gives\na pet.\u{202e}");
            function["parameters"][0]["schema"] = json!({
                "type": "integer", "x-internal": true, "title": "t".repeat(500),
                "enum": [1], "default": {"x-kept": 1}, "const": "a\u{e0041}",
                "items": {"description": "a\u{200b}b", "example": 1},
                "properties": {"x-name": {"xml": {}}}
            });
        });
        let described = describe(&manifest, &manifest.functions[0]);
        assert_eq!(described.summary, "Gives a pet.");
        assert_eq!(
            described.arguments["properties"]["pet_id"],
            json!({
                "type": "integer", "title": format!("{}…", "t".repeat(200)),
                "enum": [1], "default": {"x-kept": 1},
                "items": {"description": "ab"},
                "properties": {"x-name": {}}
            })
        );
    }

    #[test]
    fn bytes_are_given_as_base64() {
        let manifest = manifest(|manifest| {
            manifest["functions"][0]["body"] = json!({
                "name": "body", "content_type": "image/png", "required": true,
                "type": "bytes", "alternatives": [], "encoding": {}, "schema": true
            });
        });
        let function = &manifest.functions[0];
        let described = describe(&manifest, function);
        assert_eq!(
            described.arguments["properties"]["body"],
            json!({"description": "The body, sent as image/png (base64)"})
        );
        let bytes = |text: &str| argument(function, "body", json!(text));
        assert_eq!(bytes("AAEC"), wire::Value::Bytes(vec![0, 1, 2].into()));
        assert_eq!(
            bytes("no base64"),
            wire::Value::String("no base64".to_owned())
        );
        let other = argument(function, "pet_id", json!("AAEC"));
        assert_eq!(other, wire::Value::String("AAEC".to_owned()));
    }

    #[test]
    fn only_what_is_declared_and_not_required_may_be_left_out() {
        let manifest = manifest(|manifest| {
            let mut optional = manifest["functions"][0]["parameters"][0].clone();
            optional["name"] = json!("limit");
            optional["required"] = json!(false);
            let parameters = manifest["functions"][0]["parameters"].as_array_mut();
            parameters.unwrap().push(optional);
        });
        let optional = |name| is_optional(&manifest.functions[0], name);
        assert_eq!(
            [optional("pet_id"), optional("limit"), optional("other")],
            [false, true, false]
        );
    }

    #[test]
    fn a_schema_that_is_too_long_is_names_and_kinds() {
        let long: Vec<usize> = (0..SCHEMA_BYTES / 2).collect();
        let manifest = manifest(|manifest| {
            manifest["functions"][0]["parameters"][0]["schema"] =
                json!({"type": "integer", "enum": long});
        });
        let described = describe(&manifest, &manifest.functions[0]);
        assert!(described.shortened);
        assert_eq!(
            described.arguments["properties"],
            json!({"pet_id": {"type": "integer"}})
        );
        assert_eq!(described.arguments["required"], json!(["pet_id"]));
    }

    #[test]
    fn arguments_beyond_count_leave_the_schema_open() {
        let manifest = manifest(|manifest| {
            let parameters = &mut manifest["functions"][0]["parameters"];
            let mut optional = parameters[0].clone();
            optional["required"] = json!(false);
            optional["in"] = json!("query");
            for number in 0..1_000 {
                optional["name"] = json!(format!("argument_{number}"));
                parameters.as_array_mut().unwrap().push(optional.clone());
            }
        });
        let described = describe(&manifest, &manifest.functions[0]);
        assert!(described.shortened);
        assert_eq!(described.arguments["additionalProperties"], json!(true));
        let properties = described.arguments["properties"].as_object().unwrap();
        assert_eq!(properties.len(), 1);
    }
}
