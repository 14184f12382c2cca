//! Servers: `schemes`, `host` and `basePath` make a URL.

use serde_json::{Map, Value, json};
use url::Url;

use crate::openapi::document::{Document, text};

/// The servers that a document's root names, the one to use first. Without `host` it is where the
/// document is served; without `schemes`, as the document is.
pub(in crate::openapi) fn of_root(
    document: &Document,
    location: Option<&Url>,
) -> Result<Vec<Value>, String> {
    let host = text(&document.root, "host");
    // Whatever ends a host or begins another part of the URL.
    if host.contains(|c: char| "/\\@?#{}%".contains(c) || c.is_whitespace() || c.is_control()) {
        return Err("`host` is no host with an optional port".to_owned());
    }
    if host.is_empty() {
        return Ok(match base_path(document).as_str() {
            "" => Vec::new(),
            path => vec![json!({"url": path})],
        });
    }
    let schemes = schemes(&document.root, location);
    if schemes.is_empty() {
        return Err("`schemes` has neither https nor http".to_owned());
    }
    Ok(at_host(document, &schemes))
}

/// The servers of an operation that has `schemes` of its own.
pub(in crate::openapi) fn of_operation(
    document: &Document,
    operation: &Map<String, Value>,
    location: Option<&Url>,
) -> Vec<Value> {
    if !operation.contains_key("schemes") || !document.root.contains_key("host") {
        return Vec::new();
    }
    at_host(document, &schemes(operation, location))
}

fn at_host(document: &Document, schemes: &[&str]) -> Vec<Value> {
    let host = text(&document.root, "host");
    let path = base_path(document);
    let urls = schemes
        .iter()
        .map(|scheme| json!({"url": format!("{scheme}://{host}{path}")}));
    urls.collect()
}

fn base_path(document: &Document) -> String {
    let path = text(&document.root, "basePath");
    if path.is_empty() || path.starts_with('/') {
        path
    } else {
        format!("/{path}")
    }
}

/// The usable ones of `schemes`, https first.
fn schemes(members: &Map<String, Value>, location: Option<&Url>) -> Vec<&'static str> {
    let listed = match members.get("schemes").and_then(Value::as_array) {
        Some(listed) if !listed.is_empty() => listed,
        _ => {
            let is_http = location.is_some_and(|location| location.scheme() == "http");
            return vec![if is_http { "http" } else { "https" }];
        }
    };
    let is_listed = |scheme: &&str| {
        let mut listed = listed.iter().filter_map(Value::as_str);
        listed.any(|it| it.eq_ignore_ascii_case(scheme))
    };
    ["https", "http"].into_iter().filter(is_listed).collect()
}
