//! The document's own base URL: its first root server.

use serde_json::{Map, Value};
use url::Url;

use super::document::Document;
use crate::invisible::visible;

/// The root server as an absolute http(s) URL without user name, password, query and fragment,
/// no slash at its end; else `None` and why.
pub(super) fn base_url(
    document: &Document,
    location: Option<&Url>,
) -> (Option<String>, Option<String>) {
    let server = document
        .root
        .get("servers")
        .and_then(Value::as_array)
        .and_then(|all| all.first());
    let Some(server) = server.and_then(Value::as_object) else {
        // OpenAPI's default: `/`, relative to where the document is served.
        return (
            location
                .and_then(|location| location.join("/").ok())
                .map(spelt),
            None,
        );
    };
    let Some(template) = server.get("url").and_then(Value::as_str) else {
        return (
            None,
            Some("the root server has no `url`; set `base_url`".to_owned()),
        );
    };
    match resolve(server, template, location) {
        Ok(url) => (Some(spelt(url)), None),
        Err(reason) => {
            // Never the text before an `@`: it may be a password.
            let shown: String = visible(template.rsplit('@').next().unwrap_or_default())
                .chars()
                .take(100)
                .collect();
            (
                None,
                Some(format!(
                    "the root server `{shown}` is not used: {reason}; set `base_url`"
                )),
            )
        }
    }
}

/// The servers of a document, to hold those of its paths and operations against.
pub(super) struct Servers<'a> {
    location: Option<&'a Url>,
    root: Key,
}

/// What tells servers apart: the URL, else the text that none could be made of.
#[derive(PartialEq, Eq)]
enum Key {
    Url(String),
    Text(String),
}

impl<'a> Servers<'a> {
    pub(super) fn new(document: &Document, location: Option<&'a Url>) -> Self {
        let declared = document.root.get("servers").and_then(Value::as_array);
        let default = Map::new();
        let first = declared.and_then(|all| all.first());
        let first = first.and_then(Value::as_object).unwrap_or(&default);
        Self {
            location,
            root: key(first, location),
        }
    }

    /// Whether an operation is to be had at the document's own server; else why it is left out
    /// (completes `unsupported: `). Its own servers win over those of its path.
    pub(super) fn check(
        &self,
        path_item: &Map<String, Value>,
        operation: &Map<String, Value>,
    ) -> Result<(), String> {
        for holder in [operation, path_item] {
            match holder.get("servers") {
                None | Some(Value::Null) => {}
                Some(Value::Array(servers)) if servers.is_empty() => {}
                Some(Value::Array(servers)) => {
                    // Any of them serves the operation, so one that is the document's will do.
                    let is_root = servers
                        .iter()
                        .filter_map(Value::as_object)
                        .any(|server| key(server, self.location) == self.root);
                    return if is_root {
                        Ok(())
                    } else {
                        Err("servers of its own".to_owned())
                    };
                }
                Some(_) => return Err("`servers` is no list".to_owned()),
            }
        }
        Ok(())
    }
}

fn key(server: &Map<String, Value>, location: Option<&Url>) -> Key {
    // OpenAPI's default is `/`.
    let template = server.get("url").and_then(Value::as_str).unwrap_or("/");
    match resolve(server, template, location) {
        Ok(url) => Key::Url(spelt(url)),
        Err(_) => Key::Text(
            fill_in(server, template)
                .unwrap_or_else(|_| template.to_owned())
                .trim_end_matches('/')
                .to_owned(),
        ),
    }
}

fn resolve(
    server: &Map<String, Value>,
    template: &str,
    location: Option<&Url>,
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
            let location =
                location.ok_or("it is relative, and the document comes from a file".to_owned())?;
            location.join(&text).map_err(|error| error.to_string())?
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

/// Server variables by their defaults. A value may not carry over into another part of the URL.
fn fill_in(server: &Map<String, Value>, template: &str) -> Result<String, String> {
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
        let default = match variable.get("default") {
            Some(Value::String(value)) => value.clone(),
            Some(Value::Number(value)) => value.to_string(),
            _ => return Err(format!("its variable `{shown}` has no default")),
        };
        let listed = variable.get("enum").and_then(Value::as_array);
        if listed
            .is_some_and(|all| !all.contains(&Value::String(default.clone())) && !all.is_empty())
        {
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

fn spelt(mut url: Url) -> String {
    // These fail only for URLs without a host, which were refused before.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url.as_str().trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::yaml::Position;

    fn of(server: &Value, location: Option<&str>) -> (Option<String>, Option<String>) {
        let root = json!({"openapi": "3.1.0", "servers": [server]});
        let document = Document::new(root, Position::default).unwrap();
        base_url(
            &document,
            location.map(|text| Url::parse(text).unwrap()).as_ref(),
        )
    }

    #[test]
    fn absolute_relative_and_templated_servers() {
        assert_eq!(
            of(&json!({"url": "https://u:p@api.example.com/v1/?q#f"}), None)
                .0
                .as_deref(),
            Some("https://api.example.com/v1")
        );
        assert_eq!(
            of(
                &json!({"url": "../v2"}),
                Some("https://x.example/docs/a/openapi.json")
            )
            .0
            .as_deref(),
            Some("https://x.example/docs/v2")
        );
        assert_eq!(
            of(
                &json!({"url": "https://{region}.example.com/{v}", "variables": {
                    "region": {"default": "eu"}, "v": {"default": "a/b"}}}),
                None
            )
            .0
            .as_deref(),
            Some("https://eu.example.com/a/b")
        );
        let (url, warning) = of(&json!({"url": "/api"}), None);
        assert_eq!(url, None);
        assert!(warning.unwrap().contains("set `base_url`"));
    }

    #[test]
    fn a_variable_may_be_a_host_with_its_port_or_begin_the_path() {
        let server = json!({"url": "{protocol}://{host}{base}", "variables": {
            "protocol": {"default": "http"},
            "host": {"default": "localhost:8008"},
            "base": {"default": "/_api/v1"},
        }});
        assert_eq!(
            of(&server, None).0.as_deref(),
            Some("http://localhost:8008/_api/v1")
        );
    }

    #[test]
    fn a_variable_cannot_move_the_host() {
        for default in [
            "evil.example/?",
            "evil.example/",
            "evil.example:80",
            "u@evil.example",
        ] {
            let server = json!({"url": "https://{tenant}.example.com", "variables": {
                "tenant": {"default": default}}});
            let (url, warning) = of(&server, None);
            assert_eq!(url, None, "{default}");
            assert!(warning.unwrap().contains("`tenant`"));
        }
    }

    #[test]
    fn other_schemes_and_passwords_are_not_repeated() {
        let (url, warning) = of(&json!({"url": "ftp://user:secret@files.example/"}), None);
        assert_eq!(url, None);
        let warning = warning.unwrap();
        assert!(
            warning.contains("ftp") && !warning.contains("secret"),
            "{warning}"
        );
    }
}
