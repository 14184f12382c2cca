//! From the document's paths to operations, each of which succeeds or fails alone.

use serde_json::{Map, Value};
use url::Url;

use super::document::{Document, text};
use super::schema::Schemas;
use super::servers::Servers;
use super::{content, parameters, paths, security, servers};
use crate::api::{Api, Location, Operation, Security, Skipped, UNKNOWN_METHOD, visible};

const METHODS: &[&str] = &[
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];
/// Path items referring to one another in a row.
const LONGEST_PATH_ITEM_CHAIN: usize = 32;

/// Normalises a whole document.
pub(super) fn normalise(document: &Document, location: Option<&Url>) -> Api {
    let mut api = Api {
        version: document.version.clone(),
        ..Api::default()
    };
    if let Some(info) = document.root.get("info").and_then(Value::as_object) {
        api.title = text(info, "title");
        api.description = text(info, "description");
    }
    let (base_url, warning) = servers::base_url(document, location);
    api.base_url = base_url;
    api.warnings.extend(warning);
    api.security_schemes = security::schemes(document, &mut api.warnings);

    let reader = Reader {
        document,
        schemas: Schemas::new(document),
        servers: Servers::new(document, location),
        security: security::of_document(document, &mut api.warnings),
    };
    let none = Map::new();
    let all_paths = document
        .root
        .get("paths")
        .and_then(Value::as_object)
        .unwrap_or(&none);
    for (path, value) in all_paths {
        if path.starts_with("x-") {
            continue;
        }
        let (item, broken) = path_item(document, value);
        match broken {
            None => reader.path_item(path, &item, &mut api),
            Some(reason) => skip_path_item(document, path, &item, &reason, &mut api),
        }
    }
    let roots: Vec<Value> = api
        .operations
        .iter()
        .flat_map(|operation| {
            let parameters = operation
                .parameters
                .iter()
                .map(|parameter| &parameter.schema);
            let body = operation.body.iter().map(|body| &body.schema);
            let responses = operation.responses.iter().map(|response| &response.schema);
            parameters.chain(body).chain(responses)
        })
        .cloned()
        .collect();
    api.schemas = reader.schemas.into_needed(roots.iter());
    api
}

/// A path item with those it refers to merged in; its own members win. Where a part of it cannot
/// be had, why, and the rest.
fn path_item(document: &Document, value: &Value) -> (Map<String, Value>, Option<String>) {
    let mut merged = Map::new();
    let mut current = value;
    for _ in 0..LONGEST_PATH_ITEM_CHAIN {
        let Some(members) = current.as_object() else {
            return (merged, Some("the path item is no mapping".to_owned()));
        };
        for (key, member) in members {
            if key != "$ref" {
                merged.entry(key.clone()).or_insert_with(|| member.clone());
            }
        }
        let reference = match members.get("$ref") {
            None => return (merged, None),
            Some(Value::String(reference)) => reference,
            Some(_) => return (merged, Some("the path item's `$ref` is no text".to_owned())),
        };
        current = match document.path_item_target(reference) {
            Ok(target) => target,
            Err(error) => return (merged, Some(error.to_string())),
        };
    }
    let reason = "the path item's references form a loop or too long a chain";
    (merged, Some(reason.to_owned()))
}

/// Lists what a path item that cannot be read is known to hold: parameters may be missing, so
/// that nothing of it can be called right. The method `*` stands for what is not known.
fn skip_path_item(
    document: &Document,
    path: &str,
    item: &Map<String, Value>,
    reason: &str,
    api: &mut Api,
) {
    let mut is_bare = true;
    for key in item.keys() {
        if METHODS.contains(&key.as_str()) || key == "query" && document.is_3_2 {
            is_bare = false;
            skip(api, key.to_ascii_uppercase(), path, reason);
        }
    }
    if is_bare {
        skip(api, UNKNOWN_METHOD.to_owned(), path, reason);
    }
}

/// What reading an operation needs to know of the document.
struct Reader<'a> {
    document: &'a Document,
    schemas: Schemas<'a>,
    servers: Servers<'a>,
    /// The security of operations that say nothing of their own.
    security: Security,
}

impl Reader<'_> {
    fn path_item(&self, path: &str, item: &Map<String, Value>, api: &mut Api) {
        for (key, value) in item {
            let method = key.to_ascii_uppercase();
            let lower = key.trim().to_ascii_lowercase();
            if METHODS.contains(&key.as_str()) {
                self.method(method, path, item, value, api);
            } else if key == "query" && self.document.is_3_2 {
                if let Some(members) = value.as_object() {
                    note_names(members, api);
                }
                skip(api, method, path, "method QUERY");
            } else if key == "additionalOperations" && self.document.is_3_2 {
                for name in value.as_object().into_iter().flat_map(Map::keys) {
                    if !item.contains_key(&name.to_ascii_lowercase()) {
                        let reason = format!("method `{}`", visible(name));
                        skip(api, name.clone(), path, &reason);
                    }
                }
            } else if METHODS.contains(&lower.as_str()) && !item.contains_key(&lower) {
                let reason = format!(
                    "methods are written in lower case, `{}` is none",
                    visible(key)
                );
                skip(api, method.trim().to_owned(), path, &reason);
            }
        }
    }

    fn method(
        &self,
        method: String,
        path: &str,
        item: &Map<String, Value>,
        value: &Value,
        api: &mut Api,
    ) {
        let members = match self.document.resolve(value).map(Value::as_object) {
            Ok(Some(members)) => members,
            Ok(None) if value.is_object() => {
                return skip(api, method, path, "its reference leads to no operation");
            }
            Ok(None) => return skip(api, method, path, "the operation is no mapping"),
            Err(error) => return skip(api, method, path, &error.to_string()),
        };
        note_names(members, api);
        let label = format!("{method} {}", visible(path));
        let mut warnings = Vec::new();
        let mut warn = |text: String| warnings.push(format!("{label}: {text}"));
        match self.operation(&method, path, item, members, &mut warn) {
            Ok(operation) => api.operations.push(operation),
            Err(reason) => skip(api, method, path, &reason),
        }
        api.warnings.append(&mut warnings);
    }
}

fn skip(api: &mut Api, method: String, path: &str, reason: &str) {
    api.skipped.push(Skipped {
        method,
        path: path.to_owned(),
        reason: format!("unsupported: {reason}"),
    });
}

fn note_names(members: &Map<String, Value>, api: &mut Api) {
    api.tags.extend(tags(members));
    api.operation_ids.extend(
        members
            .get("operationId")
            .and_then(Value::as_str)
            .map(str::to_owned),
    );
}

fn tags(members: &Map<String, Value>) -> Vec<String> {
    let tags = members
        .get("tags")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    tags.filter_map(Value::as_str).map(str::to_owned).collect()
}

impl Reader<'_> {
    fn operation(
        &self,
        method: &str,
        path: &str,
        item: &Map<String, Value>,
        members: &Map<String, Value>,
        warn: &mut dyn FnMut(String),
    ) -> Result<Operation, String> {
        let Self {
            document, schemas, ..
        } = self;
        // The template first: a path that cannot be called is the more telling reason.
        let declared = parameters::parameters(document, schemas, item, members, warn);
        let names: Vec<String> = declared
            .iter()
            .flatten()
            .filter(|parameter| parameter.location == Location::Path)
            .map(|parameter| parameter.wire_name.clone())
            .collect();
        let placeholders = paths::placeholders(path, &names)?;
        let parameters = declared?;
        if let Some(name) = names.iter().find(|name| !placeholders.contains(name)) {
            return Err(format!(
                "the path has no placeholder for the path parameter `{}`",
                visible(name)
            ));
        }
        // What may stand there, the document does not say; no value could be called right.
        if let Some(placeholder) = placeholders.iter().find(|name| !names.contains(name)) {
            return Err(format!(
                "the placeholder `{{{placeholder}}}` of the path is not declared as a parameter"
            ));
        }
        self.servers.check(item, members)?;
        let body = content::body(document, schemas, members)?;
        let (responses, response_descriptions) =
            content::responses(document, schemas, members, warn)?;
        Ok(Operation {
            operation_id: members
                .get("operationId")
                .and_then(Value::as_str)
                .map(str::to_owned),
            method: method.to_owned(),
            path: path.to_owned(),
            tags: tags(members),
            summary: text(members, "summary"),
            description: text(members, "description"),
            deprecated: members.get("deprecated") == Some(&Value::Bool(true)),
            parameters,
            body,
            responses,
            response_descriptions,
            security: security::of_operation(members, &self.security, warn),
        })
    }
}
