//! Where an API is to be had: the document's first root server, and what its paths and operations
//! say beside it.

mod location;
mod url;

use std::cell::{Cell, OnceCell};
use std::net::IpAddr;

use ::url::{Host, Url};
use serde_json::{Map, Value};

use self::location::Location;
use self::url::{fill_in, resolve, spelt};
use super::document::Document;
use super::swagger;
use super::version::Dialect;
use crate::address::{Reach, is_metadata_name, reach};
use crate::api::OperationServer;
use crate::invisible::visible;

/// Servers that one reason names.
const NAMED_SERVERS: usize = 3;
/// Servers of one list that count.
const MOST_SERVERS: usize = 50;

/// The servers of a document, to hold those of its paths and operations against.
pub(super) struct Servers<'a> {
    document: &'a Document,
    /// Where the document came from.
    pub(super) location: Location<'a>,
    /// The document's own: its first root server as an absolute http(s) URL without user name,
    /// password, query and fragment, no slash at its end.
    pub(super) base_url: Option<String>,
    /// Why it cannot be called, see [`crate::api::Api::unusable_server`].
    pub(super) unusable: Vec<String>,
    root: Key,
    /// Whether a list was longer than what counts of it.
    was_cut: Cell<bool>,
}

/// The servers that a path item names for its operations, resolved once for all of them.
pub(super) struct PathServers<'a> {
    item: &'a Map<String, Value>,
    found: OnceCell<OperationServer>,
}

impl<'a> PathServers<'a> {
    pub(super) fn new(item: &'a Map<String, Value>) -> Self {
        Self {
            item,
            found: OnceCell::new(),
        }
    }
}

fn listed(holder: &Map<String, Value>) -> Option<&[Value]> {
    let servers = holder.get("servers")?.as_array()?;
    (!servers.is_empty()).then_some(servers)
}

/// What tells servers apart: the URL, else the text that none could be made of.
#[derive(PartialEq, Eq)]
enum Key {
    Url(String),
    Text(String),
}

impl<'a> Servers<'a> {
    /// Reads the root servers; what is wrong with the first is a warning.
    pub(super) fn new(
        document: &'a Document,
        location: Option<&'a Url>,
        warnings: &mut Vec<String>,
    ) -> Self {
        let mut unusable = Vec::new();
        let location = Location::new(document, location, warnings);
        let (base_url, root) = match root_server(document, location.url) {
            Ok(server) => {
                let base_url = base_url(&server, &location, warnings, &mut unusable);
                (base_url, key(&server, &location))
            }
            Err(reason) => {
                unusable.push(format!("the server of the document is not used: {reason}"));
                (None, Key::Text(String::new()))
            }
        };
        Self {
            document,
            location,
            base_url,
            unusable,
            root,
            was_cut: Cell::new(false),
        }
    }

    /// Where an operation is to be had. Its own servers win over those of its path.
    pub(super) fn of_operation(
        &self,
        path: &PathServers<'_>,
        operation: &Map<String, Value>,
    ) -> OperationServer {
        if self.document.dialect == Dialect::Swagger2 {
            let written = swagger::operation_servers(self.document, operation, self.location.url);
            return self.among(&written);
        }
        if let Some(own) = listed(operation) {
            return self.among(own);
        }
        let of_path = || self.among(listed(path.item).unwrap_or_default());
        path.found.get_or_init(of_path).clone()
    }

    /// Which of the servers that an operation or its path names is called.
    fn among(&self, servers: &[Value]) -> OperationServer {
        if servers.len() > MOST_SERVERS {
            self.was_cut.set(true);
        }
        let servers = servers.iter().take(MOST_SERVERS);
        let keys = servers
            .filter_map(Value::as_object)
            .map(|server| key(server, &self.location));
        let keys: Vec<Key> = keys.collect();
        // Any of them serves the operation, so one that is the document's will do.
        if keys.is_empty() || keys.contains(&self.root) {
            return OperationServer::Document;
        }
        let mut urls = keys.iter().filter_map(|key| match key {
            Key::Url(url) => Some(url),
            Key::Text(_) => None,
        });
        let own = self
            .base_url
            .as_deref()
            .and_then(|own| Url::parse(own).ok());
        let is_here = |url: &&String| {
            let url = Url::parse(url).ok();
            matches!((&own, url), (Some(own), Some(url)) if own.origin() == url.origin())
        };
        if let Some(url) = urls.find(is_here) {
            return OperationServer::Own(url.clone());
        }
        let mut shown: Vec<String> = Vec::new();
        for key in keys {
            let text = match key {
                Key::Url(text) => visible(&text),
                Key::Text(text) => without_userinfo(&text),
            };
            if shown.len() < NAMED_SERVERS && !shown.contains(&text) {
                shown.push(text);
            }
        }
        OperationServer::Elsewhere(format!("`{}`", shown.join("`, `")))
    }

    /// What is to say of the lists in the end.
    pub(super) fn warning(&self) -> Option<String> {
        let text = || {
            format!(
                "operations or paths name more than {MOST_SERVERS} servers of their own: only the \
                 first of them count"
            )
        };
        self.was_cut.get().then(text)
    }
}

/// The first root server; empty where the document names none.
fn root_server(document: &Document, location: Option<&Url>) -> Result<Map<String, Value>, String> {
    let first = if document.dialect == Dialect::Swagger2 {
        let servers = swagger::root_servers(document, location)?;
        servers.into_iter().next()
    } else {
        let servers = document.root.get("servers").and_then(Value::as_array);
        servers.and_then(|all| all.first()).cloned()
    };
    Ok(match first {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    })
}

fn base_url(
    server: &Map<String, Value>,
    location: &Location<'_>,
    warnings: &mut Vec<String>,
    unusable: &mut Vec<String>,
) -> Option<String> {
    if server.is_empty() {
        // OpenAPI's default: `/`, relative to where the document is served. What a file calls itself
        // need not be where anything answers.
        return location.default().map(spelt);
    }
    let Some(template) = server.get("url").and_then(Value::as_str) else {
        unusable.push("the root server has no `url`".to_owned());
        return None;
    };
    let url = match resolve(server, template, location) {
        Ok(url) => url,
        Err(reason) => {
            unusable.push(format!(
                "the root server `{}` is not used: {reason}",
                without_userinfo(template)
            ));
            return None;
        }
    };
    let has_userinfo = !url.username().is_empty() || url.password().is_some();
    let has_query = url.query().is_some() || url.fragment().is_some();
    for (is_there, what) in [
        (has_userinfo, "user name and password"),
        (has_query, "query and fragment"),
    ] {
        if is_there {
            warnings.push(format!("the {what} of the root server's URL are left out"));
        }
    }
    if is_never_reached(&url) {
        unusable.push(format!(
            "the root server `{}` is a link-local or metadata address, which is never called",
            visible(url.host_str().unwrap_or_default())
        ));
    }
    Some(spelt(url))
}

fn is_never_reached(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => is_metadata_name(name),
        Some(Host::Ipv4(address)) => reach(IpAddr::V4(address)) == Reach::Never,
        Some(Host::Ipv6(address)) => reach(IpAddr::V6(address)) == Reach::Never,
        None => false,
    }
}

/// Never the text before an `@`: it may be a password.
fn without_userinfo(template: &str) -> String {
    let bare = template.rsplit('@').next().unwrap_or_default();
    visible(bare).chars().take(100).collect()
}

/// OpenAPI's default is `/`.
fn template(server: &Map<String, Value>) -> &str {
    server.get("url").and_then(Value::as_str).unwrap_or("/")
}

fn key(server: &Map<String, Value>, location: &Location<'_>) -> Key {
    let template = template(server);
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::yaml::Position;

    #[test]
    fn a_long_list_of_own_servers_is_cut_and_one_of_a_path_is_read_once() {
        let root = json!({"openapi": "3.1.0", "servers": [{"url": "https://a.example"}]});
        let document = Document::new(root, Position::default).unwrap();
        let servers = Servers::new(&document, None, &mut Vec::new());
        let list = |count: usize| {
            let elsewhere = vec![json!({"url": "https://b.example"}); count];
            let last = [json!({"url": "https://a.example/own"})];
            json!({"servers": elsewhere.into_iter().chain(last).collect::<Value>()})
        };
        let of = |item: &Value| {
            let path = PathServers::new(item.as_object().unwrap());
            servers.of_operation(&path, &Map::new())
        };
        let own = OperationServer::Own("https://a.example/own".to_owned());
        assert_eq!(of(&list(MOST_SERVERS - 1)), own);
        assert_eq!(servers.warning(), None);
        let elsewhere = OperationServer::Elsewhere("`https://b.example`".to_owned());
        assert_eq!(of(&list(MOST_SERVERS)), elsewhere);
        assert!(servers.warning().unwrap().contains("more than 50 servers"));
        // An operation's own list wins over what its path's was found to be.
        let item = list(1);
        let path = PathServers::new(item.as_object().unwrap());
        assert_eq!(servers.of_operation(&path, &Map::new()), own);
        assert!(path.found.get().is_some());
        let operation = json!({"servers": [{"url": "https://b.example"}]});
        let found = servers.of_operation(&path, operation.as_object().unwrap());
        assert_eq!(found, elsewhere);
    }

    /// The root server and the warnings of a document that calls itself so.
    fn of_self(own: &str, server: &Value, location: Option<&str>) -> (Option<String>, Vec<String>) {
        let mut root = json!({"openapi": "3.2.0", "$self": own});
        if !server.is_null() {
            root["servers"] = json!([server]);
        }
        let document = Document::new(root, Position::default).unwrap();
        let location = location.map(|text| Url::parse(text).unwrap());
        let mut warnings = Vec::new();
        let servers = Servers::new(&document, location.as_ref(), &mut warnings);
        (servers.base_url, warnings)
    }

    #[test]
    fn what_a_document_calls_itself_moves_no_server_to_another_origin() {
        let own = "https://a.example/api/v2/openapi.yaml";
        let relative = json!({"url": "../v3"});
        let here = Some("https://a.example/files/1.yaml");
        let moved = Some("https://a.example/api/v3".to_owned());
        assert_eq!(of_self(own, &relative, here), (moved.clone(), vec![]));
        assert_eq!(of_self(own, &relative, None), (moved, vec![]));
        // A name alone is no place to call.
        assert_eq!(of_self(own, &Value::Null, None), (None, vec![]));
        let (base_url, warnings) = of_self(own, &relative, Some("https://b.example/x/y/1.yaml"));
        assert_eq!(base_url.as_deref(), Some("https://b.example/x/v3"));
        assert_eq!(
            warnings,
            ["`$self` is no base of references and servers: it is not on the document's origin"]
        );
    }

    fn of(server: &Value, location: Option<&str>) -> (Option<String>, Option<String>) {
        let root = json!({"openapi": "3.1.0", "servers": [server]});
        let document = Document::new(root, Position::default).unwrap();
        let location = location.map(|text| Url::parse(text).unwrap());
        let mut warnings = Vec::new();
        let servers = Servers::new(&document, location.as_ref(), &mut warnings);
        (servers.base_url, servers.unusable.into_iter().next())
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
        assert!(warning.unwrap().contains("is not used"));
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
    fn a_variable_is_one_of_its_values_as_a_text_or_as_a_number() {
        let (text, number) = (json!("8443"), json!(8443));
        for default in [&text, &number] {
            for listed in [&text, &number] {
                let server = json!({"url": "https://a.example:{port}", "variables": {
                    "port": {"default": default, "enum": [443, listed]}}});
                let url = of(&server, None).0;
                assert_eq!(url.as_deref(), Some("https://a.example:8443"), "{server}");
            }
            let server = json!({"url": "https://a.example:{port}", "variables": {
                "port": {"default": default, "enum": [443, "80"]}}});
            assert_eq!(of(&server, None).0, None);
        }
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
