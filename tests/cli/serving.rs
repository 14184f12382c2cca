//! `mce serve` and `mce run`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use sha2::{Digest as _, Sha256};

use crate::shop::shop;

#[test]
fn the_protocol_alone_is_on_the_servers_stdout() {
    let folder = shop().compiled();
    let mut child = folder
        .command(&["serve"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |message: &str| {
        writeln!(stdin, "{message}").unwrap();
        let line = lines.next().unwrap().unwrap();
        serde_json::from_str::<serde_json::Value>(&line).unwrap()
    };
    let hello = ask(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#,
    );
    assert_eq!(hello["result"]["serverInfo"]["name"], "mce");
    let missing = ask(
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_cached_code","arguments":{"cache_id":"nothing"}}}"#,
    );
    assert!(missing.to_string().contains("cache_miss"), "{missing}");
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn run_compiles_and_then_serves_with_a_clean_stdout() {
    let folder = shop();
    let done = folder.command(&["run"]).output().unwrap();
    assert_eq!(String::from_utf8(done.stdout).unwrap(), "");
    assert!(folder.path().join("compiled/shop/manifest.json").exists());

    folder.write("shop.yaml", "just: yaml\n");
    let done = folder.command(&["run"]).output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    assert!(
        String::from_utf8(done.stderr)
            .unwrap()
            .contains("`shop` was not compiled")
    );
}

#[test]
fn over_http_other_machines_are_not_let_in_without_a_token() {
    let folder = shop().compiled();
    let seen = folder.mce(&[
        "serve",
        "--transport",
        "http",
        "--host",
        "0.0.0.0",
        "--port",
        "0",
    ]);
    assert_eq!(seen.code, 1, "{}", seen.stderr);
    assert!(seen.stderr.contains("no token is set"), "{}", seen.stderr);
    assert!(seen.stderr.contains("mce token new"), "{}", seen.stderr);

    let seen = folder.mce(&["serve", "--port", "8000"]);
    assert_eq!(seen.code, 2, "{}", seen.stderr);
}

#[test]
fn over_http_a_server_whose_sandbox_cannot_be_proven_ends() {
    let folder = shop().compiled();
    let mut command = folder.command(&["serve", "--transport", "http", "--port", "0"]);
    command.env("DOCKER_HOST", "unix:///nowhere/engine.sock");
    let done = command.output().unwrap();
    let stderr = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("there is no proven sandbox"), "{stderr}");
}

#[test]
fn a_token_is_shown_once_and_its_entry_holds_its_digest_only() {
    let folder = shop();
    let seen = folder.mce(&["token", "new", "ada", "--server", "shop"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    let token = seen.stderr.trim().rsplit(' ').next().unwrap();
    assert!(token.starts_with("mce_") && token.len() > 40, "{token}");
    let digest = hex::encode(Sha256::digest(token));
    assert_eq!(
        seen.stdout,
        format!("[[token]]\nname = \"ada\"\nsha256 = \"{digest}\"\nservers = [\"shop\"]\n")
    );
    let again = folder.mce(&["token", "new", "ada"]);
    assert!(!again.stderr.contains(token));
    assert_eq!(folder.mce(&["token", "new", "a b"]).code, 2);
    assert_eq!(folder.mce(&["token", "new", "local"]).code, 2);
}
