//! Chooses, per operation, among the alternatives of its `security`.

use std::collections::BTreeMap;

use secrecy::SecretString;

use super::configured::{ApiKey, Configured, Place};
use super::{Credential, Error};
use crate::api::{Function, Manifest, SecurityScheme};

/// The credentials of one call, see [`super::Vault::credentials`] for the rule.
pub(super) fn choose(
    configured: &Configured,
    manifest: &Manifest,
    function: &Function,
) -> Result<Vec<Credential>, Error> {
    if function.security.is_empty() {
        return Ok(Vec::new());
    }
    let mut chosen = best(configured, manifest, function);
    if chosen.is_empty() {
        if let Some(value) = &configured.authorization {
            chosen.push(authorization(value));
        }
        if let Some(ApiKey { value, place }) = &configured.api_key {
            match place {
                Some((place, name)) => chosen.push(at(*place, name, value)),
                None if api_key_schemes(manifest).next().is_none() => {
                    return Err(Error::NoPlace {
                        server: manifest.server.clone(),
                    });
                }
                None => {}
            }
        }
    }
    for (name, value) in &configured.cookies {
        let known = chosen
            .iter()
            .any(|it| matches!(it, Credential::Cookie { name: known, .. } if known == name));
        if !known {
            chosen.push(at(Place::Cookie, name, value));
        }
    }
    Ok(chosen)
}

fn api_key_schemes(manifest: &Manifest) -> impl Iterator<Item = &SecurityScheme> {
    manifest
        .security_schemes
        .values()
        .filter(|scheme| scheme.r#type == "apiKey")
}

/// The credentials of the alternative of which most is configured.
fn best(configured: &Configured, manifest: &Manifest, function: &Function) -> Vec<Credential> {
    let mut best: Option<(bool, usize, Vec<Credential>)> = None;
    for alternative in function.security.iter().filter(|it| !it.is_empty()) {
        let (complete, credentials) = satisfy(configured, manifest, alternative);
        let better = best.as_ref().is_none_or(|(known_complete, count, _)| {
            match (complete, known_complete) {
                (true, false) => true,
                (false, false) => credentials.len() > *count,
                (_, true) => false,
            }
        });
        if better {
            best = Some((complete, credentials.len(), credentials));
        }
    }
    best.map(|(.., credentials)| credentials)
        .unwrap_or_default()
}

/// What of an alternative is configured, and whether that is all of it.
fn satisfy(
    configured: &Configured,
    manifest: &Manifest,
    alternative: &BTreeMap<String, Vec<String>>,
) -> (bool, Vec<Credential>) {
    let mut credentials: Vec<Credential> = Vec::new();
    let mut complete = true;
    for name in alternative.keys() {
        let scheme = manifest.security_schemes.get(name);
        match scheme.and_then(|scheme| credential(configured, scheme)) {
            Some(Found::Attach(credential)) => {
                // Two schemes that both take `Authorization` are met by one header.
                let known = credentials.iter().any(|it| same_place(it, &credential));
                if !known {
                    credentials.push(credential);
                }
            }
            Some(Found::Elsewhere) => {}
            None => complete = false,
        }
    }
    (complete, credentials)
}

/// How a scheme is met.
enum Found {
    /// By this.
    Attach(Credential),
    /// By a cookie or extra header, which go on every call anyway.
    Elsewhere,
}

fn credential(configured: &Configured, scheme: &SecurityScheme) -> Option<Found> {
    match scheme.r#type.as_str() {
        "http" | "oauth2" | "openIdConnect" => configured
            .authorization
            .as_ref()
            .map(|value| Found::Attach(authorization(value))),
        "apiKey" => {
            let place = Place::parse(scheme.r#in.as_deref()?)?;
            let name = scheme.name.as_deref()?;
            let is_authorization =
                place == Place::Header && name.eq_ignore_ascii_case("authorization");
            if let Some(value) = configured
                .authorization
                .as_ref()
                .filter(|_| is_authorization)
            {
                return Some(Found::Attach(authorization(value)));
            }
            if let Some(key) = configured
                .api_key
                .as_ref()
                .filter(|key| fits(key, place, name))
            {
                return Some(Found::Attach(at(place, name, &key.value)));
            }
            let elsewhere = match place {
                Place::Cookie => configured.cookies.iter().any(|(known, _)| known == name),
                Place::Header => configured
                    .extra_headers
                    .iter()
                    .any(|(known, _)| known.eq_ignore_ascii_case(name)),
                Place::Query => false,
            };
            elsewhere.then_some(Found::Elsewhere)
        }
        _ => None,
    }
}

/// Whether a key may go to the document's place: it has none of its own, or the same.
fn fits(key: &ApiKey, place: Place, name: &str) -> bool {
    key.place.as_ref().is_none_or(|(own, known)| {
        *own == place
            && match place {
                Place::Header => known.eq_ignore_ascii_case(name),
                Place::Query | Place::Cookie => known == name,
            }
    })
}

fn authorization(value: &SecretString) -> Credential {
    at(Place::Header, "Authorization", value)
}

fn at(place: Place, name: &str, value: &SecretString) -> Credential {
    let (name, value) = (name.to_owned(), value.clone());
    match place {
        Place::Header => Credential::Header { name, value },
        Place::Query => Credential::Query { name, value },
        Place::Cookie => Credential::Cookie { name, value },
    }
}

fn same_place(left: &Credential, right: &Credential) -> bool {
    match (left, right) {
        (Credential::Header { name: a, .. }, Credential::Header { name: b, .. }) => {
            a.eq_ignore_ascii_case(b)
        }
        (Credential::Query { name: a, .. }, Credential::Query { name: b, .. })
        | (Credential::Cookie { name: a, .. }, Credential::Cookie { name: b, .. }) => a == b,
        _ => false,
    }
}
