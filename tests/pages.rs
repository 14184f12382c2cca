//! Pages of a list, from compiled code in the sandbox to an API on loopback. Needs the engine.

#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};

use assert_cmd::cargo::CommandCargoExt as _;
use serde_json::{Value, json};
use tempfile::TempDir;

const DOCUMENT: &str = "\
openapi: 3.0.3
info: {title: Zoo, version: '1'}
servers: [{url: https://zoo.example}]
paths:
  /pets:
    get:
      operationId: listPets
      parameters:
        - {name: page, in: query, schema: {type: integer}}
      responses: &linked
        '200':
          description: fine
          headers: {Link: {schema: {type: string}}}
          content: {application/json: {schema: {type: array, items: {type: integer}}}}
  /hostile:
    get:
      operationId: listHostile
      parameters:
        - {name: page, in: query, schema: {type: integer}}
      responses: *linked
  /keepers:
    get:
      operationId: listKeepers
      parameters:
        - {name: cursor, in: query, schema: {type: string}}
      responses:
        '200':
          description: fine
          content:
            application/json:
              schema:
                type: object
                properties:
                  next_cursor: {type: string}
                  keepers: {type: array, items: {type: string}}
  /plain:
    get:
      operationId: plain
      responses: {'204': {description: fine}}
";

const CODE: &str = r#"
import zoo.functions as zoo

pets = list(zoo.list_pets.items())
keepers = [page["keepers"] async for page in zoo.list_keepers.pages.aio()]
first = next(zoo.list_pets.pages())

seen = []
try:
    for page in zoo.list_hostile.pages():
        seen.append(page)
except RuntimeError as error:
    seen.append(str(error))

try:
    zoo.plain.pages()
except AttributeError as error:
    plain = str(error)

result = [pets, keepers, first, seen, plain]
"#;

/// Answers, and keeps the request lines.
fn serve(listener: &TcpListener, lines: &Mutex<Vec<String>>) {
    for mut connection in listener.incoming().map_while(Result::ok) {
        let mut request = Vec::new();
        let mut buffer = [0; 4096];
        while !request.windows(4).any(|end| end == b"\r\n\r\n") {
            match connection.read(&mut buffer) {
                Ok(0) | Err(_) => break,
                Ok(size) => request.extend_from_slice(&buffer[..size]),
            }
        }
        let request = String::from_utf8_lossy(&request).into_owned();
        let target = request.split(' ').nth(1).unwrap_or_default().to_owned();
        let (link, body) = match target.as_str() {
            "/v1/pets" => ("</v1/pets?page=2>; rel=\"next\"", json!([1, 2])),
            "/v1/pets?page=2" => ("<?page=3>; rel=\"next\"", json!([3])),
            "/v1/keepers" => ("", json!({"keepers": ["Ann"], "next_cursor": "b"})),
            "/v1/keepers?cursor=b" => ("", json!({"keepers": ["Bo"], "next_cursor": ""})),
            "/v1/hostile" => (
                "<http://127.0.0.2:1/v1/hostile?page=2>; rel=next",
                json!([0]),
            ),
            _ => ("", json!([4])),
        };
        lines.lock().unwrap().push(target);
        answer(&mut connection, link, &body.to_string());
    }
}

fn answer(connection: &mut TcpStream, link: &str, body: &str) {
    let _ = write!(
        connection,
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nlink: {link}\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
}

#[test]
fn code_in_the_sandbox_goes_through_pages() {
    let folder = TempDir::new().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let config = format!(
        "servers:\n  - name: zoo\n    swagger_url: zoo.yaml\n    base_url: http://{}/v1\n    \
         is_read_only: true\n",
        listener.local_addr().unwrap()
    );
    fs::write(folder.path().join("swaggers.yaml"), config).unwrap();
    fs::write(folder.path().join("zoo.yaml"), DOCUMENT).unwrap();
    fs::write(folder.path().join("code.py"), CODE).unwrap();
    let lines = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&lines);
    std::thread::spawn(move || serve(&listener, &kept));

    let mce = |arguments: &[&str]| {
        let mut command = Command::cargo_bin("mce").unwrap();
        command
            .args(arguments)
            .current_dir(folder.path())
            .env_clear()
            .env("XDG_STATE_HOME", folder.path().join("state"))
            .env("MCE_CACHE_DB_PATH", folder.path().join("cache.db"))
            .env("MCE_AUDIT_DB_PATH", folder.path().join("audit.db"));
        for name in ["PATH", "HOME", "DOCKER_HOST"] {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        command.output().unwrap()
    };
    let done = mce(&["compile"]);
    assert!(done.status.success(), "{done:?}");
    let done = mce(&["exec", "code.py"]);
    let result: Value =
        serde_json::from_slice(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done:?}"));
    assert_eq!(
        result["data"],
        json!([
            [1, 2, 3, 4],
            [["Ann"], ["Bo"]],
            [1, 2],
            [
                [0],
                "list_hostile() is refused: its next URL leads away from the server's base URL"
            ],
            "plain() has no `pages`: its document shows no pagination; call plain() itself",
        ]),
        "{result}"
    );
    assert_eq!(
        *lines.lock().unwrap(),
        [
            "/v1/pets",
            "/v1/pets?page=2",
            "/v1/pets?page=3",
            "/v1/keepers",
            "/v1/keepers?cursor=b",
            "/v1/pets",
            "/v1/hostile",
        ]
    );
}
