//! The real [`Egress`]: broker and vault.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::egress::{Egress, Targets};
use crate::broker::{Broker, Limits, Recorder, Scope};
use crate::config::{Environment, ServerConfig, Settings};
use crate::sandbox::Host;
use crate::vault::{NetworkSettings, Vault};

/// Broker and vault of one process.
pub(super) struct Brokered {
    parts: Parts,
    current: Mutex<Current>,
    /// Held while a broker is made, so that it is made once; with what was reported so far.
    reported: tokio::sync::Mutex<BTreeSet<String>>,
}

/// What a broker is made of.
#[derive(Clone)]
struct Parts {
    vault: Arc<Vault>,
    environment: Arc<Environment>,
    recorder: Arc<dyn Recorder>,
    limits: Limits,
    /// Every server there is, checked or not.
    servers: Vec<Arc<ServerConfig>>,
    /// What `ca_file` is relative to.
    config_folder: PathBuf,
    /// Where compiled servers are.
    output_folder: PathBuf,
    #[cfg(feature = "test-hooks")]
    hooks: crate::broker::Hooks,
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
        let limits = Limits::from(settings);
        let network = NetworkSettings {
            folder: config_folder.to_owned(),
            https_proxy: limits.https_proxy.clone(),
        };
        let vault = Arc::new(Vault::with_network(servers, environment, &network));
        let mut reported = BTreeSet::new();
        for problem in vault.problems() {
            tracing::warn!(%problem, "a server has no usable credential");
            reported.insert(problem.to_string());
        }
        let parts = Parts {
            vault,
            environment: Arc::clone(environment),
            recorder,
            limits,
            servers: servers.to_vec(),
            config_folder: config_folder.to_owned(),
            output_folder: settings.compiled_output_dir.clone(),
            #[cfg(feature = "test-hooks")]
            hooks: crate::broker::Hooks::default(),
        };
        let targets = Arc::new(Targets::new());
        let broker = Arc::new(parts.first());
        Self {
            parts,
            current: Mutex::new(Current { targets, broker }),
            reported: tokio::sync::Mutex::new(reported),
        }
    }

    /// Switches off rules of the broker.
    #[cfg(feature = "test-hooks")]
    pub(super) fn with_hooks(mut self, hooks: crate::broker::Hooks) -> Self {
        self.parts.hooks = hooks;
        self
    }

    fn current(&self) -> MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn broker_of(&self, targets: &Arc<Targets>) -> Option<Arc<Broker>> {
        let current = self.current();
        Arc::ptr_eq(&current.targets, targets).then(|| Arc::clone(&current.broker))
    }

    /// The broker of these servers. Making one reads files, which may be anywhere: no task and
    /// nobody who only redacts waits for that.
    async fn broker(&self, targets: &Arc<Targets>) -> Arc<Broker> {
        if let Some(broker) = self.broker_of(targets) {
            return broker;
        }
        let mut reported = self.reported.lock().await;
        if let Some(broker) = self.broker_of(targets) {
            return broker;
        }
        let (parts, made_of) = (self.parts.clone(), Arc::clone(targets));
        let before = Arc::clone(&self.current().broker);
        let making = tokio::task::spawn_blocking(move || parts.next(&before, &made_of));
        let broker = match making.await {
            Ok(broker) => Arc::new(broker),
            // The process ends.
            Err(error) if error.is_cancelled() => return Arc::clone(&self.current().broker),
            Err(error) => {
                tracing::error!(%error, "the broker could not be made; an earlier one serves");
                return Arc::clone(&self.current().broker);
            }
        };
        report(&broker, &mut reported);
        *self.current() = Current {
            targets: Arc::clone(targets),
            broker: Arc::clone(&broker),
        };
        broker
    }
}

impl Parts {
    /// A broker of no server.
    fn first(&self) -> Broker {
        Broker::new(
            Targets::new(),
            Arc::clone(&self.vault),
            &self.environment,
            Arc::clone(&self.recorder),
            self.limits.clone(),
        )
        .not_knowing(&self.servers)
    }

    /// The broker of these servers, after another one.
    fn next(&self, before: &Broker, targets: &Targets) -> Broker {
        let broker = before.with_targets(targets.clone(), &self.config_folder, &self.environment);
        let broker = if self.limits.allowed_domains.is_some() && broker.knows_not_where() {
            broker.keeping_off(&self.servers, &self.output_folder, &self.environment)
        } else {
            broker
        };
        #[cfg(feature = "test-hooks")]
        let broker = broker.with_hooks(self.hooks);
        broker
    }
}

/// Logs what is wrong and what the user should know, each once however often a broker is made.
fn report(broker: &Broker, reported: &mut BTreeSet<String>) {
    for (server, problem) in broker.problems() {
        // What is wrong with a credential was told when the vault was filled.
        if reported.iter().any(|told| told.contains(problem)) {
            continue;
        }
        if reported.insert(format!("{server}: {problem}")) {
            tracing::warn!(server, %problem, "a server cannot be called");
        }
    }
    for warning in broker.warnings() {
        if !reported.contains(&warning) {
            tracing::warn!("{warning}");
            reported.insert(warning);
        }
    }
}

#[async_trait]
impl Egress for Brokered {
    async fn prepare(&self, targets: &Arc<Targets>) {
        self.broker(targets).await;
    }

    async fn host(&self, targets: &Arc<Targets>, scope: Scope) -> Arc<dyn Host> {
        self.broker(targets).await.host(scope)
    }

    fn redact(&self, text: &str) -> String {
        let broker = Arc::clone(&self.current().broker);
        broker.redactor().text(text).into_owned()
    }

    fn redact_name(&self, name: &str) -> String {
        let broker = Arc::clone(&self.current().broker);
        broker.redactor().within(name).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Fixture, manifest};
    use super::*;
    use crate::broker::{CallRecord, Target};

    struct Nobody;

    impl Recorder for Nobody {
        fn record(&self, _: CallRecord) {}
    }

    /// Nothing called for the broker's warnings, so nobody ever read them.
    #[tokio::test]
    async fn what_the_broker_warns_of_is_reported_once() {
        let config = Arc::new(ServerConfig {
            name: "pets".to_owned(),
            ..ServerConfig::default()
        });
        let environment = Arc::new(Environment::from_pairs([
            ("MCE_PETS_BASE_URL", "http://pets.example"),
            ("MCE_PETS_AUTH", "Bearer 0123456789"),
        ]));
        let brokered = Brokered::new(
            &[Arc::clone(&config)],
            &environment,
            Arc::new(Nobody),
            &Fixture::new().settings(),
            Path::new(""),
        );
        let manifest = manifest("pets", &[("get_pet", "GET")], "");
        let target = Target {
            manifest: Arc::new(serde_json::from_value(manifest).unwrap()),
            config,
            read_only: false,
        };
        let targets = Targets::from([("pets".to_owned(), target)]);
        for _ in 0..2 {
            brokered.prepare(&Arc::new(targets.clone())).await;
        }
        let reported = brokered.reported.lock().await;
        assert_eq!(
            reported.iter().collect::<Vec<_>>(),
            ["server `pets`: credentials go to `pets.example` unencrypted; use `https://`"]
        );
    }
}
