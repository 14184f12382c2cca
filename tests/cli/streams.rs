//! `mce call` of an answer that is a stream: whole, cut off in the middle, and without end.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;

use crate::folder::{Folder, has};

const DOCUMENT: &str = "\
openapi: 3.0.3
info: {title: Feed, version: '1'}
servers: [{url: https://feed.example}]
paths:
  /numbers:
    get:
      operationId: numbers
      responses: {'200': {description: fine, content: {application/x-ndjson: {}}}}
";

/// Answers one request with a chunk of two lines and a half, then with `end`, and closes the
/// connection once the caller does.
fn feed(end: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
        while lines.next().is_some_and(|line| !line.unwrap().is_empty()) {}
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\ntransfer-encoding: \
                    chunked\r\n\r\n5\r\n1\n2\n3\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(end.as_bytes()).unwrap();
        // Until the other side has enough.
        let _ = lines.next();
    });
    port
}

/// The exit code and the result of a call.
fn called(end: &'static str) -> (i32, serde_json::Value) {
    let folder = Folder::new(&[("feed.yaml", DOCUMENT)]);
    folder.write(
        "swaggers.yaml",
        &format!(
            "servers:\n  - {{name: feed, swagger_url: feed.yaml, base_url: 'http://127.0.0.1:{}'}}\n",
            feed(end)
        ),
    );
    let folder = folder.compiled();
    let mut command = folder.command(&["call", "feed.numbers"]);
    let done = command.env("MCE_STREAM_SECONDS", "1").output().unwrap();
    let result = serde_json::from_slice(&done.stdout).unwrap();
    (done.status.code().unwrap(), result)
}

#[test]
fn a_stream_that_ends_is_the_whole_answer() {
    let (code, result) = called("0\r\n\r\n");
    assert_eq!((code, result["success"].as_bool()), (0, Some(true)));
    assert_eq!(result["data"], serde_json::json!([1, 2, 3]));
    assert_eq!(result.get("truncated"), None, "{result}");
}

#[test]
fn a_stream_that_breaks_off_is_a_failure_that_shows_what_arrived() {
    let (code, result) = called("no size\r\n");
    assert_eq!((code, result["success"].as_bool()), (1, Some(false)));
    assert_eq!(result["data"], serde_json::json!([1, 2]));
    assert_eq!(result["truncated"], true);
    assert_eq!(result["error_type"], "api");
    has(result["error"].as_str().unwrap(), "the stream broke off");
}

#[test]
fn a_stream_without_end_is_cut_and_says_which_setting_did_it() {
    let (code, result) = called("");
    assert_eq!((code, result["success"].as_bool()), (0, Some(true)));
    assert_eq!(result["data"], serde_json::json!([1, 2]));
    assert_eq!(result["truncated"], true);
    has(result["hint"].as_str().unwrap(), "`MCE_STREAM_SECONDS`");
}
