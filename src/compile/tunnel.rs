//! Operations that can carry others: GraphQL, batches, remote procedure calls, proxies. What the
//! read-only rule, `include` and `exclude` say of an operation, they do not say of what it carries.

mod bodies;

use std::fmt;

use indexmap::IndexMap;
use serde_json::Value;

use crate::api::{Body, Function, Location, Manifest, is_mutating};
use crate::config::ServerConfig;
use crate::invisible::visible;

/// What shows that an operation carries others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sign {
    /// A segment of its path.
    Segment(String),
    /// Its operationId.
    OperationId(String),
    /// A media type that it takes.
    MediaType(String),
    /// A body that lists requests by these two keys.
    Requests(String, String),
    /// A body that is a call by these two keys.
    Call(String, String),
    /// A parameter that overrides the method.
    Override(String),
}

impl fmt::Display for Sign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Segment(text) => write!(f, "`{}` in its path", visible(text)),
            Self::OperationId(text) => write!(f, "its operationId `{}`", visible(text)),
            Self::MediaType(text) => write!(f, "its media type `{}`", visible(text)),
            Self::Requests(method, target) => {
                let (method, target) = (visible(method), visible(target));
                write!(f, "a list with `{method}` and `{target}` in its body")
            }
            Self::Call(first, second) => {
                write!(
                    f,
                    "`{}` and `{}` in its body",
                    visible(first),
                    visible(second)
                )
            }
            Self::Override(name) => write!(f, "its parameter `{}`", visible(name)),
        }
    }
}

/// What to know of a server's operations that carry others, where the config restricts operations.
pub(super) fn warnings(server: &ServerConfig, manifest: &Manifest) -> Vec<String> {
    let is_set = |filter: &crate::config::Filter| *filter != crate::config::Filter::default();
    let rules: Vec<&str> = [
        (manifest.read_only, "`is_read_only`"),
        (is_set(&server.include), "`include`"),
        (is_set(&server.exclude), "`exclude`"),
    ]
    .into_iter()
    .filter_map(|(counts, name)| counts.then_some(name))
    .collect();
    if rules.is_empty() {
        return Vec::new();
    }
    let rules = rules.join(" and ");
    let mut signs = Signs::new(&manifest.types);
    let warn = |function: &Function| {
        let sign = signs.of(function)?;
        let operation = visible(&format!("{} {}", function.method, function.path));
        let allowed = server.read_only_allow.iter().any(|entry| {
            manifest.read_only && entry.method == function.method && entry.path == function.path
        });
        let what = if allowed {
            "remove it from `read_only_allow`"
        } else {
            "`exclude` it"
        };
        Some(format!(
            "`{operation}` can carry other operations ({sign}), to which {rules} cannot apply; \
             {what} unless that is meant"
        ))
    };
    manifest.functions.iter().filter_map(warn).collect()
}

/// Looks for what shows that a server's functions carry other operations.
pub(super) struct Signs<'a> {
    bodies: bodies::Bodies<'a>,
}

impl<'a> Signs<'a> {
    pub(super) fn new(types: &'a IndexMap<String, Value>) -> Self {
        Self {
            bodies: bodies::Bodies::new(types),
        }
    }

    /// What shows it of a function, if anything does.
    pub(super) fn of(&mut self, function: &Function) -> Option<Sign> {
        in_path(function)
            .or_else(|| in_name(function))
            .or_else(|| in_media_types(function))
            .or_else(|| in_parameters(function))
            .or_else(|| self.bodies.sign(function))
    }
}

fn in_path(function: &Function) -> Option<Sign> {
    let segments: Vec<&str> = function.path.split('/').collect();
    let last = segments.iter().rev().find(|segment| !segment.is_empty())?;
    let found = |segment: &str| Some(Sign::Segment(segment.to_owned()));
    // Others than GET: a GET of these reads the state of one.
    let sends = is_mutating(&function.method);
    match word(last).as_str() {
        "graphql" | "gql" | "jsonrpc" | "rpc" | "xmlrpc" => return found(last),
        "batch" if sends => return found(last),
        "batches" if function.method == "POST" && is_root(&segments) => return found(last),
        // Below a resource it is many of that one; with an underscore it is Elasticsearch's.
        "bulk" if function.method == "POST" && (last.starts_with('_') || is_root(&segments)) => {
            return found(last);
        }
        _ => {}
    }
    if let Some(segment) = within_path(function, &segments) {
        return found(segment);
    }
    let (proxy, after) = segments
        .iter()
        .enumerate()
        .rev()
        .find_map(|(index, segment)| {
            let is_proxy = matches!(plain(segment).as_str(), "proxy" | "passthrough");
            is_proxy.then(|| (segment, segments.get(index + 1..).unwrap_or_default()))
        })?;
    let by_path = after.last().is_some_and(|segment| {
        let name = segment.trim_matches(['{', '}', '+', '*']);
        segment.starts_with('{') && is_target(name)
    });
    let by_query = function
        .parameters
        .iter()
        .any(|one| one.r#in == Location::Query && is_target(&one.wire_name));
    (by_path || by_query).then(|| Sign::Segment((*proxy).to_owned()))
}

/// A segment before the last that says it.
fn within_path<'a>(function: &Function, segments: &[&'a str]) -> Option<&'a str> {
    let mut placeholders = Vec::new();
    for segment in segments.iter().rev().filter(|it| !it.is_empty()) {
        // What follows is the tenant, the method or the API that is called.
        let names_all = !placeholders.is_empty();
        let shows = match word(segment).as_str() {
            "graphql" | "gql" | "jsonrpc" | "xmlrpc" | "rpc" => names_all,
            // One is called by its ID: of two the first is no batch.
            "batch" => placeholders.len() > 1 && function.method == "POST",
            _ => false,
        };
        if shows {
            return Some(segment);
        }
        if !(segment.starts_with('{') && segment.ends_with('}')) {
            break;
        }
        placeholders.push(segment);
    }
    // A part of one, or of what speaks it.
    let mut all = segments.iter().filter(|_| is_mutating(&function.method));
    all.find(|segment| {
        matches!(
            word(segment).as_str(),
            "graphql" | "gql" | "jsonrpc" | "xmlrpc"
        )
    })
    .copied()
}

/// A segment without its extension, [`plain`].
fn word(segment: &str) -> String {
    let stem = segment.split('.').next().filter(|stem| !stem.is_empty());
    plain(stem.unwrap_or(segment))
}

/// Whether nothing but a version and the like stands before the last segment.
fn is_root(segments: &[&str]) -> bool {
    let mut named = segments.iter().filter(|segment| {
        let version = segment.trim_start_matches(['v', 'V']);
        let is_version = version.starts_with(|it: char| it.is_ascii_digit());
        !segment.is_empty() && **segment != "api" && !is_version
    });
    named.next();
    named.next().is_none()
}

/// A segment without what is written differently from API to API.
fn plain(segment: &str) -> String {
    let kept = segment.chars().filter(char::is_ascii_alphanumeric);
    if segment.contains(['{', '}']) {
        return String::new();
    }
    kept.collect::<String>().to_ascii_lowercase()
}

fn is_target(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name = name.trim_start_matches("proxy").trim_matches(['_', '-']);
    matches!(
        name,
        "" | "path" | "url" | "uri" | "endpoint" | "target" | "subpath" | "rest" | "any" | "all"
    )
}

fn in_name(function: &Function) -> Option<Sign> {
    let id = function.operation_id.as_deref()?;
    let name = plain(id);
    let sends = is_mutating(&function.method);
    let shows = match name.as_str() {
        "graphql" | "jsonrpc" | "rpc" => true,
        "batch" | "batchrequest" | "batchrequests" | "batchcall" | "batchcalls" => sends,
        other => {
            sends
                && ["graphql", "jsonrpc"]
                    .iter()
                    .any(|word| other.starts_with(word) || other.ends_with(word))
        }
    };
    shows.then(|| Sign::OperationId(id.to_owned()))
}

fn in_media_types(function: &Function) -> Option<Sign> {
    let body = function.body.as_ref()?;
    let all = super::media_types(body);
    // Files travel so too.
    let id = function.operation_id.as_deref().unwrap_or_default();
    let names_batch = [id, &function.path]
        .iter()
        .any(|text| text.to_ascii_lowercase().contains("batch"));
    let shows = |media_type: &String| {
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        let essence = essence.to_ascii_lowercase();
        let (bare, _) = essence.rsplit_once('+').unwrap_or((&essence, ""));
        matches!(
            bare,
            "application/http" | "message/http" | "multipart/batch" | "application/jsonrequest"
        ) || ["graphql", "json-rpc", "jsonrpc", "xmlrpc", "xml-rpc"]
            .iter()
            .any(|word| bare.contains(word))
            || names_batch && bare == "multipart/mixed"
    };
    if let Some(range) = anything(function, body, &all) {
        return Some(Sign::MediaType(range));
    }
    all.into_iter().find(shows).map(Sign::MediaType)
}

/// The media range of a `POST` that says nothing else of what it takes: neither another media
/// type nor a schema.
fn anything(function: &Function, body: &Body, media_types: &[String]) -> Option<String> {
    let is_range = |media_type: &String| {
        let essence = media_type.split(';').next().unwrap_or_default().trim();
        essence == "*/*" || essence.eq_ignore_ascii_case("application/*")
    };
    let says_nothing = |schema: &Value| match schema {
        Value::Object(members) => members.keys().all(|key| {
            matches!(
                key.as_str(),
                "title" | "description" | "example" | "examples"
            )
        }),
        other => *other == Value::Bool(true) || other.is_null(),
    };
    let mut schemas =
        std::iter::once(&body.schema).chain(body.alternatives.iter().map(|one| &one.schema));
    (function.method == "POST" && media_types.iter().all(is_range) && schemas.all(says_nothing))
        .then(|| media_types.first().cloned())?
}

fn in_parameters(function: &Function) -> Option<Sign> {
    let overrides = |name: &str| {
        let plain = name.to_ascii_lowercase().replace('-', "_");
        plain == "_method" || plain.ends_with("method_override") || plain == "x_http_method"
    };
    let mut names = function.parameters.iter().map(|one| &one.wire_name);
    let found = names.find(|name| overrides(name))?;
    Some(Sign::Override(found.clone()))
}

#[cfg(test)]
mod tests;
