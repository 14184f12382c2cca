//! Chooses, per operation, among the alternatives of its `security`.

use std::collections::BTreeMap;

use secrecy::SecretString;

use super::configured::{ApiKey, Configured, Place};
use super::fetched::Live;
use super::{Credential, Error, Unmet};
use crate::api::{Function, Manifest, SecurityScheme};

/// A place of a request, and what goes there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slot {
    place: Place,
    name: String,
    what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Authorization,
    ApiKey,
}

/// The places of one call's credentials, see [`super::Vault::credentials`] for the rule. Cookies, which
/// go on every call but those that opt out, are not among them.
pub(super) fn choose(
    configured: &Configured,
    manifest: &Manifest,
    function: &Function,
) -> Result<Vec<Slot>, Error> {
    if function.security.is_empty() {
        return Ok(Vec::new());
    }
    let (is_met, mut chosen) = best(configured, manifest, function);
    if chosen.is_empty() && !is_met {
        if configured.has_authorization() {
            chosen.push(authorization());
        }
        if let Some(ApiKey { place, .. }) = &configured.api_key {
            match place {
                Some((place, name)) => chosen.push(api_key(*place, name)),
                None if api_key_schemes(manifest).next().is_none() => {
                    return Err(Error::NoPlace {
                        server: manifest.server.clone(),
                    });
                }
                None => {}
            }
        }
    }
    Ok(chosen)
}

/// Whether what was chosen has to be fetched.
pub(super) fn wants_fetched(configured: &Configured, function: &Function, chosen: &[Slot]) -> bool {
    let Some(fetched) = &configured.fetched else {
        return false;
    };
    if fetched.gives_authorization() {
        chosen.iter().any(|slot| slot.what == What::Authorization)
    } else {
        !function.security.is_empty()
    }
}

/// The credentials at the places that were chosen, and the cookies.
pub(super) fn fill(
    configured: &Configured,
    function: &Function,
    chosen: Vec<Slot>,
    live: Option<&Live>,
) -> Vec<Credential> {
    let fetched = live.and_then(|live| live.authorization.as_ref());
    let authorization = configured.authorization.as_ref().or(fetched);
    let api_key = configured.api_key.as_ref().map(|key| &key.value);
    let mut credentials: Vec<Credential> = chosen
        .into_iter()
        .filter_map(|Slot { place, name, what }| {
            let value = match what {
                What::Authorization => authorization,
                What::ApiKey => api_key,
            };
            Some(at(place, name, value?.clone()))
        })
        .collect();
    if function.security.is_empty() {
        return credentials;
    }
    let cookies = configured.cookies.iter();
    for (name, value) in cookies.chain(live.into_iter().flat_map(|live| &live.cookies)) {
        let known = credentials
            .iter()
            .any(|it| matches!(it, Credential::Cookie { name: known, .. } if known == name));
        if !known {
            credentials.push(at(Place::Cookie, name.clone(), value.clone()));
        }
    }
    credentials
}

/// What operations ask for and nothing gives, by the schemes of their alternatives.
pub(super) fn unmet(configured: &Configured, manifest: &Manifest) -> Vec<Unmet> {
    let mut found: BTreeMap<String, Unmet> = BTreeMap::new();
    for function in &manifest.functions {
        let is_optional =
            function.security.is_empty() || function.security.iter().any(BTreeMap::is_empty);
        if is_optional || best(configured, manifest, function).0 {
            continue;
        }
        let alternatives: Vec<String> = function
            .security
            .iter()
            .map(|alternative| {
                let each = alternative.keys().map(|name| described(name, manifest));
                each.collect::<Vec<_>>().join(" with ")
            })
            .collect();
        let schemes = alternatives.join(", or ");
        found
            .entry(schemes.clone())
            .or_insert_with(|| Unmet {
                schemes,
                functions: 0,
                example: function.name.clone(),
            })
            .functions += 1;
    }
    found.into_values().collect()
}

/// A scheme as the document has it.
fn described(name: &str, manifest: &Manifest) -> String {
    let Some(scheme) = manifest.security_schemes.get(name) else {
        return format!("`{name}`");
    };
    let kind = match (&scheme.scheme, &scheme.name, &scheme.r#in) {
        (Some(kind), _, _) => format!("{} {kind}", scheme.r#type),
        (None, Some(key), Some(place)) => format!("{} `{key}` in {place}", scheme.r#type),
        _ => scheme.r#type.clone(),
    };
    format!("`{name}` ({kind})")
}

/// Whether a credential of a kind that goes to `Authorization` is one that the document knows.
pub(super) fn is_of_another_kind(kind: &str, manifest: &Manifest) -> bool {
    let takes_basic = |it: &SecurityScheme| it.scheme.as_deref() == Some("basic");
    let takes_token = |it: &SecurityScheme| {
        it.scheme.as_deref() == Some("bearer")
            || matches!(it.r#type.as_str(), "oauth2" | "openIdConnect")
    };
    let mut schemes = manifest.security_schemes.values().filter(|it| {
        it.r#type == "http" || matches!(it.r#type.as_str(), "oauth2" | "openIdConnect")
    });
    let takes: &dyn Fn(&SecurityScheme) -> bool = match kind {
        "basic" => &takes_basic,
        "jwt" | "oauth2" => &takes_token,
        _ => return false,
    };
    // Without any scheme of the kind the document says nothing to compare with.
    let (mut any, mut fits) = (false, false);
    schemes.by_ref().for_each(|scheme| {
        any = true;
        fits |= takes(scheme);
    });
    any && !fits
}

fn api_key_schemes(manifest: &Manifest) -> impl Iterator<Item = &SecurityScheme> {
    manifest
        .security_schemes
        .values()
        .filter(|scheme| scheme.r#type == "apiKey")
}

/// The credentials of the alternative of which most is configured, and whether they meet it.
fn best(configured: &Configured, manifest: &Manifest, function: &Function) -> (bool, Vec<Slot>) {
    let mut best: Option<(bool, usize, Vec<Slot>)> = None;
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
    best.map(|(complete, _, credentials)| (complete, credentials))
        .unwrap_or_default()
}

/// What of an alternative is configured, and whether that is all of it.
fn satisfy(
    configured: &Configured,
    manifest: &Manifest,
    alternative: &BTreeMap<String, Vec<String>>,
) -> (bool, Vec<Slot>) {
    let mut credentials: Vec<Slot> = Vec::new();
    let mut complete = true;
    for name in alternative.keys() {
        let scheme = manifest.security_schemes.get(name);
        match scheme.and_then(|scheme| met_by(configured, scheme)) {
            Some(Found::Attach(slot)) => {
                // Two schemes that both take `Authorization` are met by one header.
                let known = credentials.iter().any(|it| same_place(it, &slot));
                if !known {
                    credentials.push(slot);
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
    Attach(Slot),
    /// By a cookie, an extra header or a certificate, which go on every call anyway.
    Elsewhere,
}

fn met_by(configured: &Configured, scheme: &SecurityScheme) -> Option<Found> {
    match scheme.r#type.as_str() {
        "http" | "oauth2" | "openIdConnect" => configured
            .has_authorization()
            .then(|| Found::Attach(authorization())),
        "mutualTLS" => configured.has_certificate.then_some(Found::Elsewhere),
        "apiKey" => {
            let place = Place::parse(scheme.r#in.as_deref()?)?;
            let name = scheme.name.as_deref()?;
            let is_authorization =
                place == Place::Header && name.eq_ignore_ascii_case("authorization");
            if is_authorization && configured.has_authorization() {
                return Some(Found::Attach(authorization()));
            }
            if configured
                .api_key
                .as_ref()
                .is_some_and(|key| fits(key, place, name))
            {
                return Some(Found::Attach(api_key(place, name)));
            }
            let elsewhere = match place {
                Place::Cookie => {
                    configured.cookies.iter().any(|(known, _)| known == name)
                        || configured.may_fetch_cookie(name)
                }
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

fn authorization() -> Slot {
    Slot {
        place: Place::Header,
        name: "Authorization".to_owned(),
        what: What::Authorization,
    }
}

fn api_key(place: Place, name: &str) -> Slot {
    Slot {
        place,
        name: name.to_owned(),
        what: What::ApiKey,
    }
}

fn at(place: Place, name: String, value: SecretString) -> Credential {
    match place {
        Place::Header => Credential::Header { name, value },
        Place::Query => Credential::Query { name, value },
        Place::Cookie => Credential::Cookie { name, value },
    }
}

fn same_place(left: &Slot, right: &Slot) -> bool {
    left.place == right.place
        && match left.place {
            Place::Header => left.name.eq_ignore_ascii_case(&right.name),
            Place::Query | Place::Cookie => left.name == right.name,
        }
}
