//! `mce auth check`: what it says of each server, and what it never shows.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use serde_json::json;

use crate::folder::{Folder, has};

const DOCUMENT: &str = "\
openapi: 3.0.3
info: {title: Shop, version: '1'}
servers: [{url: https://shop.example}]
paths: {/items: {get: {operationId: listItems, responses: {'204': {description: fine}}}}}
";

/// A token endpoint on loopback that gives every request this answer.
fn endpoint(status: &'static str, body: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/token", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let _ = stream.read(&mut [0; 4096]);
            let length = body.len();
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
                 connection: close\r\n\r\n{body}"
            );
        }
    });
    url
}

fn project(token_url: &str) -> Folder {
    let config = format!(
        "servers:\n\
         - {{name: shop, swagger_url: shop.yaml, auth: {{type: oauth2, token_url: '{token_url}', \
         client_id: me, client_secret: '${{SECRET}}'}}}}\n\
         - {{name: depot, swagger_url: shop.yaml, auth: {{type: jwt, token: '${{TOKEN}}'}}, \
         extra_headers: {{X-Team: red}}}}\n\
         - {{name: plain, swagger_url: shop.yaml}}\n"
    );
    Folder::new(&[
        ("swaggers.yaml", &config),
        ("shop.yaml", DOCUMENT),
        (
            ".env",
            "SECRET=canary-secret\nTOKEN=canary-token\nMCE_PLAIN_API_KEY=canary-key\n",
        ),
    ])
}

#[test]
fn each_server_is_told_with_the_place_of_its_credential() {
    let project = project("https://id.example/token");
    let seen = project.mce(&["auth", "check"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    let expected = "\
shop
  oauth2 from swaggers.yaml:2:130
depot
  jwt from swaggers.yaml:3:66
  header `X-Team` from swaggers.yaml:3:103
plain
  API key from MCE_PLAIN_API_KEY
";
    assert_eq!(seen.stdout, expected);
}

#[test]
fn a_token_is_fetched_where_that_is_asked_for() {
    let url = endpoint(
        "200 OK",
        r#"{"access_token": "canary-fetched", "expires_in": 600}"#,
    );
    let project = project(&url);
    let seen = project.mce(&["auth", "check", "shop", "--fetch"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    has(&seen.stdout, "  fetched, lasts 600 s\n");
    let (code, value) = project.json(&["auth", "check", "--fetch", "--format", "json"]);
    assert_eq!(code, 0);
    assert_eq!(value[0]["fetched_for_seconds"], 600);
    assert_eq!(
        value[2],
        json!({"server": "plain", "credentials": [{"kind": "API key", "place": "MCE_PLAIN_API_KEY"}]})
    );
    assert!(!value.to_string().contains("canary"), "{value}");
}

#[test]
fn what_is_wrong_is_told_without_a_secret() {
    // A log repeats no text of the endpoint.
    let refusal = r#"{"error": "canary-secret", "error_description": "canary-secret is wrong"}"#;
    let project = project(&endpoint("401 Unauthorized", refusal));
    project.change(".env", "TOKEN=canary-token", "TOKEN=");
    let mut command = project.command(&["auth", "check", "--fetch"]);
    let logged = command.env("MCE_LOG_LEVEL", "debug").output().unwrap();
    let logged = String::from_utf8_lossy(&logged.stderr).into_owned();
    has(&logged, "a credential could not be fetched");
    assert!(!logged.contains("canary"), "{logged}");
    let seen = project.mce(&["auth", "check", "--fetch"]);
    assert_eq!(seen.code, 1);
    has(
        &seen.stdout,
        "it answered 401 ([redacted]: [redacted] is wrong)\n",
    );
    has(&seen.stdout, "the variable `TOKEN` is empty");
    assert!(!(seen.stdout + &seen.stderr).contains("canary"));
    let seen = project.mce(&["auth", "check", "shp"]);
    assert_eq!(seen.code, 2);
    has(&seen.stderr, "there is no server `shp`");
    has(&seen.stderr, "there are `shop`, `depot`, `plain`");
}
