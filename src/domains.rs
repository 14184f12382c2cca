//! The entries of `MCE_ALLOWED_DOMAINS`: which hosts and ports one holds. One judgement, for compiled
//! servers and for plain requests of code.
//!
//! Hosts are compared as `url` writes them (lower case, IDNA, IPv4 addresses in their one notation),
//! without a trailing dot.

use std::fmt;
use std::str::FromStr;

use url::{Host, Url};

/// A host, and a port where the entry has one: `example.com`, `api.example:8443`, `[::1]:8080`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Domain {
    host: Host<String>,
    port: Option<u16>,
}

/// An entry that is neither a host nor a host and a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a domain or an address, with or without a port")]
pub struct NoDomain;

impl FromStr for Domain {
    type Err = NoDomain;

    fn from_str(text: &str) -> Result<Self, NoDomain> {
        let text = text.trim();
        // The colons of an IPv6 address stand within brackets.
        let bracket = text.rfind(']').unwrap_or(0);
        let (host, port) = match text.rfind(':').filter(|at| *at > bracket) {
            None => (text, None),
            Some(at) => {
                let (host, port) = (text.get(..at), text.get(at + 1..));
                let port = port.filter(|it| it.bytes().all(|byte| byte.is_ascii_digit()));
                let port: u16 = port.and_then(|it| it.parse().ok()).ok_or(NoDomain)?;
                (host.unwrap_or_default(), Some(port))
            }
        };
        if host.contains('*') || port == Some(0) {
            return Err(NoDomain);
        }
        let host = Host::parse(host.trim_end_matches('.')).map_err(|_| NoDomain)?;
        Ok(Self { host, port })
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            None => write!(formatter, "{}", self.host),
            Some(port) => write!(formatter, "{}:{port}", self.host),
        }
    }
}

impl Domain {
    /// Whether a compiled server may be there: the host is this one or below it, and the port is this
    /// entry's, if it has one.
    #[must_use]
    pub fn holds_server(&self, url: &Url) -> bool {
        self.holds_host(url)
            && self
                .port
                .is_none_or(|port| url.port_or_known_default() == Some(port))
    }

    /// Whether code may send a request of its own there: as for a server, but without a port in the
    /// entry only to the usual port of the scheme.
    #[must_use]
    pub fn holds_request(&self, url: &Url) -> bool {
        match self.port {
            // `url` leaves the usual port out.
            None => self.holds_host(url) && url.port().is_none(),
            Some(_) => self.holds_server(url),
        }
    }

    fn holds_host(&self, url: &Url) -> bool {
        match (url.host(), &self.host) {
            (Some(Host::Domain(host)), Host::Domain(domain)) => {
                let host = host.trim_end_matches('.');
                host.strip_suffix(domain.as_str())
                    .is_some_and(|before| before.is_empty() || before.ends_with('.'))
            }
            (Some(Host::Ipv4(host)), Host::Ipv4(allowed)) => host == *allowed,
            (Some(Host::Ipv6(host)), Host::Ipv6(allowed)) => host == *allowed,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn holds(entry: &str, url: &str) -> bool {
        let domain: Domain = entry.parse().unwrap();
        domain.holds_request(&Url::parse(url).unwrap())
    }

    #[test]
    fn a_domain_holds_itself_and_what_is_below_it_in_any_spelling() {
        for url in [
            "https://example.com/",
            "https://api.example.com/x",
            "https://API.EXAMPLE.COM.:443/",
            "http://example.com:80/",
            "https://ｅxample.com/",
        ] {
            assert!(holds("Example.COM.", url), "{url}");
        }
        for url in [
            "https://badexample.com/",
            "https://example.com.evil.test/",
            "https://example.com@evil.test/",
            "https://evil.test/example.com",
            "https://evil.test#example.com",
            "https://com/",
            "https://example.com:444/",
            "http://example.com:443/",
        ] {
            assert!(!holds("example.com", url), "{url}");
        }
        assert!(holds("bücher.example", "https://xn--bcher-kva.example/"));
        assert!(holds("xn--bcher-kva.example", "https://BÜCHER.example/"));
    }

    #[test]
    fn an_address_is_held_in_every_notation_and_never_as_a_part() {
        for url in [
            "http://127.0.0.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://0177.0.0.1/",
            "http://127.0.0.1./",
        ] {
            assert!(holds("127.0.0.1", url), "{url}");
        }
        for url in [
            "http://1.127.0.0.1.example/",
            "http://[::ffff:127.0.0.1]/",
            "http://localhost/",
            "http://127.0.0.2/",
        ] {
            assert!(!holds("127.0.0.1", url), "{url}");
        }
        assert!(holds("[0:0::1]:8080", "http://[::1]:8080/"));
        assert!(!holds("0.0.1", "http://127.0.0.1/"));
    }

    #[test]
    fn a_port_in_the_entry_is_the_only_one() {
        assert!(holds("api.example:8443", "https://v1.api.example:8443/"));
        assert!(!holds("api.example:8443", "https://api.example/"));
        assert!(holds("api.example:443", "https://api.example/"));
        assert!(!holds("api.example:443", "http://api.example/"));
        let domain: Domain = "api.example".parse().unwrap();
        let url = Url::parse("https://api.example:8443").unwrap();
        assert!(domain.holds_server(&url));
        let domain: Domain = "api.example:443".parse().unwrap();
        assert!(!domain.holds_server(&url));
    }

    #[test]
    fn what_is_no_host_is_no_entry() {
        for entry in [
            "",
            ".",
            "*.example",
            "https://a.example",
            "a.example/x",
            "user@a.example",
            "a.example:",
            "a.example:0",
            "a.example:65536",
            "a.example:+80",
            "::1",
            "[::1",
            "a b",
        ] {
            assert_eq!(entry.parse::<Domain>(), Err(NoDomain), "{entry:?}");
        }
    }

    proptest! {
        /// Only a whole label before an entry makes a sub-domain of it.
        #[test]
        fn no_other_name_that_ends_alike_is_held(before in "[a-z0-9-]{1,8}", label in "[a-z][a-z0-9]{0,8}") {
            let below = format!("https://{label}.example.com/");
            prop_assert!(holds("example.com", &below));
            if let Ok(url) = Url::parse(&format!("https://{before}example.com/")) {
                let domain: Domain = "example.com".parse().unwrap();
                prop_assert!(!domain.holds_request(&url));
            }
        }

        #[test]
        fn an_entry_is_read_from_how_it_is_written(text in "[a-zA-Z0-9.:\\[\\]-]{1,20}") {
            if let Ok(domain) = text.parse::<Domain>() {
                prop_assert_eq!(domain.to_string().parse::<Domain>(), Ok(domain));
            }
        }
    }
}
