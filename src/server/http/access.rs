//! Which requests are meant for this server: by the name it was reached under (`Host`), and by the web
//! page that sent them (`Origin`).
//!
//! A page that a browser shows can send requests to addresses of the machine it runs on, and give
//! its own name such an address (DNS rebinding). Its requests have its name as `Host` or `Origin`.

use std::net::{IpAddr, Ipv6Addr};

use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Uri};
use url::{Host, Url};

/// Names under which only this machine is reached.
const LOOPBACK_NAMES: &[&str] = &["localhost", "127.0.0.1", "::1"];

/// What requests may name.
#[derive(Debug, Clone, Default)]
pub(super) struct Access {
    /// Further hosts, as `name` or `name:port`, in lower case.
    pub(super) hosts: Vec<String>,
    /// Further origins, as browsers spell them.
    pub(super) origins: Vec<String>,
}

/// Why a request is not for this server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub(super) enum Foreign {
    /// `Host` is missing, doubled or no authority.
    #[error("the header `Host` is not one host")]
    NoHost,
    /// `Host` names another one.
    #[error(
        "the header `Host` names no host of this server; `MCE_HTTP_ALLOWED_HOSTS` lists further ones"
    )]
    Host,
    /// `Origin` names another one.
    #[error(
        "pages of this `Origin` may not call this server; `MCE_HTTP_ALLOWED_ORIGINS` lists those that may"
    )]
    Origin,
}

impl Access {
    /// Whether a request that arrived at `local` is for this server.
    pub(super) fn check(
        &self,
        local: IpAddr,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<(), Foreign> {
        let host = host_of(uri, headers).ok_or(Foreign::NoHost)?;
        if !self.is_own_host(local, &host) {
            return Err(Foreign::Host);
        }
        let mut origins = headers.get_all(ORIGIN).iter();
        let Some(origin) = origins.next() else {
            return Ok(());
        };
        let origin = origin.to_str().ok().filter(|_| origins.next().is_none());
        if origin.is_some_and(|origin| self.is_own_origin(&host, origin)) {
            Ok(())
        } else {
            Err(Foreign::Origin)
        }
    }

    /// The origin of a request, where it is a listed one.
    pub(super) fn listed_origin(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let origin = headers.get(ORIGIN)?;
        let url = Url::parse(origin.to_str().ok()?).ok()?;
        let listed = self.origins.contains(&url.origin().ascii_serialization());
        listed.then(|| origin.clone())
    }

    fn is_own_host(&self, local: IpAddr, host: &Authority) -> bool {
        let name = bare(host.host());
        let is_local = name
            .parse::<IpAddr>()
            .is_ok_and(|address| address.to_canonical() == local.to_canonical());
        is_local
            || is_loopback_name(&name)
            || self.hosts.iter().any(|allowed| is_named(allowed, host))
    }

    fn is_own_origin(&self, host: &Authority, origin: &str) -> bool {
        // `null` and what is no URL have no host.
        let Ok(url) = Url::parse(origin) else {
            return false;
        };
        if !matches!(url.scheme(), "http" | "https") {
            return false;
        }
        let Some(name) = url.host() else {
            return false;
        };
        let name = match name {
            Host::Domain(name) => name.to_owned(),
            Host::Ipv4(address) => address.to_string(),
            Host::Ipv6(address) => address.to_string(),
        };
        is_loopback_name(&name)
            || name == bare(host.host())
            || self.origins.contains(&url.origin().ascii_serialization())
    }
}

/// The host of the header, or of the request's target, where that has one.
fn host_of(uri: &Uri, headers: &HeaderMap) -> Option<Authority> {
    let mut hosts = headers.get_all(HOST).iter();
    let host = match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().ok()?.parse::<Authority>().ok()?,
        _ => return None,
    };
    let plain = !host.as_str().contains('@') && !host.host().is_empty();
    // A target in absolute form overrides the header (RFC 9112, section 3.2.2); they must agree.
    let agrees = uri
        .authority()
        .is_none_or(|target| target.as_str().eq_ignore_ascii_case(host.as_str()));
    (plain && agrees).then_some(host)
}

/// A host without brackets, in lower case; an IPv6 address as it is usually written.
fn bare(host: &str) -> String {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    match host.parse::<Ipv6Addr>() {
        Ok(address) => address.to_string(),
        Err(_) => host.to_ascii_lowercase(),
    }
}

fn is_loopback_name(name: &str) -> bool {
    LOOPBACK_NAMES.contains(&name)
}

fn is_named(allowed: &str, host: &Authority) -> bool {
    let Ok(allowed) = allowed.parse::<Authority>() else {
        return false;
    };
    bare(allowed.host()) == bare(host.host())
        && allowed
            .port_u16()
            .is_none_or(|port| host.port_u16() == Some(port))
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn check(access: &Access, local: &str, pairs: &[(&'static str, &str)]) -> Result<(), Foreign> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        access.check(local.parse().unwrap(), &"/mcp".parse().unwrap(), &headers)
    }

    #[test]
    fn loopback_names_the_own_address_and_listed_names_are_hosts() {
        let access = Access {
            hosts: vec!["mce.example".to_owned(), "b.example:8443".to_owned()],
            origins: Vec::new(),
        };
        for host in [
            "localhost:8000",
            "LOCALHOST",
            "127.0.0.1:1",
            "[::1]:8000",
            "10.0.0.5:8000",
            "mce.example",
            "MCE.example:443",
            "b.example:8443",
        ] {
            assert_eq!(
                check(&access, "10.0.0.5", &[("host", host)]),
                Ok(()),
                "{host}"
            );
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "10.0.0.6",
            "b.example",
            "127.0.0.2",
            "mce.example.evil",
            "0.0.0.0:8000",
            "127.1",
        ] {
            let found = check(&access, "10.0.0.5", &[("host", host)]);
            assert_eq!(found, Err(Foreign::Host), "{host}");
        }
        for hosts in [
            &[][..],
            &[("host", "localhost"), ("host", "localhost")],
            &[("host", "a@localhost")],
        ] {
            assert_eq!(
                check(&access, "10.0.0.5", hosts),
                Err(Foreign::NoHost),
                "{hosts:?}"
            );
        }
    }

    #[test]
    fn pages_of_this_machine_of_the_same_host_and_listed_ones_may_call() {
        let access = Access {
            hosts: vec!["mce.example".to_owned()],
            origins: vec!["https://app.example".to_owned()],
        };
        let from = |origin| {
            check(
                &access,
                "127.0.0.1",
                &[("host", "mce.example"), ("origin", origin)],
            )
        };
        for origin in [
            "http://localhost:6274",
            "http://127.0.0.1",
            "http://[::1]:3000",
            "https://mce.example",
            "https://app.example",
            "https://app.example:443",
        ] {
            assert_eq!(from(origin), Ok(()), "{origin}");
        }
        for origin in [
            "null",
            "",
            "https://evil.example",
            "http://app.example",
            "https://app.example:444",
            "http://localhost.evil.example",
            "file://localhost",
            "http://localhost@evil.example",
            "chrome-extension://abc",
        ] {
            assert_eq!(from(origin), Err(Foreign::Origin), "{origin}");
        }
        let two = [
            ("host", "localhost"),
            ("origin", "http://localhost"),
            ("origin", "http://localhost"),
        ];
        assert_eq!(check(&access, "127.0.0.1", &two), Err(Foreign::Origin));
    }

    #[test]
    fn a_target_that_names_another_host_than_the_header_is_refused() {
        let mut headers = HeaderMap::new();
        headers.append("host", HeaderValue::from_static("localhost"));
        let local = Ipv4Addr::LOCALHOST.into();
        let uri = "http://evil.example/mcp".parse().unwrap();
        assert_eq!(
            Access::default().check(local, &uri, &headers),
            Err(Foreign::NoHost)
        );
        let uri = "http://localhost/mcp".parse().unwrap();
        assert_eq!(Access::default().check(local, &uri, &headers), Ok(()));
    }
}
