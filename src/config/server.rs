//! One entry of `servers`.

use std::collections::HashMap;

use indexmap::IndexSet;

use super::error::{escape, quote};
use super::reader::{Fields, Reader};
use super::{
    Auth, Filter, OperationRef, ServerConfig, Template, auth, headers, names, secrets, urls,
};
use crate::yaml::{Node, NodeValue, Position};

/// [`ServerConfig::places`].
type Places = HashMap<(String, String), String>;

/// The keys of an entry, as the documentation lists them.
const KEYS: &[&str] = &[
    "name",
    "swagger_url",
    "swagger_headers",
    "base_url",
    "auth",
    "auth_header",
    "is_read_only",
    "read_only_allow",
    "include",
    "exclude",
    "rename",
    "extra_headers",
    "headers",
    "skills_url",
    "top_level_functions",
    "allow_private_network",
    "ca_file",
    "client_cert_file",
    "client_key_file",
    "timeout_seconds",
    "max_concurrent_requests",
    "requests_per_second",
    "allow_literal",
];

/// How long a call may be allowed to take, in seconds.
const LONGEST_TIMEOUT: f64 = 600.0;

/// The largest limits that mean anything.
const MOST_CONCURRENT: usize = 10_000;
const MOST_PER_SECOND: f64 = 1_000_000.0;

/// How long a name in the file may be, and an entry that names something of a document.
const LONGEST_TEXT: usize = 500;

/// Reads an entry. `None` where there is nothing to go on with; every fault is a complaint.
pub(super) fn read(reader: &mut Reader, node: &Node) -> Option<ServerConfig> {
    let fields = reader.fields(node, "a server", KEYS)?;
    let allow_literal = flag(reader, &fields, "allow_literal");
    let (name, title) = read_name(reader, &fields).unwrap_or_default();
    let swagger_url = fields
        .require(reader, "swagger_url", "a server")
        .and_then(|node| read_source(reader, node, "`swagger_url`", allow_literal));
    let mut server = ServerConfig {
        place: reader.place(node.position),
        name,
        title,
        swagger_url: swagger_url.unwrap_or_default(),
        is_read_only: flag(reader, &fields, "is_read_only"),
        allow_private_network: flag(reader, &fields, "allow_private_network"),
        ..ServerConfig::default()
    };
    if let Some(node) = fields.get("swagger_headers") {
        server.swagger_headers = headers::read(reader, node, "`swagger_headers`", allow_literal);
    }
    server.base_url = fields
        .get("base_url")
        .and_then(|node| read_base_url(reader, node));
    server.auth = read_auth(reader, &fields, allow_literal);
    read_headers(reader, &fields, allow_literal, &mut server);
    if let Some(node) = fields.get("read_only_allow") {
        read_allow(reader, node, &mut server);
        if !server.is_read_only {
            reader.warn(
                node.position,
                "`read_only_allow` has no effect without `is_read_only: true`",
            );
        }
    }
    if let Some(node) = fields.get("include") {
        server.include = read_filter(reader, node, "include", &mut server.places);
    }
    if let Some(node) = fields.get("exclude") {
        server.exclude = read_filter(reader, node, "exclude", &mut server.places);
    }
    if let Some(node) = fields.get("rename") {
        read_rename(reader, node, &mut server);
    }
    server.skills_url = fields
        .get("skills_url")
        .filter(|node| !is_unset(node))
        .and_then(|node| read_source(reader, node, "`skills_url`", allow_literal));
    if let Some(node) = fields.get("top_level_functions") {
        let key = "top_level_functions";
        let what = format!("`{key}`");
        server.top_level_functions = read_names(reader, node, &what, key, &mut server.places);
    }
    server.ca_file = fields
        .get("ca_file")
        .and_then(|node| reader.template(node, "`ca_file`"));
    server.client_cert_file = fields
        .get("client_cert_file")
        .and_then(|node| reader.template(node, "`client_cert_file`"));
    server.client_key_file = fields
        .get("client_key_file")
        .and_then(|node| reader.template(node, "`client_key_file`"));
    for (key, other) in [
        ("client_cert_file", "client_key_file"),
        ("client_key_file", "client_cert_file"),
    ] {
        if fields.get(key).is_some() && fields.get(other).is_none() {
            reader.complain(
                fields.position_of(key),
                format!("`{key}` needs `{other}` beside it"),
            );
        }
    }
    server.max_concurrent_requests = fields
        .get("max_concurrent_requests")
        .and_then(|node| reader.count(node, "`max_concurrent_requests`", MOST_CONCURRENT));
    server.requests_per_second = fields
        .get("requests_per_second")
        .and_then(|node| reader.rate(node, "`requests_per_second`", MOST_PER_SECOND));
    server.timeout = fields
        .get("timeout_seconds")
        .and_then(|node| reader.seconds(node, "`timeout_seconds`", LONGEST_TIMEOUT));
    Some(server)
}

fn flag(reader: &mut Reader, fields: &Fields<'_>, key: &str) -> bool {
    fields
        .get(key)
        .and_then(|node| reader.boolean(node, &format!("`{key}`")))
        .unwrap_or(false)
}

/// Whether a value is one that the seeds write for "none".
fn is_unset(node: &Node) -> bool {
    match &node.value {
        NodeValue::Null => true,
        NodeValue::String(text) => text.is_empty(),
        _ => false,
    }
}

/// The identifier, and the name as it is spelt where that is something else.
fn read_name(reader: &mut Reader, fields: &Fields<'_>) -> Option<(String, Option<String>)> {
    let node = fields.require(reader, "name", "a server")?;
    let spelt = reader.string(node, "`name`")?;
    let name = names::sanitise(&spelt);
    if name.is_empty() {
        reader.advise(
            node.position,
            format!("the name {} holds no ASCII letter or digit", quote(&spelt)),
            "use lower-case letters, digits and `_`",
        );
        return None;
    }
    if name.len() > names::LONGEST || spelt.chars().count() > LONGEST_TEXT {
        reader.complain(
            node.position,
            format!(
                "the name {} is too long; up to {} characters are allowed",
                quote(&spelt),
                names::LONGEST
            ),
        );
        return None;
    }
    if let Some(why) = names::refuse(&name) {
        reader.advise(
            node.position,
            format!("the name {} cannot be used: {why}", quote(&name)),
            "choose another one, for example with `_api` at its end",
        );
        return None;
    }
    if name == spelt {
        return Some((name, None));
    }
    reader.warn(
        node.position,
        &format!("the name {} is used as `{name}`", quote(&spelt)),
    );
    Some((name, Some(spelt)))
}

fn read_source(
    reader: &mut Reader,
    node: &Node,
    what: &str,
    allow_literal: bool,
) -> Option<Template> {
    let template = reader.template(node, what)?;
    if let Err(why) = urls::check_source_template(&template) {
        reader.complain(node.position, format!("{what} {why}"));
        return None;
    }
    if !allow_literal {
        secrets::refuse_literal_in_url(reader, node.position, what, &template);
    }
    Some(template)
}

fn read_base_url(reader: &mut Reader, node: &Node) -> Option<Template> {
    let template = reader.optional_template(node, "`base_url`")?;
    if let Err(why) = urls::check_base_template(&template) {
        reader.complain(node.position, format!("`base_url` {why}"));
        return None;
    }
    Some(template)
}

fn read_auth(reader: &mut Reader, fields: &Fields<'_>, allow_literal: bool) -> Option<Auth> {
    let legacy = fields
        .get("auth_header")
        .and_then(|node| auth::read_legacy(reader, node, allow_literal));
    let Some(node) = fields.get("auth") else {
        return legacy;
    };
    if legacy.is_some() {
        reader.warn(
            fields.position_of("auth_header"),
            "`auth_header` is ignored: `auth` is there as well",
        );
    }
    auth::read(reader, node, allow_literal)
}

fn read_headers(
    reader: &mut Reader,
    fields: &Fields<'_>,
    allow_literal: bool,
    server: &mut ServerConfig,
) {
    if let Some(node) = fields.get("extra_headers") {
        server.extra_headers = headers::read(reader, node, "`extra_headers`", allow_literal);
    }
    if let Some(node) = fields.get("headers") {
        headers::read_legacy(reader, node, allow_literal, &mut server.extra_headers);
    }
    let authorization = server
        .extra_headers
        .keys()
        .any(|name| name.eq_ignore_ascii_case("authorization"));
    if authorization && server.auth.is_some() {
        reader.complain(
            fields.node.position,
            "an extra header `Authorization` contradicts `auth`; keep one of them",
        );
    }
}

fn read_allow(reader: &mut Reader, node: &Node, server: &mut ServerConfig) {
    for item in reader.list(node, "`read_only_allow`") {
        let NodeValue::String(text) = &item.value else {
            let shown = escape(&item.clone().into_json().to_string(), 60);
            reader.complain(
                item.position,
                format!(
                    "an entry of `read_only_allow` must be a string like `POST /search`, found \
                     `{shown}`"
                ),
            );
            continue;
        };
        match parse_operation(text) {
            Ok((method, path)) => {
                let key = ("read_only_allow".to_owned(), format!("{method} {path}"));
                server.places.insert(key, reader.place(item.position));
                server.read_only_allow.push(OperationRef { method, path });
            }
            Err(why) => reader.complain(
                item.position,
                format!("the entry {} of `read_only_allow` {why}", quote(text)),
            ),
        }
    }
}

/// `POST /search`.
fn parse_operation(text: &str) -> Result<(String, String), String> {
    if text.contains("${") {
        return Err("holds a variable; variables are not expanded here".to_owned());
    }
    if text.len() > LONGEST_TEXT {
        return Err("is too long".to_owned());
    }
    let (method, path) = text
        .split_once(' ')
        .ok_or_else(|| "is not of the form `METHOD /path`".to_owned())?;
    if !matches!(method, "POST" | "PUT" | "PATCH" | "DELETE") {
        return Err(
            if matches!(
                method.to_ascii_uppercase().as_str(),
                "POST" | "PUT" | "PATCH" | "DELETE"
            ) {
                format!(
                    "needs its method in upper case: {}",
                    method.to_ascii_uppercase()
                )
            } else {
                "does not start with `POST`, `PUT`, `PATCH` or `DELETE`".to_owned()
            },
        );
    }
    if !path.starts_with('/') {
        return Err("has a path that does not start with `/`".to_owned());
    }
    if path.split('/').any(|segment| matches!(segment, "." | "..")) {
        return Err("has `.` or `..` in its path".to_owned());
    }
    Ok((method.to_owned(), path.to_owned()))
}

fn read_filter(reader: &mut Reader, node: &Node, name: &str, places: &mut Places) -> Filter {
    const KEYS: [&str; 3] = ["tags", "paths", "operationIds"];
    let what = format!("`{name}`");
    let Some(fields) = reader.fields(node, &what, &KEYS) else {
        return Filter::default();
    };
    let mut lists = KEYS.map(|key| {
        let Some(node) = fields.get(key) else {
            return Vec::new();
        };
        let before = reader.complaints.len();
        let list = format!("{name}.{key}");
        let list = read_names(reader, node, &format!("`{key}` of {what}"), &list, places);
        if list.is_empty() && reader.complaints.len() == before {
            reader.complain(node.position, format!("`{key}` of {what} is empty"));
        }
        list
    });
    if KEYS.iter().all(|key| fields.get(key).is_none()) {
        reader.complain(node.position, format!("{what} selects nothing"));
    }
    let [tags, paths, operation_ids] = &mut lists;
    // Whether an entry matches anything is only known with the document.
    Filter {
        tags: std::mem::take(tags),
        paths: std::mem::take(paths),
        operation_ids: std::mem::take(operation_ids),
    }
}

/// A list of texts that name something of a document. `list` is its name in `places`.
fn read_names(
    reader: &mut Reader,
    node: &Node,
    what: &str,
    list: &str,
    places: &mut Places,
) -> Vec<String> {
    let mut seen: IndexSet<String> = IndexSet::new();
    for (text, position) in reader.strings(node, what) {
        if text.len() > LONGEST_TEXT {
            reader.complain(position, format!("{} of {what} is too long", quote(&text)));
        } else if seen.contains(&text) {
            reader.warn(
                position,
                &format!("{} of {what} is listed twice", quote(&text)),
            );
        } else {
            places.insert((list.to_owned(), text.clone()), reader.place(position));
            seen.insert(text);
        }
    }
    seen.into_iter().collect()
}

fn read_rename(reader: &mut Reader, node: &Node, server: &mut ServerConfig) {
    let mut positions: HashMap<String, Position> = HashMap::new();
    for (key, value) in reader.entries(node, "`rename`") {
        let what = format!("the name for {} in `rename`", quote(&key.text));
        let Some(name) = reader.string(value, &what) else {
            continue;
        };
        if let Some(why) = names::refuse_function(&name) {
            reader.complain(
                value.position,
                format!("{what}, {}, cannot be used: {why}", quote(&name)),
            );
            continue;
        }
        if let Some(earlier) = positions.get(&name) {
            let line = earlier.line;
            reader.complain(
                value.position,
                format!("{what}, `{name}`, was given to another operation in line {line}"),
            );
            continue;
        }
        positions.insert(name.clone(), value.position);
        let place = reader.place(value.position);
        let entry = ("rename".to_owned(), key.text.clone());
        server.places.insert(entry, place);
        server.rename.insert(key.text.clone(), name);
    }
}
