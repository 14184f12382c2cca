//! Every setting, typed. Names, defaults and meanings come from the table in `settings_table`.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use secrecy::SecretString;

use super::environment::FILE;
use super::error::{Complaint, nearest, quote};
use super::packages::{Package, parse_packages};
use super::settings_audit::AuditSettings;
use super::settings_capacity::{PoolSettings, QueueSettings, SessionSettings};
use super::settings_http::HttpSettings;
use super::settings_results::ResultSettings;
use super::settings_table::{SETTINGS, is_setting};
use super::settings_values::{
    GIB, Invalid, MIB, describe, parse_boolean, parse_cpus, parse_docker_host, parse_domains,
    parse_image, parse_log_level, parse_mode, parse_path, parse_proxy, parse_runtime,
    parse_sandbox, parse_user, seconds, size, whole,
};
use super::{EngineVariables, Environment, Error};
use crate::variables;

/// `MCE_SANDBOX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SandboxChoice {
    /// Choose once at start.
    #[default]
    Auto,
    /// Containers.
    Docker,
    /// Worker processes of this program.
    Embedded,
}

/// `MCE_SANDBOX_MODE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SandboxMode {
    /// Started containers are held ready.
    #[default]
    Warm,
    /// A container is started when it is needed.
    Cold,
}

/// Every setting, typed.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "one member a setting, and many settings are switches"
)]
pub struct Settings {
    /// Where clients come over HTTP, who may, and how much.
    pub http: HttpSettings,
    /// `MCE_LOG_LEVEL`: a `tracing` filter.
    pub log_level: String,
    /// `MCE_DEBUG`
    pub debug: bool,
    /// `MCE_COMPILED_OUTPUT_DIR`
    pub compiled_output_dir: PathBuf,
    /// Whether `MCE_COMPILED_OUTPUT_DIR` was set.
    pub compiled_output_dir_is_set: bool,
    /// `MCE_SWAGGER_CONFIG_FILE`
    pub swagger_config_file: Option<PathBuf>,
    /// `MCE_GUARD_POLICY`
    pub guard_policy: Option<PathBuf>,
    /// `MCE_LINT_ENABLED`
    pub lint_enabled: bool,
    /// `MCE_SANDBOX`
    pub sandbox: SandboxChoice,
    /// `MCE_SANDBOX_MODE`
    pub sandbox_mode: SandboxMode,
    /// Containers that are held ready in the mode `warm`.
    pub pool: PoolSettings,
    /// `MCE_DOCKER_IMAGE` (`MCP_BRIDGE_IMAGE`)
    pub docker_image: String,
    /// `MCE_SANDBOX_PACKAGES`, sorted
    pub sandbox_packages: Vec<Package>,
    /// `MCE_SANDBOX_LOCK`
    pub sandbox_lock: PathBuf,
    /// `MCE_DOCKER_HOST`
    pub docker_host: Option<String>,
    /// Where Docker's own client would look.
    pub engine_variables: EngineVariables,
    /// `MCE_DOCKER_RUNTIME`, such as `runsc`
    pub docker_runtime: Option<String>,
    /// `MCE_ALLOW_WEAK_LIMITS`
    pub allow_weak_limits: bool,
    /// `MCE_EXECUTION_TIMEOUT_SECONDS` (`MCP_BRIDGE_TIMEOUT`)
    pub execution_timeout: Duration,
    /// `MCE_MAX_EXECUTION_TIMEOUT_SECONDS` (`MCP_BRIDGE_MAX_TIMEOUT`)
    pub max_execution_timeout: Duration,
    /// `MCE_SANDBOX_MEMORY` (`MCP_BRIDGE_MEMORY`), bytes
    pub sandbox_memory: u64,
    /// `MCE_SANDBOX_CPUS` (`MCP_BRIDGE_CPUS`)
    pub sandbox_cpus: f64,
    /// `MCE_SANDBOX_PIDS` (`MCP_BRIDGE_PIDS`)
    pub sandbox_pids: u32,
    /// `MCE_SANDBOX_USER` (`MCP_BRIDGE_CONTAINER_USER`), numeric `uid:gid`, not root
    pub sandbox_user: String,
    /// `MCE_MAX_OUTPUT_SIZE_BYTES`
    pub max_output_bytes: usize,
    /// `MCE_MAX_INLINE_BYTES`
    pub max_inline_bytes: usize,
    /// What results look like, and how long large ones are kept.
    pub results: ResultSettings,
    /// `MCE_MAX_CODE_SIZE_BYTES`
    pub max_code_bytes: usize,
    /// `MCE_MAX_CONCURRENT_EXECUTIONS` of the whole process
    pub max_concurrent_executions: usize,
    /// Executions that wait for others to end.
    pub queue: QueueSettings,
    /// Python state that is kept between executions.
    pub sessions: SessionSettings,
    /// `MCE_CACHE_ENABLED`
    pub cache_enabled: bool,
    /// `MCE_CACHE_TTL_SECONDS`
    pub cache_ttl: Duration,
    /// `MCE_CACHE_MAX_ENTRIES`
    pub cache_max_entries: usize,
    /// `MCE_CACHE_DB_PATH`
    pub cache_db_path: PathBuf,
    /// `MCE_AUDIT_DB_PATH`
    pub audit_db_path: PathBuf,
    /// How much of the audit is kept, and how else.
    pub audit: AuditSettings,
    /// `MCE_ALLOWED_DOMAINS` in lower case (IDNA applied); `None` where unset, never empty.
    pub allowed_domains: Option<Vec<String>>,
    /// `MCE_HTTPS_PROXY`, which may hold a password.
    pub https_proxy: Option<SecretString>,
    /// `MCE_MAX_CALLS` per execution
    pub max_calls: usize,
    /// `MCE_MAX_CONCURRENT_CALLS` per execution
    pub max_concurrent_calls: usize,
    /// `MCE_MAX_REQUEST_BYTES`
    pub max_request_bytes: usize,
    /// `MCE_MAX_RESPONSE_BYTES`
    pub max_response_bytes: usize,
    /// `MCE_CALL_TIMEOUT_SECONDS`
    pub call_timeout: Duration,
    /// `MCE_STREAM_SECONDS`
    pub stream_time: Duration,
}

/// A day: more is a slip of the keyboard.
pub(super) const LONGEST: f64 = 24.0 * 3600.0;
const YEAR: f64 = 365.0 * LONGEST;

impl Settings {
    /// Reads every setting. An empty variable counts as one that is not set. The second value says
    /// which variables are set without effect.
    ///
    /// # Errors
    /// Every value that is not valid, by the name of its variable.
    pub fn from_environment(environment: &Environment) -> Result<(Self, Vec<String>), Error> {
        let mut lookup = Lookup {
            environment,
            complaints: Vec::new(),
            warnings: Vec::new(),
            asked: BTreeSet::new(),
        };
        let settings = lookup.settings();
        lookup.warn_of_ignored();
        match (Error::from_complaints(lookup.complaints), settings) {
            (None, Some(settings)) => Ok((settings, lookup.warnings)),
            (Some(error), _) => Err(error),
            (None, None) => Err(Complaint::at("settings", "cannot be read").into()),
        }
    }

    /// Warnings about `MCE_*` and `MCP_BRIDGE_*` variables that nothing reads: neither settings,
    /// nor variables of these servers, nor `named` by the config's templates. Names only.
    #[must_use]
    pub fn unknown_variables<'a>(
        environment: &Environment,
        servers: impl IntoIterator<Item = &'a str>,
        named: &BTreeSet<String>,
    ) -> Vec<String> {
        let of_servers: BTreeSet<String> = servers
            .into_iter()
            .flat_map(|server| {
                variables::SERVER_SUFFIXES
                    .iter()
                    .map(move |suffix| variables::of_server(server, suffix))
            })
            .collect();
        let known = || {
            SETTINGS
                .iter()
                .flat_map(|row| std::iter::once(row.name).chain(row.aliases.iter().copied()))
                .chain(of_servers.iter().map(String::as_str))
        };
        environment
            .names()
            .filter(|name| name.starts_with("MCE_") || name.starts_with("MCP_BRIDGE_"))
            .filter(|name| {
                let is_known = |name: &str| of_servers.contains(name) || named.contains(name);
                let in_file = name.strip_suffix(FILE);
                !is_setting(name) && !is_known(name) && !in_file.is_some_and(is_known)
            })
            .map(|name| {
                let shown = quote(name);
                match closest(name, known()) {
                    Some(near) => {
                        format!("{shown} is no variable of mce; did you mean `{near}`?")
                    }
                    None => format!("{shown} is no variable of mce and is ignored"),
                }
            })
            .collect()
    }
}

/// [`nearest`], but closer: names of variables are long, and share a prefix.
fn closest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    nearest(name, known).filter(|near| strsim::damerau_levenshtein(name, near) <= 3)
}

/// What a message says in place of a secret.
fn unshown() -> String {
    "a value that is not shown".to_owned()
}

/// A variable and its value.
type Found<'e> = (&'static str, &'e str);

/// Reads variables by the rows of the table and collects what is wrong.
pub(super) struct Lookup<'e> {
    environment: &'e Environment,
    complaints: Vec<Complaint>,
    warnings: Vec<String>,
    /// The settings that were read.
    asked: BTreeSet<&'static str>,
}

impl<'e> Lookup<'e> {
    fn settings(&mut self) -> Option<Settings> {
        // Every one is read before any failure counts, so that all complaints come at once.
        let log_level = self.required("MCE_LOG_LEVEL", parse_log_level);
        let debug = self.required("MCE_DEBUG", parse_boolean);
        let compiled_output_dir = self.required("MCE_COMPILED_OUTPUT_DIR", parse_path);
        let compiled_output_dir_is_set = self.is_set("MCE_COMPILED_OUTPUT_DIR");
        let swagger_config_file = self.optional("MCE_SWAGGER_CONFIG_FILE", parse_path);
        let guard_policy = self.optional("MCE_GUARD_POLICY", parse_path);
        let lint_enabled = self.required("MCE_LINT_ENABLED", parse_boolean);
        let sandbox = self.required("MCE_SANDBOX", parse_sandbox);
        let sandbox_mode = self.required("MCE_SANDBOX_MODE", parse_mode);
        let docker_image = self.required("MCE_DOCKER_IMAGE", parse_image);
        let sandbox_packages = self.required("MCE_SANDBOX_PACKAGES", parse_packages);
        let sandbox_lock = self.required("MCE_SANDBOX_LOCK", parse_path);
        let docker_host = self.optional("MCE_DOCKER_HOST", parse_docker_host);
        let docker_runtime = self.optional("MCE_DOCKER_RUNTIME", parse_runtime);
        let allow_weak_limits = self.required("MCE_ALLOW_WEAK_LIMITS", parse_boolean);
        let (execution_timeout, max_execution_timeout) = self.execution_timeouts();
        let sandbox_memory =
            self.required("MCE_SANDBOX_MEMORY", |text| size(text, 32 * MIB, 256 * GIB));
        let sandbox_cpus = self.required("MCE_SANDBOX_CPUS", parse_cpus);
        let sandbox_pids = self.required("MCE_SANDBOX_PIDS", |text| whole(text, 8, 32_768));
        let sandbox_user = self.required("MCE_SANDBOX_USER", parse_user);
        let max_output_bytes =
            self.required("MCE_MAX_OUTPUT_SIZE_BYTES", |text| size(text, 1024, GIB));
        let max_inline_bytes = self.required("MCE_MAX_INLINE_BYTES", |text| size(text, 1024, GIB));
        let max_code_bytes =
            self.required("MCE_MAX_CODE_SIZE_BYTES", |text| size(text, 1, 16 * MIB));
        let max_concurrent_executions =
            self.required("MCE_MAX_CONCURRENT_EXECUTIONS", |text| whole(text, 1, 1000));
        let (http, queue) = (self.http(), self.queue());
        let (pool, sessions) = (self.pool(), self.sessions());
        let cache_enabled = self.required("MCE_CACHE_ENABLED", parse_boolean);
        let cache_ttl = self.required("MCE_CACHE_TTL_SECONDS", |text| seconds(text, YEAR));
        let cache_max_entries =
            self.required("MCE_CACHE_MAX_ENTRIES", |text| whole(text, 1, 1_000_000));
        let cache_db_path = self.required("MCE_CACHE_DB_PATH", parse_path);
        let results = self.results(cache_db_path.as_deref());
        let audit_db_path = self.required("MCE_AUDIT_DB_PATH", parse_path);
        let audit = self.audit();
        let allowed_domains = self.optional("MCE_ALLOWED_DOMAINS", parse_domains);
        let https_proxy = self
            .unshown("MCE_HTTPS_PROXY", parse_proxy)
            .map(SecretString::from);
        let max_calls = self.required("MCE_MAX_CALLS", |text| whole(text, 1, 1_000_000));
        let max_concurrent_calls =
            self.required("MCE_MAX_CONCURRENT_CALLS", |text| whole(text, 1, 1000));
        let max_request_bytes =
            self.required("MCE_MAX_REQUEST_BYTES", |text| size(text, 1, 4 * GIB));
        let max_response_bytes =
            self.required("MCE_MAX_RESPONSE_BYTES", |text| size(text, 1, 4 * GIB));
        let call_timeout = self.required("MCE_CALL_TIMEOUT_SECONDS", |text| seconds(text, 600.0));
        let stream_time = self.required("MCE_STREAM_SECONDS", |text| seconds(text, 600.0));
        Some(Settings {
            http: http?,
            log_level: log_level?,
            debug: debug?,
            compiled_output_dir: compiled_output_dir?,
            compiled_output_dir_is_set,
            swagger_config_file,
            guard_policy,
            lint_enabled: lint_enabled?,
            sandbox: sandbox?,
            sandbox_mode: sandbox_mode?,
            pool: pool?,
            docker_image: docker_image?,
            sandbox_packages: sandbox_packages?,
            sandbox_lock: sandbox_lock?,
            docker_host,
            engine_variables: EngineVariables::from_environment(self.environment),
            docker_runtime,
            allow_weak_limits: allow_weak_limits?,
            execution_timeout: execution_timeout?,
            max_execution_timeout: max_execution_timeout?,
            sandbox_memory: sandbox_memory?,
            sandbox_cpus: sandbox_cpus?,
            sandbox_pids: sandbox_pids?,
            sandbox_user: sandbox_user?,
            max_output_bytes: max_output_bytes?,
            max_inline_bytes: max_inline_bytes?,
            max_code_bytes: max_code_bytes?,
            max_concurrent_executions: max_concurrent_executions?,
            queue: queue?,
            sessions: sessions?,
            results: results?,
            cache_enabled: cache_enabled?,
            cache_ttl: cache_ttl?,
            cache_max_entries: cache_max_entries?,
            cache_db_path: cache_db_path?,
            audit_db_path: audit_db_path?,
            audit: audit?,
            allowed_domains,
            https_proxy,
            max_calls: max_calls?,
            max_concurrent_calls: max_concurrent_calls?,
            max_request_bytes: max_request_bytes?,
            max_response_bytes: max_response_bytes?,
            call_timeout: call_timeout?,
            stream_time: stream_time?,
        })
    }

    /// The default is clamped to the ceiling, as one seed does, but not in silence.
    fn execution_timeouts(&mut self) -> (Option<Duration>, Option<Duration>) {
        let timeout = self.required("MCE_EXECUTION_TIMEOUT_SECONDS", |text| {
            seconds(text, LONGEST)
        });
        let most = self.required("MCE_MAX_EXECUTION_TIMEOUT_SECONDS", |text| {
            seconds(text, LONGEST)
        });
        if let (Some(timeout), Some(most)) = (timeout, most)
            && timeout > most
        {
            self.warnings.push(format!(
                "`MCE_EXECUTION_TIMEOUT_SECONDS` is cut to the {} seconds of \
                 `MCE_MAX_EXECUTION_TIMEOUT_SECONDS`",
                most.as_secs_f64()
            ));
            return (Some(most), Some(most));
        }
        (timeout, most)
    }

    /// A setting that has a default.
    pub(super) fn required<T>(
        &mut self,
        name: &'static str,
        parse: impl Fn(&str) -> Result<T, Invalid>,
    ) -> Option<T> {
        let default = SETTINGS
            .iter()
            .find(|row| row.name == name)
            .map_or("", |row| row.default);
        match self.value(name) {
            Some((variable, value)) => self.parse(variable, value, parse, describe),
            None => self.parse(name, default, parse, describe),
        }
    }

    /// A setting that has none.
    pub(super) fn optional<T>(
        &mut self,
        name: &'static str,
        parse: impl Fn(&str) -> Result<T, Invalid>,
    ) -> Option<T> {
        let (variable, value) = self.value(name)?;
        self.parse(variable, value, parse, describe)
    }

    /// One whose value may hold a secret, of which nothing is told.
    fn unshown<T>(
        &mut self,
        name: &'static str,
        parse: impl Fn(&str) -> Result<T, Invalid>,
    ) -> Option<T> {
        let (variable, value) = self.value(name)?;
        self.parse(variable, value, parse, |_| unshown())
    }

    /// A setting that is a secret, so that it may stand in the file that `<name>_FILE` names. Nothing of
    /// its value is told, however short it is.
    pub(super) fn secret<T>(
        &mut self,
        name: &'static str,
        parse: impl Fn(&str) -> Result<T, Invalid>,
    ) -> Option<T> {
        self.asked.insert(name);
        let environment = self.environment;
        if environment.is_not_unicode(name) {
            let complaint = Complaint::at(name, "is not valid UTF-8");
            self.complaints.push(complaint);
            return None;
        }
        match environment.value(name) {
            Ok(Some(value)) if !value.trim().is_empty() => {
                self.parse(name, value.trim(), parse, |_| unshown())
            }
            Ok(_) => None,
            Err(error) => {
                self.complaints.push(Complaint::at(name, error.to_string()));
                None
            }
        }
    }

    fn is_set(&self, name: &str) -> bool {
        self.environment
            .get(name)
            .is_some_and(|value| !value.trim().is_empty())
    }

    /// The variable that gives a setting, and its value.
    fn value(&mut self, name: &'static str) -> Option<Found<'e>> {
        self.asked.insert(name);
        let row = SETTINGS.iter().find(|row| row.name == name)?;
        let environment = self.environment;
        let mut found: Option<Found<'e>> = None;
        for variable in std::iter::once(row.name).chain(row.aliases.iter().copied()) {
            if environment.is_not_unicode(variable) {
                self.complaints
                    .push(Complaint::at(variable, "is not valid UTF-8"));
            }
            let Some(value) = environment
                .get(variable)
                .map(str::trim)
                .filter(|value| !value.is_empty())
            else {
                continue;
            };
            match found {
                None => found = Some((variable, value)),
                Some((first, other)) if other != value => self.warnings.push(format!(
                    "`{variable}` is ignored: `{first}` means the same and is set as well"
                )),
                Some(_) => {}
            }
        }
        found
    }

    fn parse<T>(
        &mut self,
        variable: &str,
        value: &str,
        parse: impl Fn(&str) -> Result<T, Invalid>,
        describe: impl Fn(&str) -> String,
    ) -> Option<T> {
        match parse(value) {
            Ok(value) => Some(value),
            Err(Invalid(expected)) => {
                let found = describe(value);
                self.complaints.push(Complaint::at(
                    variable,
                    format!("expected {expected}, found {found}"),
                ));
                None
            }
        }
    }

    fn warn_of_ignored(&mut self) {
        for row in SETTINGS {
            let Some(why) = row.ignored else { continue };
            for variable in std::iter::once(row.name).chain(row.aliases.iter().copied()) {
                if self.is_set(variable) {
                    self.warnings
                        .push(format!("`{variable}` has no effect: {why}"));
                }
            }
        }
    }
}
