//! One server as the broker sees it: its operations, its address, its connections.

use std::path::Path;

use super::Target;
use super::base::Base;
use super::exchange::{Connections, certificates};
use super::limits::Limits;
use super::routes::Routes;
use crate::api::{Function, is_mutating};
use crate::config::Environment;
use crate::headers::is_forbidden_header;
use crate::vault::Vault;

/// A server.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) target: Target,
    pub(super) routes: Routes,
    /// The way to it, or why there is none.
    pub(super) link: Result<Link, String>,
}

/// The way to a server.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) base: Base,
    pub(super) connections: Connections,
}

impl Server {
    pub(super) fn new(target: Target, vault: &Vault, env: &Environment, limits: &Limits) -> Self {
        let link = Self::link(&target, vault, env, limits);
        let base = link.as_ref().ok().map(|link| &link.base);
        let routes = Routes::new(&target.manifest, base);
        Self {
            target,
            routes,
            link,
        }
    }

    fn link(
        target: &Target,
        vault: &Vault,
        env: &Environment,
        limits: &Limits,
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
        let connections = Connections::new(&base, limits, Vec::new());
        Ok(Link { base, connections })
    }

    /// Reads the `ca_file`, so that the server's certificate can be verified against it.
    pub(super) fn read_certificates(&mut self, folder: &Path, env: &Environment, limits: &Limits) {
        let Some(template) = &self.target.config.ca_file else {
            return;
        };
        let Ok(link) = &mut self.link else {
            return;
        };
        let found = template
            .expand(env)
            .map_err(|error| error.to_string())
            .and_then(|path| certificates(&folder.join(path)));
        match found {
            Ok(found) => link.connections = Connections::new(&link.base, limits, found),
            Err(problem) => {
                self.link = Err(format!(
                    "server `{}`: {problem}",
                    self.target.manifest.server
                ));
            }
        }
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
