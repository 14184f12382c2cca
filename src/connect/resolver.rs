//! Which addresses a server may be reached at. Names are looked up here, judged, and the very
//! addresses that were judged are the ones connected to, so an answer that changes between the
//! check and the connection (DNS rebinding) changes nothing.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::address::{Reach, reach};

/// Why an address may not be connected to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Link-local, metadata and the like.
    #[error(
        "`{host}` is a link-local, multicast, unspecified or cloud metadata address, which is never \
         called"
    )]
    Never {
        /// The host as the base URL names it.
        host: String,
    },
    /// A name that leads to a server that has functions of its own.
    #[error("`{host}` leads to the address of a compiled server; call its functions")]
    Compiled {
        /// The host as the URL names it.
        host: String,
    },
    /// A name that does not lead to this machine, as it has to.
    #[error("`{host}` leads to another machine: it has to be reached by https")]
    Elsewhere {
        /// The host as the URL names it.
        host: String,
    },
    /// A name that leads into a private network.
    #[error(
        "`{host}` leads to an address that is not of the internet; set \
         `allow_private_network: true` for this server in swaggers.yaml, or write the address \
         itself (such as `127.0.0.1`) in its place"
    )]
    Private {
        /// The host as the base URL names it.
        host: String,
    },
}

/// What of a name is not known before a proxy is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unknown {
    /// It leads to an address that is not permitted.
    Refused(Refused),
    /// Where it leads to; the proxy might connect anywhere, its own network included.
    Nowhere,
}

/// What the user permitted for one server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Permission {
    /// Names and addresses may be private.
    pub private: bool,
    /// Names and addresses are those of this machine, as what is sent is not encrypted.
    pub only_loopback: bool,
}

impl Permission {
    /// Judges one address.
    ///
    /// # Errors
    /// Why it may not be connected to.
    pub fn check(self, host: &str, address: IpAddr) -> Result<(), Refused> {
        if self.only_loopback {
            let host = host.to_owned();
            let is_loopback = address.to_canonical().is_loopback();
            return if is_loopback {
                Ok(())
            } else {
                Err(Refused::Elsewhere { host })
            };
        }
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
pub struct Resolver {
    permission: Permission,
    /// The proxy's own name, which the user wrote and which may be private.
    proxy: Option<String>,
    /// Addresses that no name may lead to.
    without: Arc<BTreeSet<IpAddr>>,
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
    #[must_use]
    pub fn new(permission: Permission) -> Self {
        let lookup: Lookup = Arc::new(|name| {
            Box::pin(async move {
                let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
                Ok(found.collect())
            })
        });
        Self {
            permission,
            proxy: None,
            without: Arc::default(),
            lookup,
        }
    }

    /// The same, with addresses that no name may lead to, as they are without a wrapping.
    #[must_use]
    pub fn without(self, addresses: BTreeSet<IpAddr>) -> Self {
        Self {
            without: Arc::new(addresses),
            ..self
        }
    }

    /// The same for a client with this proxy.
    #[must_use]
    pub fn with_proxy(self, proxy: Option<String>) -> Self {
        Self { proxy, ..self }
    }

    /// The addresses of a name, whatever they are.
    ///
    /// # Errors
    /// The name cannot be looked up.
    pub async fn found(&self, name: &str) -> io::Result<Vec<SocketAddr>> {
        (self.lookup)(name.to_owned()).await
    }

    /// The addresses of a name, all of them permitted.
    ///
    /// # Errors
    /// [`Refused`], or why the name cannot be looked up.
    pub async fn addresses(
        &self,
        name: &str,
    ) -> Result<Vec<SocketAddr>, Box<dyn std::error::Error + Send + Sync>> {
        let is_proxy = self.proxy.as_deref() == Some(name);
        let permission = if is_proxy {
            Permission {
                private: true,
                only_loopback: false,
            }
        } else {
            self.permission
        };
        let found = self.found(name).await?;
        for address in &found {
            permission.check(name, address.ip())?;
            if !is_proxy && self.without.contains(&address.ip().to_canonical()) {
                return Err(Refused::Compiled { host: name.into() }.into());
            }
        }
        Ok(found)
    }

    /// What a name leads to that a proxy is to look up, judged as far as that is known here.
    ///
    /// # Errors
    /// Why the proxy is not asked.
    pub async fn check_proxied(&self, name: &str) -> Result<(), Unknown> {
        match self.addresses(name).await {
            Ok(_) => Ok(()),
            Err(error) => match error.downcast_ref::<Refused>() {
                Some(refused) => Err(Unknown::Refused(refused.clone())),
                None if self.permission.private => Ok(()),
                None => Err(Unknown::Nowhere),
            },
        }
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

/// A resolver that knows one answer after the other, whatever the name; the last one holds on.
#[cfg(test)]
pub(crate) fn answering(answers: &[&[&str]]) -> Resolver {
    let address = |text: &&str| SocketAddr::new(text.parse().unwrap(), 0);
    let answers = answers.iter().rev();
    let answers: Vec<Vec<_>> = answers
        .map(|answer| answer.iter().map(address).collect())
        .collect();
    let answers = std::sync::Mutex::new(answers);
    Resolver {
        permission: Permission {
            private: false,
            only_loopback: false,
        },
        proxy: None,
        without: Arc::default(),
        lookup: Arc::new(move |_| {
            let mut answers = answers.lock().unwrap();
            let answer = if answers.len() > 1 {
                answers.pop()
            } else {
                answers.first().cloned()
            };
            Box::pin(async move { Ok(answer.unwrap_or_default()) })
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn answering(permission: Permission, answers: Vec<Vec<&'static str>>) -> Resolver {
        let turn = AtomicUsize::new(0);
        Resolver {
            permission,
            proxy: Some("proxy.internal".into()),
            without: Arc::default(),
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

    const STRICT: Permission = Permission {
        private: false,
        only_loopback: false,
    };

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
            Permission {
                private: true,
                only_loopback: false,
            },
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

    /// The check before a request looked a name up, and the connection again.
    #[tokio::test]
    async fn a_name_that_comes_to_lead_to_a_compiled_server_is_refused() {
        let resolver = answering(STRICT, vec![vec!["8.8.8.8"], vec!["::ffff:8.8.4.4"]]);
        let resolver = resolver.without(BTreeSet::from(["8.8.4.4".parse().unwrap()]));
        assert!(resolver.addresses("api.example").await.is_ok());
        let error = resolver.addresses("api.example").await.unwrap_err();
        assert!(error.to_string().contains("a compiled server"), "{error}");
    }

    #[tokio::test]
    async fn what_is_not_encrypted_stays_on_this_machine() {
        let permission = Permission {
            private: true,
            only_loopback: true,
        };
        let resolver = answering(
            permission,
            vec![vec!["127.0.0.1"], vec!["10.0.0.1"], vec!["8.8.8.8"]],
        );
        assert!(resolver.addresses("idp.localhost").await.is_ok());
        for _ in 0..2 {
            let error = resolver.addresses("idp.localhost").await.unwrap_err();
            assert!(error.to_string().contains("another machine"), "{error}");
        }
    }

    #[tokio::test]
    async fn the_proxy_itself_may_be_private() {
        let resolver = answering(STRICT, vec![vec!["10.0.0.1"], vec!["10.0.0.1"]]);
        assert!(resolver.addresses("proxy.internal").await.is_ok());
        assert!(resolver.addresses("api.example").await.is_err());
    }
}
