//! Every setting in one table: name, aliases, type, default, meaning. `--help`, the docs and the
//! parser all come from it.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The variable's name.
    pub name: &'static str,
    /// Further names with the same meaning (the seeds' spellings).
    pub aliases: &'static [&'static str],
    /// What a value looks like, for people.
    pub kind: &'static str,
    /// The default as one would write it.
    pub default: &'static str,
    /// One sentence.
    pub meaning: &'static str,
}

/// The table.
pub const SETTINGS: &[Setting] = &[];

/// `MCE_SANDBOX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SandboxChoice {
    /// Choose once at start.
    #[default]
    Auto,
    /// Containers.
    Docker,
    /// The embedded interpreter.
    Embedded,
}

/// Every setting, typed.
#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "one member a setting, and many settings are switches"
)]
pub struct Settings {
    /// `MCE_HOST`
    pub host: IpAddr,
    /// `MCE_PORT`
    pub port: u16,
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
    /// `MCE_LINT_ENABLED`
    pub lint_enabled: bool,
    /// `MCE_SANDBOX`
    pub sandbox: SandboxChoice,
    /// `MCE_DOCKER_IMAGE` (`MCP_BRIDGE_IMAGE`)
    pub docker_image: String,
    /// `MCE_DOCKER_HOST`, else `DOCKER_HOST`
    pub docker_host: Option<String>,
    /// `MCE_DOCKER_RUNTIME`, such as `runsc`
    pub docker_runtime: Option<String>,
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
    /// `MCE_MAX_CODE_SIZE_BYTES`
    pub max_code_bytes: usize,
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
    /// `MCE_ALLOWED_DOMAINS`: `None` where unset.
    pub allowed_domains: Option<Vec<String>>,
    /// `MCE_HTTPS_PROXY`
    pub https_proxy: Option<String>,
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
}
