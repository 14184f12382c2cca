//! Where plain requests may go: by the allow-list, and by the addresses that it leads to.

use std::net::IpAddr;

use url::{Host, Url};

use crate::address::{Reach, is_metadata_name, reach};
use crate::connect::{Permission, Resolver};
use crate::domains::Domain;

/// Names lead to addresses of the internet only.
const OF_THE_INTERNET: Permission = Permission {
    private: false,
    only_loopback: false,
};

/// The allow-list.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// None where the setting is unset.
    allowed: Option<Vec<Domain>>,
    /// Looks names up.
    pub(super) resolver: Resolver,
}

impl Place {
    pub(super) fn new(allowed: Option<&[String]>) -> Self {
        // What is no entry holds nothing.
        let parsed = |entries: &[String]| entries.iter().filter_map(|it| it.parse().ok()).collect();
        Self {
            allowed: allowed.map(parsed),
            resolver: Resolver::new(OF_THE_INTERNET),
        }
    }

    /// Judges a URL by its text: the host and port are in the list, and the host, if it is an address,
    /// may be reached. Names are judged again by what they lead to, when they are connected to.
    pub(super) fn check(&self, url: &Url) -> Result<(), String> {
        let host = url.host_str().unwrap_or_default();
        let is_never = match address_of(url) {
            Some(address) => reach(address) == Reach::Never,
            None => is_metadata_name(host),
        };
        if is_never {
            return Err(format!(
                "`{host}` is a link-local, multicast, unspecified or cloud metadata address, which \
                 is never called"
            ));
        }
        let Some(allowed) = &self.allowed else {
            return Err(
                "plain `httpx` is off; call functions of compiled servers (`list_servers` names \
                 them), or let the user set `MCE_ALLOWED_DOMAINS` to the hosts that code may \
                 call"
                    .to_owned(),
            );
        };
        if allowed.iter().any(|domain| domain.holds_request(url)) {
            // An address that is not of the internet stands in the list itself, in one notation or
            // another: no other entry holds it.
            return Ok(());
        }
        let ported = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        let port = if allowed.iter().any(|domain| domain.holds_server(url)) {
            "; an entry without a port holds the usual one of the scheme only"
        } else {
            ""
        };
        Err(format!(
            "`MCE_ALLOWED_DOMAINS` does not hold `{ported}`{port}; call a compiled function, or have \
             the operator add it"
        ))
    }
}

/// The address that a URL names.
pub(super) fn address_of(url: &Url) -> Option<IpAddr> {
    match url.host()? {
        Host::Domain(_) => None,
        Host::Ipv4(address) => Some(IpAddr::V4(address)),
        Host::Ipv6(address) => Some(IpAddr::V6(address)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(allowed: &[&str], url: &str) -> Result<(), String> {
        let allowed: Vec<String> = allowed.iter().map(|it| (*it).to_owned()).collect();
        Place::new(Some(&allowed)).check(&Url::parse(url).unwrap())
    }

    #[test]
    fn metadata_is_never_reached_even_where_it_is_listed() {
        let all = [
            "169.254.169.254",
            "[::ffff:169.254.169.254]",
            "[fd00:ec2::254]",
            "metadata.google.internal",
            "100.100.100.200",
            "0.0.0.0",
        ];
        for url in [
            "http://169.254.169.254/latest",
            "http://2852039166/",
            "http://0xa9fea9fe/",
            "http://0251.0376.0251.0376/",
            "http://169.254.43518/",
            "http://[::ffff:a9fe:a9fe]/",
            "http://[fd00:ec2::254]/",
            "http://Metadata.Google.Internal./",
            "http://100.100.100.200/",
            "http://0/",
        ] {
            let why = check(&all, url).unwrap_err();
            assert!(why.contains("never called"), "{url}: {why}");
        }
    }

    #[test]
    fn a_private_address_is_reached_only_as_it_is_listed() {
        assert_eq!(check(&["127.0.0.1:8080"], "http://127.0.0.1:8080/"), Ok(()));
        assert_eq!(
            check(&["127.0.0.1:8080"], "http://0x7f000001:8080/"),
            Ok(())
        );
        for url in [
            "http://127.0.0.1/",
            "http://127.0.0.1:8081/",
            "http://127.0.0.2:8080/",
            "http://localhost:8080/",
            "http://[::1]:8080/",
            "http://[::ffff:127.0.0.1]:8080/",
        ] {
            assert!(check(&["127.0.0.1:8080"], url).is_err(), "{url}");
        }
    }

    #[test]
    fn refusals_say_what_is_missing() {
        let url = Url::parse("https://api.example/").unwrap();
        let why = Place::new(None).check(&url).unwrap_err();
        assert!(why.contains("set `MCE_ALLOWED_DOMAINS`"), "{why}");
        let why = check(&["api.example"], "https://other.example/").unwrap_err();
        assert_eq!(
            why,
            "`MCE_ALLOWED_DOMAINS` does not hold `other.example`; call a compiled function, or have \
             the operator add it"
        );
        let why = check(&["api.example"], "https://api.example:8443/").unwrap_err();
        assert!(
            why.contains("`api.example:8443`; an entry without a port"),
            "{why}"
        );
    }
}
