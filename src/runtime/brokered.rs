//! The real [`Egress`]: broker and vault.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::egress::{Egress, Targets};
use crate::broker::{Broker, Limits, Recorder, Scope};
use crate::config::{Environment, ServerConfig, Settings};
use crate::sandbox::Host;
use crate::vault::Vault;

/// Broker and vault of one process.
pub(super) struct Brokered {
    vault: Arc<Vault>,
    environment: Arc<Environment>,
    recorder: Arc<dyn Recorder>,
    limits: Limits,
    /// What `ca_file` is relative to.
    config_folder: PathBuf,
    #[cfg(feature = "test-hooks")]
    hooks: crate::broker::Hooks,
    current: Mutex<Current>,
}

/// The broker of the servers that passed the load check so far. It is made anew when another one
/// passes; executions that run keep the one they began with.
struct Current {
    targets: Arc<Targets>,
    broker: Arc<Broker>,
}

impl Brokered {
    pub(super) fn new(
        servers: &[Arc<ServerConfig>],
        environment: &Arc<Environment>,
        recorder: Arc<dyn Recorder>,
        settings: &Settings,
        config_folder: &Path,
    ) -> Self {
        let vault = Arc::new(Vault::new(servers, environment));
        for problem in vault.problems() {
            tracing::warn!(%problem, "a server has no usable credential");
        }
        let limits = Limits::from(settings);
        let targets = Arc::new(Targets::new());
        let broker = Broker::new(
            Targets::new(),
            Arc::clone(&vault),
            environment,
            Arc::clone(&recorder),
            limits.clone(),
        );
        Self {
            vault,
            environment: Arc::clone(environment),
            recorder,
            limits,
            config_folder: config_folder.to_owned(),
            #[cfg(feature = "test-hooks")]
            hooks: crate::broker::Hooks::default(),
            current: Mutex::new(Current {
                targets,
                broker: Arc::new(broker),
            }),
        }
    }

    /// Switches off rules of the broker.
    #[cfg(feature = "test-hooks")]
    pub(super) fn with_hooks(mut self, hooks: crate::broker::Hooks) -> Self {
        self.hooks = hooks;
        self
    }

    fn broker(&self, targets: &Arc<Targets>) -> Arc<Broker> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if !Arc::ptr_eq(&current.targets, targets) {
            let broker = self.broker_of(targets);
            for (server, problem) in broker.problems() {
                if !current.targets.contains_key(server) {
                    tracing::warn!(server, %problem, "a server cannot be called");
                }
            }
            *current = Current {
                targets: Arc::clone(targets),
                broker: Arc::new(broker),
            };
        }
        Arc::clone(&current.broker)
    }

    fn broker_of(&self, targets: &Targets) -> Broker {
        let broker = Broker::new(
            targets.clone(),
            Arc::clone(&self.vault),
            &self.environment,
            Arc::clone(&self.recorder),
            self.limits.clone(),
        )
        .with_certificates(&self.config_folder, &self.environment);
        #[cfg(feature = "test-hooks")]
        let broker = broker.with_hooks(self.hooks);
        broker
    }
}

impl Egress for Brokered {
    fn host(&self, targets: &Arc<Targets>, scope: Scope) -> Arc<dyn Host> {
        self.broker(targets).host(scope)
    }

    fn redact(&self, text: &str) -> String {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let broker = Arc::clone(&current.broker);
        drop(current);
        broker.redactor().text(text).into_owned()
    }
}
