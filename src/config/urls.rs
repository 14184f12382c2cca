//! What a URL of the config may look like, before and after its variables are expanded.

use std::net::IpAddr;

use url::{Host, Url};

use super::error::quote;
use super::template::{DEFAULTED, Template, VARIABLE};
use crate::address::{Reach, is_localhost, is_metadata_name, reach};

/// Why a base URL is refused. Never holds the URL: it may hold a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UrlError(String);

/// Checks a base URL whose variables are expanded, or that a variable gave: http or https, no user
/// information, query, fragment, white space or control character, no metadata address.
///
/// # Errors
/// What is wrong with it, without repeating it.
pub fn check_base_url(text: &str) -> Result<Url, UrlError> {
    if text.contains([VARIABLE, DEFAULTED]) {
        return Err(UrlError("is no valid URL".to_owned()));
    }
    check(text, false).map_err(UrlError)?;
    Url::parse(text).map_err(|error| UrlError(format!("is no valid URL: {error}")))
}

/// Checks the URL of a token or log-in endpoint whose variables are expanded: as a base URL, but with a
/// query.
///
/// # Errors
/// What is wrong with it, without repeating it.
pub fn check_endpoint_url(text: &str) -> Result<Url, UrlError> {
    if text.contains([VARIABLE, DEFAULTED]) {
        return Err(UrlError("is no valid URL".to_owned()));
    }
    check(text, true).map_err(UrlError)?;
    Url::parse(text).map_err(|error| UrlError(format!("is no valid URL: {error}")))
}

/// Checks a base URL of the config as far as its variables allow.
pub(super) fn check_base_template(template: &Template) -> Result<(), String> {
    check(&template.masked(), false)
}

/// Checks the URL of a token or log-in endpoint, where a query is legitimate.
pub(super) fn check_endpoint_template(template: &Template) -> Result<(), String> {
    check(&template.masked(), true)
}

/// Whether a URL of a token or log-in endpoint is sure to leave this machine unencrypted.
pub(super) fn is_in_the_clear(template: &Template) -> bool {
    let masked = template.masked();
    let Ok(url) = Url::parse(&masked) else {
        return false;
    };
    let is_here = match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => {
            // What a variable says is not known yet.
            is_localhost(name) || masked.contains([VARIABLE, DEFAULTED])
        }
        None => true,
    };
    url.scheme() == "http" && !is_here
}

/// Checks where a document comes from: a path, or an http(s) URL.
pub(super) fn check_source_template(template: &Template) -> Result<(), String> {
    let masked = template.masked();
    if masked.trim() == "-" {
        return Err("is `-`; documents are not read from standard input".to_owned());
    }
    if masked.trim().is_empty() {
        return Err("is empty".to_owned());
    }
    if masked.starts_with(VARIABLE) {
        return Ok(());
    }
    match scheme(&masked) {
        None => Ok(()),
        Some("http" | "https") => check_parts(&masked, true, true),
        Some(other) => Err(format!(
            "has the scheme {}; expected a path or an http(s) URL",
            quote(other)
        )),
    }
}

/// The scheme in lower case; a single letter is a Windows drive.
fn scheme(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once(':')?;
    let valid = scheme.len() > 1
        && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || "+-.".contains(character));
    if !valid {
        return None;
    }
    ["http", "https"]
        .into_iter()
        .find(|known| scheme.eq_ignore_ascii_case(known))
        .or(Some(scheme))
}

fn check(masked: &str, query: bool) -> Result<(), String> {
    if masked.chars().any(char::is_control) {
        return Err("holds a control character".to_owned());
    }
    if masked.starts_with([VARIABLE, DEFAULTED]) {
        // The scheme is only known when it is expanded; the rest can be looked at.
        return check_text(masked, query);
    }
    match scheme(masked) {
        Some("http" | "https") => check_parts(masked, query, false),
        Some(other) => Err(format!(
            "has the scheme {}; expected `http` or `https`",
            quote(other)
        )),
        None => Err("has no scheme; expected an `http://` or `https://` URL".to_owned()),
    }
}

fn check_text(masked: &str, query: bool) -> Result<(), String> {
    if masked.contains(char::is_whitespace) {
        return Err("holds white space".to_owned());
    }
    if masked.contains('\\') {
        return Err("holds a backslash".to_owned());
    }
    if !query && masked.contains('?') {
        return Err("has a query; a base URL is a prefix of every request".to_owned());
    }
    if masked.contains('#') {
        return Err("has a fragment".to_owned());
    }
    Ok(())
}

fn check_parts(masked: &str, query: bool, userinfo: bool) -> Result<(), String> {
    if userinfo {
        // Of a document: a fragment is legitimate, it is cut off.
        check_text(&masked.replace('#', ""), true)?;
    } else {
        check_text(masked, query)?;
    }
    let authority = masked
        .split_once("://")
        .ok_or_else(|| "is no valid URL: expected `//` after the scheme".to_owned())?
        .1
        .split(['/', '?', '#'])
        .next()
        .unwrap_or_default();
    if !userinfo && authority.contains('@') {
        return Err("has user information before the host; use `auth`".to_owned());
    }
    // A digit is valid wherever a variable can stand: in a host, a port, a path.
    let sample = masked.replace([VARIABLE, DEFAULTED], "1");
    let url = Url::parse(&sample).map_err(|error| format!("is no valid URL: {error}"))?;
    if !authority.contains([VARIABLE, DEFAULTED])
        && let Some(host) = url.host()
        && is_never_called(&host)
    {
        return Err(
            "is a link-local, multicast, unspecified or metadata address, which is never called"
                .to_owned(),
        );
    }
    Ok(())
}

/// Whether a host is an address that is never called, or the name of a metadata service. `url` has
/// already brought hexadecimal, octal and short notations into one form. Names that *resolve* there
/// are for the one who connects to refuse.
fn is_never_called(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => is_metadata_name(name),
        Host::Ipv4(address) => reach(IpAddr::V4(*address)) == Reach::Never,
        Host::Ipv6(address) => reach(IpAddr::V6(*address)) == Reach::Never,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(text: &str) -> Result<(), String> {
        check_base_template(&Template::parse(text, "").unwrap())
    }

    fn source(text: &str) -> Result<(), String> {
        check_source_template(&Template::parse(text, "").unwrap())
    }

    #[test]
    fn base_urls_are_http_prefixes() {
        for text in [
            "https://api.example.com",
            "HTTP://localhost:8080/v1/",
            "https://${HOST}:${PORT}/${PREFIX}",
            "${BASE}",
            "${BASE}/v1",
            "https://v${N}.example.com",
            "${BASE:-https://api.example.com}",
            "http://[::1]:80/",
        ] {
            assert_eq!(base(text), Ok(()), "{text}");
        }
        for (text, why) in [
            ("unix:///var/run/x.sock", "the scheme `unix`"),
            ("ftp://h/", "the scheme `ftp`"),
            ("javascript:alert(1)", "the scheme `javascript`"),
            ("api.example.com/v1", "no scheme"),
            ("//h/v1", "no scheme"),
            ("https://h/v1?x=1", "a query"),
            ("${B}?x=1", "a query"),
            ("https://h/#f", "a fragment"),
            ("https://u:${P}@h/", "user information"),
            ("https://h/a b", "white space"),
            ("https://h\\@evil/", "a backslash"),
            ("https:/h/", "expected `//`"),
            ("https://", "no valid URL"),
            ("http://169.254.169.254/", "metadata"),
            ("http://0xA9FEA9FE/", "metadata"),
            ("http://[::ffff:169.254.169.254]/", "metadata"),
            ("http://metadata.google.internal./", "metadata"),
            ("http://192.0.0.192/", "metadata"),
            ("http://[fd20:ce::254]/", "metadata"),
            ("http://[2001:0:1:2:3:4:5601:5601]/", "metadata"),
            ("http://0.0.0.0/", "unspecified"),
        ] {
            let message = base(text).unwrap_err();
            assert!(message.contains(why), "{text}: {message}");
        }
    }

    #[test]
    fn documents_come_from_paths_and_http() {
        for text in [
            "./spec.yaml",
            "/abs/spec.json",
            "C:\\specs\\a.yaml",
            "${SPEC}",
            "https://h/spec.json?v=2#x",
            "https://${U}:${P}@h/x",
            "a b.yaml",
        ] {
            assert_eq!(source(text), Ok(()), "{text}");
        }
        for text in [
            "-",
            " - ",
            "file:///etc/passwd",
            "FILE:/etc/passwd",
            "ftp://h/x",
            "data:text/plain,x",
            "http://169.254.169.254/latest/user-data",
        ] {
            assert!(source(text).is_err(), "{text}");
        }
    }

    #[test]
    fn expanded_ones_are_checked_again() {
        assert_eq!(
            check_base_url("https://H.example/v1").unwrap().as_str(),
            "https://h.example/v1"
        );
        for text in ["https://h/\r\nX: 1", "https://h\t/", "", "https://h/?a"] {
            assert!(check_base_url(text).is_err(), "{text}");
        }
    }
}
