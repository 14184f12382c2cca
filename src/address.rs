//! How far an IP address may be reached. One judgement, for documents and for calls.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// How far an address may be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// An address of the internet.
    Public,
    /// Loopback, private, or otherwise not of the internet: only where the user says so.
    Private,
    /// Link-local and the metadata services of clouds, which hand out credentials to whoever asks,
    /// and what is no address of one server: never.
    Never,
}

/// Metadata services outside the link-local ranges and AWS's own prefix: GCP over IPv6, Alibaba,
/// Oracle, Azure.
const METADATA: [IpAddr; 4] = [
    IpAddr::V6(Ipv6Addr::new(0xfd20, 0x00ce, 0, 0, 0, 0, 0, 0x0254)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
];

/// Whether a host's name, as a parsed URL spells it, is one of this machine, whoever is asked (RFC 6761,
/// section 6.3).
#[must_use]
pub fn is_localhost(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    name == "localhost" || name.ends_with(".localhost")
}

/// Names of metadata services, whatever they resolve to here.
const METADATA_NAMES: [&str; 2] = ["metadata.google.internal", "metadata.goog"];

/// Whether a host's name is that of a metadata service.
#[must_use]
pub fn is_metadata_name(name: &str) -> bool {
    METADATA_NAMES
        .iter()
        .any(|known| name.trim_end_matches('.').eq_ignore_ascii_case(known))
}

/// Judges an address. An IPv4 address inside an IPv6 one (mapped, compatible, NAT64, 6to4,
/// Teredo) is judged as well and the stricter verdict holds.
#[must_use]
pub fn reach(address: IpAddr) -> Reach {
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
    if address.is_link_local()
        || address.is_unspecified()
        || address.is_multicast()
        || address.is_broadcast()
    {
        return Reach::Never;
    }
    let private = address.is_private()
        || address.is_loopback()
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
    if address.is_unicast_link_local()
        || address.is_unspecified()
        || address.is_multicast()
        // AWS keeps all of its link-local services below this unique local prefix.
        || (first, second) == (0xfd00, 0x0ec2)
    {
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
        [0, 0, 0, 0, 0, 0, 0, 1] => None,
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

#[cfg(test)]
mod tests {
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
            "fd00:ec2::253",
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
    fn what_is_no_address_of_one_server_is_never_reached() {
        for text in [
            "0.0.0.0",
            "224.0.0.1",
            "239.255.255.255",
            "255.255.255.255",
            "::",
            "::ffff:0.0.0.0",
            "ff02::1",
            "ff0e::1",
        ] {
            assert_eq!(of(text), Reach::Never, "{text}");
        }
    }

    #[test]
    fn names_of_metadata_services_are_known_in_any_spelling() {
        for name in ["metadata.google.internal", "Metadata.Goog."] {
            assert!(is_metadata_name(name), "{name}");
        }
        assert!(!is_metadata_name("metadata.example"));
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
            "0.1.2.3",
            "240.0.0.1",
            "192.0.2.1",
            "198.51.100.1",
            "203.0.113.1",
            "198.18.0.1",
            "::1",
            "fc00::1",
            "fdff::1",
            "fec0::1",
            "2001:db8::1",
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
}
