//! Faults in what users were told, each with the test that keeps it away.

use serde_json::Value;

use crate::folder::{Folder, has};
use crate::shop::{CONFIG, DOCUMENT};

/// `mce call` printed text where its result was to come.
#[test]
fn a_broken_config_is_a_result_where_a_program_reads_it() {
    let folder = Folder::new(&[
        ("swaggers.yaml", "servers: 1\n"),
        ("code.py", "result = 1\n"),
    ]);
    for arguments in [["call", "shop.list_items"], ["exec", "code.py"]] {
        let seen = folder.mce(&arguments);
        assert_eq!(seen.code, 1);
        let result: Value = serde_json::from_str(&seen.stdout).unwrap();
        assert_eq!(result["success"], false);
        assert_eq!(result["error_type"], "validation");
        has(result["error"].as_str().unwrap(), "`servers` must be");
        // People are told as before.
        has(&seen.stderr, "error: ");
    }
    // Usage is not a result, and a listing is no JSON.
    assert_eq!(folder.mce(&["call", "shop"]).stdout, "");
}

/// Spelling leads from `rate_limit` to nothing.
#[test]
fn keys_of_other_programs_lead_to_those_that_mean_the_same() {
    for (key, meant) in [
        ("rate_limit: 5", "requests_per_second"),
        ("timeout: 5", "timeout_seconds"),
        ("token: x", "auth"),
        ("openapi_url: x", "swagger_url"),
    ] {
        let config = format!("{CONFIG}    {key}\n");
        let folder = Folder::new(&[("shop.yaml", DOCUMENT), ("swaggers.yaml", &config)]);
        let seen = folder.mce(&["compile"]);
        assert_eq!(seen.code, 1);
        has(&seen.stderr, &format!("did you mean `{meant}`?"));
    }
}

/// It was found when a call was made, on the server.
#[test]
fn a_token_endpoint_without_encryption_is_told_when_compiling() {
    let auth = |url: &str| {
        format!(
            "{CONFIG}    auth: {{type: oauth2, token_url: '{url}', client_id: me, client_secret: \
             '${{SECRET}}'}}\n"
        )
    };
    for (url, is_told) in [
        ("http://id.example/token", true),
        ("http://127.0.0.1:1/token", false),
        ("http://localhost/token", false),
        ("https://id.example/token", false),
        ("${ID}/token", false),
    ] {
        let config = auth(url);
        let folder = Folder::new(&[("shop.yaml", DOCUMENT), ("swaggers.yaml", &config)]).logging();
        folder.mce(&["compile"]);
        let seen = folder.mce(&["compile", "--check"]);
        assert_eq!(seen.code, 0, "{}", seen.stderr);
        let told = seen.stderr.contains("`auth.token_url` is not encrypted");
        assert_eq!(told, is_told, "{url}: {}", seen.stderr);
    }
}

const SECURED: &str = "\
openapi: 3.0.3
info: {title: Shop, version: '1'}
servers: [{url: https://shop.example/v1}]
components:
  securitySchemes:
    login: {type: http, scheme: basic}
    key: {type: apiKey, in: query, name: k}
paths:
  /items: {get: {operationId: listItems, security: [{login: []}], responses: {'204': {description: fine}}}}
  /all: {get: {operationId: everything, security: [{key: []}], responses: {'204': {description: fine}}}}
  /open: {get: {operationId: open, security: [{}, {key: []}], responses: {'204': {description: fine}}}}
";

/// `auth check` said what there is, and not whether the document wants it.
#[test]
fn credentials_are_held_against_what_the_document_asks_for() {
    let config =
        "servers:\n  - {name: shop, swagger_url: shop.yaml, auth: {type: jwt, token: '${T}'}}\n";
    let folder = Folder::new(&[
        ("shop.yaml", SECURED),
        ("swaggers.yaml", config),
        (".env", "T=canary-token-value\n"),
    ])
    .compiled();
    let seen = folder.mce(&["auth", "check"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    has(
        &seen.stdout,
        "1 function asks for `key` (apiKey `k` in query), which nothing here gives (it is `everything`)",
    );
    has(
        &seen.stdout,
        "the document knows no credential of the kind `jwt`, which swaggers.yaml:2:67 gives",
    );
    assert!(!seen.stdout.contains("canary"), "{}", seen.stdout);
    folder.change(
        "swaggers.yaml",
        "{type: jwt, token: '${T}'}",
        "{type: basic, username: a, password: '${T}'}",
    );
    folder.write(
        ".env",
        "T=canary-token-value\nMCE_SHOP_API_KEY=canary-key-value\n",
    );
    assert_eq!(folder.mce(&["compile"]).code, 0);
    let (_, value) = folder.json(&["auth", "check", "--format", "json"]);
    assert_eq!(value[0].get("warnings"), None, "{value}");
    assert_eq!(value[0]["fits"], true);
    has(
        &folder.mce(&["auth", "check"]).stdout,
        "  fits what the document asks for\n",
    );
}

/// `1,5` was `a value of 3 characters`, and a size a number of bytes.
#[test]
fn settings_are_told_as_one_writes_them() {
    let folder = Folder::new(&[]);
    for (name, value, told) in [
        ("MCE_SANDBOX_CPUS", "1,5", "found `1,5`"),
        (
            "MCE_SANDBOX_MEMORY",
            "1m",
            "expected a size from 32m to 256g",
        ),
    ] {
        let done = folder
            .command(&["guard", "x.py"])
            .env(name, value)
            .output()
            .unwrap();
        has(&String::from_utf8_lossy(&done.stderr), told);
    }
}

/// Each was told when the vault was filled, and again when the first broker was made.
#[test]
fn a_server_tells_each_problem_with_a_credential_once() {
    let config = format!(
        "{CONFIG}    auth: {{type: jwt, token: '${{T}}'}}\n    extra_headers: {{X-Team: '${{TEAM}}'}}\n"
    );
    let folder = Folder::new(&[("shop.yaml", DOCUMENT), ("swaggers.yaml", &config)])
        .logging()
        .compiled();
    let seen = folder.mce(&["serve"]);
    let told = seen.stderr.matches("the variable `T` is not set").count();
    assert_eq!(told, 1, "{}", seen.stderr);
}
