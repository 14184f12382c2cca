//! Settings: the table, the values, and the page generated from them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use mce::config::{Environment, Opened, SETTINGS, SandboxChoice, SandboxMode, Settings, open};

#[path = "../support/page.rs"]
mod page;

fn read(pairs: &[(&str, &str)]) -> Result<(Settings, Vec<String>), String> {
    Settings::from_environment(&Environment::from_pairs(pairs.iter().copied()))
        .map_err(|error| error.to_string())
}

fn accept(pairs: &[(&str, &str)]) -> Settings {
    read(pairs).unwrap().0
}

#[test]
fn defaults_are_those_of_the_table() {
    let (settings, warnings) = read(&[]).unwrap();
    assert_eq!(warnings, Vec::<String>::new());
    assert_eq!(settings.http.host.to_string(), "127.0.0.1");
    assert_eq!(settings.http.port, 8000);
    assert_eq!(settings.log_level, "info");
    assert!(!settings.debug && !settings.lint_enabled && settings.cache_enabled);
    assert_eq!(settings.compiled_output_dir.to_str(), Some("./compiled"));
    assert!(!settings.compiled_output_dir_is_set);
    assert_eq!(settings.swagger_config_file, None);
    assert_eq!(settings.sandbox, SandboxChoice::Auto);
    assert_eq!(settings.sandbox_mode, SandboxMode::Warm);
    assert_eq!(settings.pool.size, 2);
    assert_eq!(settings.docker_image, "mce-sandbox:latest");
    assert_eq!(settings.docker_host, None);
    assert_eq!(settings.docker_runtime, None);
    assert_eq!(settings.execution_timeout, Duration::from_secs(30));
    assert_eq!(settings.max_execution_timeout, Duration::from_mins(2));
    assert_eq!(settings.sandbox_memory, 256 << 20);
    assert!((settings.sandbox_cpus - 0.5).abs() < f64::EPSILON);
    assert_eq!(settings.sandbox_pids, 128);
    assert_eq!(settings.sandbox_user, "65534:65534");
    assert_eq!(settings.max_output_bytes, 1 << 20);
    assert_eq!(settings.max_inline_bytes, 24 << 10);
    assert_eq!(settings.max_code_bytes, 64 << 10);
    assert_eq!(settings.cache_ttl, Duration::from_hours(1));
    assert_eq!(settings.cache_max_entries, 500);
    assert_eq!(settings.cache_db_path.to_str(), Some("./data/cache.db"));
    assert_eq!(settings.audit_db_path.to_str(), Some("./data/audit.db"));
    assert_eq!(settings.allowed_domains, None);
    assert!(settings.https_proxy.is_none());
    assert_eq!(settings.max_concurrent_executions, 8);
    assert_eq!(settings.audit.max_rows, 100_000);
    assert_eq!(settings.max_calls, 200);
    assert_eq!(settings.max_concurrent_calls, 16);
    assert_eq!(settings.max_request_bytes, 10 << 20);
    assert_eq!(settings.max_response_bytes, 25 << 20);
    assert_eq!(settings.call_timeout, Duration::from_secs(30));
}

#[test]
fn values_are_read_in_their_usual_spellings() {
    let settings = accept(&[
        ("MCE_HOST", "localhost"),
        ("MCE_PORT", " 9000 "),
        ("MCE_LOG_LEVEL", "WARNING"),
        ("MCE_DEBUG", "1"),
        ("MCE_CACHE_ENABLED", "False"),
        ("MCE_COMPILED_OUTPUT_DIR", "out"),
        ("MCE_SANDBOX", "Docker"),
        ("MCE_DOCKER_HOST", "/run/podman.sock"),
        ("MCE_EXECUTION_TIMEOUT_SECONDS", "2.5"),
        ("MCE_SANDBOX_MEMORY", "1G"),
        ("MCE_SANDBOX_USER", "1000"),
        ("MCE_MAX_CODE_SIZE_BYTES", "65536"),
        ("MCE_ALLOWED_DOMAINS", "API.example.com, bücher.example,"),
    ]);
    assert_eq!(settings.http.host.to_string(), "127.0.0.1");
    assert_eq!(settings.http.port, 9000);
    assert_eq!(settings.log_level, "warn");
    assert!(settings.debug && !settings.cache_enabled);
    assert!(settings.compiled_output_dir_is_set);
    assert_eq!(settings.sandbox, SandboxChoice::Docker);
    assert_eq!(
        settings.docker_host.as_deref(),
        Some("unix:///run/podman.sock")
    );
    assert_eq!(settings.execution_timeout, Duration::from_millis(2500));
    assert_eq!(settings.sandbox_memory, 1 << 30);
    assert_eq!(settings.sandbox_user, "1000:1000");
    assert_eq!(settings.max_code_bytes, 65_536);
    assert_eq!(
        settings.allowed_domains.unwrap(),
        ["api.example.com", "xn--bcher-kva.example"]
    );
    let json = accept(&[("MCE_ALLOWED_DOMAINS", r#"["a.example", "[::1]"]"#)]);
    assert_eq!(json.allowed_domains.unwrap(), ["a.example", "[::1]"]);
    let ported = accept(&[("MCE_ALLOWED_DOMAINS", "[2001:DB8::1]:8443, A.example.:8443")]);
    assert_eq!(
        ported.allowed_domains.unwrap(),
        ["[2001:db8::1]:8443", "a.example:8443"]
    );
    let filter = accept(&[("MCE_LOG_LEVEL", "mce=debug,info")]);
    assert_eq!(filter.log_level, "mce=debug,info");
}

#[test]
fn the_bridges_names_are_aliases_and_the_own_name_wins() {
    let settings = accept(&[
        ("MCP_BRIDGE_IMAGE", "python:3.14-slim"),
        ("MCP_BRIDGE_TIMEOUT", "10"),
        ("MCP_BRIDGE_MAX_TIMEOUT", "20"),
        ("MCP_BRIDGE_MEMORY", "512m"),
        ("MCP_BRIDGE_CPUS", "2"),
        ("MCP_BRIDGE_PIDS", "64"),
        ("MCP_BRIDGE_CONTAINER_USER", "1:2"),
        ("MCP_BRIDGE_LOG_LEVEL", "DEBUG"),
    ]);
    assert_eq!(settings.docker_image, "python:3.14-slim");
    assert_eq!(settings.execution_timeout, Duration::from_secs(10));
    assert_eq!(settings.max_execution_timeout, Duration::from_secs(20));
    assert_eq!(settings.sandbox_memory, 512 << 20);
    assert!((settings.sandbox_cpus - 2.0).abs() < f64::EPSILON);
    assert_eq!(settings.sandbox_pids, 64);
    assert_eq!(settings.sandbox_user, "1:2");
    assert_eq!(settings.log_level, "debug");
    let (settings, warnings) =
        read(&[("MCE_DOCKER_IMAGE", "a"), ("MCP_BRIDGE_IMAGE", "b")]).unwrap();
    assert_eq!(settings.docker_image, "a");
    assert_eq!(
        warnings,
        ["`MCP_BRIDGE_IMAGE` is ignored: `MCE_DOCKER_IMAGE` means the same and is set as well"]
    );
}

#[test]
fn packages_have_one_spelling_and_one_order() {
    let settings = accept(&[(
        "MCE_SANDBOX_PACKAGES",
        "Zope.Interface==7.0, \n beta[Two,one]==1.0rc1 alpha==2!1.0+cpu",
    )]);
    let packages: Vec<String> = settings
        .sandbox_packages
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        packages,
        [
            "alpha==2!1.0+cpu",
            "beta[one,two]==1.0rc1",
            "zope-interface==7.0"
        ]
    );
    assert_eq!(settings.sandbox_lock.to_str(), Some("./sandbox.lock"));
}

#[test]
fn wrong_values_name_variable_and_expectation() {
    for (name, value, expected) in [
        ("MCE_HOST", "example", "an IP address"),
        ("MCE_PORT", "65536", "from 0 to 65535, found `65536`"),
        ("MCE_PORT", "-1", "found `-1`"),
        ("MCE_DEBUG", "maybe", "`true` or `false`"),
        ("MCE_LOG_LEVEL", "INFOO", "a level"),
        ("MCE_LOG_LEVEL", "mce=loud", "a level"),
        ("MCE_SANDBOX", "none", "`auto`, `docker` or `embedded`"),
        ("MCE_SANDBOX_MODE", "hot", "`warm` or `cold`"),
        ("MCE_DOCKER_IMAGE", "--privileged", "an image reference"),
        (
            "MCE_DOCKER_HOST",
            "file:///x",
            "unix:///var/run/docker.sock",
        ),
        ("MCE_EXECUTION_TIMEOUT_SECONDS", "0", "above 0"),
        ("MCE_EXECUTION_TIMEOUT_SECONDS", "inf", "above 0"),
        ("MCE_EXECUTION_TIMEOUT_SECONDS", "NaN", "above 0"),
        ("MCP_BRIDGE_TIMEOUT", "30s", "found `30s`"),
        (
            "MCE_SANDBOX_MEMORY",
            "256x",
            "such as `65536` (bytes) or `256m`",
        ),
        ("MCE_SANDBOX_MEMORY", "1m", "from 32m to 256g"),
        ("MCE_SANDBOX_MEMORY", "99999999999999999999g", "a size"),
        ("MCE_SANDBOX_CPUS", "0", "0.01"),
        ("MCE_SANDBOX_CPUS", "nan", "0.01"),
        ("MCE_SANDBOX_USER", "0:0", "never runs as root"),
        ("MCE_SANDBOX_USER", "1000:0", "never runs as root"),
        ("MCE_SANDBOX_USER", "root", "never runs as root"),
        ("MCE_ALLOWED_DOMAINS", "https://a.example", "no scheme"),
        ("MCE_ALLOWED_DOMAINS", "*.example.com", "no scheme"),
        ("MCE_ALLOWED_DOMAINS", "a.example:0", "no scheme"),
        ("MCE_ALLOWED_DOMAINS", "[]", "at least one domain"),
        ("MCE_ALLOWED_DOMAINS", "[1]", "a JSON list of strings"),
        ("MCE_MAX_CALLS", "0", "from 1"),
        ("MCE_SANDBOX_PACKAGES", "a>=1", "`a>=1` is a range"),
        ("MCE_SANDBOX_PACKAGES", "a==1.*", "`a==1.*` is a range"),
        ("MCE_SANDBOX_PACKAGES", "a~=1", "`a~=1` is a range"),
        ("MCE_SANDBOX_PACKAGES", "a==1,<2", "`<2` is a range"),
        ("MCE_SANDBOX_PACKAGES", "a!=1", "`a!=1` is a range"),
        ("MCE_SANDBOX_PACKAGES", "a", "`a` has no version"),
        ("MCE_SANDBOX_PACKAGES", "a == 1", "`a` has no version"),
        (
            "MCE_SANDBOX_PACKAGES",
            "a===1",
            "the version of `a===1` is none",
        ),
        (
            "MCE_SANDBOX_PACKAGES",
            "a==one",
            "the version of `a==one` is none",
        ),
        (
            "MCE_SANDBOX_PACKAGES",
            "==1",
            "does not begin with the name",
        ),
        ("MCE_SANDBOX_PACKAGES", "-a==1", "`-a==1` is an option"),
        (
            "MCE_SANDBOX_PACKAGES",
            "a==1 --index-url=x",
            "`--index-url=x` is an option",
        ),
        ("MCE_SANDBOX_PACKAGES", "-r x.txt", "`-r` is an option"),
        ("MCE_SANDBOX_PACKAGES", "./a==1", "`./a==1` is a path"),
        (
            "MCE_SANDBOX_PACKAGES",
            "git+https://u:canary@example.com/a",
            "an entry is a URL or names one",
        ),
        (
            "MCE_SANDBOX_PACKAGES",
            "a==1;python_version>'3'",
            "has an environment marker",
        ),
        (
            "MCE_SANDBOX_PACKAGES",
            "a[b==1",
            "the extras of `a[b==1` have no end",
        ),
        (
            "MCE_SANDBOX_PACKAGES",
            "a[b!]==1",
            "the extras of `a[b!]==1` are no names",
        ),
        (
            "MCE_SANDBOX_PACKAGES",
            "A.b==1 a-B==2",
            "`a-b==1` and `a-b==2` are the same package",
        ),
    ] {
        let message = read(&[(name, value)]).unwrap_err();
        assert!(
            message.starts_with(&format!("{name}: expected ")) && message.contains(expected),
            "{name}={value}: {message}"
        );
    }
}

#[test]
fn a_value_that_may_be_a_secret_is_not_repeated() {
    for name in [
        "MCE_PORT",
        "MCE_HTTPS_PROXY",
        "MCE_ALLOWED_DOMAINS",
        "MCE_LOG_LEVEL",
    ] {
        let message = read(&[(name, "canary eyJhbGciOiJIUzI1NiJ9=")]).unwrap_err();
        assert!(!message.contains("canary"), "{message}");
    }
    let message = read(&[("MCE_HTTPS_PROXY", "ftp://u:canary@h")]).unwrap_err();
    assert!(!message.contains("canary"), "{message}");
}

#[test]
fn all_wrong_values_come_at_once() {
    let message = read(&[("MCE_PORT", "x"), ("MCE_HOST", "y"), ("MCE_SANDBOX", "z")]).unwrap_err();
    assert_eq!(message.lines().count(), 3, "{message}");
}

#[test]
fn an_empty_variable_is_one_that_is_not_set() {
    let settings = accept(&[
        ("MCE_PORT", ""),
        ("MCE_COMPILED_OUTPUT_DIR", " "),
        ("MCE_ALLOWED_DOMAINS", ""),
        ("MCE_DOCKER_HOST", ""),
        ("DOCKER_HOST", "tcp://127.0.0.1:1"),
    ]);
    assert_eq!(settings.http.port, 8000);
    assert!(!settings.compiled_output_dir_is_set);
    assert_eq!(settings.allowed_domains, None);
    assert_eq!(settings.docker_host, None);
    let theirs = settings.engine_variables.host;
    assert_eq!(theirs.as_deref(), Some("tcp://127.0.0.1:1"));
}

#[test]
fn the_ceiling_cuts_the_default_timeout_aloud() {
    let (settings, warnings) = read(&[("MCE_EXECUTION_TIMEOUT_SECONDS", "300")]).unwrap();
    assert_eq!(settings.execution_timeout, Duration::from_mins(2));
    assert!(
        warnings[0].contains("is cut to the 120 seconds"),
        "{warnings:?}"
    );
}

#[test]
fn settings_without_effect_are_accepted_aloud() {
    for row in SETTINGS.iter().filter(|row| row.ignored.is_some()) {
        let value = match row.name {
            "MCE_SANDBOX_MODE" => "warm",
            "MCE_WARM_POOL_SIZE" => "3",
            "MCE_HOST" => "127.0.0.1",
            "MCE_PORT" => "8000",
            "MCE_DEBUG" => "true",
            _ => "canary.example",
        };
        let (_, warnings) = read(&[(row.name, value)]).unwrap();
        assert!(
            warnings.len() == 1
                && warnings[0].starts_with(&format!("`{}` has no effect: ", row.name)),
            "{warnings:?}"
        );
        assert!(!warnings[0].contains("canary"), "{warnings:?}");
    }
}

#[test]
fn variables_that_nothing_reads_are_named_with_the_nearest() {
    let environment = Environment::from_pairs([
        ("MCE_PROT", "1"),
        ("MCE_WEATHER_AUHT", "canary"),
        ("MCE_WEATHER_AUTH", "canary"),
        ("MCE_NAMED", "canary"),
        ("MCE_ZZZZZZZZZZ", "canary"),
        ("MCP_BRIDGE_IMAG", "canary"),
        ("OTHER", "canary"),
    ]);
    let named = BTreeSet::from(["MCE_NAMED".to_owned()]);
    assert_eq!(
        Settings::unknown_variables(&environment, ["weather"], &named),
        [
            "`MCE_PROT` is no variable of mce; did you mean `MCE_PORT`?",
            "`MCE_WEATHER_AUHT` is no variable of mce; did you mean `MCE_WEATHER_AUTH`?",
            "`MCE_ZZZZZZZZZZ` is no variable of mce and is ignored",
            "`MCP_BRIDGE_IMAG` is no variable of mce; did you mean `MCP_BRIDGE_IMAGE`?",
        ]
    );
}

#[test]
fn everything_opens_together() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("apis.yaml");
    let env_file = folder.path().join("variables");
    std::fs::write(
        &config,
        "servers:\n  - {name: My-API, swagger_url: a, auth: {type: jwt, token: '${TOKEN}'}, extra_headers: {X-A: '${PATH}', X-B: '${LD_PRELOAD}'}}\n",
    )
    .unwrap();
    std::fs::write(
        &env_file,
        format!(
            "MCE_SWAGGER_CONFIG_FILE={}\nMCE_PORT=1\nTOKEN=t\nOTHER=o\nPATH=/evil\nLD_PRELOAD=/evil\nMCE_MYAPI_AUTH=x\n",
            config.display()
        ),
    )
    .unwrap();
    let process = Environment::from_pairs([("PATH", "/bin"), ("MCE_PORT", "2")]);
    let Opened {
        environment,
        settings,
        config,
        warnings,
    } = open(process, None, Some(&env_file)).unwrap();
    assert_eq!(settings.http.port, 2);
    let config = config.unwrap();
    assert_eq!(config.servers[0].name, "my_api");
    assert_eq!(environment.get("TOKEN"), Some("t"));
    assert_eq!(environment.get("OTHER"), None);
    assert_eq!(environment.get("PATH"), Some("/bin"));
    assert_eq!(environment.get("LD_PRELOAD"), None);
    let template = &config.servers[0].extra_headers["X-B"];
    assert!(
        template
            .expand(&environment)
            .unwrap_err()
            .to_string()
            .contains("`LD_PRELOAD` is not set")
    );
    for text in [
        "`OTHER`",
        "`PATH`",
        "`LD_PRELOAD`",
        "`My-API`",
        "`MCE_MYAPI_AUTH`",
    ] {
        assert_eq!(
            warnings
                .iter()
                .filter(|warning| warning.contains(text))
                .count(),
            1,
            "{text} {warnings:?}"
        );
    }
    // What the file sets is never in the process's own environment.
    assert!(std::env::var_os("MCE_MYAPI_AUTH").is_none());
    let missing = folder.path().join("missing");
    assert!(open(Environment::default(), None, Some(&missing)).is_err());
}

/// The page about settings, from the table.
fn page() -> String {
    let mut page = String::from(
        "# Settings\n\n\
         Environment variables, also taken from `--env-file`. An empty variable counts as one that is\n\
         not set, a wrong value is an error. This page is generated from the table in\n\
         `src/config/settings_table.rs`; after a change run\n\
         `MCE_UPDATE_DOCS=1 cargo test --test config settings`.\n\n\
         Each server also has variables of its own, read on the host only and preferred to the config:\n\
         `MCE_<SERVER>_BASE_URL`, `_AUTH` (the value of `Authorization`), `_API_KEY`, `_COOKIE`, and\n\
         `_EXTRA_HEADERS` (a JSON object). Each can stand in a file, which the variable of the same name\n\
         with `_FILE` at its end names.\n\n\
         | variable | value | default | meaning |\n| --- | --- | --- | --- |\n",
    );
    for row in SETTINGS.iter().filter(|row| row.ignored.is_none()) {
        let names: Vec<_> = std::iter::once(&row.name)
            .chain(row.aliases)
            .map(|name| format!("`{name}`"))
            .collect();
        let default = match row.default {
            "" => "–".to_owned(),
            default => format!("`{default}`"),
        };
        let _ = writeln!(
            page,
            "| {} | {} | {default} | {} |",
            names.join(", "),
            row.kind,
            row.meaning
        );
    }
    page.push_str(
        "\n## Without effect\n\n\
         Accepted, with a warning, so that a set-up from elsewhere goes on working.\n\n\
         | variable | what it meant | why |\n| --- | --- | --- |\n",
    );
    for row in SETTINGS {
        if let Some(why) = row.ignored {
            let _ = writeln!(page, "| `{}` | {} | {why} |", row.name, row.meaning);
        }
    }
    page
}

#[test]
fn the_page_about_settings_is_current() {
    page::assert_is_current("settings.md", &page(), "--test config settings");
}

/// The settings are logged and shown in their `Debug` form, which held the proxy's password.
#[test]
fn the_password_of_the_proxy_is_not_in_the_debug_form() {
    let environment = Environment::from_pairs([(
        "MCE_HTTPS_PROXY",
        "http://user:canary-password@proxy.example:3128",
    )]);
    let (settings, _) = Settings::from_environment(&environment).unwrap();
    let shown = format!("{settings:?}");
    assert!(shown.contains("https_proxy: Some("), "{shown}");
    assert!(!shown.contains("canary"), "{shown}");
}
