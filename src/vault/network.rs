//! The way to the endpoints of one server.

use std::path::PathBuf;

use secrecy::SecretString;

use super::endpoint::Endpoint;
use crate::config::Environment;
use crate::config::ServerConfig;
use crate::connect::{ConnectionSettings, Connections, Tls};

/// How token and log-in endpoints are connected to, whatever the server.
#[derive(Clone, Default)]
pub struct NetworkSettings {
    /// What the files of the config are relative to.
    pub folder: PathBuf,
    /// `MCE_HTTPS_PROXY`, which may hold a password.
    pub https_proxy: Option<SecretString>,
}

/// The same for one server.
#[derive(Clone)]
pub(super) struct Network {
    pub(super) settings: NetworkSettings,
    pub(super) server: std::sync::Arc<ServerConfig>,
    pub(super) environment: std::sync::Arc<Environment>,
}

impl Network {
    /// Connections to an endpoint. Reads the files of certificates.
    pub(super) async fn connections(&self, endpoint: &Endpoint) -> Result<Connections, String> {
        let this = self.clone();
        let reading = tokio::task::spawn_blocking(move || {
            Tls::of(&this.server, &this.settings.folder, &this.environment)
        });
        let tls = match reading.await {
            Ok(tls) => tls?,
            Err(error) => return Err(format!("the files of certificates were not read: {error}")),
        };
        // An address in a private network that the user wrote is not the proxy's to reach.
        let proxy = self.settings.https_proxy.clone();
        Ok(Connections::new(ConnectionSettings {
            permission: endpoint.permission,
            proxy: proxy
                .filter(|_| endpoint.url.scheme() == "https" && !endpoint.is_private_literal),
            tls,
        }))
    }
}
