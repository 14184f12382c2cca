//! Each layer attacked with the ones before it switched off, on the real engine. Needs the
//! `test-hooks` feature, which `scripts/test` turns on.

#![cfg(feature = "test-hooks")]
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail anywhere"
)]

use std::fs;
use std::net::TcpListener;
use std::process::Command;

use assert_cmd::cargo::CommandCargoExt as _;
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

#[test]
fn the_credential_is_nowhere_in_the_sandbox() {
    let shop = Shop::new();
    let code = format!(
        r#"
import os
import shop.functions

canary = ("{}" + "{}").encode()
found = []

def look(place, content):
    if canary in content:
        found.append(place)

try:
    shop.functions.list_items()
except Exception as error:
    look("error", repr(error).encode())

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
result = [found, searched > 100]
"#,
        CANARY[0], CANARY[1]
    );
    let result = shop.exec(&["--no-guard"], &code);
    assert_eq!(result["data"], serde_json::json!([[], true]), "{result}");
}
