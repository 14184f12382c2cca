//! What one caller sees of the registry: to who may not use a server it does not exist.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::catalogue::Entry;
use super::egress::Targets;
use super::registry::{Changes, Readable, Refused, Registry, Served, Verdict};
use crate::config::ServerConfig;
use crate::guard::CompiledNames;

/// The registry, or the part of it that a caller may use. Cheap to clone.
#[derive(Clone)]
pub(super) struct View {
    registry: Arc<Registry>,
    /// The servers that may be used; `None` for all.
    only: Option<Arc<BTreeSet<String>>>,
    /// Whether it is that of a client, which is told no paths of the host.
    of_client: bool,
}

impl View {
    /// The whole of it.
    pub(super) fn of_all(registry: Registry) -> Self {
        Self {
            registry: Arc::new(registry),
            only: None,
            of_client: false,
        }
    }

    /// Of what this one shows only these servers.
    pub(super) fn only(&self, servers: &BTreeSet<String>) -> Self {
        Self {
            registry: Arc::clone(&self.registry),
            only: Some(Arc::new(self.shown_of(servers))),
            of_client: self.of_client,
        }
    }

    /// The same as clients see it.
    pub(super) fn for_clients(&self) -> Self {
        Self {
            of_client: true,
            ..self.clone()
        }
    }

    /// Why a server is refused, as it may be told here.
    pub(super) fn told<'r>(&self, refused: &'r Refused) -> &'r str {
        if self.of_client {
            refused.for_clients()
        } else {
            refused.for_operator()
        }
    }

    /// Whether a server of this name would be shown.
    pub(super) fn shows(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(name))
    }

    /// The servers that are shown; `None` for all.
    pub(super) fn shown(&self) -> Option<BTreeSet<String>> {
        self.only.as_deref().cloned()
    }

    /// Those of `names` that are shown.
    pub(super) fn shown_of(&self, names: &BTreeSet<String>) -> BTreeSet<String> {
        let shown = names.iter().filter(|name| self.shows(name));
        shown.cloned().collect()
    }

    /// See [`Registry::configs`]; of all servers.
    pub(super) fn configs(&self) -> Vec<Arc<ServerConfig>> {
        self.registry.configs()
    }

    /// See [`Registry::names`].
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.registry.names().filter(|name| self.shows(name))
    }

    /// See [`Registry::names_after`].
    pub(super) fn names_after(&self, name: &str) -> impl Iterator<Item = &str> {
        let after = self.registry.names_after(name);
        after.filter(|name| self.shows(name))
    }

    /// See [`Registry::targets`]; of all servers: what an execution may call of them its scope says.
    pub(super) fn targets(&self) -> Arc<Targets> {
        self.registry.targets()
    }

    /// See [`Registry::targets_with`].
    pub(super) fn targets_with<'s>(
        &self,
        needed: impl IntoIterator<Item = &'s Arc<Served>>,
    ) -> Arc<Targets> {
        self.registry.targets_with(needed)
    }

    /// See [`Registry::examine`].
    pub(super) async fn examine(&self, name: &str) -> Option<Result<Arc<Served>, Refused>> {
        if !self.shows(name) {
            return None;
        }
        self.registry.examine(name).await
    }

    /// See [`Registry::entry`].
    pub(super) async fn entry(&self, name: &str) -> Option<Arc<Entry>> {
        if !self.shows(name) {
            return None;
        }
        self.registry.entry(name).await
    }

    /// See [`Registry::verdict`].
    pub(super) fn verdict(&self, name: &str) -> Verdict {
        self.registry.verdict(name)
    }

    /// See [`Registry::is_configured_read_only`].
    pub(super) fn is_configured_read_only(&self, name: &str) -> bool {
        self.registry.is_configured_read_only(name)
    }

    /// See [`Registry::bytes`].
    pub(super) fn bytes(&self, name: &str) -> u64 {
        self.registry.bytes(name)
    }

    /// See [`Registry::refresh`]; of all servers.
    pub(super) fn refresh(&self) -> Changes {
        self.registry.refresh()
    }

    /// See [`Registry::forget`].
    pub(super) async fn forget(&self, name: &str) {
        self.registry.forget(name).await;
    }

    /// See [`Registry::server`].
    pub(super) async fn server(&self, name: &str) -> Option<Result<Arc<Served>, Refused>> {
        if !self.shows(name) {
            return None;
        }
        self.registry.server(name).await
    }

    /// See [`Registry::readable`].
    pub(super) async fn readable(&self, name: &str) -> Option<Result<Readable, Refused>> {
        if !self.shows(name) {
            return None;
        }
        self.registry.readable(name).await
    }

    /// See [`Registry::servers`].
    pub(super) async fn servers(
        &self,
        mut names: Vec<String>,
    ) -> Vec<(String, Result<Arc<Served>, Refused>)> {
        names.retain(|name| self.shows(name));
        self.registry.servers(names).await
    }

    /// See [`Registry::names_for`].
    pub(super) async fn names_for(&self, code: &str) -> (CompiledNames, Vec<Refused>) {
        let shown = |name: &str| self.shows(name);
        self.registry.names_for(code, shown).await
    }
}
