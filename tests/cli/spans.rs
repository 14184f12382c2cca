//! Spans: the id of an execution on the lines of the log within it, and what is exported.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::folder::Folder;

const DOCUMENT: &str = "\
openapi: 3.0.3
info: {title: Shop, version: '1'}
servers: [{url: https://shop.example/v1}]
paths:
  /items:
    get:
      operationId: listItems
      parameters:
        - {name: query, in: query, schema: {type: string}}
      responses: {'204': {description: fine}}
";

/// A project whose log-in is refused, so that something is logged within a call.
fn project() -> Folder {
    Folder::new(&[
        ("shop.yaml", DOCUMENT),
        (
            "swaggers.yaml",
            "servers:\n  - {name: shop, swagger_url: shop.yaml, base_url: 'http://127.0.0.1:1', auth: \
             {type: oauth2, token_url: 'http://127.0.0.1:1/token', client_id: me, client_secret: \
             '${SECRET}'}}\n",
        ),
    ])
    .compiled()
}

#[test]
fn lines_within_an_execution_carry_its_id() {
    let folder = project();
    let arguments = ["--log-format", "json", "call", "shop.list_items"];
    let done = folder
        .command(&arguments)
        .env("SECRET", "canary-secret")
        .env("MCE_LOG_LEVEL", "warn")
        .output()
        .unwrap();
    let result: Value = serde_json::from_slice(&done.stdout).unwrap();
    let id = result["execution_id"].as_str().unwrap();
    let log = String::from_utf8(done.stderr).unwrap();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let within: Vec<&Value> = lines
        .iter()
        .filter(|line| line["spans"][0]["execution_id"] == id)
        .collect();
    assert!(!within.is_empty(), "{log}");
    assert_eq!(within[0]["spans"][0]["principal"], "local");
    assert_eq!(within[0]["span"]["server"], "shop", "{log}");
    assert_eq!(within[0]["span"]["function"], "list_items", "{log}");
}

/// A collector on loopback that keeps the bodies it is sent.
fn collector() -> (String, Arc<Mutex<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let kept: Arc<Mutex<Vec<u8>>> = Arc::default();
    let keep = Arc::clone(&kept);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut request = Vec::new();
            let mut buffer = [0; 4096];
            let length = |request: &[u8]| {
                let text = String::from_utf8_lossy(request).to_ascii_lowercase();
                let (head, _) = text.split_once("\r\n\r\n")?;
                let value = head.split("content-length:").nth(1)?;
                let length: usize = value.split("\r\n").next()?.trim().parse().ok()?;
                let begin = request.windows(4).position(|it| it == b"\r\n\r\n")? + 4;
                Some(begin + length)
            };
            while length(&request).is_none_or(|length| request.len() < length) {
                match stream.read(&mut buffer) {
                    Ok(0) | Err(_) => break,
                    Ok(size) => request.extend_from_slice(&buffer[..size]),
                }
            }
            keep.lock().unwrap().extend(request);
            let _ = stream.write_all(
                b"HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\
                  connection: close\r\n\r\n",
            );
        }
    });
    (url, kept)
}

#[test]
fn spans_are_exported_where_an_endpoint_is_set_and_hold_no_secret() {
    let folder = project();
    let (url, kept) = collector();
    let arguments = ["call", "shop.list_items", "query=canary-argument"];
    let run = |endpoint: Option<&str>| {
        let done = folder
            .command(&arguments)
            .env("SECRET", "canary-secret")
            .envs(endpoint.map(|url| ("OTEL_EXPORTER_OTLP_ENDPOINT", url)))
            .output()
            .unwrap();
        let result: Value = serde_json::from_slice(&done.stdout).unwrap();
        result["execution_id"].as_str().unwrap().to_owned()
    };
    run(None);
    assert!(kept.lock().unwrap().is_empty());
    let id = run(Some(&url));
    let sent = kept.lock().unwrap().clone();
    let holds = |text: &str| sent.windows(text.len()).any(|it| it == text.as_bytes());
    assert!(
        holds("POST /v1/traces"),
        "{}",
        String::from_utf8_lossy(&sent)
    );
    for wanted in [
        id.as_str(),
        "execution",
        "execution_id",
        "principal",
        "call",
        "list_items",
        "shop",
        "mce",
    ] {
        assert!(holds(wanted), "no `{wanted}`");
    }
    assert!(!holds("canary"), "{}", String::from_utf8_lossy(&sent));
    // A collector that is gone fails nothing.
    run(Some("http://127.0.0.1:1"));
}
