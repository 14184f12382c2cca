//! One server as the broker sees it: its operations, its address, its connections.

use std::path::Path;
use std::sync::Arc;

use super::Target;
use super::base::Base;
use super::limits::Limits;
use super::routes::Routes;
use super::throttle::Throttle;
use crate::api::{Function, is_mutating};
use crate::config::Environment;
use crate::connect::{ConnectionSettings, Connections, Tls};
use crate::headers::is_forbidden_header;
use crate::vault::Vault;

/// A server.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) target: Target,
    pub(super) routes: Routes,
    /// The way to it, or why there is none.
    pub(super) link: Result<Link, String>,
    /// What bounds the requests of all executions.
    pub(super) throttle: Throttle,
}

/// The way to a server.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) base: Base,
    pub(super) connections: Connections,
}

impl Server {
    /// Reads the files of certificates, relative to the config's folder, where that is given.
    pub(super) fn new(
        target: Target,
        vault: &Vault,
        env: &Environment,
        limits: &Limits,
        folder: Option<&Path>,
    ) -> Self {
        let tls = folder
            .map_or_else(
                || Ok(Tls::default()),
                |folder| Tls::of(&target.config, folder, env),
            )
            .map_err(|problem| format!("server `{}`: {problem}", target.manifest.server));
        let link = tls.and_then(|tls| Self::link(&target, vault, env, limits, tls));
        let base = link.as_ref().ok().map(|link| &link.base);
        let routes = Routes::new(&target.manifest, base);
        Self {
            throttle: Throttle::of(&target.config),
            target,
            routes,
            link,
        }
    }

    /// Whether it is the server of this target.
    pub(super) fn is_of(&self, target: &Target) -> bool {
        Arc::ptr_eq(&self.target.manifest, &target.manifest)
            && Arc::ptr_eq(&self.target.config, &target.config)
            && self.target.read_only == target.read_only
    }

    fn link(
        target: &Target,
        vault: &Vault,
        env: &Environment,
        limits: &Limits,
        tls: Tls,
    ) -> Result<Link, String> {
        let server = &target.manifest.server;
        let extra = vault
            .extra_headers(server)
            .map_err(|error| error.to_string())?;
        if let Some((name, _)) = extra.iter().find(|(name, _)| is_forbidden_header(name)) {
            return Err(format!(
                "server `{server}`: the extra header `{name}` is never sent; remove it"
            ));
        }
        let base = Base::of(target, env, limits)?;
        // An address in a private network that the user wrote is not the proxy's to reach.
        let proxy = limits
            .https_proxy
            .clone()
            .filter(|_| base.is_https() && !base.is_private_literal);
        let connections = Connections::new(ConnectionSettings {
            permission: base.permission,
            proxy,
            tls,
        });
        Ok(Link { base, connections })
    }

    /// Why a read-only server is not asked for this operation. Looks at nothing but the method
    /// and the config's `read_only_allow`.
    pub(super) fn refuses_to_change(&self, function: &Function) -> bool {
        let is_allowed = self
            .target
            .config
            .read_only_allow
            .iter()
            .any(|allowed| allowed.method == function.method && allowed.path == function.path);
        self.target.read_only && is_mutating(&function.method) && !is_allowed
    }
}
