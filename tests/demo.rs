//! The demo on the real engine, and the example output that lies in the repository.

use std::fs;
use std::path::Path;
use std::process::Command;

use assert_cmd::cargo::CommandCargoExt as _;

#[test]
fn everything_in_the_demo_comes_as_it_must() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::cargo_bin("mce").unwrap();
    command
        .arg("demo")
        .current_dir(folder.path())
        .env_clear()
        .env("XDG_STATE_HOME", folder.path().join("state"));
    for name in ["PATH", "HOME", "DOCKER_HOST"] {
        command.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    let done = command.output().unwrap();
    let stdout = String::from_utf8(done.stdout).unwrap();
    let stderr = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(0), "{stdout}{stderr}");
    assert_eq!(stdout.matches("✓ as it must be").count(), 4, "{stdout}");
    assert!(
        stdout.contains("GET /books?genre=mystery&maxPrice=20"),
        "{stdout}"
    );
    assert!(!stdout.contains("POST"), "{stdout}");
}

#[test]
fn the_committed_example_is_what_compile_writes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let status = Command::cargo_bin("mce")
        .unwrap()
        .args([
            "compile",
            "--config",
            "examples/bookshop/swaggers.yaml",
            "--output",
        ])
        .arg(folder.path())
        .current_dir(root)
        .env_clear()
        .status()
        .unwrap();
    assert!(status.success());
    for file in [
        "mce_runtime.py",
        "bookshop/functions.py",
        "bookshop/manifest.json",
    ] {
        let written = fs::read_to_string(folder.path().join(file)).unwrap();
        let committed = fs::read_to_string(root.join("compiled").join(file)).unwrap();
        assert_eq!(
            without_fingerprint(&written),
            without_fingerprint(&committed),
            "compiled/{file} is stale: run `mce compile --config examples/bookshop/swaggers.yaml`"
        );
    }
}

/// The fingerprint is of the compiler's sources too, and no reason to write the example anew.
fn without_fingerprint(text: &str) -> String {
    let lines = text.lines();
    let kept = lines.filter(|line| !line.starts_with("  \"fingerprint\": "));
    kept.collect::<Vec<_>>().join("\n")
}
