//! Which addresses a server may be reached at. Names are looked up here, judged, and the very
//! addresses that were judged are the ones connected to, so an answer that changes between the
//! check and the connection (DNS rebinding) changes nothing.

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

/// What the user permitted for one server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Permission {
    /// Names and addresses may be private.
    pub private: bool,
}

impl Permission {
    /// Judges one address.
    ///
    /// # Errors
    /// Why it may not be connected to.
    pub fn check(self, host: &str, address: IpAddr) -> Result<(), Refused> {
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
    pub fn new(permission: Permission, proxy: Option<String>) -> Self {
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

    /// Whether names and addresses may be private.
    #[must_use]
    pub fn permits_private(&self) -> bool {
        self.permission.private
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
