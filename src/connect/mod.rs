//! Connections to servers: to which addresses, with which certificates, through which proxy. Knows
//! nothing of what is sent over them.

mod failure;
mod resolver;
mod retry_after;
mod tls;

use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use reqwest::{Client, ClientBuilder, Proxy, redirect, retry};
use secrecy::{ExposeSecret as _, SecretString};
use url::{Host, Url};

pub use failure::{Failure, root_cause};
#[cfg(test)]
pub(crate) use resolver::answering;
pub use resolver::{Permission, Refused, Resolver, Unknown};
pub use retry_after::retry_after;
pub use tls::Tls;

/// For the connection alone.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How a server is connected to.
#[derive(Debug, Clone, Default)]
pub struct ConnectionSettings {
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
    settings: ConnectionSettings,
    resolver: Resolver,
    client: OnceLock<Result<Client, String>>,
}

impl fmt::Debug for Connections {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Connections")
            .field("permission", &self.settings.permission)
            .finish_non_exhaustive()
    }
}

/// What all clients have in common: they connect where the resolver lets them or through this proxy,
/// follow no redirect, send nothing twice, and leave bodies as they come.
///
/// # Errors
/// The proxy's URL is none.
pub fn client_builder(
    proxy: Option<&SecretString>,
    resolver: &Resolver,
) -> Result<ClientBuilder, String> {
    let builder = Client::builder()
        .no_proxy()
        // It is undone where what is left of it is seen.
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .redirect(redirect::Policy::none())
        .retry(retry::never())
        .referer(false);
    let Some(proxy) = proxy else {
        return Ok(builder.dns_resolver(resolver.clone()));
    };
    let wrong = || "`MCE_HTTPS_PROXY` is not the URL of a proxy".to_owned();
    let host = Url::parse(proxy.expose_secret()).map_err(|_| wrong())?;
    let host = host.host_str().map(str::to_owned);
    let proxy = Proxy::https(proxy.expose_secret()).map_err(|_| wrong())?;
    Ok(builder
        .proxy(proxy)
        .dns_resolver(resolver.clone().with_proxy(host)))
}

/// The client that a builder makes.
///
/// # Errors
/// Why there is none; without any secret.
pub fn build(builder: ClientBuilder) -> Result<Client, String> {
    builder
        .build()
        .map_err(|error| format!("the HTTP client cannot start: {}", root_cause(&error)))
}

impl Connections {
    /// Connects nowhere yet.
    #[must_use]
    pub fn new(settings: ConnectionSettings) -> Self {
        Self {
            resolver: Resolver::new(settings.permission),
            settings,
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
        let settings = &self.settings;
        let mut builder = client_builder(settings.proxy.as_ref(), &self.resolver)?
            .connect_timeout(CONNECT_TIMEOUT);
        if !settings.tls.certificates.is_empty() {
            builder = builder.tls_certs_merge(settings.tls.certificates.iter().cloned());
        }
        if let Some(identity) = &settings.tls.identity {
            builder = builder.identity(identity.clone());
        }
        build(builder)
    }

    /// A proxy looks names up by itself. What they lead to is judged here all the same.
    ///
    /// # Errors
    /// Why the proxy is not asked.
    pub async fn check_proxied(&self, host: Option<Host<&str>>) -> Result<(), Unknown> {
        match host {
            Some(Host::Domain(name)) if self.settings.proxy.is_some() => {
                self.resolver.check_proxied(name).await
            }
            _ => Ok(()),
        }
    }
}
