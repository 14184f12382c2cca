//! The lint gate, as people meet it on the command line.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::seen::snapshot;
use crate::shop::shop;

/// A ruff that finds the same in all code.
const RUFF: &str = r#"#!/bin/sh
[ "$1" = check ] || exit 0
cat <<'JSON'
[{"code": "F632", "message": "Use `==` to compare constant literals", "location": {"row": 2, "column": 10},
  "fix": {"message": "Replace `is` with `==`"}},
 {"code": "F821", "message": "Undefined name `totl`", "location": {"row": 3, "column": 1}, "fix": null}]
JSON
exit 1
"#;

#[test]
fn exec_refuses_a_mistake_and_guard_does_not_lint() {
    let folder = shop().compiled();
    folder.write("code.py", "x = 'a'\nresult = x is 'a'\ntotl\n");
    folder.write("tools/ruff", RUFF);
    let ruff = folder.path().join("tools/ruff");
    fs::set_permissions(&ruff, fs::Permissions::from_mode(0o755)).unwrap();
    let command = |subcommand| {
        let mut command = folder.command(&[subcommand, "code.py"]);
        command
            .env("MCE_LINT_ENABLED", "true")
            .env("PATH", folder.path().join("tools"));
        command
    };
    snapshot!(folder, command("exec"));
    snapshot!(folder, command("guard"));
}

/// What goes wrong with servers is left to the answer, which says nothing about this.
#[test]
fn exec_says_that_there_is_no_ruff_and_goes_on() {
    let folder = shop().compiled().logging();
    folder.write("code.py", "result = totl\n");
    folder.write("tools/ruff", RUFF);
    let ruff = folder.path().join("tools/ruff");
    fs::set_permissions(&ruff, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = folder.command(&["exec"]);
    // It is in a relative folder, and in that of an empty entry.
    command
        .current_dir(folder.path().join("tools"))
        .args(["../code.py"])
        .env("MCE_LINT_ENABLED", "true")
        .env("PATH", ":../tools:.:/nonexistent");
    let done = command.output().unwrap();
    let told = String::from_utf8(done.stderr).unwrap();
    assert_eq!(told.matches("code is not linted").count(), 1, "{told}");
    let result: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(result["error_type"], "execution");
}
