//! Which credentials a document asks for, and how the config takes them.

use std::collections::BTreeMap;

use super::super::output::counted;
use super::texts::{self, Variable};
use crate::api::{Manifest, SecurityScheme};
use crate::variables::of_server;

/// The credential of a server.
#[derive(Default)]
pub(super) struct Credentials {
    /// Lines below `auth:`, without indent.
    pub(super) auth: Vec<String>,
    /// What stands beside it as comments.
    pub(super) comments: Vec<String>,
    /// The variables they name.
    pub(super) variables: Vec<Variable>,
    /// Whether one of them is a key.
    has_key: bool,
}

/// What the operations ask for: of alternatives what most of them take, and all that those ask for
/// together.
pub(super) fn of(manifest: &Manifest, server: &str) -> Credentials {
    let mut wanted: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    for function in &manifest.functions {
        for alternative in function.security.iter().filter(|it| !it.is_empty()) {
            let schemes = alternative.keys().map(String::as_str).collect();
            *wanted.entry(schemes).or_default() += 1;
        }
    }
    let usable = |schemes: &[&str]| {
        let mut kinds = schemes
            .iter()
            .filter_map(|it| manifest.security_schemes.get(*it));
        !kinds.any(|scheme| scheme.r#type == "mutualTLS")
    };
    let most = wanted.iter().max_by_key(|(schemes, count)| {
        (usable(schemes), **count, std::cmp::Reverse(schemes.len()))
    });
    let mut credentials = Credentials::default();
    let Some((schemes, count)) = most else {
        return credentials;
    };
    let functions = counted(*count, "function");
    for name in schemes {
        if let Some(scheme) = manifest.security_schemes.get(*name) {
            credentials.add(scheme, name, server, &functions);
        }
    }
    let others: Vec<String> = wanted
        .keys()
        .filter(|other| *other != schemes)
        .map(|other| other.join(" with "))
        .collect();
    if !others.is_empty() {
        credentials
            .comments
            .push(format!("The document also takes: {}", others.join(", ")));
    }
    credentials
}

impl Credentials {
    fn add(&mut self, scheme: &SecurityScheme, name: &str, server: &str, functions: &str) {
        let variable = |suffix: &str| texts::variable(server, suffix);
        let is_first = self.auth.is_empty();
        let mut named = Vec::new();
        let lines: Vec<String> = match (scheme.r#type.as_str(), scheme.scheme.as_deref()) {
            ("apiKey", _) => {
                let place = format!(
                    "`{}` in {}",
                    scheme.name.as_deref().unwrap_or(name),
                    scheme.r#in.as_deref().unwrap_or("header")
                );
                if self.has_key {
                    self.add_further_key(scheme, &place, server);
                    return;
                }
                self.has_key = true;
                let key = if is_first {
                    variable("API_KEY")
                } else {
                    // Beside another credential this one needs no entry.
                    of_server(server, "API_KEY")
                };
                named.push((key.clone(), format!("API key, {place}; {functions}")));
                vec!["type: api_key".to_owned(), format!("value: ${{{key}}}")]
            }
            ("http", Some("basic")) => {
                named.push((variable("USERNAME"), format!("user name; {functions}")));
                named.push((variable("PASSWORD"), "password".to_owned()));
                vec![
                    "type: basic".to_owned(),
                    format!("username: ${{{}}}", variable("USERNAME")),
                    format!("password: ${{{}}}", variable("PASSWORD")),
                ]
            }
            ("http", Some("bearer")) => {
                named.push((variable("TOKEN"), format!("bearer token; {functions}")));
                vec![
                    "type: jwt".to_owned(),
                    format!("token: ${{{}}}", variable("TOKEN")),
                ]
            }
            ("oauth2" | "openIdConnect", _) => {
                named.push((variable("TOKEN"), format!("access token; {functions}")));
                self.comments.extend([
                    "A client of OAuth 2 fetches its tokens itself:".to_owned(),
                    format!(
                        "  auth: {{type: oauth2, token_url: https://…, client_id: …, \
                         client_secret: \"${{{}}}\"}}",
                        variable("CLIENT_SECRET")
                    ),
                ]);
                vec![
                    "type: jwt".to_owned(),
                    format!("token: ${{{}}}", variable("TOKEN")),
                ]
            }
            ("http", _) => {
                let kind = scheme.scheme.as_deref().unwrap_or("http");
                let meaning = format!("whole value of `Authorization` ({kind}); {functions}");
                named.push((variable("AUTHORIZATION"), meaning));
                vec![
                    "type: static".to_owned(),
                    format!("value: ${{{}}}", variable("AUTHORIZATION")),
                ]
            }
            ("mutualTLS", _) => {
                self.comments.push(
                    "The API wants a certificate: set `client_cert_file` and `client_key_file`"
                        .to_owned(),
                );
                Vec::new()
            }
            _ => Vec::new(),
        };
        let takes_authorization = |lines: &[String]| !lines.iter().any(|it| it == "type: api_key");
        if is_first {
            self.auth = lines;
        } else if !lines.is_empty() {
            if takes_authorization(&lines) && takes_authorization(&self.auth) {
                // Both are one header, which has one value.
                return;
            }
            if takes_authorization(&lines) {
                // A key needs no entry, so the other credential takes it.
                self.auth = lines;
                self.rename_key(server);
            }
        }
        let variables = named.into_iter();
        self.variables
            .extend(variables.map(|(name, meaning)| Variable { name, meaning }));
    }

    /// A server has one key, which goes to every place that a call asks for.
    fn add_further_key(&mut self, scheme: &SecurityScheme, place: &str, server: &str) {
        let otherwise = match scheme.r#in.as_deref() {
            Some("query") => "cannot be given".to_owned(),
            Some("cookie") => format!("is given by `{}`", of_server(server, "COOKIE")),
            _ => "is given under `extra_headers`".to_owned(),
        };
        self.comments.push(format!(
            "The same calls want a key as {place}: the same key goes there; another one {otherwise}"
        ));
    }

    fn rename_key(&mut self, server: &str) {
        let old = texts::variable(server, "API_KEY");
        for variable in &mut self.variables {
            if variable.name == old {
                variable.name = of_server(server, "API_KEY");
            }
        }
    }
}
