//! Where compiled servers are. No plain request goes there: what may be asked of a server is what was
//! compiled, and is asked by its functions.

use crate::address::is_localhost;
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use url::{Host, Url};

use super::place::{Place, address_of};

/// The origins of compiled servers.
#[derive(Debug, Clone, Default)]
pub(super) struct Origins(Vec<Origin>);

/// An origin, in the one notation that all ways to write it share.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Origin {
    machine: Machine,
    port: u16,
    server: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Machine {
    /// A name, in lower case and without a trailing dot.
    Name(String),
    /// An address, that of IPv4 where IPv6 only wraps it; one for all of loopback.
    Address(IpAddr),
}

impl Machine {
    fn of(url: &Url) -> Option<Self> {
        Some(match url.host()? {
            Host::Domain(name) => {
                if is_localhost(name) {
                    Self::Address(IpAddr::V4(Ipv4Addr::LOCALHOST))
                } else {
                    Self::Name(name.trim_end_matches('.').to_owned())
                }
            }
            Host::Ipv4(address) => Self::Address(canonical(IpAddr::V4(address))),
            Host::Ipv6(address) => Self::Address(canonical(IpAddr::V6(address))),
        })
    }
}

/// The address without a wrapping; one for all of loopback.
fn canonical(address: IpAddr) -> IpAddr {
    let address = address.to_canonical();
    if address.is_loopback() || address.is_unspecified() {
        IpAddr::V4(Ipv4Addr::LOCALHOST)
    } else {
        address
    }
}

/// The port of a URL, the usual ones of both schemes taken for one: who serves one of them serves the
/// other, or sends there.
fn port_of(url: &Url) -> u16 {
    match url.port_or_known_default() {
        Some(80) | None => 443,
        Some(port) => port,
    }
}

impl Origins {
    /// Adds where a server is, or would be if nobody said otherwise.
    /// Tells whether that says where it is.
    pub(super) fn add(&mut self, server: &str, base_url: &str) -> bool {
        let Ok(url) = Url::parse(base_url) else {
            return false;
        };
        let Some(machine) = Machine::of(&url) else {
            return false;
        };
        let origin = Origin {
            machine,
            port: port_of(&url),
            server: server.to_owned(),
        };
        if !self.0.contains(&origin) {
            self.0.push(origin);
        }
        true
    }

    /// The addresses at which servers are by their URLs' texts.
    pub(super) fn addresses(&self) -> BTreeSet<IpAddr> {
        let machines = self.0.iter().map(|it| &it.machine);
        let addresses = machines.filter_map(|machine| match machine {
            Machine::Address(address) => Some(*address),
            Machine::Name(_) => None,
        });
        addresses.collect()
    }

    /// A server that is at the place of a URL, by the URL's text.
    pub(super) fn server_at(&self, url: &Url) -> Option<&str> {
        let machine = Machine::of(url)?;
        let port = port_of(url);
        let mut origins = self.0.iter();
        let found = origins.find(|it| it.port == port && it.machine == machine)?;
        Some(&found.server)
    }

    /// A server that is at the place of a URL, one of both being named and the other an address. Two
    /// names of one address are two places: many sites share one.
    pub(super) async fn server_at_addresses_of(&self, url: &Url, place: &Place) -> Option<&str> {
        let port = port_of(url);
        let host = url.host_str()?.trim_end_matches('.');
        let mut named: Option<Vec<IpAddr>> = None;
        for origin in self.0.iter().filter(|it| it.port == port) {
            let is_there = match (&origin.machine, address_of(url).map(canonical)) {
                (Machine::Name(name), Some(address)) => {
                    addresses(place, name).await.contains(&address)
                }
                (Machine::Address(address), None) => {
                    let addresses = match &named {
                        Some(addresses) => addresses,
                        None => named.insert(addresses(place, host).await),
                    };
                    addresses.contains(address)
                }
                _ => false,
            };
            if is_there {
                return Some(&origin.server);
            }
        }
        None
    }
}

/// The addresses of a name; none where it has none.
async fn addresses(place: &Place, name: &str) -> Vec<IpAddr> {
    let found = place.resolver.found(name).await.unwrap_or_default();
    let addresses = found.iter().map(SocketAddr::ip).map(canonical);
    addresses.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server_at(base_url: &str, url: &str) -> bool {
        let mut origins = Origins::default();
        origins.add("shop", base_url);
        origins.server_at(&Url::parse(url).unwrap()) == Some("shop")
    }

    #[test]
    fn a_place_is_known_in_every_spelling() {
        for url in [
            "https://api.example/v2",
            "https://API.EXAMPLE:443/",
            "https://api.example./",
            "http://api.example/",
            "http://api.example:80/",
            "https://user@api.example/",
        ] {
            assert!(server_at("https://Api.Example./v1", url), "{url}");
        }
        for url in [
            "https://api.example:8443/",
            "https://www.api.example/",
            "https://example/",
        ] {
            assert!(!server_at("https://api.example/v1", url), "{url}");
        }
    }

    #[test]
    fn all_of_loopback_is_one_place() {
        for base_url in [
            "http://localhost:8080",
            "http://127.0.0.1:8080",
            "http://[::1]:8080",
        ] {
            for url in [
                "http://localhost:8080/",
                "http://LOCALHOST.:8080/",
                "http://api.localhost:8080/",
                "http://127.0.0.1:8080/",
                "http://127.1.2.3:8080/",
                "http://2130706433:8080/",
                "https://[::1]:8080/",
                "http://[::ffff:127.0.0.1]:8080/",
                "http://0.0.0.0:8080/",
            ] {
                assert!(server_at(base_url, url), "{base_url} {url}");
            }
            assert!(!server_at(base_url, "http://127.0.0.1:8081/"), "{base_url}");
        }
    }

    #[tokio::test]
    async fn an_address_of_a_named_server_is_its_place() {
        let mut place = Place::new(None);
        place.resolver = crate::connect::answering(&[&["203.0.113.7"]]);
        let at = async |base_url: &str, url: &str| {
            let mut origins = Origins::default();
            origins.add("shop", base_url);
            let url = Url::parse(url).unwrap();
            origins.server_at_addresses_of(&url, &place).await.is_some()
        };
        assert!(at("https://api.example", "https://203.0.113.7/").await);
        assert!(at("https://api.example", "https://[::ffff:203.0.113.7]/").await);
        assert!(at("https://203.0.113.7", "https://other.example/").await);
        assert!(!at("https://api.example", "https://203.0.113.8/").await);
        assert!(!at("https://api.example", "https://203.0.113.7:8443/").await);
        assert!(!at("https://api.example", "https://other.example/").await);
    }
}
