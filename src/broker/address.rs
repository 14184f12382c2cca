//! Which addresses a server may be reached at. Names are looked up here, judged, and the very
//! addresses that were judged are the ones connected to, so an answer that changes between the
//! check and the connection (DNS rebinding) changes nothing.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use futures::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// How far an address may be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// An address of the internet.
    Public,
    /// Loopback, private, or otherwise not of the internet: only where the user says so.
    Private,
    /// Link-local and the metadata services of clouds: never.
    Never,
}

/// Metadata services outside the link-local ranges: AWS and GCP over IPv6, Alibaba, Oracle, Azure.
const METADATA: [IpAddr; 5] = [
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254)),
    IpAddr::V6(Ipv6Addr::new(0xfd20, 0x00ce, 0, 0, 0, 0, 0, 0x0254)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
];

/// Judges an address; an IPv4 address inside an IPv6 one (mapped, compatible, NAT64, 6to4,
/// Teredo) is judged as well and the stricter verdict holds.
pub(super) fn reach(address: IpAddr) -> Reach {
    if METADATA.contains(&address) {
        return Reach::Never;
    }
    match address {
        IpAddr::V4(address) => reach_v4(address),
        IpAddr::V6(address) => reach_v6(address),
    }
}

/// The IANA IPv4 special-purpose registry.
fn reach_v4(address: Ipv4Addr) -> Reach {
    let [a, b, c, _] = address.octets();
    if address.is_link_local() {
        return Reach::Never;
    }
    let private = address.is_private()
        || address.is_loopback()
        || address.is_multicast()
        || address.is_broadcast()
        || address.is_documentation()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b))
        || (a, b, c) == (192, 0, 0)
        || (a, b, c) == (192, 88, 99)
        || (a == 198 && (b == 18 || b == 19));
    if private {
        Reach::Private
    } else {
        Reach::Public
    }
}

/// The IANA IPv6 special-purpose registry.
fn reach_v6(address: Ipv6Addr) -> Reach {
    let groups = address.segments();
    let [first, second, ..] = groups;
    if first & 0xffc0 == 0xfe80 || (first & 0xff0f == 0xff02) {
        return Reach::Never;
    }
    if let Some(inner) = embedded_v4(groups) {
        let own = match groups {
            // The wrappings that lead straight to the address within say nothing of themselves.
            [0, 0, 0, 0, 0, 0xffff, ..] | [0x0064, 0xff9b, 0, 0, 0, 0, ..] => Reach::Public,
            _ => Reach::Private,
        };
        return own.max(reach(IpAddr::V4(inner)));
    }
    let private = address.is_loopback()
        || address.is_unspecified()
        || address.is_multicast()
        || first & 0xfe00 == 0xfc00
        || first & 0xffc0 == 0xfec0
        || first == 0x0100
        || first == 0x3fff
        || (first, second) == (0x2001, 0x0db8)
        || (first == 0x2001 && second < 0x0200)
        || first == 0x5f00
        || first & 0xe000 != 0x2000;
    if private {
        Reach::Private
    } else {
        Reach::Public
    }
}

/// The IPv4 address that an IPv6 address carries.
fn embedded_v4(groups: [u16; 8]) -> Option<Ipv4Addr> {
    let join = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        Ipv4Addr::new(a, b, c, d)
    };
    match groups {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
        // Compatible, mapped, SIIT, the two prefixes of NAT64 (RFC 6052, RFC 8215), and 6to4.
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x0064, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x0064, 0xff9b, 1, _, _, _, high, low]
        | [0x2002, high, low, ..] => Some(join(high, low)),
        // Teredo: the client's address is stored inverted.
        [0x2001, 0, _, _, _, _, high, low] => Some(join(!high, !low)),
        _ => None,
    }
}

/// Why an address may not be connected to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refused {
    /// Link-local or metadata.
    #[error("`{host}` is a link-local or cloud metadata address, which is never called")]
    Never {
        /// The host as the base URL names it.
        host: String,
    },
    /// A name that leads into a private network.
    #[error(
        "`{host}` is not an address of the internet; set `allow_private_network: true` for \
         this server, or write the address itself into its base URL"
    )]
    Private {
        /// The host as the base URL names it.
        host: String,
    },
}

/// What the user permitted for one server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Permission {
    /// Names and addresses may be private.
    pub(super) private: bool,
}

impl Permission {
    /// Judges one address.
    pub(super) fn check(self, host: &str, address: IpAddr) -> Result<(), Refused> {
        match reach(address) {
            Reach::Public => Ok(()),
            Reach::Private if self.private => Ok(()),
            Reach::Private => Err(Refused::Private { host: host.into() }),
            Reach::Never => Err(Refused::Never { host: host.into() }),
        }
    }
}

/// Looks a name up: the system's resolver, or a test's.
type Lookup = Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> + Send + Sync>;

/// The resolver of one server's client: a name with even one address that is not permitted is
/// refused whole, so that an answer mixing public and private ones cannot be played for either.
#[derive(Clone)]
pub(super) struct Resolver {
    permission: Permission,
    /// The proxy's own name, which the user wrote and which may be private.
    proxy: Option<String>,
    lookup: Lookup,
}

impl fmt::Debug for Resolver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Resolver")
            .field("permission", &self.permission)
            .finish_non_exhaustive()
    }
}

impl Resolver {
    /// Over the system's resolver.
    pub(super) fn new(permission: Permission, proxy: Option<String>) -> Self {
        let lookup: Lookup = Arc::new(|name| {
            Box::pin(async move {
                let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
                Ok(found.collect())
            })
        });
        Self {
            permission,
            proxy,
            lookup,
        }
    }

    /// The addresses of a name, all of them permitted.
    pub(super) async fn addresses(
        &self,
        name: &str,
    ) -> Result<Vec<SocketAddr>, Box<dyn std::error::Error + Send + Sync>> {
        let is_proxy = self.proxy.as_deref() == Some(name);
        let permission = Permission {
            private: self.permission.private || is_proxy,
        };
        let found = (self.lookup)(name.to_owned()).await?;
        for address in &found {
            permission.check(name, address.ip())?;
        }
        Ok(found)
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let this = self.clone();
        Box::pin(async move {
            let found = this.addresses(name.as_str()).await?;
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn of(text: &str) -> Reach {
        reach(text.parse().unwrap())
    }

    #[test]
    fn link_local_and_metadata_are_never_reached_in_any_wrapping() {
        for text in [
            "169.254.169.254",
            "169.254.0.1",
            "fe80::1",
            "febf::1",
            "ff02::1",
            "::ffff:169.254.169.254",
            "::169.254.169.254",
            "::ffff:0:169.254.169.254",
            "64:ff9b::169.254.169.254",
            "64:ff9b:1::169.254.169.254",
            "2002:a9fe:a9fe::1",
            "2001:0:1:2:3:4:5601:5601",
            "fd00:ec2::254",
            "fd20:ce::254",
            "100.100.100.200",
            "::ffff:100.100.100.200",
            "192.0.0.192",
            "168.63.129.16",
        ] {
            assert_eq!(of(text), Reach::Never, "{text}");
        }
    }

    #[test]
    fn everything_that_is_not_of_the_internet_is_private() {
        for text in [
            "127.0.0.1",
            "127.9.9.9",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "100.64.0.1",
            "100.127.255.255",
            "0.0.0.0",
            "0.1.2.3",
            "224.0.0.1",
            "255.255.255.255",
            "240.0.0.1",
            "192.0.2.1",
            "198.51.100.1",
            "203.0.113.1",
            "198.18.0.1",
            "::1",
            "::",
            "fc00::1",
            "fdff::1",
            "fec0::1",
            "2001:db8::1",
            "ff0e::1",
            "100::1",
            "::ffff:10.0.0.1",
            "64:ff9b::127.0.0.1",
            "2002:808:808::1",
        ] {
            assert_eq!(of(text), Reach::Private, "{text}");
        }
    }

    #[test]
    fn addresses_of_the_internet_are_public() {
        for text in [
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.1",
            "172.32.0.1",
            "2606:4700::1111",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
        ] {
            assert_eq!(of(text), Reach::Public, "{text}");
        }
    }

    fn answering(permission: Permission, answers: Vec<Vec<&'static str>>) -> Resolver {
        let turn = AtomicUsize::new(0);
        Resolver {
            permission,
            proxy: Some("proxy.internal".into()),
            lookup: Arc::new(move |_| {
                let turn = turn.fetch_add(1, Ordering::SeqCst);
                let answer = answers
                    .get(turn)
                    .cloned()
                    .unwrap_or_default()
                    .into_iter()
                    .map(|text| SocketAddr::new(text.parse().unwrap(), 0))
                    .collect();
                Box::pin(async move { Ok(answer) })
            }),
        }
    }

    const STRICT: Permission = Permission { private: false };

    #[tokio::test]
    async fn a_name_that_turns_private_later_is_refused() {
        let resolver = answering(STRICT, vec![vec!["8.8.8.8"], vec!["127.0.0.1"]]);
        assert!(resolver.addresses("api.example").await.is_ok());
        let error = resolver.addresses("api.example").await.unwrap_err();
        assert!(error.to_string().contains("allow_private_network"));
    }

    #[tokio::test]
    async fn one_private_address_among_public_ones_refuses_the_name() {
        let resolver = answering(STRICT, vec![vec!["8.8.8.8", "10.0.0.1"]]);
        assert!(resolver.addresses("api.example").await.is_err());
    }

    #[tokio::test]
    async fn a_name_of_the_metadata_service_is_refused_even_where_private_is_allowed() {
        let resolver = answering(
            Permission { private: true },
            vec![vec!["10.0.0.1"], vec!["169.254.169.254"]],
        );
        assert!(resolver.addresses("api.example").await.is_ok());
        let error = resolver.addresses("api.example").await.unwrap_err();
        assert_eq!(
            error.downcast_ref(),
            Some(&Refused::Never {
                host: "api.example".into()
            })
        );
    }

    #[tokio::test]
    async fn the_proxy_itself_may_be_private() {
        let resolver = answering(STRICT, vec![vec!["10.0.0.1"], vec!["10.0.0.1"]]);
        assert!(resolver.addresses("proxy.internal").await.is_ok());
        assert!(resolver.addresses("api.example").await.is_err());
    }
}
