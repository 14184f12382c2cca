//! `mce mcp-config`: what clients are configured with.

use std::fs;

use serde_json::Value;

use crate::folder::{Folder, has};
use crate::shop::shop;

fn project() -> Folder {
    let folder = shop().compiled();
    folder.write(
        "swaggers.yaml",
        "servers:\n  - {name: shop, swagger_url: shop.yaml, auth: {type: jwt, token: '${TOKEN}'}}\n",
    );
    folder.write(".env", "TOKEN=canary\n");
    folder
}

fn backups(folder: &Folder, below: &str) -> usize {
    let files = folder.walk(below);
    files.iter().filter(|name| name.contains(".bak")).count()
}

#[test]
fn it_is_printed_with_the_sandbox_that_is_set_and_no_secret() {
    let folder = project();
    let mut command = folder.command(&["mcp-config"]);
    command.env("MCE_SANDBOX_MEMORY", "512m");
    command.env("MCE_SANDBOX_LOCK", "wheels/sandbox.lock");
    let done = command.output().unwrap();
    let printed: Value = serde_json::from_slice(&done.stdout).unwrap();
    let entry = &printed["mcpServers"]["mce"];
    let path = folder.path().canonicalize().unwrap();
    let path = path.to_str().unwrap();
    assert!(entry["command"].as_str().unwrap().starts_with('/'));
    let arguments = [
        "serve",
        "--config",
        &format!("{path}/swaggers.yaml"),
        "--env-file",
        &format!("{path}/.env"),
    ];
    assert_eq!(entry["args"], serde_json::json!(arguments));
    assert_eq!(entry["env"]["TOKEN"], "");
    // The engine and the limits that were left out once.
    assert_eq!(entry["env"]["MCE_SANDBOX_MEMORY"], "512m");
    assert_eq!(
        entry["env"]["MCE_DOCKER_HOST"],
        "unix:///nonexistent/engine.sock"
    );
    let lock = format!("{path}/wheels/sandbox.lock");
    assert_eq!(entry["env"]["MCE_SANDBOX_LOCK"], lock);
    assert!(!printed.to_string().contains("canary"), "{printed}");
}

/// They were left out, and what a client started permitted more than the user's own.
#[test]
fn every_setting_that_is_set_is_carried_but_those_of_http_and_secrets() {
    let folder = project();
    folder.write("guard.toml", "");
    let mut command = folder.command(&["mcp-config"]);
    for (name, value) in [
        ("MCE_GUARD_POLICY", "guard.toml"),
        ("MCE_LINT_ENABLED", "true"),
        ("MCE_ALLOWED_DOMAINS", "api.example"),
        ("MCE_AUDIT_LOG", "audit.jsonl"),
        ("MCE_CACHE_DB_PATH", ":memory:"),
        ("MCP_BRIDGE_TIMEOUT", "5"),
        ("MCE_HTTPS_PROXY", "http://me:canary@proxy.example"),
        ("MCE_HTTP_TOKEN", "canary-canary-canary"),
        ("MCE_HTTP_TOKENS_FILE", "tokens.toml"),
        ("MCE_HOST", "127.0.0.2"),
        ("MCE_LLM_API_KEY", "canary"),
        ("MCE_USER_TOOLS", "true"),
    ] {
        command.env(name, value);
    }
    let done = command.output().unwrap();
    let printed: Value = serde_json::from_slice(&done.stdout).unwrap();
    let variables = printed["mcpServers"]["mce"]["env"].as_object().unwrap();
    let path = folder.path().canonicalize().unwrap();
    let below = |name: &str| path.join(name).display().to_string();
    let (policy, log) = (below("guard.toml"), below("audit.jsonl"));
    for (name, value) in [
        ("MCE_GUARD_POLICY", policy.as_str()),
        ("MCE_LINT_ENABLED", "true"),
        ("MCE_ALLOWED_DOMAINS", "api.example"),
        ("MCE_AUDIT_LOG", &log),
        ("MCE_CACHE_DB_PATH", ":memory:"),
        ("MCE_EXECUTION_TIMEOUT_SECONDS", "5"),
        ("MCE_HTTPS_PROXY", ""),
    ] {
        assert_eq!(variables.get(name), Some(&Value::from(value)), "{name}");
    }
    let others = ["MCE_HTTP_", "MCE_HOST", "MCE_LLM_", "MCE_USER_TOOLS"];
    for name in variables.keys() {
        assert!(!others.iter().any(|it| name.starts_with(it)), "{name}");
    }
    assert!(!printed.to_string().contains("canary"), "{printed}");
}

#[test]
fn a_file_of_a_client_is_merged_into_once() {
    let folder = project();
    let file = "home/claude_desktop_config.json";
    folder.write(
        file,
        "{\n  // mine\n  \"mcpServers\": {\"other\": {\"command\": \"x\"}},\n}\n",
    );
    let arguments = ["mcp-config", "claude-desktop", "--write", "--file", file];
    let seen = folder.mce(&arguments);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    has(&seen.stdout, "changed; as it was:");
    let text = folder.read(file);
    has(&text, "// mine");
    has(&text, "\"other\": {\"command\": \"x\"}");
    has(&text, "\"mce\": {");
    has(
        &folder.read("home/claude_desktop_config.json.bak"),
        "// mine",
    );
    assert_eq!(backups(&folder, "home"), 1);
    // Filled in, it stays so.
    folder.change(file, "\"TOKEN\": \"\"", "\"TOKEN\": \"filled in\"");
    let before = folder.read(file);
    let seen = folder.mce(&arguments);
    has(&seen.stdout, "has it already");
    assert_eq!(folder.read(file), before);
    assert_eq!(backups(&folder, "home"), 1);
}

#[test]
fn the_file_is_made_where_the_client_looks_for_it_and_is_private() {
    let folder = project();
    for (arguments, file) in [
        (vec!["cursor"], ".cursor/mcp.json"),
        (vec!["codex"], ".codex/config.toml"),
        (vec!["vscode", "--project"], ".vscode/mcp.json"),
        (vec!["zed"], ".config/zed/settings.json"),
        (vec!["opencode"], ".config/opencode/opencode.json"),
    ] {
        let arguments = [vec!["mcp-config"], arguments, vec!["--write"]].concat();
        let seen = folder.mce(&arguments);
        assert_eq!(seen.code, 0, "{}", seen.stderr);
        let text = folder.read(file);
        has(&text, "serve");
        assert!(!text.contains("canary"), "{text}");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(folder.path().join(file)).unwrap();
            assert_eq!(mode.permissions().mode() & 0o777, 0o600, "{file}");
        }
    }
}

#[test]
fn a_file_that_is_broken_stays_as_it_is() {
    let folder = project();
    for text in ["{\"mcpServers\": [}", "{\"mcpServers\": []}"] {
        folder.write("mcp.json", text);
        let seen = folder.mce(&["mcp-config", "cursor", "--write", "--file", "mcp.json"]);
        assert_eq!(seen.code, 1);
        has(&seen.stderr, "mcp.json");
        assert_eq!(folder.read("mcp.json"), text);
    }
    // The reason shows nothing of the file.
    for (client, text, wanted) in [
        (
            "cursor",
            "{\"mcpServers\": {}, \"mcpServers\": {\"a\": \"canary\"}}",
            "has a key twice in one object, the second time in line 1, column 20",
        ),
        (
            "codex",
            "model = \"best\"\ntoken = canary\n",
            "it is no TOML: see line 2, column 9",
        ),
    ] {
        folder.write("mcp.json", text);
        let seen = folder.mce(&["mcp-config", client, "--write", "--file", "mcp.json"]);
        assert_eq!(seen.code, 1);
        has(&seen.stderr, wanted);
        assert!(!seen.stderr.contains("canary"), "{}", seen.stderr);
        assert_eq!(folder.read("mcp.json"), text);
    }
    assert_eq!(backups(&folder, "."), 0);
}

/// A file may be a link to where a user keeps such files.
#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let folder = project();
    folder.write("kept/mcp.json", "{}\n");
    let link = folder.path().join("mcp.json");
    std::os::unix::fs::symlink(folder.path().join("kept/mcp.json"), &link).unwrap();
    let seen = folder.mce(&["mcp-config", "cursor", "--write", "--file", "mcp.json"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    has(&folder.read("kept/mcp.json"), "\"mce\"");
}

#[test]
fn over_http_the_token_is_named_and_not_written() {
    let folder = project();
    let http = ["--transport", "http", "--url", "https://mce.example/mcp"];
    for (client, wanted) in [
        (
            "claude-code",
            "\"Authorization\": \"Bearer ${MCE_HTTP_TOKEN}\"",
        ),
        (
            "cursor",
            "\"Authorization\": \"Bearer ${env:MCE_HTTP_TOKEN}\"",
        ),
        ("codex", "bearer_token_env_var = \"MCE_HTTP_TOKEN\""),
        ("gemini", "\"httpUrl\": \"https://mce.example/mcp\""),
        ("vscode", "${input:mce-http-token}"),
    ] {
        let arguments = [vec!["mcp-config", client], http.to_vec()].concat();
        let mut command = folder.command(&arguments);
        let done = command
            .env("MCE_HTTP_TOKEN", "canary".repeat(8))
            .output()
            .unwrap();
        let printed = String::from_utf8(done.stdout).unwrap();
        has(&printed, wanted);
        assert!(!printed.contains("canary"), "{printed}");
    }
    let arguments = [vec!["mcp-config", "claude-desktop"], http.to_vec()].concat();
    let seen = folder.mce(&arguments);
    assert_eq!(seen.code, 2);
    has(&seen.stderr, "Connectors");
}
