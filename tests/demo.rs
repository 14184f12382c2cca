//! The demo on the real engine, and the example output that lies in the repository.

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
    assert!(!stdout.contains("received POST"), "{stdout}");
}

/// As a reader of the README finds it: any change of the compiler's sources makes it stale.
#[test]
fn the_committed_example_is_what_compile_writes() {
    let output = Command::cargo_bin("mce")
        .unwrap()
        .args([
            "compile",
            "--check",
            "--config",
            "examples/bookshop/swaggers.yaml",
            "--output",
            "compiled",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_clear()
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}\ncompile it anew: cargo run -- compile --config examples/bookshop/swaggers.yaml",
        String::from_utf8_lossy(&output.stdout)
    );
}
