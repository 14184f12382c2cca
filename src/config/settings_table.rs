//! Every setting in one table. `--help`, `docs/settings.md` and the parser all come from it.

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The variable's name.
    pub name: &'static str,
    /// Further names with the same meaning (the seeds' spellings).
    pub aliases: &'static [&'static str],
    /// What a value looks like, for people.
    pub kind: &'static str,
    /// The default as one would write it; empty where there is none.
    pub default: &'static str,
    /// One sentence.
    pub meaning: &'static str,
    /// Why it has no effect, where it is accepted and has none.
    pub ignored: Option<&'static str>,
}

const fn setting(
    name: &'static str,
    kind: &'static str,
    default: &'static str,
    meaning: &'static str,
) -> Setting {
    Setting {
        name,
        aliases: &[],
        kind,
        default,
        meaning,
        ignored: None,
    }
}

const fn ignored(
    name: &'static str,
    kind: &'static str,
    meaning: &'static str,
    why: &'static str,
) -> Setting {
    Setting {
        ignored: Some(why),
        ..setting(name, kind, "", meaning)
    }
}

impl Setting {
    const fn or(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// Accepted and checked, but without effect for now.
    const fn without_effect(self, why: &'static str) -> Self {
        Self {
            ignored: Some(why),
            ..self
        }
    }
}

const BOOLEAN: &str = "`true` or `false`";
const SECONDS: &str = "seconds";
const SIZE: &str = "bytes, or with `k`, `m`, `g`";
const COUNT: &str = "whole number";
const BRIDGE: &str = "bridging other MCP servers comes with a later version";
const NO_NETWORK: &str = "the sandbox has no network";
const NO_LLM: &str = "improving docstrings with a model comes with a later version";

/// The table.
pub const SETTINGS: &[Setting] = &[
    setting(
        "MCE_HOST",
        "IP address",
        "127.0.0.1",
        "Address the HTTP transport listens on; any but a loopback one needs a token.",
    ),
    setting(
        "MCE_PORT",
        "0 to 65535",
        "8000",
        "Port the HTTP transport listens on; 0 takes a free one.",
    ),
    setting(
        "MCE_HTTP_TOKEN",
        "at least 16 characters",
        "",
        "Token that clients over HTTP send as `Authorization: Bearer`.",
    ),
    setting(
        "MCE_HTTP_TOKEN_FILE",
        "path",
        "",
        "File that holds the token, in place of `MCE_HTTP_TOKEN`.",
    ),
    setting(
        "MCE_HTTP_TOKENS_FILE",
        "path",
        "",
        "TOML file of named tokens, hashed, each with the servers it may use; read again when it changes.",
    ),
    setting(
        "MCE_HTTP_ALLOWED_HOSTS",
        "names, or `name:port`, by commas",
        "",
        "Further names under which clients reach the HTTP transport (their header `Host`).",
    ),
    setting(
        "MCE_HTTP_ALLOWED_ORIGINS",
        "origins by commas",
        "",
        "Web pages that may call the HTTP transport, beside those of this machine.",
    ),
    setting(
        "MCE_HTTP_MAX_BODY_BYTES",
        SIZE,
        "4m",
        "Longest body of a request over HTTP.",
    ),
    setting(
        "MCE_HTTP_MAX_CONNECTIONS",
        COUNT,
        "16384",
        "Connections over HTTP at once, within what the system permits; of more, the one idle longest is closed.",
    ),
    setting(
        "MCE_HTTP_MAX_SESSIONS",
        COUNT,
        "1000",
        "MCP sessions over HTTP at once of each token; of more, the one idle longest is closed.",
    ),
    setting(
        "MCE_HTTP_SESSION_IDLE_SECONDS",
        SECONDS,
        "14400",
        "An MCP session over HTTP that was not used for so long ends.",
    ),
    setting(
        "MCE_HTTP_READ_SECONDS",
        SECONDS,
        "20",
        "Time for the head of a request over HTTP, and again for its body; a connection idle so long is closed.",
    ),
    setting(
        "MCE_HTTP_SHUTDOWN_SECONDS",
        SECONDS,
        "10",
        "Time that running requests over HTTP get to finish when the server is asked to stop.",
    ),
    setting(
        "MCE_LOG_LEVEL",
        "`error`, `warn`, `info`, `debug`, `trace`, or a filter like `mce=debug,info`",
        "info",
        "How much is logged to standard error.",
    )
    .or(&["MCP_BRIDGE_LOG_LEVEL"]),
    setting(
        "MCE_DEBUG",
        BOOLEAN,
        "false",
        "Adds tracebacks of the submitted code to results.",
    )
    .without_effect("tracebacks of the submitted code are always given"),
    setting(
        "MCE_SWAGGER_CONFIG_FILE",
        "path",
        "",
        "The config; else `./swaggers.yaml`, then `./config/swaggers.yaml`.",
    ),
    setting(
        "MCE_COMPILED_OUTPUT_DIR",
        "path",
        "./compiled",
        "Folder of the compiled servers.",
    ),
    setting(
        "MCE_GUARD_POLICY",
        "path",
        "",
        "TOML file that changes what code may use, or says all of it; unset, the built-in policy counts.",
    ),
    setting(
        "MCE_LINT_ENABLED",
        BOOLEAN,
        "false",
        "Refuses code in which `ruff`, where it is on `PATH`, finds a mistake; style does not count.",
    ),
    setting(
        "MCE_MAX_CODE_SIZE_BYTES",
        SIZE,
        "64k",
        "Longest code accepted, in bytes of UTF-8.",
    ),
    setting(
        "MCE_MAX_INLINE_BYTES",
        SIZE,
        "24k",
        "A larger result is answered with its shape, first rows and a resource that has all of it; longer output with its ends.",
    ),
    setting(
        "MCE_MAX_OUTPUT_SIZE_BYTES",
        SIZE,
        "1m",
        "A larger result ends the execution with `output_limit`.",
    ),
    setting(
        "MCE_SANDBOX",
        "`auto` or `docker`",
        "auto",
        "Where code runs; in this version always in containers.",
    ),
    setting(
        "MCE_DOCKER_IMAGE",
        "image reference",
        "mce-sandbox:latest",
        "Image of the sandbox; never pulled.",
    )
    .or(&["MCP_BRIDGE_IMAGE"]),
    setting(
        "MCE_SANDBOX_PACKAGES",
        "`name==version` entries, separated by spaces or commas",
        "",
        "Packages that `mce sandbox build` adds to the image.",
    ),
    setting(
        "MCE_SANDBOX_LOCK",
        "path",
        "./sandbox.lock",
        "Lock file of those packages: all that they need, with hashes.",
    ),
    setting(
        "MCE_DOCKER_HOST",
        "`unix://`, `ssh://`, `tcp://` or `https://` address, or a socket's path",
        "",
        "The engine; else `DOCKER_HOST`, the context of Docker's client, then the usual sockets.",
    ),
    setting(
        "MCE_DOCKER_RUNTIME",
        "name of an OCI runtime",
        "",
        "Runtime of the containers, such as `runsc`; else the engine's default.",
    ),
    setting(
        "MCE_ALLOW_WEAK_LIMITS",
        BOOLEAN,
        "false",
        "Runs code although limits of memory, processes, processor time or open files are not in force.",
    ),
    setting(
        "MCE_EXECUTION_TIMEOUT_SECONDS",
        SECONDS,
        "30",
        "Time an execution has.",
    )
    .or(&["MCP_BRIDGE_TIMEOUT"]),
    setting(
        "MCE_MAX_EXECUTION_TIMEOUT_SECONDS",
        SECONDS,
        "120",
        "Most time a caller can ask for.",
    )
    .or(&["MCP_BRIDGE_MAX_TIMEOUT"]),
    setting(
        "MCE_SANDBOX_MEMORY",
        SIZE,
        "256m",
        "Memory of a container, swap included.",
    )
    .or(&["MCP_BRIDGE_MEMORY"]),
    setting(
        "MCE_SANDBOX_CPUS",
        "number",
        "0.5",
        "Processors of a container.",
    )
    .or(&["MCP_BRIDGE_CPUS"]),
    setting(
        "MCE_SANDBOX_PIDS",
        COUNT,
        "128",
        "Processes and threads of a container.",
    )
    .or(&["MCP_BRIDGE_PIDS"]),
    setting(
        "MCE_SANDBOX_USER",
        "`uid:gid`, not root",
        "65534:65534",
        "User of the code in a container.",
    )
    .or(&["MCP_BRIDGE_CONTAINER_USER"]),
    setting(
        "MCE_SANDBOX_MODE",
        "`warm` or `cold`",
        "warm",
        "Whether started containers are held ready; each is used once either way.",
    ),
    setting(
        "MCE_WARM_POOL_SIZE",
        COUNT,
        "2",
        "How many containers are held ready at most: as many as were asked for of late.",
    ),
    setting(
        "MCE_WARM_POOL_MINIMUM",
        COUNT,
        "1",
        "How many containers are held ready also while nothing runs; never more than the size.",
    ),
    setting(
        "MCE_WARM_POOL_MAX_AGE_SECONDS",
        SECONDS,
        "600",
        "After this a container that waits is replaced.",
    ),
    setting(
        "MCE_WARM_POOL_STARTS",
        COUNT,
        "2",
        "Containers that are started at once; more where more executions wait for one.",
    ),
    setting(
        "MCE_MAX_CONCURRENT_EXECUTIONS",
        COUNT,
        "8",
        "Executions a process runs at once; further ones wait, callers in turn.",
    ),
    setting(
        "MCE_MAX_QUEUED_EXECUTIONS",
        COUNT,
        "64",
        "Executions that may wait; further ones end with `busy`. Where it is full, who has most waiting makes room for who has less.",
    ),
    setting(
        "MCE_QUEUE_SECONDS",
        SECONDS,
        "10",
        "After this an execution that waits ends with `busy`.",
    ),
    setting(
        "MCE_CACHE_ENABLED",
        BOOLEAN,
        "true",
        "Keeps code that succeeded for `run_cached_code`.",
    ),
    setting(
        "MCE_CACHE_TTL_SECONDS",
        SECONDS,
        "3600",
        "How long code is kept.",
    ),
    setting(
        "MCE_CACHE_MAX_ENTRIES",
        COUNT,
        "500",
        "How many pieces of code are kept; the least recently used go first.",
    ),
    setting(
        "MCE_OUTPUT_MODE",
        "`json`, `toon` or `compact`",
        "json",
        "Form of the text of results; their structured content is the same in each.",
    )
    .or(&["MCP_BRIDGE_OUTPUT_MODE"]),
    setting(
        "MCE_RESULTS_DB_PATH",
        "path",
        "",
        "Database of results too large to inline, which clients read as resources; else `results.db` beside the code cache.",
    ),
    setting(
        "MCE_RESULT_TTL_SECONDS",
        SECONDS,
        "3600",
        "How long such a result is kept.",
    ),
    setting(
        "MCE_RESULTS_MAX_BYTES",
        SIZE,
        "256m",
        "What all of them may hold together; the oldest of the caller who has most go first.",
    ),
    setting(
        "MCE_CACHE_DB_PATH",
        "path",
        "./data/cache.db",
        "Database of the code cache.",
    ),
    setting(
        "MCE_AUDIT_DB_PATH",
        "path",
        "./data/audit.db",
        "Database of the audit log.",
    ),
    setting(
        "MCE_AUDIT_MAX_ROWS",
        COUNT,
        "100000",
        "Rows that each table of the audit log keeps; the oldest go first.",
    ),
    setting(
        "MCE_AUDIT_MAX_AGE_DAYS",
        COUNT,
        "",
        "After this rows of the audit log go, however few there are.",
    ),
    setting(
        "MCE_AUDIT_LOG",
        "path, or `-` for standard error",
        "",
        "File that the audit is written to as lines of JSON too, at its end; opened anew when it was renamed.",
    ),
    setting(
        "MCE_ALLOWED_DOMAINS",
        "domains separated by commas, or a JSON list",
        "",
        "Hosts that plain `httpx` in code may call, and that compiled functions are bound to; sub-domains included. With a port only that one; without, plain `httpx` has the scheme's usual one. Unset, code has no plain `httpx`, and functions are bound by their server alone.",
    ),
    setting(
        "MCE_HTTPS_PROXY",
        "http(s) URL",
        "",
        "Proxy for calls of APIs; no other proxy variable counts.",
    ),
    setting(
        "MCE_MAX_CALLS",
        COUNT,
        "200",
        "Calls an execution may make.",
    ),
    setting(
        "MCE_MAX_CONCURRENT_CALLS",
        COUNT,
        "16",
        "Calls an execution may have under way at once.",
    ),
    setting(
        "MCE_MAX_REQUEST_BYTES",
        SIZE,
        "10m",
        "Largest request body sent.",
    ),
    setting(
        "MCE_MAX_RESPONSE_BYTES",
        SIZE,
        "25m",
        "Largest response body taken, decompressed.",
    ),
    setting(
        "MCE_CALL_TIMEOUT_SECONDS",
        SECONDS,
        "30",
        "Time a call has; `timeout_seconds` of a server wins.",
    ),
    setting(
        "MCE_STREAM_SECONDS",
        SECONDS,
        "10",
        "Time an answer that is a stream is read for, within that of its call.",
    ),
    setting(
        "MCE_SESSION_IDLE_SECONDS",
        SECONDS,
        "600",
        "After this a session in which nothing runs ends.",
    ),
    setting(
        "MCE_SESSION_MAX_SECONDS",
        SECONDS,
        "3600",
        "After this a session ends, once nothing runs in it.",
    ),
    setting(
        "MCE_MAX_SESSIONS",
        COUNT,
        "8",
        "Sessions a process keeps, each with a container; one caller may have half of them.",
    ),
    ignored(
        "MCE_USER_TOOLS",
        BOOLEAN,
        "Lets code save tools of its own.",
        BRIDGE,
    ),
    ignored(
        "MCE_COMPILE_ON_STARTUP",
        BOOLEAN,
        "Compiles before serving.",
        "`mce run` compiles and serves",
    ),
    ignored("MCE_LLM_ENHANCE", BOOLEAN, "Improves docstrings.", NO_LLM),
    ignored(
        "MCE_LLM_API_KEY",
        "secret",
        "Key of the model that improves docstrings.",
        NO_LLM,
    ),
    ignored(
        "MCE_LLM_MODEL",
        "model",
        "The model that improves docstrings.",
        NO_LLM,
    ),
    ignored(
        "MCE_SANDBOX_REQUIREMENTS_PATH",
        "path",
        "List of the sandbox's libraries.",
        "the image itself is asked which libraries it has",
    ),
    ignored(
        "MCE_NETWORK_MODE",
        "network",
        "Network of the sandbox.",
        NO_NETWORK,
    ),
    ignored(
        "MCE_EXEC_CODE",
        "code",
        "Code for the container.",
        "code reaches the sandbox over its stream",
    ),
    ignored(
        "MCE_EXEC_TIMEOUT",
        SECONDS,
        "Time the container gives the code.",
        "the host keeps the time: `MCE_EXECUTION_TIMEOUT_SECONDS`",
    ),
    ignored(
        "MCP_BRIDGE_RUNTIME",
        "`podman` or `docker`",
        "The container engine.",
        "either engine is found by its socket, or named by `MCE_DOCKER_HOST`",
    ),
    ignored(
        "MCP_BRIDGE_RUNTIME_IDLE_TIMEOUT",
        SECONDS,
        "When an idle Podman machine is stopped.",
        "mce does not start or stop machines that others may use",
    ),
    ignored(
        "MCP_BRIDGE_STATE_DIR",
        "path",
        "State of the bridge.",
        BRIDGE,
    ),
    ignored(
        "MCP_BRIDGE_ALLOW_SELF_SERVER",
        BOOLEAN,
        "Lets the bridge start itself.",
        BRIDGE,
    ),
    ignored(
        "MCP_SERVERS_CONFIG",
        "path",
        "Further list of MCP servers.",
        BRIDGE,
    ),
];

/// Whether a variable is that of a setting, by its name or an alias.
pub(super) fn is_setting(name: &str) -> bool {
    SETTINGS
        .iter()
        .any(|setting| setting.name == name || setting.aliases.contains(&name))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_name_stands_for_one_setting() {
        let names: Vec<_> = SETTINGS
            .iter()
            .flat_map(|row| std::iter::once(row.name).chain(row.aliases.iter().copied()))
            .collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
        for name in names {
            assert!(
                name.starts_with("MCE_") || name.starts_with("MCP_"),
                "{name}"
            );
        }
    }
}
