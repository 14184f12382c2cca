//! Connections to servers: to which addresses, with which certificates, through which proxy. Knows
//! nothing of what is sent over them.

mod failure;
mod resolver;
mod retry_after;
mod tls;

use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use reqwest::{Client, Proxy, redirect, retry};
use secrecy::{ExposeSecret as _, SecretString};
use url::{Host, Url};

pub use failure::{Failure, root_cause};
#[cfg(test)]
pub(crate) use resolver::answering;
pub use resolver::{Permission, Refused, Resolver};
pub use retry_after::retry_after;
pub use tls::Tls;

/// For the connection alone.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How a server is connected to.
#[derive(Debug, Clone, Default)]
pub struct Way {
    /// The addresses that are permitted.
    pub permission: Permission,
    /// The proxy of `https` URLs, which may hold a password.
    pub proxy: Option<SecretString>,
    /// Who is trusted, and as whom the client comes.
    pub tls: Tls,
}

/// The connections to one server, shared by all who call it. No redirect is followed and nothing is
/// sent twice.
pub struct Connections {
    way: Way,
    resolver: Resolver,
    client: OnceLock<Result<Client, String>>,
}

impl fmt::Debug for Connections {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Connections")
            .field("permission", &self.way.permission)
            .finish_non_exhaustive()
    }
}

/// What of a name is not known before a proxy is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unknown {
    /// It leads to an address that is not permitted.
    Refused(Refused),
    /// Where it leads to; the proxy might connect anywhere, its own network included.
    Nowhere,
}

impl Connections {
    /// Connects nowhere yet.
    #[must_use]
    pub fn new(way: Way) -> Self {
        let proxy = way
            .proxy
            .as_ref()
            .and_then(|proxy| Url::parse(proxy.expose_secret()).ok())
            .and_then(|proxy| proxy.host_str().map(str::to_owned));
        Self {
            resolver: Resolver::new(way.permission, proxy),
            way,
            client: OnceLock::new(),
        }
    }

    /// The client, made when it is first asked for.
    ///
    /// # Errors
    /// Why there is none; without any secret.
    pub fn client(&self) -> Result<&Client, &str> {
        self.client
            .get_or_init(|| self.build())
            .as_ref()
            .map_err(String::as_str)
    }

    fn build(&self) -> Result<Client, String> {
        let way = &self.way;
        let mut builder = Client::builder()
            .no_proxy()
            // It is undone where what is left of it is seen.
            .no_gzip()
            .no_brotli()
            .no_deflate()
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .referer(false)
            .connect_timeout(CONNECT_TIMEOUT)
            .dns_resolver(self.resolver.clone());
        if !way.tls.certificates.is_empty() {
            builder = builder.tls_certs_merge(way.tls.certificates.iter().cloned());
        }
        if let Some(identity) = &way.tls.identity {
            builder = builder.identity(identity.clone());
        }
        if let Some(proxy) = &way.proxy {
            let proxy = Proxy::https(proxy.expose_secret())
                .map_err(|_| "`MCE_HTTPS_PROXY` is not the URL of a proxy".to_owned())?;
            builder = builder.proxy(proxy);
        }
        builder
            .build()
            .map_err(|error| format!("the HTTP client cannot start: {}", root_cause(&error)))
    }

    /// A proxy looks names up by itself. What they lead to is judged here all the same.
    ///
    /// # Errors
    /// Why the proxy is not asked.
    pub async fn check_proxied(&self, host: Option<Host<&str>>) -> Result<(), Unknown> {
        let Some(Host::Domain(name)) = host.filter(|_| self.way.proxy.is_some()) else {
            return Ok(());
        };
        match self.resolver.addresses(name).await {
            Ok(_) => Ok(()),
            Err(error) => match error.downcast_ref::<Refused>() {
                Some(refused) => Err(Unknown::Refused(refused.clone())),
                None if self.resolver.permits_private() => Ok(()),
                None => Err(Unknown::Nowhere),
            },
        }
    }
}
