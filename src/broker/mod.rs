//! One call of one execution: is it allowed, what request is it, with which credential, and what
//! of the answer may the sandbox see. Knows neither MCP nor Docker.
//!
//! Deny by default. A call is sent only if
//! 1. its server was imported by the execution's code and the function is compiled there,
//! 2. a read-only server is asked for nothing that may change state, checked here on the method
//!    alone, whatever compiler and loader did ([`Broker::host`]),
//! 3. its arguments fit the manifest (`wire`),
//! 4. its path reaches the called operation and no other one (`routes`),
//! 5. nothing is sent that was not declared or configured (`outgoing`),
//! 6. its base URL and every address it resolves to are permitted (`base`, `address`),
//! 7. the execution is within its limits.
//!
//! A plain HTTP request of code (`http`) names no function. It goes only to hosts of the allow-list, never
//! to a compiled server, and without any credential.
//!
//! The answer is read up to a limit (`exchange`), freed of secrets ([`Redactor`]) and decoded;
//! of its headers only those of an allow-list are shown. Every call is recorded.

#![expect(
    clippy::result_large_err,
    reason = "`CallError` carries an API's answer; a call costs far more than moving it"
)]

mod base;
mod body;
mod exchange;
mod execution;
mod following;
mod http;
mod instead;
mod limits;
mod names;
mod outgoing;
mod recording;
mod redact;
mod retry;
mod routes;
mod server;
mod templates;
mod throttle;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use secrecy::{ExposeSecret as _, SecretString};

use crate::api::Manifest;
use crate::config::{Environment, ServerConfig};
use crate::sandbox::{CallError, Host};
use crate::vault::Vault;
use crate::wire::{Arguments, Value};
pub use base::Destination;
use execution::Execution;
pub(crate) use http::SERVER as PLAIN_REQUESTS;
pub use limits::Limits;
pub use redact::{PLACEHOLDER, Redactor, Scrubber};
use server::Server;

/// A compiled server that the broker may call: its manifest exactly as it was verified on load.
#[derive(Debug, Clone)]
pub struct Target {
    /// The committed manifest.
    pub manifest: Arc<Manifest>,
    /// The server's entry in the config; default values where there is no config.
    pub config: Arc<ServerConfig>,
    /// Effective read-only: config or manifest.
    pub read_only: bool,
}

impl Target {
    /// The server of a verified manifest, with its entry in the config.
    #[must_use]
    pub fn new(manifest: Manifest, config: &Arc<ServerConfig>) -> Self {
        Self {
            read_only: config.is_read_only || manifest.read_only,
            manifest: Arc::new(manifest),
            config: Arc::clone(config),
        }
    }
}

/// Who calls, and what that execution may call.
#[derive(Debug, Clone)]
pub struct Scope {
    /// The execution.
    pub execution_id: String,
    /// Whose it is.
    pub principal: String,
    /// Servers the execution's code imported (facts of the guard).
    pub servers: BTreeSet<String>,
}

/// What is recorded of a call, allowed or refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRecord {
    /// The execution.
    pub execution_id: String,
    /// Whose it was.
    pub principal: String,
    /// The server named.
    pub server: String,
    /// The function named.
    pub function: String,
    /// The HTTP status, where one came.
    pub status: Option<u16>,
    /// The class of the [`crate::sandbox::CallError`], where it failed or was refused;
    /// `cancelled` where the execution ended first.
    pub error: Option<String>,
    /// Why it was refused.
    pub refusal: Option<String>,
    /// From the call to its end.
    pub elapsed: Duration,
}

/// Takes the record of every call.
pub trait Recorder: Send + Sync {
    /// Records a call. Must not block for long.
    fn record(&self, call: CallRecord);
}

/// Switches off rules, so that tests can attack the layers behind them alone.
#[cfg(feature = "test-hooks")]
#[derive(Debug, Clone, Copy, Default)]
pub struct Hooks {
    /// Servers that the code did not import can be called.
    pub no_import_rule: bool,
    /// Read-only servers can be asked to change state.
    pub no_broker_rule: bool,
}

/// Which rules hold; all of them but in tests.
#[derive(Debug, Clone, Copy)]
struct Rules {
    import: bool,
    read_only: bool,
}

/// Makes the calls of all executions.
pub struct Broker {
    servers: BTreeMap<String, Arc<Server>>,
    vault: Arc<Vault>,
    /// With the revision of the vault that it knows.
    redactor: Mutex<(u64, Redactor)>,
    recorder: Arc<dyn Recorder>,
    limits: Limits,
    rules: Rules,
    http: http::Shared,
}

impl fmt::Debug for Broker {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let servers: Vec<_> = self.servers.keys().collect();
        formatter
            .debug_struct("Broker")
            .field("servers", &servers)
            .finish_non_exhaustive()
    }
}

impl Broker {
    /// A broker for these servers, by name. What is wrong with one of them (no base URL, an unset
    /// variable) leaves the others usable; see [`Broker::problems`].
    #[must_use]
    pub fn new(
        targets: BTreeMap<String, Target>,
        vault: Arc<Vault>,
        env: &Environment,
        recorder: Arc<dyn Recorder>,
        limits: Limits,
    ) -> Self {
        let mut http = http::Shared::new(&limits);
        http.keep_off(&targets, env);
        let servers = targets
            .into_iter()
            .map(|(name, target)| {
                let server = Server::new(target, &vault, env, &limits, None);
                (name, Arc::new(server))
            })
            .collect();
        let redactor = Mutex::new(known_secrets(&vault, &limits));
        Self {
            servers,
            vault,
            redactor,
            recorder,
            limits,
            rules: Rules {
                import: true,
                read_only: true,
            },
            http,
        }
    }

    /// Sends no plain request while nobody knows where these servers are: see [`Self::keeping_off`].
    #[must_use]
    pub fn not_knowing(mut self, servers: &[Arc<ServerConfig>]) -> Self {
        self.http.not_knowing(servers);
        self
    }

    /// Whether there is a server of which nobody knows where it is.
    #[must_use]
    pub fn knows_not_where(&self) -> bool {
        self.http.knows_not_where()
    }

    /// Sends no plain request to where these servers are, though they are not to be called: by the
    /// environment, the config, and their manifests in the folder of compiled servers, which are read.
    #[must_use]
    pub fn keeping_off(
        mut self,
        servers: &[Arc<ServerConfig>],
        folder: &Path,
        env: &Environment,
    ) -> Self {
        self.http.keep_off_folder(servers, folder, env);
        self
    }

    /// Reads each server's `ca_file`, `client_cert_file` and `client_key_file`, relative to the
    /// config's folder.
    #[must_use]
    pub fn with_certificates(self, folder: &Path, env: &Environment) -> Self {
        let targets = self.servers.iter();
        let targets = targets.map(|(name, server)| (name.clone(), server.target.clone()));
        let targets = targets.collect();
        let emptied = Self {
            servers: BTreeMap::new(),
            ..self
        };
        emptied.with_targets(targets, folder, env)
    }

    /// The same over other servers. Those that were there before keep their connections, and what
    /// bounds them.
    #[must_use]
    pub fn with_targets(
        &self,
        targets: BTreeMap<String, Target>,
        folder: &Path,
        env: &Environment,
    ) -> Self {
        let made = |name: &str, target: Target| match self.servers.get(name) {
            Some(known) if known.is_of(&target) => Arc::clone(known),
            _ => {
                let folder = Some(folder);
                Arc::new(Server::new(target, &self.vault, env, &self.limits, folder))
            }
        };
        let mut http = self.http.clone();
        http.keep_off(&targets, env);
        let servers = targets
            .into_iter()
            .map(|(name, target)| {
                let server = made(&name, target);
                (name, server)
            })
            .collect();
        Self {
            servers,
            vault: Arc::clone(&self.vault),
            redactor: Mutex::new(self.known()),
            recorder: Arc::clone(&self.recorder),
            limits: self.limits.clone(),
            rules: self.rules,
            http,
        }
    }

    /// Switches off rules.
    #[cfg(feature = "test-hooks")]
    #[must_use]
    pub fn with_hooks(mut self, hooks: Hooks) -> Self {
        self.rules = Rules {
            import: !hooks.no_import_rule,
            read_only: !hooks.no_broker_rule,
        };
        self
    }

    /// What is wrong, by server, to be reported at start. Holds no secret.
    pub fn problems(&self) -> impl Iterator<Item = (&str, &str)> {
        self.servers.iter().filter_map(|(name, server)| {
            let problem = server.link.as_ref().err()?;
            Some((name.as_str(), problem.as_str()))
        })
    }

    /// What the user should know that is no error, to be reported at start. Holds no secret.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let in_the_clear = self.servers.iter().filter_map(|(name, server)| {
            let base = &server.link.as_ref().ok()?.base;
            base.in_the_clear().filter(|_| self.vault.has_secrets(name))
        });
        self.vault
            .warnings()
            .into_iter()
            .chain(in_the_clear)
            .collect()
    }

    /// Removes secrets from results, logs and audit: all that the vault has by now.
    #[must_use]
    pub fn redactor(&self) -> Redactor {
        self.known().1
    }

    /// Made once for a revision: who comes meanwhile waits for it, as making it takes long.
    fn known(&self) -> (u64, Redactor) {
        let mut known = self.redactor.lock().unwrap_or_else(PoisonError::into_inner);
        if known.0 != self.vault.revision() {
            *known = known_secrets(&self.vault, &self.limits);
        }
        known.clone()
    }

    /// What one execution may call. The limits on the number of calls hold for the value that is
    /// returned.
    #[must_use]
    pub fn host(self: &Arc<Self>, scope: Scope) -> Arc<dyn Host> {
        Arc::new(Execution::new(Arc::clone(self), scope))
    }

    /// Calls one function without any code, by the same path and under the same rules.
    ///
    /// # Errors
    /// As for a call from the sandbox.
    pub async fn call_direct(
        self: &Arc<Self>,
        mut scope: Scope,
        server: &str,
        function: &str,
        arguments: Arguments,
    ) -> Result<Value, CallError> {
        scope.servers.insert(server.to_owned());
        self.host(scope).call(server, function, arguments).await
    }
}

/// What removes the secrets that the vault has by now, and the revision that these are of, at least.
fn known_secrets(vault: &Vault, limits: &Limits) -> (u64, Redactor) {
    let revision = vault.revision();
    let mut secrets = vault.secrets();
    secrets.extend(proxy_password(limits));
    (revision, Redactor::new(&secrets))
}

/// The password within `MCE_HTTPS_PROXY`.
fn proxy_password(limits: &Limits) -> Option<SecretString> {
    let proxy = url::Url::parse(limits.https_proxy.as_ref()?.expose_secret()).ok()?;
    let password = percent_decode_str(proxy.password()?).decode_utf8().ok()?;
    Some(SecretString::from(password.into_owned()))
}
