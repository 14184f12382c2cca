//! Where calls of a new server go. A document may not choose an address that is not of the internet;
//! whoever has it from there, or has it as a file of this machine, means it.

use std::net::IpAddr;

use url::{Host, Url};

use crate::address::{Reach, is_localhost, reach};
use crate::api::Manifest;

/// What the config says of where the API is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// The document does not say; a variable does.
    Unknown,
    /// Where the document says.
    Document(String),
    /// The same, which is an address that is not of the internet and is permitted.
    Permitted(String, Permit),
    /// The same, which the user has to permit.
    Refused(String, Permit),
}

/// How the config permits a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Permit {
    /// By naming the address.
    BaseUrl,
    /// By naming it and permitting private ones: a name leads to several. It is named so that the document
    /// does not choose another one later.
    Named,
    /// By permitting private ones: operations with base URLs of their own would lose them to a named one.
    PrivateNetwork,
}

impl Permit {
    /// The keys of the config, as messages name them.
    pub(super) fn keys(self) -> &'static str {
        match self {
            Self::BaseUrl => "`base_url`",
            Self::Named => "`base_url` and `allow_private_network`",
            Self::PrivateNetwork => "`allow_private_network`",
        }
    }

    /// What is permitted of a URL, as messages name it.
    pub(super) fn what(self, url: &str) -> String {
        match self {
            Self::PrivateNetwork => {
                format!("`{url}` and any other address that is not of the internet")
            }
            _ => format!("`{url}`, which is not of the internet"),
        }
    }
}

/// Where the calls of a document go that is had from `source`, a path or a URL.
pub(super) fn of(manifest: &Manifest, source: &str) -> Place {
    let Some(text) = manifest.base_url.clone() else {
        return Place::Unknown;
    };
    let functions = manifest.functions.iter().map(|it| &it.base_url);
    let skipped = manifest.skipped.iter().map(|it| &it.base_url);
    let has_own = functions.chain(skipped).any(Option::is_some);
    at(text, source, has_own)
}

/// The same of a base URL; `has_own` where operations have others.
fn at(text: String, source: &str, has_own: bool) -> Place {
    let Some(host) = host_of(&text).filter(is_private) else {
        return Place::Document(text);
    };
    // What looks like a variable would be expanded.
    let permit = match host {
        _ if has_own || text.contains('$') => Permit::PrivateNetwork,
        Host::Domain(_) => Permit::Named,
        _ => Permit::BaseUrl,
    };
    let is_meant = match host_of(source) {
        Some(from) => from == host || is_here(&from) && is_here(&host),
        None => is_here(&host),
    };
    if is_meant {
        Place::Permitted(text, permit)
    } else {
        Place::Refused(text, permit)
    }
}

/// The host of an http(s) URL.
fn host_of(text: &str) -> Option<Host<String>> {
    let url = Url::parse(text).ok()?;
    let is_web = matches!(url.scheme(), "http" | "https");
    url.host().filter(|_| is_web).map(|host| host.to_owned())
}

/// Whether it is known not to be of the internet, and may be called where it is permitted.
fn is_private(host: &Host<String>) -> bool {
    match host {
        Host::Domain(_) => is_here(host),
        Host::Ipv4(address) => reach(IpAddr::V4(*address)) == Reach::Private,
        Host::Ipv6(address) => reach(IpAddr::V6(*address)) == Reach::Private,
    }
}

/// Whether it is this machine.
fn is_here(host: &Host<String>) -> bool {
    match host {
        Host::Domain(name) => is_localhost(name),
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.to_canonical().is_loopback(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_private_address_is_permitted_to_who_has_the_document_from_there() {
        use Permit::{BaseUrl, Named, PrivateNetwork};
        for (url, source, permitted) in [
            ("http://127.0.0.1:8000", "openapi.yaml", Some(BaseUrl)),
            ("http://[::1]:8000", "/tmp/openapi.yaml", Some(BaseUrl)),
            ("http://localhost:8000", "a.yaml", Some(Named)),
            (
                "http://127.0.0.1:8000",
                "http://localhost:9000/o",
                Some(BaseUrl),
            ),
            ("http://10.0.0.5/v1", "http://10.0.0.5:81/o", Some(BaseUrl)),
            ("http://127.0.0.1/${HOME}", "a.yaml", Some(PrivateNetwork)),
            ("http://10.0.0.5/v1", "openapi.yaml", None),
            ("http://10.0.0.5/v1", "http://10.0.0.6/o", None),
            ("http://127.0.0.1:8000", "https://api.example/o", None),
            ("http://127.0.0.1:8000", "http://10.0.0.5/o", None),
            ("http://localhost:8000", "https://localhost.example/o", None),
        ] {
            match (at(url.to_owned(), source, false), permitted) {
                (Place::Permitted(text, permit), Some(wanted)) => {
                    assert_eq!((text.as_str(), permit), (url, wanted), "{source}");
                }
                (Place::Refused(text, _), None) => assert_eq!(text, url, "{source}"),
                (other, _) => panic!("{url} of {source}: {other:?}"),
            }
        }
        for url in ["https://api.example/v1", "http://169.254.169.254/v1"] {
            let place = at(url.to_owned(), "a.yaml", false);
            assert_eq!(place, Place::Document(url.to_owned()));
        }
        // Another base URL would take those of operations away.
        let url = "http://127.0.0.1:8000".to_owned();
        let wanted = Place::Permitted(url.clone(), PrivateNetwork);
        assert_eq!(at(url, "a.yaml", true), wanted);
    }
}
