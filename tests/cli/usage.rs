//! How the binary is used: help, exit codes, logs, completions.

use std::process::Stdio;

use crate::seen::snapshot;
use crate::shop::shop;

#[test]
fn errors_are_json_where_logs_are() {
    let folder = shop();
    let done = folder
        .command(&[
            "--log-format",
            "json",
            "compile",
            "--config",
            "nowhere.yaml",
        ])
        .output()
        .unwrap();
    let stderr = String::from_utf8(done.stderr).unwrap();
    for line in stderr.lines() {
        let entry: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(entry["level"], "ERROR", "{line}");
    }
    assert!(stderr.contains("nowhere.yaml"), "{stderr}");
}

#[test]
fn usage_is_told_apart_from_failure() {
    let folder = shop();
    for arguments in [
        &["compile", "--no-such-flag"][..],
        &["nonsense"],
        &["guard"],
    ] {
        let status = folder
            .command(arguments)
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(2), "{arguments:?}");
    }
    for arguments in [
        &["--version"][..],
        &["--help"],
        &["help", "settings"],
        &["settings"],
    ] {
        let status = folder
            .command(arguments)
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(0), "{arguments:?}");
    }
}

#[test]
fn no_subcommand_prints_help_and_is_no_failure() {
    let folder = shop();
    let done = folder.command(&[]).output().unwrap();
    assert_eq!(done.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&done.stderr), "");
    let help = folder.command(&["--help"]).output().unwrap();
    let (done, help) = (done.stdout, help.stdout);
    assert!(
        String::from_utf8(done)
            .unwrap()
            .starts_with("Compiles OpenAPI")
    );
    assert!(help.starts_with(b"Compiles OpenAPI"));
}

#[test]
fn usage_errors_are_json_where_logs_are() {
    let folder = shop();
    for arguments in [
        &["--log-format", "json", "nonsense"][..],
        &["compile", "--no-such-flag", "--log-format=json"],
        &["exec", "--log-format", "json", "missing.py"],
        &["call", "--log-format", "json", "nothing"],
    ] {
        let done = folder.command(arguments).output().unwrap();
        assert_eq!(done.status.code(), Some(2), "{arguments:?}");
        let text = String::from_utf8(done.stderr).unwrap();
        for line in text.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(line["level"].is_string() && line["message"].is_string());
        }
        assert!(text.contains("\"level\":\"ERROR\""), "{text}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = shop();
    for arguments in [&["settings"][..], &["completions", "zsh"], &["--help"]] {
        let mut child = folder
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let done = child.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&done.stderr), "", "{arguments:?}");
    }
}

#[test]
fn every_shell_has_a_completion_script() {
    let folder = shop();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let done = folder.command(&["completions", shell]).output().unwrap();
        assert!(done.status.success(), "{shell}");
        assert!(
            String::from_utf8(done.stdout).unwrap().contains("compile"),
            "{shell}"
        );
    }
}

#[test]
fn help_teaches() {
    let folder = shop();
    snapshot!(folder, folder.command(&["--help"]));
    for command in [
        &["compile"][..],
        &["serve"],
        &["run"],
        &["clean"],
        &["exec"],
        &["call"],
        &["guard"],
        &["demo"],
        &["settings"],
        &["completions"],
        &["token", "new"],
        &["auth"],
        &["auth", "check"],
        &["sandbox"],
        &["sandbox", "build"],
        &["sandbox", "status"],
        &["sandbox", "inspect"],
    ] {
        let arguments = [&["help"], command].concat();
        let done = folder.command(&arguments).output().unwrap();
        let help = String::from_utf8(done.stdout).unwrap();
        assert!(help.contains("Examples:\n  "), "{command:?}: {help}");
    }
}
