//! Addresses of engines, as Docker's own client spells them. Pure.

use std::net::IpAddr;
use std::path::PathBuf;

use url::Url;

use super::error::Error;

/// Where an engine is and how it is spoken to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Address {
    /// A socket of this machine.
    Unix(PathBuf),
    /// A port of this machine, not encrypted.
    Loopback(Authority),
    /// A port of any machine; the engine shows a certificate, and so does MCE where it has one.
    Tls(Authority, Certificates),
    /// The engine that `docker` reaches on another machine.
    Ssh(Destination),
}

/// `host:port`; an IPv6 address in brackets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Authority {
    pub(super) host: String,
    pub(super) port: u16,
}

/// Files of a TLS connection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Certificates {
    /// Whom to believe that the engine is the one; none: whom the machine believes.
    pub(super) authorities: Option<PathBuf>,
    /// The own certificate and its key.
    pub(super) identity: Option<(PathBuf, PathBuf)>,
}

/// Where `ssh` goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Destination {
    pub(super) user: Option<String>,
    pub(super) host: String,
    pub(super) port: Option<u16>,
    /// The engine's socket over there; none: as `docker` there finds it.
    pub(super) socket: Option<String>,
}

impl Address {
    /// Reads an address. `certificates` makes one of TCP one of TLS.
    ///
    /// # Errors
    /// [`Error::Address`], and [`Error::ClearText`] for a port of another machine without TLS.
    pub(super) fn parse(text: &str, certificates: Option<Certificates>) -> Result<Self, Error> {
        let unsupported = || Error::Address {
            address: shown(text),
        };
        if let Some(path) = text.strip_prefix("unix://") {
            let is_path = path.starts_with('/') && !path.chars().any(char::is_control);
            return if is_path {
                Ok(Self::Unix(PathBuf::from(path)))
            } else {
                Err(unsupported())
            };
        }
        let url = Url::parse(text).map_err(|_| unsupported())?;
        let host = url.host_str().filter(|host| !host.is_empty());
        let host = host.ok_or_else(unsupported)?.to_owned();
        // A password would stand in lists of processes and in messages.
        if url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
            return Err(unsupported());
        }
        match url.scheme() {
            "ssh" => {
                let user = Some(url.username()).filter(|user| !user.is_empty());
                // A shell over there reads it.
                if !url.path().bytes().all(is_plain) {
                    return Err(unsupported());
                }
                Ok(Self::Ssh(Destination {
                    user: user.map(str::to_owned),
                    host,
                    port: url.port(),
                    socket: Some(url.path())
                        .filter(|path| !path.trim_matches('/').is_empty())
                        .map(str::to_owned),
                }))
            }
            "tcp" | "http" | "https" => {
                if !url.username().is_empty() || !url.path().trim_matches('/').is_empty() {
                    return Err(unsupported());
                }
                let port = url.port();
                let usual_or = |default: u16| port.unwrap_or(default);
                match certificates {
                    None if url.scheme() == "https" => Ok(Self::Tls(
                        Authority {
                            host,
                            port: usual_or(443),
                        },
                        Certificates::default(),
                    )),
                    Some(certificates) => {
                        let port = usual_or(2376);
                        Ok(Self::Tls(Authority { host, port }, certificates))
                    }
                    None if is_loopback(&host) => Ok(Self::Loopback(Authority {
                        host,
                        port: usual_or(if url.scheme() == "http" { 80 } else { 2375 }),
                    })),
                    None => Err(Error::ClearText {
                        address: shown(text),
                    }),
                }
            }
            _ => Err(unsupported()),
        }
    }

    /// Whether the engine shares this machine's `/proc`, as far as its address tells.
    pub(super) fn is_local(&self) -> bool {
        matches!(self, Self::Unix(_))
    }
}

impl std::fmt::Display for Authority {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}", self.host, self.port)
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"/._-".contains(&byte)
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// An address as messages may repeat it: without a password.
pub(super) fn shown(text: &str) -> String {
    match Url::parse(text) {
        Ok(mut url) if url.password().is_some() => {
            let _ = url.set_password(None);
            url.to_string()
        }
        // A user's name without a scheme looks like one.
        Ok(url) if url.has_host() => text.to_owned(),
        _ => match text.rsplit_once('@') {
            Some((_, host)) => format!("…@{host}"),
            None => text.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn authority(host: &str, port: u16) -> Authority {
        Authority {
            host: host.to_owned(),
            port,
        }
    }

    #[test]
    fn addresses_are_read_as_dockers_client_reads_them() {
        let ssh = |user: Option<&str>, port, socket: Option<&str>| {
            Address::Ssh(Destination {
                user: user.map(str::to_owned),
                host: "far".to_owned(),
                port,
                socket: socket.map(str::to_owned),
            })
        };
        for (text, expected) in [
            ("unix:///run/x.sock", Address::Unix("/run/x.sock".into())),
            (
                "tcp://127.0.0.1",
                Address::Loopback(authority("127.0.0.1", 2375)),
            ),
            (
                "tcp://localhost:1/",
                Address::Loopback(authority("localhost", 1)),
            ),
            ("tcp://[::1]:1", Address::Loopback(authority("[::1]", 1))),
            (
                "https://far",
                Address::Tls(authority("far", 443), Certificates::default()),
            ),
            ("ssh://far", ssh(None, None, None)),
            ("ssh://me@far:22/", ssh(Some("me"), Some(22), None)),
            (
                "ssh://far/run/podman/podman.sock",
                ssh(None, None, Some("/run/podman/podman.sock")),
            ),
        ] {
            assert_eq!(Address::parse(text, None).unwrap(), expected, "{text}");
        }
        for (text, port) in [("tcp://far", 2376), ("tcp://far:1", 1), ("http://far:2", 2)] {
            let files = Certificates {
                authorities: Some("/ca.pem".into()),
                identity: None,
            };
            assert_eq!(
                Address::parse(text, Some(files.clone())).unwrap(),
                Address::Tls(authority("far", port), files),
                "{text}"
            );
        }
    }

    #[test]
    fn another_machine_is_not_spoken_to_in_clear_text() {
        for text in [
            "tcp://192.0.2.1:2375",
            "tcp://far:2375",
            "http://far",
            "tcp://0.0.0.0:2375",
            "tcp://localhost.far:2375",
            "tcp://[::ffff:192.0.2.1]:2375",
        ] {
            let error = Address::parse(text, None).unwrap_err();
            assert!(
                matches!(error, Error::ClearText { .. }),
                "{text}: {error:?}"
            );
            assert!(error.to_string().contains(text), "{error}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused_without_its_password() {
        for text in [
            "ftp://x",
            "unix://relative",
            "unix://",
            "tcp://",
            "tcp://127.0.0.1/v1",
            "tcp://127.0.0.1:1?x",
            "npipe:////./pipe/docker_engine",
            "far:2375",
            "ssh://me:canary@far",
            "ssh://far/x;touch",
            "tcp://me:canary@127.0.0.1:2375",
            "me:canary@far",
        ] {
            let error = Address::parse(text, None).unwrap_err();
            assert!(matches!(error, Error::Address { .. }), "{text}: {error:?}");
            assert!(!error.to_string().contains("canary"), "{error}");
        }
    }
}
