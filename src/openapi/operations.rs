//! From the document's paths to operations, each of which succeeds or fails alone.

use serde_json::{Map, Value};
use url::Url;

use super::document::{Document, text};
use super::schema::Schemas;
use super::{content, parameters, paths, security, servers};
use crate::api::{Api, Location, Operation, Skipped};
use crate::invisible::visible;

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

    let schemas = Schemas::new(document);
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
        match path_item(document, value) {
            Ok(item) => read_path_item(document, &schemas, path, &item, &mut api),
            Err(reason) => {
                api.warnings
                    .push(format!("path `{}` is left out: {reason}", visible(path)));
            }
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
    api.schemas = schemas.into_needed(roots.iter());
    api
}

/// A path item with those it refers to merged in; its own members win.
fn path_item(document: &Document, value: &Value) -> Result<Map<String, Value>, String> {
    let mut merged = Map::new();
    let mut current = value;
    for _ in 0..LONGEST_PATH_ITEM_CHAIN {
        let members = current.as_object().ok_or("it is no mapping")?;
        for (key, member) in members {
            if key != "$ref" {
                merged.entry(key.clone()).or_insert_with(|| member.clone());
            }
        }
        let Some(reference) = members.get("$ref") else {
            return Ok(merged);
        };
        let Some(reference) = reference.as_str() else {
            return Err("its `$ref` is no text".to_owned());
        };
        current = document
            .path_item_target(reference)
            .map_err(|error| error.to_string())?;
    }
    Err("its references form a loop or too long a chain".to_owned())
}

fn read_path_item(
    document: &Document,
    schemas: &Schemas<'_>,
    path: &str,
    item: &Map<String, Value>,
    api: &mut Api,
) {
    for (key, value) in item {
        let method = key.to_ascii_uppercase();
        let label = format!("{} {}", visible(&method), visible(path));
        if METHODS.contains(&key.as_str()) {
            if !value.is_object() {
                api.warnings
                    .push(format!("{label} is left out: it is no mapping"));
                continue;
            }
            let members = match document.resolve(value).map(Value::as_object) {
                Ok(Some(members)) => members,
                Ok(None) => {
                    skip(api, method, path, "its reference leads to no operation");
                    continue;
                }
                Err(error) => {
                    skip(api, method, path, &error.to_string());
                    continue;
                }
            };
            note_names(members, api);
            let mut warnings = Vec::new();
            let mut warn = |text: String| warnings.push(format!("{label}: {text}"));
            match operation(document, schemas, &method, path, item, members, &mut warn) {
                Ok(operation) => api.operations.push(operation),
                Err(reason) => skip(api, method, path, &reason),
            }
            api.warnings.append(&mut warnings);
        } else if key == "query" && document.is_3_2 {
            if let Some(members) = value.as_object() {
                note_names(members, api);
                skip(api, method, path, "method QUERY");
            }
        } else if key == "additionalOperations" && document.is_3_2 {
            for name in value.as_object().into_iter().flat_map(Map::keys) {
                skip(
                    api,
                    name.clone(),
                    path,
                    &format!("method `{}`", visible(name)),
                );
            }
        } else if METHODS.contains(&key.trim().to_ascii_lowercase().as_str()) {
            api.warnings.push(format!(
                "{label} is left out: methods are written in lower case, `{}` is none",
                visible(key)
            ));
        }
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

fn operation(
    document: &Document,
    schemas: &Schemas<'_>,
    method: &str,
    path: &str,
    item: &Map<String, Value>,
    members: &Map<String, Value>,
    warn: &mut dyn FnMut(String),
) -> Result<Operation, String> {
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
    let body = content::body(document, schemas, members)?;
    let (responses, response_descriptions) = content::responses(document, schemas, members, warn)?;
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
        security: security::requirements(document, members),
    })
}
