//! A Server Object becomes a URL.

use serde_json::{Map, Value};
use url::Url;

use super::location::Location;
use crate::invisible::visible;

/// The server's URL as absolute http(s) URL; else why not. User name, password, query and fragment
/// are as the document has them: see [`spelt`].
pub(super) fn resolve(
    server: &Map<String, Value>,
    template: &str,
    location: &Location<'_>,
) -> Result<Url, String> {
    let text = fill_in(server, template)?;
    if text
        .chars()
        .any(|c| c.is_control() || c == '\\' || c.is_whitespace())
    {
        return Err("it holds a backslash, blank or control character".to_owned());
    }
    let url = match Url::parse(&text) {
        Ok(url) => url,
        Err(url::ParseError::RelativeUrlWithoutBase) => {
            if text.starts_with("//") {
                return Err("it names a host but no scheme".to_owned());
            }
            let joined = location.join(&text);
            let joined =
                joined.ok_or("it is relative, and the document comes from a file".to_owned())?;
            joined.map_err(|error| error.to_string())?
        }
        Err(error) => return Err(error.to_string()),
    };
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!(
            "its scheme is `{}`, not http or https",
            url.scheme()
        ));
    }
    if url.host_str().is_none() {
        return Err("it names no host".to_owned());
    }
    Ok(url)
}

/// The value of a server variable: a text, for which many a port stands as a number.
fn value_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Server variables by their defaults. A value may not carry over into another part of the URL.
pub(super) fn fill_in(server: &Map<String, Value>, template: &str) -> Result<String, String> {
    let variables = server.get("variables").and_then(Value::as_object);
    let mut text = String::new();
    let mut rest = template;
    while let Some(start) = rest.find('{') {
        let (before, after) = rest.split_at(start);
        text.push_str(before);
        let inner = after.trim_start_matches('{');
        let end = inner
            .find('}')
            .ok_or("a `{` in it is not closed".to_owned())?;
        let (name, tail) = inner.split_at(end);
        let shown = visible(name);
        let variable = variables
            .and_then(|all| all.get(name))
            .and_then(Value::as_object)
            .ok_or_else(|| format!("its variable `{shown}` is not declared"))?;
        let default = variable.get("default").and_then(value_text);
        let default = default.ok_or_else(|| format!("its variable `{shown}` has no default"))?;
        let listed = variable.get("enum").and_then(Value::as_array);
        let is_listed = |all: &Vec<Value>| {
            let mut texts = all.iter().filter_map(value_text);
            all.is_empty() || texts.any(|text| text == default)
        };
        if !listed.is_none_or(is_listed) {
            return Err(format!(
                "the default of its variable `{shown}` is not one of its values"
            ));
        }
        let in_authority = text
            .split_once("://")
            .is_some_and(|(_, rest)| !rest.contains('/'));
        let tail = tail.strip_prefix('}').unwrap_or_default();
        let is_scheme = text.is_empty() && tail.starts_with("://");
        let is_whole = text.is_empty() && !is_scheme;
        // A part of a host may not end it; only what stands before the path may begin one.
        let ends_part = tail.is_empty() || tail.starts_with(['/', '{']);
        let stays = |c: char| c.is_ascii_alphanumeric() || "-._~".contains(c);
        let fits = if is_scheme {
            default.chars().all(|c| c.is_ascii_alphanumeric())
        } else if is_whole || !in_authority {
            !default.contains(['?', '#', '@', '\\'])
        } else {
            let (host, path) = default.split_at(default.find('/').unwrap_or(default.len()));
            let (host, port) = host.split_at(host.find(':').unwrap_or(host.len()));
            host.chars().all(stays)
                && port.chars().skip(1).all(|c| c.is_ascii_digit())
                && path.chars().all(|c| stays(c) || "/%:+,".contains(c))
                && (ends_part || port.is_empty() && path.is_empty())
        };
        if !fits {
            return Err(format!(
                "its variable `{shown}` changes more of the URL than its own part"
            ));
        }
        text.push_str(&default);
        rest = tail;
    }
    text.push_str(rest);
    if text.contains(['{', '}']) {
        return Err("it holds a brace".to_owned());
    }
    Ok(text)
}

/// A URL without user name, password, query and fragment, no slash at its end.
pub(super) fn spelt(mut url: Url) -> String {
    // These fail only for URLs without a host, which were refused before.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url.as_str().trim_end_matches('/').to_owned()
}
