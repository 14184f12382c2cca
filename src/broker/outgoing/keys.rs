//! The names that arguments, credentials and the config give query items, cookies and members of a
//! body, and which of them may not meet.

use std::collections::{BTreeSet, HashSet};

use indexmap::IndexMap;
use secrecy::ExposeSecret as _;

use super::Parts;
use crate::api::{Body, Location, Media, Parameter, Style};
use crate::broker::names::quoted;
use crate::headers::{is_override, normal};
use crate::sandbox::CallError;
use crate::vault::Credential;
use crate::wire::Value;

impl Parts<'_> {
    pub(super) fn parameters(&self, location: Location) -> impl Iterator<Item = &Parameter> {
        self.function
            .parameters
            .iter()
            .filter(move |parameter| parameter.r#in == location)
    }

    /// The keys that an argument spreads over the query or the cookies, where it is an object
    /// whose members are parameters of their own.
    pub(super) fn free_keys<'a>(&'a self, parameter: &Parameter) -> impl Iterator<Item = &'a str> {
        let spreads = matches!(parameter.style, Style::Form | Style::Cookie)
            && parameter.explode
            && parameter.content_type.is_none();
        let argument = self.arguments.get(&parameter.name);
        match argument.filter(|_| spreads) {
            Some(Value::Object(members)) => Some(members.keys().map(String::as_str)),
            _ => None,
        }
        .into_iter()
        .flatten()
    }

    /// The pairs of an argument for a declared header parameter `Cookie`.
    pub(super) fn cookie_header(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parameters(Location::Header)
            .filter(|parameter| parameter.wire_name.eq_ignore_ascii_case("cookie"))
            .filter_map(|parameter| match self.arguments.get(&parameter.name) {
                Some(Value::String(text)) => Some(cookie_pairs(text)),
                _ => None,
            })
            .flatten()
    }

    /// Names of credentials in a place, in use or not.
    pub(in crate::broker) fn credential_names(&self, location: Location) -> BTreeSet<String> {
        let schemes = self.manifest.security_schemes.values();
        let of_schemes = schemes
            .filter(|scheme| {
                matches!(
                    (scheme.r#in.as_deref(), location),
                    (Some("query"), Location::Query) | (Some("cookie"), Location::Cookie)
                )
            })
            .filter_map(|scheme| scheme.name.as_deref());
        let of_query = self
            .credentials
            .iter()
            .filter_map(|credential| match credential {
                Credential::Query { name, .. } => Some(name.as_str()),
                _ => None,
            })
            .filter(|_| location == Location::Query);
        let of_cookies = self
            .secret_cookies()
            .map(|(name, _)| name)
            .filter(|_| location == Location::Cookie);
        of_schemes
            .chain(of_query)
            .chain(of_cookies)
            .map(normal)
            .collect()
    }

    /// The vault's cookies and those of a configured extra header `Cookie`.
    pub(super) fn secret_cookies(&self) -> impl Iterator<Item = (&str, &str)> {
        let of_vault = self
            .credentials
            .iter()
            .filter_map(|credential| match credential {
                Credential::Cookie { name, value } => Some((name.as_str(), value.expose_secret())),
                _ => None,
            });
        // Documents spell cookie authentication also as an API key in the header `Cookie`.
        let of_headers = self
            .credentials
            .iter()
            .filter_map(|credential| match credential {
                Credential::Header { name, value } if name.eq_ignore_ascii_case("cookie") => {
                    Some(cookie_pairs(value.expose_secret()))
                }
                _ => None,
            })
            .flatten();
        let of_config = self
            .extra_headers
            .iter()
            .filter(|(name, _)| name.eq_ignore_ascii_case("cookie"))
            .flat_map(|(_, value)| cookie_pairs(value.expose_secret()));
        of_vault.chain(of_headers).chain(of_config)
    }

    /// Looks at the arguments alone, before anything is encoded. Free-form keys may be neither
    /// another parameter's name nor a credential's, nor one by which servers take another method;
    /// a header parameter `Cookie` repeats no cookie.
    pub(in crate::broker) fn check_keys(&self) -> Result<(), CallError> {
        for location in [Location::Query, Location::Cookie] {
            let credentials = self.credential_names(location);
            for parameter in self.parameters(location) {
                let mut taken = credentials.clone();
                let others = self.parameters(location);
                let others = others.filter(|other| other.name != parameter.name);
                taken.extend(others.map(|other| normal(&other.wire_name)));
                for key in self.free_keys(parameter) {
                    let name = normal(key);
                    if taken.contains(&name) || is_override(&name) {
                        return Err(self.refuse(&format!(
                            "`{}` may not hold the key `{}`, which has a meaning of its own",
                            parameter.name,
                            quoted(key)
                        )));
                    }
                }
            }
        }
        let mut cookies = self.credential_names(Location::Cookie);
        for parameter in self.parameters(Location::Cookie) {
            cookies.insert(normal(&parameter.wire_name));
            cookies.extend(self.free_keys(parameter).map(normal));
        }
        for (name, _) in self.cookie_header() {
            if !cookies.insert(normal(name)) {
                return Err(self.refuse(
                    "the header parameter `Cookie` repeats a cookie that has a meaning of its own",
                ));
            }
        }
        if let Some(body) = &self.function.body
            && let Some(Value::Object(members)) = self.arguments.get(&body.name)
            && let Some(key) = body_keys(body, members).find(|key| is_override(key))
        {
            return Err(self.refuse(&format!(
                "`{}` may not hold the key `{}`, by which servers take another method",
                body.name,
                quoted(key)
            )));
        }
        Ok(())
    }

    /// All the keys that arguments spread over the query or the cookies.
    pub(in crate::broker) fn all_free_keys(&self, location: Location) -> HashSet<&str> {
        self.parameters(location)
            .flat_map(|parameter| self.free_keys(parameter))
            .collect()
    }
}

/// The pairs of a `Cookie` header.
fn cookie_pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split(';')
        .map(str::trim)
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
}

/// The keys of a body that may be names on the wire: a form's object can bring names of its own.
fn body_keys<'a>(
    body: &Body,
    members: &'a IndexMap<String, Value>,
) -> impl Iterator<Item = &'a String> {
    let others = body.alternatives.iter().map(|other| &other.content_type);
    let is_form = std::iter::once(&body.content_type)
        .chain(others)
        .any(|name| {
            // Of a range code may select a form.
            matches!(Media::of(name), Media::Form | Media::Multipart) || name.contains('*')
        });
    members.iter().flat_map(move |(key, value)| {
        let inner = match value {
            Value::Object(inner) if is_form => Some(inner.keys()),
            _ => None,
        };
        std::iter::once(key).chain(inner.into_iter().flatten())
    })
}
