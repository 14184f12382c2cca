//! `mce serve` and `mce run`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

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
