//! From the document's paths to operations, each of which succeeds or fails alone.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;

use indexmap::IndexMap;
use serde_json::{Map, Value};
use url::Url;

use super::document::{Document, ReadError, text};
use super::schema::Schemas;
use super::servers::{PathServers, Servers};
use super::{bodies, content, parameters, paths, repairs, security};
use crate::api::{ANY_METHOD, Api, Operation, Security, Skipped, is_known_method, sent_path};
use crate::invisible::visible;

const METHODS: &[&str] = &[
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];
/// Operations that one and the same warning is repeated for.
const NAMED_OPERATIONS: usize = 3;
/// Path items referring to one another in a row.
const LONGEST_PATH_ITEM_CHAIN: usize = 32;

/// Normalises a whole document.
pub(super) fn normalise(document: &Document, location: Option<&Url>) -> Result<Api, ReadError> {
    let mut api = Api {
        version: document.version.clone(),
        ..Api::default()
    };
    if let Some(info) = document.root.get("info").and_then(Value::as_object) {
        api.title = text(info, "title");
        api.description = text(info, "description");
    }
    let servers = Servers::new(document, location, &mut api.warnings);
    api.base_url.clone_from(&servers.base_url);
    api.unusable_server.clone_from(&servers.unusable);
    api.security_schemes = security::schemes(document, &mut api.warnings);

    let security = security::of_document(document, &mut api.warnings);
    let reader = Reader {
        document,
        schemas: Schemas::new(document),
        servers,
        security_cost: security::cost(&security),
        security,
        told: RefCell::default(),
    };
    let none = Map::new();
    let all_paths = all_paths(document, &mut api.warnings).unwrap_or(&none);
    for (path, value) in all_paths {
        if path.starts_with("x-") {
            continue;
        }
        let item = path_item(document, value);
        read_path_item(&reader, path, &item, &mut api);
        if document.is_too_large() {
            return Err(ReadError::TooMuchRepeated);
        }
    }
    api.depends_on_location = reader.servers.location.was_used();
    api.warnings.extend(told(reader.told.take()));
    api.warnings.extend(reader.servers.warning());
    security::check_names(document, &mut api);
    note_fragments(&mut api);
    let roots: Vec<Value> = api
        .operations
        .iter()
        .flat_map(|operation| {
            let parameters = operation
                .parameters
                .iter()
                .map(|parameter| &parameter.schema);
            let body = operation
                .body
                .iter()
                .flat_map(crate::api::OperationBody::media);
            let body = body.map(|(_, schema)| schema);
            let responses = operation.responses.iter().map(|response| &response.schema);
            parameters.chain(body).chain(responses)
        })
        .cloned()
        .collect();
    api.schemas = reader.schemas.into_needed(roots.iter());
    Ok(api)
}

/// Operations that only a fragment tells from others make the same request as those.
fn note_fragments(api: &mut Api) {
    let noted = api.operations.iter().filter_map(|operation| {
        let sent = sent_path(&operation.path);
        (sent != operation.path).then(|| {
            format!(
                "{}: the fragment is not sent, so the request is that of {} {}",
                visible(&operation.label()),
                operation.method,
                visible(sent)
            )
        })
    });
    let noted: Vec<String> = noted.collect();
    api.warnings.extend(noted);
}

/// The path items. Some documents keep all of them in a file of their own.
fn all_paths<'a>(
    document: &'a Document,
    warnings: &mut Vec<String>,
) -> Option<&'a Map<String, Value>> {
    let paths = document.root.get("paths")?;
    if paths.as_object()?.keys().ne(["$ref"]) {
        return paths.as_object();
    }
    match document.resolve(paths) {
        Ok(target) => target.as_object(),
        Err(error) => {
            warnings.push(format!("`paths` is left out: {error}"));
            None
        }
    }
}

/// What reading an operation needs to know of the document.
struct Reader<'a> {
    document: &'a Document,
    schemas: Schemas<'a>,
    servers: Servers<'a>,
    /// The security of operations that say nothing of their own.
    security: Security,
    /// What a copy of it costs, see [`Document::charge`].
    security_cost: usize,
    /// What was repaired or left out, and in which operations.
    told: RefCell<IndexMap<String, Vec<String>>>,
}

/// Warnings of operations. What is alike in many, such as a reference that leads nowhere, is said
/// once.
fn told(told: IndexMap<String, Vec<String>>) -> Vec<String> {
    let mut warnings = Vec::new();
    for (text, labels) in told {
        match labels.as_slice() {
            [first, rest @ ..] if labels.len() > NAMED_OPERATIONS => warnings.push(format!(
                "{first} and {} more operations: {text}",
                rest.len()
            )),
            few => warnings.extend(few.iter().map(|label| format!("{label}: {text}"))),
        }
    }
    warnings
}

/// A path item with those it refers to merged in; its own members win.
struct PathItem {
    members: Map<String, Value>,
    /// Why it is not all there.
    missing: Option<String>,
}

fn path_item(document: &Document, value: &Value) -> PathItem {
    let mut item = PathItem {
        members: Map::new(),
        missing: None,
    };
    let missing = gather(document, value, &mut item.members);
    item.missing = missing.err();
    item
}

fn gather(
    document: &Document,
    value: &Value,
    merged: &mut Map<String, Value>,
) -> Result<(), String> {
    let mut current = value;
    for _ in 0..LONGEST_PATH_ITEM_CHAIN {
        let members = current
            .as_object()
            .ok_or("the path item is no mapping".to_owned())?;
        for (key, member) in members {
            if key != "$ref" {
                merged.entry(key.clone()).or_insert_with(|| member.clone());
            }
        }
        let Some(reference) = members.get("$ref") else {
            return Ok(());
        };
        let Some(reference) = reference.as_str() else {
            return Err("the `$ref` of the path item is no text".to_owned());
        };
        current = document
            .path_item_target(reference)
            .map_err(|error| error.to_string())?;
    }
    Err("the references of the path item form a loop or too long a chain".to_owned())
}

fn read_path_item(reader: &Reader<'_>, path: &str, item: &PathItem, api: &mut Api) {
    // Every operation has a copy of the path, which may be long.
    let is_too_large = || reader.document.charge(path.len()).is_err();
    if let Some(reason) = &item.missing {
        // The broker must know the path all the same, whatever methods are behind it.
        skip(api, ANY_METHOD.to_owned(), path, None, reason);
    }
    let servers = PathServers::new(&item.members);
    let own_server = |value: &Value| {
        let none = Map::new();
        let target = reader.document.resolve(value).ok();
        let members = target.and_then(Value::as_object).unwrap_or(&none);
        let server = reader.servers.of_operation(&servers, members);
        let own = server.own().map(str::to_owned)?;
        reader.document.charge(own.len()).ok()?;
        Some(own)
    };
    let further = reader.document.dialect.has_further_methods();
    // Those that are written as they should be come first: another spelling must not hide them.
    let mut seen = HashSet::new();
    let read = |method: String, value: &Value, seen: &mut HashSet<String>, api: &mut Api| {
        if let Err(reason) = read_operation(reader, path, (&method, value), (item, &servers), api) {
            skip(api, method.clone(), path, own_server(value), &reason);
        }
        seen.insert(method);
    };
    for (key, value) in &item.members {
        if METHODS.contains(&key.as_str()) || key == "query" && further {
            if is_too_large() {
                return;
            }
            read(key.to_ascii_uppercase(), value, &mut seen, api);
        }
    }
    for (key, value) in &item.members {
        let others: Vec<(&String, &Value)> = if key == "additionalOperations" && further {
            value.as_object().into_iter().flatten().collect()
        } else if is_odd_spelling(key) {
            vec![(key, value)]
        } else {
            Vec::new()
        };
        for (name, value) in others {
            if is_too_large() {
                return;
            }
            if seen.contains(name) {
                note_names(value, api);
                api.warnings.push(format!(
                    "{} {} is written twice; what `{}` says is left out",
                    visible(name),
                    visible(path),
                    visible(key)
                ));
            } else if key == "additionalOperations" && is_known_method(name) {
                read(name.clone(), value, &mut seen, api);
            } else {
                note_names(value, api);
                seen.insert(name.clone());
                let reason = format!("method `{}`", visible(name));
                skip(api, name.clone(), path, own_server(value), &reason);
            }
        }
    }
}

/// Whether a key of a path item is meant for a method, which documents write in lower case.
fn is_odd_spelling(key: &str) -> bool {
    !METHODS.contains(&key) && METHODS.contains(&key.trim().to_ascii_lowercase().as_str())
}

/// Reads one operation into the API; else why it cannot be called.
fn read_operation(
    reader: &Reader<'_>,
    path: &str,
    (method, value): (&str, &Value),
    (item, servers): (&PathItem, &PathServers<'_>),
    api: &mut Api,
) -> Result<(), String> {
    note_names(value, api);
    if !value.is_object() {
        return Err("the operation is no mapping".to_owned());
    }
    let target = reader
        .document
        .resolve(value)
        .map_err(|error| error.to_string())?;
    let members = target
        .as_object()
        .ok_or("its reference leads to no operation".to_owned())?;
    note_names(target, api);
    if let Some(reason) = &item.missing {
        return Err(reason.clone());
    }
    let label = format!("{method} {}", visible(path));
    let mut warn = |text: String| {
        let mut told = reader.told.borrow_mut();
        told.entry(text).or_default().push(label.clone());
    };
    let read = operation(
        reader,
        (method, path),
        (&item.members, servers),
        members,
        &mut warn,
    );
    api.operations.push(read?);
    Ok(())
}

fn skip(api: &mut Api, method: String, path: &str, base_url: Option<String>, reason: &str) {
    api.skipped.push(Skipped {
        method,
        path: path.to_owned(),
        base_url,
        reason: format!("unsupported: {reason}"),
    });
}

fn note_names(operation: &Value, api: &mut Api) {
    let Some(members) = operation.as_object() else {
        return;
    };
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
    reader: &Reader<'_>,
    (method, path): (&str, &str),
    (item, servers): (&Map<String, Value>, &PathServers<'_>),
    members: &Map<String, Value>,
    warn: &mut dyn FnMut(String),
) -> Result<Operation, String> {
    let Reader {
        document, schemas, ..
    } = reader;
    // The template first: a path that cannot be called is the more telling reason.
    let raised = parameters::declared(document, item, members, warn)
        .and_then(|declared| repairs::raise(document, declared, members, warn));
    let declared = raised.iter().flat_map(|raised| &raised.parameters);
    let in_path: Vec<String> = declared
        .filter(|parameter| text(parameter, "in") == "path")
        .map(|parameter| text(parameter, "name"))
        .collect();
    let template = paths::placeholders(path, &in_path)?;
    let raised = raised?;
    let declared = (path, &*raised.parameters);
    let mut parameters = parameters::parameters(document, schemas, declared, warn)?;
    repairs::match_query(&paths::query_placeholders(path), &mut parameters, warn);
    repairs::match_template(&template, &mut parameters, warn);
    let contents = &*raised.contents;
    let body = bodies::body(document, schemas, contents, warn)?;
    let (responses, response_descriptions) = content::responses(document, schemas, contents, warn)?;
    let server = reader.servers.of_operation(servers, members);
    document
        .charge(server.text().len())
        .map_err(|error| error.to_string())?;
    let (security, cost) = match security::of_operation(members, warn) {
        Some(own) => {
            // In memory it takes a multiple of its text.
            let cost = security::cost(&own);
            (Cow::Owned(own), cost)
        }
        None => (Cow::Borrowed(&reader.security), reader.security_cost),
    };
    document.charge(cost).map_err(|error| error.to_string())?;
    Ok(Operation {
        operation_id: members
            .get("operationId")
            .and_then(Value::as_str)
            .map(str::to_owned),
        method: method.to_owned(),
        path: path.to_owned(),
        server,
        tags: tags(members),
        summary: text(members, "summary"),
        description: text(members, "description"),
        deprecated: members.get("deprecated") == Some(&Value::Bool(true)),
        parameters,
        body,
        responses,
        response_descriptions,
        success_headers: content::success_headers(document, contents),
        security: security.into_owned(),
    })
}
