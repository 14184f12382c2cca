//! Each layer attacked with the ones before it switched off, on the real engine. Needs the
//! `test-hooks` feature, which `scripts/test` turns on.

#![cfg(feature = "test-hooks")]
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail anywhere"
)]

use std::fmt::Write as _;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use assert_cmd::cargo::CommandCargoExt as _;
use base64::Engine as _;
use serde_json::Value;
use tempfile::TempDir;

/// In two halves, so that no code that looks for it holds it.
const CANARY: [&str; 2] = ["canary-8d2f", "61b70c"];

const DOCUMENT: &str = "\
openapi: 3.0.3
info: {title: Shop, version: '1'}
servers: [{url: https://shop.example}]
paths:
  /items:
    get:
      operationId: listItems
      responses: {'204': {description: fine}}
    post:
      operationId: addItem
      responses: {'204': {description: fine}}
  /echo:
    get:
      operationId: echo
      responses: {'200': {description: fine, content: {application/json: {schema: {}}}}}
  /fail:
    get:
      operationId: fail
      responses: {'200': {description: fine, content: {application/json: {schema: {}}}}}
";

struct Shop {
    folder: TempDir,
    api: TcpListener,
}

impl Shop {
    /// Two compiled servers, `shop` (read-only) and `depot`, whose API is a socket that nobody
    /// answers on but that knows who connected.
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let api = TcpListener::bind("127.0.0.1:0").unwrap();
        api.set_nonblocking(true).unwrap();
        let url = format!("http://{}", api.local_addr().unwrap());
        let server = |name: &str, read_only: bool| {
            format!(
                "  - name: {name}\n    swagger_url: shop.yaml\n    is_read_only: {read_only}\n    \
                 base_url: {url}\n    timeout_seconds: 1\n    \
                 auth: {{type: jwt, token: '${{SHOP_TOKEN}}'}}\n"
            )
        };
        let config = format!(
            "servers:\n{}{}",
            server("shop", true),
            server("depot", false)
        );
        fs::write(folder.path().join("swaggers.yaml"), config).unwrap();
        fs::write(folder.path().join("shop.yaml"), DOCUMENT).unwrap();
        let shop = Self { folder, api };
        let done = shop.mce(&["compile"]).output().unwrap();
        assert!(done.status.success(), "{done:?}");
        shop
    }

    fn mce(&self, arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("mce").unwrap();
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .env("XDG_STATE_HOME", self.folder.path().join("state"))
            .env("MCE_CACHE_DB_PATH", self.folder.path().join("cache.db"))
            .env("MCE_AUDIT_DB_PATH", self.folder.path().join("audit.db"))
            .env("SHOP_TOKEN", CANARY.concat());
        for name in ["PATH", "HOME", "DOCKER_HOST"] {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        command
    }

    fn exec(&self, switches: &[&str], code: &str) -> Value {
        fs::write(self.folder.path().join("code.py"), code).unwrap();
        let arguments: Vec<_> = [&["exec"], switches, &["code.py"]].concat();
        let done = self.mce(&arguments).output().unwrap();
        let text = String::from_utf8(done.stdout).unwrap();
        let errors = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(!text.contains(&CANARY.concat()), "{text}");
        assert!(!errors.contains(&CANARY.concat()), "{errors}");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}{errors}"))
    }

    /// Answers every request with its own `Authorization`, plain and disguised; `/fail` as an error.
    fn answer(&self) {
        let api = self.api.try_clone().unwrap();
        api.set_nonblocking(false).unwrap();
        std::thread::spawn(move || {
            for connection in api.incoming().map_while(Result::ok) {
                echo(connection);
            }
        });
    }

    /// Every file that a command has left, by path.
    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.push((path.clone(), fs::read(path).unwrap()));
                }
            }
        }
        found
    }

    fn nobody_connected(&self) {
        assert!(self.api.accept().is_err(), "the API was connected to");
    }
}

#[test]
fn a_filtered_function_is_refused_by_the_host_whatever_the_sandbox_says() {
    let shop = Shop::new();
    let result = shop.exec(
        &["--no-guard"],
        "import shop.functions\nimport _mce_host\nresult = _mce_host.call('shop', 'add_item', {})\n",
    );
    assert_eq!(result["success"], true, "{result}");
    assert_eq!(result["data"][0], "error", "{result}");
    assert_eq!(result["data"][1]["kind"], "egress", "{result}");
    shop.nobody_connected();
}

#[test]
fn a_server_that_was_not_imported_is_refused_by_the_host() {
    let shop = Shop::new();
    let code = "import shop.functions\nimport _mce_host\nresult = _mce_host.call('depot', 'add_item', {})\n";
    let result = shop.exec(&["--no-guard"], code);
    assert_eq!(result["data"][0], "error", "{result}");
    assert_eq!(result["data"][1]["kind"], "egress", "{result}");
    shop.nobody_connected();

    // With that rule off the same call goes out: it is this rule that stopped it.
    let result = shop.exec(&["--no-guard", "--no-import-rule"], code);
    assert_eq!(result["data"][1]["kind"], "network", "{result}");
    assert!(shop.api.accept().is_ok(), "nobody connected");
}

#[test]
fn a_function_put_into_the_manifest_by_hand_is_refused() {
    let shop = Shop::new();
    for file in ["functions.py", "manifest.json"] {
        let of = |server: &str| shop.folder.path().join("compiled").join(server).join(file);
        let text = fs::read_to_string(of("depot")).unwrap();
        fs::write(
            of("shop"),
            text.replace("depot", "shop").replace("DEPOT", "SHOP"),
        )
        .unwrap();
    }
    let code = "from shop.functions import add_item\nresult = add_item()\n";
    let result = shop.exec(&["--no-guard"], code);
    assert_eq!(result["success"], false, "{result}");
    shop.nobody_connected();

    // Past the load check, the broker still knows that the config says read-only.
    let result = shop.exec(&["--no-guard", "--no-load-check"], code);
    assert_eq!(result["success"], false, "{result}");
    assert_eq!(result["error_type"], "egress", "{result}");
    shop.nobody_connected();

    // With that rule off too the call goes out: nothing else would have stopped it.
    let result = shop.exec(&["--no-guard", "--no-load-check", "--no-broker-rule"], code);
    assert_eq!(result["error_type"], "api", "{result}");
    assert!(shop.api.accept().is_ok(), "nobody connected");
}

#[test]
fn a_write_that_the_compiler_let_through_is_not_served() {
    let shop = Shop::new();
    let done = shop.mce(&["compile", "--no-filter"]).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    let module = shop.folder.path().join("compiled/shop/functions.py");
    assert!(fs::read_to_string(module).unwrap().contains("def add_item"));
    let code = "from shop.functions import add_item\nresult = add_item()\n";
    let result = shop.exec(&[], code);
    assert_eq!(result["error_type"], "security", "{result}");
    let result = shop.exec(&["--no-load-check"], code);
    assert_eq!(result["error_type"], "egress", "{result}");
    shop.nobody_connected();
}

#[test]
fn no_socket_of_any_family_can_be_created() {
    let shop = Shop::new();
    let result = shop.exec(
        &["--no-guard"],
        r"
import socket

made = []
for family in range(0, 64):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        try:
            socket.socket(family, kind, 0).close()
        except OSError:
            continue
        made.append([family, kind])
result = made
",
    );
    assert_eq!(result["data"], serde_json::json!([]), "{result}");
}

#[test]
fn the_root_cannot_be_written_and_temporary_files_cannot_be_run() {
    let shop = Shop::new();
    let result = shop.exec(
        &["--no-guard"],
        r##"
import os
import subprocess

written = []
for folder in ("/", "/etc", "/usr", "/usr/bin", "/root", "/home", "/var", "/var/tmp", "/opt", "/run"):
    try:
        with open(os.path.join(folder, "probe"), "w") as file:
            file.write("x")
    except OSError:
        continue
    written.append(folder)

with open("/tmp/probe.sh", "w") as file:
    file.write("#!/bin/sh\necho ran\n")
os.chmod("/tmp/probe.sh", 0o755)
try:
    ran = subprocess.run(["/tmp/probe.sh"], capture_output=True).stdout.decode()
except OSError as error:
    ran = type(error).__name__
result = [written, ran, os.getuid()]
"##,
    );
    assert_eq!(
        result["data"],
        serde_json::json!([[], "PermissionError", 65534]),
        "{result}"
    );
}

/// What an API answers with, beside the credential: it shows that a search finds what is there.
const MARKER: [&str; 2] = ["marker-77e0", "a94c1f"];

fn echo(mut connection: TcpStream) {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        match connection.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(size) => request.extend_from_slice(&buffer[..size]),
        }
    }
    let request = String::from_utf8_lossy(&request).into_owned();
    let authorization = request
        .lines()
        .find(|line| line.to_ascii_lowercase().starts_with("authorization:"))
        .unwrap_or_default();
    let token = authorization.rsplit(' ').next().unwrap_or_default();
    let hex = token.bytes().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    });
    let body = serde_json::json!({
        "seen": authorization,
        "hex": hex,
        "base64": base64::engine::general_purpose::STANDARD.encode(token),
        "marker": MARKER.concat(),
    })
    .to_string();
    let status = if request.starts_with("GET /fail") {
        "418 Teapot"
    } else {
        "200 OK"
    };
    let _ = write!(
        connection,
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\netag: {token}\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
}

/// Collects what the engine tells of every container of MCE until it is told to stop.
fn inspections(stop: &AtomicBool) -> String {
    let docker = |arguments: &[&str]| {
        let done = Command::new("docker").args(arguments).output().unwrap();
        String::from_utf8_lossy(&done.stdout).into_owned()
    };
    let mut told = String::new();
    while !stop.load(Ordering::SeqCst) {
        for id in docker(&["ps", "--quiet", "--filter", "label=mce.instance"]).lines() {
            told += &docker(&["inspect", id]);
        }
    }
    told
}

/// Code that looks for the credential wherever it can.
fn searching() -> String {
    // The halves are never put together: the search would find itself.
    format!(
        r#"
import binascii
import os
import time
import shop.functions

CANARY = (b"{}", b"{}")
MARKER = (b"{}", b"{}")
found = []

def holds(content, halves):
    at = content.find(halves[0])
    while at >= 0:
        end = at + len(halves[0])
        if content[end:end + len(halves[1])] == halves[1]:
            return True
        at = content.find(halves[0], end)
    return False

def look(place, content):
    if holds(content, CANARY) or holds(content, tuple(map(binascii.hexlify, CANARY))):
        found.append(place)

answer = shop.functions.echo()
look("answer", repr(answer).encode())
try:
    shop.functions.fail()
    caught = None
except Exception as error:
    caught = error
    look("error", repr([error, error.body, error.headers, error.args]).encode())

look("environment", repr(dict(os.environ)).encode())
searched = 0
for top, folders, files in os.walk("/"):
    if top == "/":
        folders[:] = [folder for folder in folders if folder not in ("proc", "sys", "dev")]
    for name in files:
        path = os.path.join(top, name)
        try:
            with open(path, "rb") as file:
                look(path, file.read())
        except OSError:
            continue
        searched += 1
for pid in [entry for entry in os.listdir("/proc") if entry.isdigit()] + ["self"]:
    for name in ("environ", "cmdline", "auxv", "mountinfo", "status"):
        try:
            with open(f"/proc/{{pid}}/{{name}}", "rb") as file:
                look(f"/proc/{{pid}}/{{name}}", file.read())
        except OSError:
            continue
try:
    open("/proc/1/mem", "rb").close()
    found.append("the memory of PID 1 can be opened")
except OSError:
    pass
marked = False
with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
    for line in list(maps):
        span, mode = line.split()[:2]
        start, end = (int(number, 16) for number in span.split("-"))
        if "r" not in mode or end - start > 64 << 20:
            continue
        try:
            memory.seek(start)
            content = memory.read(end - start)
        except (OSError, ValueError, OverflowError):
            continue
        look(f"memory {{line.strip()}}", content)
        marked = marked or holds(content, MARKER)
time.sleep(1)
print(answer, caught, caught.body, caught.headers)
result = [found, searched > 100, marked, caught.status]
"#,
        CANARY[0], CANARY[1], MARKER[0], MARKER[1]
    )
}

/// Neither in what the code can look at, its own memory included, nor in what an API that echoes it
/// answers, nor in what is left on disk or told by the engine.
#[test]
fn the_credential_is_nowhere_in_the_sandbox() {
    let shop = Shop::new();
    shop.answer();
    let enough = Arc::new(AtomicBool::new(false));
    let inspecting = std::thread::spawn({
        let enough = Arc::clone(&enough);
        move || inspections(&enough)
    });
    let result = shop.exec(&["--no-guard"], &searching());
    enough.store(true, Ordering::SeqCst);
    let told = inspecting.join().unwrap();
    let token = CANARY.concat();
    assert_eq!(
        result["data"],
        serde_json::json!([[], true, true, 418]),
        "{result}"
    );
    assert!(
        result["prints"]
            .as_str()
            .unwrap()
            .contains(&MARKER.concat()),
        "{result}"
    );
    let encoded = base64::engine::general_purpose::STANDARD.encode(&token);
    assert!(!result.to_string().contains(&encoded), "{result}");
    assert!(
        told.contains("mce.instance") && !told.contains(&token),
        "{told}"
    );

    let files = shop.files();
    for (path, content) in &files {
        let holds = |text: &str| {
            content
                .windows(text.len())
                .any(|part| part == text.as_bytes())
        };
        assert!(!holds(&token) && !holds(&encoded), "{}", path.display());
    }
    for name in ["audit.db", "cache.db"] {
        assert!(files.iter().any(|(path, _)| path.ends_with(name)), "{name}");
    }
}
