//! The compiled servers: which there are, and the load check each passes before its first use.
//!
//! Invariant: what is used is the very text that was checked. It is read once and kept.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use futures::StreamExt as _;
use tokio::sync::OnceCell;

use super::egress::Targets;
use crate::api::Manifest;
use crate::broker::Target;
use crate::config::{Config, ServerConfig, Settings};
use crate::guard::CompiledNames;
use crate::python::CompiledModule;

/// Load checks at once: each parses a module, and there are seldom more processors to spare.
const CHECKS_AT_ONCE: usize = 4;

/// A server that passed the load check.
#[derive(Debug)]
pub(super) struct Served {
    /// What the broker enforces.
    pub(super) target: Target,
    /// Its `functions.py`.
    pub(super) module: CompiledModule,
    /// Its `skills.md`.
    pub(super) skills: Option<String>,
}

impl Served {
    /// The checked manifest.
    pub(super) fn manifest(&self) -> &Manifest {
        &self.target.manifest
    }
}

/// Why a server is not served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refused {
    /// The server.
    pub(super) server: String,
    /// What is wrong and what to do.
    pub(super) reason: String,
}

struct Slot {
    config: Arc<ServerConfig>,
    // Only success is kept: a refused server is checked again when it is next asked for, so that
    // `mce compile` mends it without a restart.
    served: OnceCell<Arc<Served>>,
}

/// Reads a server below the folder of compiled output, and checks it.
pub(super) type Load = fn(&Path, &str, &Arc<ServerConfig>) -> Result<Served, String>;

/// Every server there is.
pub(super) struct Registry {
    output: PathBuf,
    slots: BTreeMap<String, Slot>,
    targets: RwLock<Arc<Targets>>,
    load: Load,
}

impl Registry {
    /// Finds the servers: those of the config; or all of the folder where there is no config, or
    /// where the folder was chosen (`MCE_COMPILED_OUTPUT_DIR`) and the config was not.
    pub(super) fn find(settings: &Settings, config: Option<&Config>, load: Load) -> Self {
        let folder = &settings.compiled_output_dir;
        let mut configs: BTreeMap<String, Arc<ServerConfig>> = config
            .map(|config| config.servers.as_slice())
            .unwrap_or_default()
            .iter()
            .map(|server| (server.name.clone(), Arc::new(server.clone())))
            .collect();
        let whole_folder = config.is_none()
            || (settings.compiled_output_dir_is_set && settings.swagger_config_file.is_none());
        let names: BTreeSet<String> = if whole_folder {
            compiled_folders(folder).unwrap_or_default()
        } else {
            configs.keys().cloned().collect()
        };
        let slots = names
            .into_iter()
            .map(|name| {
                let config = configs.remove(&name).unwrap_or_else(|| {
                    Arc::new(ServerConfig {
                        name: name.clone(),
                        ..ServerConfig::default()
                    })
                });
                let slot = Slot {
                    config,
                    served: OnceCell::new(),
                };
                (name, slot)
            })
            .collect();
        Self {
            output: folder.clone(),
            slots,
            targets: RwLock::default(),
            load,
        }
    }

    /// The config entries of all servers, checked or not.
    pub(super) fn configs(&self) -> Vec<Arc<ServerConfig>> {
        self.slots
            .values()
            .map(|slot| Arc::clone(&slot.config))
            .collect()
    }

    /// The names of all servers, in order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.slots.keys().map(String::as_str)
    }

    /// The next names after `name`, at most `count`.
    pub(super) fn names_after(&self, name: &str, count: usize) -> Vec<String> {
        let after = (Bound::Excluded(name), Bound::Unbounded);
        let names = self.slots.range::<str, _>(after).take(count);
        names.map(|(name, _)| name.clone()).collect()
    }

    /// The servers that passed the load check so far.
    pub(super) fn targets(&self) -> Arc<Targets> {
        let targets = self.targets.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&targets)
    }

    /// The server of this name, checked now unless it was before; `None` where there is none.
    pub(super) async fn server(&self, name: &str) -> Option<Result<Arc<Served>, Refused>> {
        let slot = self.slots.get(name)?;
        let served = slot
            .served
            .get_or_try_init(|| self.check(name, slot))
            .await
            .map(Arc::clone);
        Some(served)
    }

    /// Those servers of `names` that exist, each with the outcome of its load check.
    pub(super) async fn servers(
        &self,
        names: Vec<String>,
    ) -> Vec<(String, Result<Arc<Served>, Refused>)> {
        let found: Vec<_> = futures::stream::iter(names)
            .map(|name| self.named(name))
            .buffered(CHECKS_AT_ONCE)
            .collect()
            .await;
        found.into_iter().flatten().collect()
    }

    async fn named(&self, name: String) -> Option<(String, Result<Arc<Served>, Refused>)> {
        let served = self.server(&name).await?;
        Some((name, served))
    }

    /// The names that code can import. Servers that the code does not even mention stand there
    /// without their functions, so that code need not wait for load checks it has no use for.
    pub(super) async fn names_for(&self, code: &str) -> (CompiledNames, Vec<Refused>) {
        let mentioned = self.names().filter(|name| code.contains(name));
        let mentioned = mentioned.map(str::to_owned).collect();
        let mut names: CompiledNames = self
            .names()
            .map(|name| (name.to_owned(), BTreeSet::new()))
            .collect();
        let mut refused = Vec::new();
        for (name, served) in self.servers(mentioned).await {
            match served {
                Ok(served) => {
                    let functions = served.manifest().functions.iter();
                    let functions = functions.map(|function| function.name.clone()).collect();
                    names.insert(name, functions);
                }
                Err(refusal) => refused.push(refusal),
            }
        }
        (names, refused)
    }

    async fn check(&self, name: &str, slot: &Slot) -> Result<Arc<Served>, Refused> {
        let output = self.output.clone();
        let config = Arc::clone(&slot.config);
        let server = name.to_owned();
        let check = self.load;
        let checked = tokio::task::spawn_blocking(move || check(&output, &server, &config))
            .await
            .unwrap_or_else(|_| Err("the load check itself failed".to_owned()));
        match checked {
            Ok(passed) => {
                let mut targets = self.targets.write().unwrap_or_else(PoisonError::into_inner);
                Arc::make_mut(&mut targets).insert(name.to_owned(), passed.target.clone());
                Ok(Arc::new(passed))
            }
            Err(reason) => {
                tracing::warn!(server = name, %reason, "a compiled server is refused");
                Err(Refused {
                    server: name.to_owned(),
                    reason,
                })
            }
        }
    }
}

/// The servers that a folder of compiled output holds, by name: its sub-folders that hold a
/// manifest and could be a server. Links are not followed.
///
/// # Errors
/// The folder cannot be read.
pub fn compiled_folders(folder: &Path) -> io::Result<BTreeSet<String>> {
    let servers = std::fs::read_dir(folder)?
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter(|entry| entry.path().join("manifest.json").is_file())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| is_identifier(name))
        .collect();
    Ok(servers)
}

/// Whether a server can have this name.
pub(super) fn is_identifier(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase() || first == '_')
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}
