//! What will fail at the first call though it compiles: a private address, a missing credential,
//! keys of a later version. Said when compiling, where the document and the config are at hand.

use std::collections::BTreeSet;
use std::net::IpAddr;

use url::Host;

use super::facts::Facts;
use crate::address::{Reach, reach};
use crate::api::SecurityScheme;
use crate::config::{Auth, ServerConfig};
use crate::invisible::visible;

/// Schemes that one warning names.
const NAMED_SCHEMES: usize = 3;

/// What the user should know of a server that was compiled.
pub(super) fn of(server: &ServerConfig, manifest: &Facts) -> Vec<String> {
    let mut advice = Vec::new();
    advice.extend(private_address(server, manifest));
    advice.extend(missing_credential(server, manifest));
    advice
}

/// A document may not choose a private address; the user may.
fn private_address(server: &ServerConfig, manifest: &Facts) -> Option<String> {
    if server.base_url.is_some() || server.allow_private_network {
        return None;
    }
    let text = manifest.base_url.as_deref()?;
    let url = url::Url::parse(text).ok()?;
    let name = &server.name;
    let text = visible(text);
    match url.host()? {
        Host::Domain(host) => {
            let host = host.trim_end_matches('.');
            (host == "localhost" || host.ends_with(".localhost")).then(|| {
                format!(
                    "the document's server `{text}` is this machine, which calls may not reach; \
                     to allow it add a `base_url` with `127.0.0.1` in place of `{host}`, or \
                     `allow_private_network: true`, to `{name}` in swaggers.yaml"
                )
            })
        }
        Host::Ipv4(address) if is_private(IpAddr::V4(address)) => Some(by_address(&text, name)),
        Host::Ipv6(address) if is_private(IpAddr::V6(address)) => Some(by_address(&text, name)),
        Host::Ipv4(_) | Host::Ipv6(_) => None,
    }
}

fn by_address(text: &str, name: &str) -> String {
    format!(
        "the document's server `{text}` is a private address, which calls may not reach; to allow \
         it add `base_url: {text}` to `{name}` in swaggers.yaml"
    )
}

fn is_private(address: IpAddr) -> bool {
    reach(address) == Reach::Private
}

/// Operations whose every alternative needs a scheme that the config has nothing for.
fn missing_credential(server: &ServerConfig, manifest: &Facts) -> Option<String> {
    let mut wanted: BTreeSet<&str> = BTreeSet::new();
    for function in &manifest.functions {
        let mut alternatives = function.security.iter();
        let is_met = |names: &std::collections::BTreeMap<String, Vec<String>>| {
            names.keys().all(|name| {
                let scheme = manifest.security_schemes.get(name);
                scheme.is_none_or(|scheme| meets(server, scheme))
            })
        };
        if !function.security.is_empty() && !alternatives.any(is_met) {
            let names = function.security.iter().flat_map(|names| names.keys());
            wanted.extend(names.map(String::as_str));
        }
    }
    // Of one that the document does not declare nobody knows what it wants.
    let wanted: Vec<_> = wanted
        .into_iter()
        .filter_map(|name| Some((name, manifest.security_schemes.get(name)?)))
        .collect();
    if wanted.is_empty() {
        return None;
    }
    let mut shown = Vec::new();
    let mut variables = BTreeSet::new();
    for (name, scheme) in wanted.iter().take(NAMED_SCHEMES) {
        shown.push(format!("`{}` ({})", visible(name), kind_of(scheme)));
        variables.insert(server.env_name(if scheme.r#type == "apiKey" {
            "API_KEY"
        } else {
            "AUTH"
        }));
    }
    let more = wanted.len().saturating_sub(NAMED_SCHEMES);
    let more = if more == 0 {
        String::new()
    } else {
        format!(" and {more} more")
    };
    let has = server.auth.as_ref().map_or_else(
        || "has no `auth`".to_owned(),
        |auth| format!("has `auth` of the type `{}`", type_of(auth)),
    );
    let variables: Vec<_> = variables.into_iter().collect();
    Some(format!(
        "the document wants {}{more}; the config {has}, so calls will be refused by the API \
         unless {} is set",
        shown.join(" or "),
        variables.join(" or ")
    ))
}

fn kind_of(scheme: &SecurityScheme) -> String {
    let parts = match scheme.r#type.as_str() {
        "apiKey" => [scheme.r#in.as_deref(), scheme.name.as_deref()],
        _ => [scheme.scheme.as_deref(), None],
    };
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        visible(&scheme.r#type)
    } else {
        visible(&format!("{}, {}", scheme.r#type, parts.join(" ")))
    }
}

fn type_of(auth: &Auth) -> &'static str {
    match auth {
        Auth::Static { .. } => "static",
        Auth::Jwt { .. } => "jwt",
        Auth::ApiKey { .. } => "api_key",
        Auth::Basic { .. } => "basic",
        Auth::OAuth2 { .. } => "oauth2",
        Auth::Session { .. } => "session",
    }
}

/// Whether the config has something for a scheme, by its kind and place.
fn meets(server: &ServerConfig, scheme: &SecurityScheme) -> bool {
    let is_header = scheme.r#in.as_deref() == Some("header");
    let name = scheme.name.as_deref().unwrap_or_default();
    let by_header = scheme.r#type == "apiKey"
        && is_header
        && server
            .extra_headers
            .keys()
            .any(|known| known.eq_ignore_ascii_case(name));
    if by_header {
        return true;
    }
    let Some(auth) = &server.auth else {
        return scheme.r#type == "mutualTLS" && server.client_cert_file.is_some();
    };
    match (scheme.r#type.as_str(), auth) {
        ("mutualTLS", _) => server.client_cert_file.is_some(),
        // Which cookies a log-in gives, nobody knows before.
        (
            "apiKey",
            Auth::Session {
                token_field: None, ..
            },
        ) => scheme.r#in.as_deref() == Some("cookie"),
        // Cookies are no `Authorization`.
        (
            _,
            Auth::Session {
                token_field: None, ..
            },
        ) => false,
        (
            "apiKey",
            Auth::ApiKey {
                location,
                name: own,
                ..
            },
        ) => own.as_ref().is_none_or(|own| {
            let place = location.as_deref().unwrap_or("header");
            scheme.r#in.as_deref() == Some(place)
                && (own == name || (is_header && own.eq_ignore_ascii_case(name)))
        }),
        ("apiKey", _) => is_header && name.eq_ignore_ascii_case("authorization"),
        (_, Auth::ApiKey { .. }) => false,
        ("http", Auth::Jwt { .. } | Auth::OAuth2 { .. }) => {
            scheme.scheme.as_deref() != Some("basic")
        }
        ("http", Auth::Basic { .. }) => scheme.scheme.as_deref() != Some("bearer"),
        (_, _) => true,
    }
}
