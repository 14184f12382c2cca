//! The clients that people use, `mcp` and `fastmcp` of PyPI, over both transports and in both eras,
//! with the real engine.
//!
//! Their Python is that of `MCE_CLIENTS_PYTHON`, which `scripts/test` sets up.

use std::process::Command;

use assert_cmd::cargo::cargo_bin;

const DOCUMENT: &str = "\
openapi: 3.0.3
info: {title: Shop, version: '1'}
servers: [{url: https://shop.example/v1}]
paths:
  /items:
    get:
      operationId: listItems
      parameters:
        - {name: limit, in: query, schema: {type: integer}}
      responses: {'204': {description: fine}}
";

#[test]
fn real_clients_of_both_eras_work_over_both_transports() {
    let python = std::env::var("MCE_CLIENTS_PYTHON").expect(
        "MCE_CLIENTS_PYTHON is what `scripts/python-env scripts/requirements-clients.txt` prints",
    );
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("shop.yaml"), DOCUMENT).unwrap();
    std::fs::write(folder.path().join("notes.md"), "# Shop\n\nAsk for few.\n").unwrap();
    let config = "servers:\n  - {name: shop, swagger_url: shop.yaml, skills_url: notes.md}\n";
    std::fs::write(folder.path().join("swaggers.yaml"), config).unwrap();
    let mce = cargo_bin("mce");
    let run = |program: &std::path::Path| {
        let mut command = Command::new(program);
        command
            .current_dir(folder.path())
            .env_clear()
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("XDG_STATE_HOME", folder.path().join("state"));
        for name in ["PATH", "HOME", "DOCKER_HOST"] {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        command
    };
    let compiled = run(&mce).arg("compile").output().unwrap();
    assert!(compiled.status.success(), "{compiled:?}");
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp_clients/client.py");
    let used = run(python.as_ref())
        .arg(client)
        .arg(&mce)
        .arg(folder.path())
        .output()
        .unwrap();
    let stdout = String::from_utf8(used.stdout).unwrap();
    let stderr = String::from_utf8(used.stderr).unwrap();
    assert!(used.status.success(), "{stdout}{stderr}");
    let mut worked: Vec<&str> = stdout.lines().collect();
    worked.sort_unstable();
    assert_eq!(
        worked,
        [
            "fastmcp http 2026-07-28",
            "fastmcp http legacy",
            "fastmcp stdio 2026-07-28",
            "fastmcp stdio legacy",
            "mcp http 2026-07-28",
            "mcp http legacy",
            "mcp stdio 2026-07-28",
            "mcp stdio legacy",
        ]
    );
    assert!(!stderr.contains("Session termination failed"), "{stderr}");
}
