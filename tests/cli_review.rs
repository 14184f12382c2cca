//! `mce compile --check` and `mce diff`, as a CI job and a reviewer meet them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use assert_cmd::cargo::CommandCargoExt as _;
use serde_json::Value;
use tempfile::TempDir;

const DOCUMENT: &str = "\
openapi: 3.0.3
info: {title: Shop, version: '1'}
servers: [{url: https://shop.example/v1}]
paths:
  /items:
    get:
      operationId: listItems
      summary: List items.
      parameters:
        - {name: limit, in: query, schema: {type: integer}}
      responses: {'204': {description: fine}}
    post:
      operationId: addItem
      responses: {'204': {description: fine}}
";

/// A folder with two servers, compiled.
struct Project(TempDir);

/// What a command came to.
struct Seen {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Project {
    fn new() -> Self {
        let project = Self(TempDir::new().unwrap());
        project.write("shop.yaml", DOCUMENT);
        project.write("other.yaml", DOCUMENT);
        project.write(
            "swaggers.yaml",
            "servers:\n  - {name: shop, swagger_url: shop.yaml}\n  - {name: other, swagger_url: \
             other.yaml}\n",
        );
        project
    }

    fn compiled() -> Self {
        let project = Self::new();
        let seen = project.mce(&["compile"]);
        assert_eq!(seen.code, 0, "{}", seen.stderr);
        project
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    fn change(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{text}");
        self.write(name, &text.replacen(from, to, 1));
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("mce").unwrap();
        command
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .env("HOME", self.path())
            .env("MCE_LOG_LEVEL", "error")
            .stdin(Stdio::null());
        command
    }

    fn mce(&self, arguments: &[&str]) -> Seen {
        let done = self.command(arguments).output().unwrap();
        Seen {
            code: done.status.code().unwrap(),
            stdout: String::from_utf8(done.stdout).unwrap(),
            stderr: String::from_utf8(done.stderr).unwrap(),
        }
    }

    fn json(&self, arguments: &[&str]) -> (i32, Value) {
        let seen = self.mce(arguments);
        (seen.code, serde_json::from_str(&seen.stdout).unwrap())
    }

    /// Every file below the folder with its bytes and times.
    fn everything(&self) -> BTreeMap<String, (Vec<u8>, std::time::SystemTime)> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(self.path()).unwrap();
                let name = name.to_str().unwrap().to_owned();
                let changed = fs::metadata(&path).unwrap().modified().unwrap();
                if path.is_dir() {
                    files.insert(name, (Vec::new(), changed));
                    folders.push(path);
                } else {
                    files.insert(name, (fs::read(&path).unwrap(), changed));
                }
            }
        }
        files
    }
}

fn has(text: &str, wanted: &str) {
    assert!(text.contains(wanted), "no `{wanted}` in:\n{text}");
}

/// The kinds of changes of a server.
fn kinds(server: &Value) -> Vec<&str> {
    let changes = server["changes"].as_array().unwrap();
    changes
        .iter()
        .map(|change| change["kind"].as_str().unwrap())
        .collect()
}

#[test]
fn what_is_committed_as_compiled_passes_with_one_line() {
    let project = Project::compiled();
    let before = project.everything();
    let seen = project.mce(&["compile", "--check"]);
    assert_eq!((seen.code, seen.stderr.as_str()), (0, ""));
    assert_eq!(
        seen.stdout,
        "./compiled is what the inputs give: 2 servers\n"
    );
    assert_eq!(project.everything(), before);
}

#[test]
fn a_changed_document_fails_with_what_differs_and_the_command_that_fixes_it() {
    let project = Project::compiled();
    project.change("shop.yaml", "/items:", "/things:\n    get: {}\n  /items:");
    project.change(
        "shop.yaml",
        "name: limit, ",
        "name: limit, required: true, ",
    );
    let before = project.everything();
    let seen = project.mce(&["compile", "--check"]);
    assert_eq!(seen.code, 1);
    has(&seen.stdout, "shop: 1 function added, 1 changed\n");
    has(&seen.stdout, "`limit` must be given now");
    has(&seen.stdout, "added: `get_things`");
    assert!(!seen.stdout.contains("other:"), "{}", seen.stdout);
    has(
        &seen.stderr,
        "error: ./compiled is not what the inputs give",
    );
    has(&seen.stderr, "hint: run `mce compile` and commit");
    assert_eq!(project.everything(), before);
    assert_eq!(project.mce(&["compile"]).code, 0);
    assert_eq!(project.mce(&["compile", "--check"]).code, 0);
}

#[test]
fn an_edited_file_is_told_apart_from_a_stale_one() {
    let project = Project::compiled();
    project.change(
        "compiled/shop/functions.py",
        "List items.",
        "List all items.",
    );
    project.change("other.yaml", "List items.", "List the items.");
    let (code, found) = project.json(&["compile", "--check", "--format", "json"]);
    assert_eq!((code, &found["up_to_date"]), (1, &Value::Bool(false)));
    let states = |server: usize| -> Vec<&str> {
        let files = found["servers"][server]["files"].as_array().unwrap();
        files
            .iter()
            .map(|it| it["state"].as_str().unwrap())
            .collect()
    };
    assert_eq!(states(0), ["edited", "equal"]);
    assert_eq!(states(1), ["stale", "stale"]);
    assert_eq!(
        kinds(&found["servers"][1]["diff"]),
        ["summary_changed", "docstring_changed", "module_changed"]
    );
    // The edit is no change of the document, and yet one that a reviewer must see.
    assert_eq!(
        kinds(&found["servers"][0]["diff"]),
        ["not_as_compiled", "docstring_changed", "module_changed"]
    );
    assert_eq!(found["fix"], serde_json::json!(["mce compile"]));
}

#[test]
fn an_edited_manifest_is_no_lock_that_passes() {
    let project = Project::compiled();
    project.change(
        "compiled/shop/manifest.json",
        "\"List items.\"",
        "\"List.\"",
    );
    let seen = project.mce(&["compile", "--check"]);
    assert_eq!(seen.code, 1);
    has(
        &seen.stdout,
        "manifest.json: was changed since it was compiled",
    );
    // Nor does compiling take its fingerprint's word for it.
    let seen = project.mce(&["compile"]);
    has(&seen.stdout, "(written: ./compiled/shop,");
    has(&seen.stdout, "(unchanged: ./compiled/other,");
    assert_eq!(project.mce(&["compile", "--check"]).code, 0);
}

#[test]
fn missing_and_stale_output_and_another_runtime_fail() {
    let project = Project::compiled();
    fs::remove_file(project.path().join("compiled/shop/functions.py")).unwrap();
    project.write("compiled/mine/notes.txt", "mine");
    project.change("compiled/mce_runtime.py", "import", "import os, ");
    project.write(
        "swaggers.yaml",
        "servers:\n  - {name: shop, swagger_url: shop.yaml}\n",
    );
    let seen = project.mce(&["compile", "--check"]);
    assert_eq!(seen.code, 1);
    has(&seen.stdout, "functions.py: is missing");
    has(
        &seen.stdout,
        "mce_runtime.py: was changed since it was compiled",
    );
    has(
        &seen.stdout,
        "./compiled/other: belongs to no server of the config",
    );
    assert!(!seen.stdout.contains("mine"), "{}", seen.stdout);
    assert_eq!(project.mce(&["compile"]).code, 0);
    assert!(!project.path().join("compiled/other").exists());
    assert_eq!(project.mce(&["compile", "--check"]).code, 0);
}

#[test]
fn output_that_compiling_would_leave_is_said_with_why() {
    let project = Project::compiled();
    project.change("compiled/other/functions.py", "List items.", "Mine.");
    project.write(
        "swaggers.yaml",
        "servers:\n  - {name: shop, swagger_url: shop.yaml}\n",
    );
    let seen = project.mce(&["compile", "--check"]);
    assert_eq!(seen.code, 1);
    has(
        &seen.stdout,
        "compiling would leave it (`functions.py` was changed by hand); remove it by hand",
    );
}

#[test]
fn line_ends_that_a_checkout_converted_are_named() {
    let project = Project::compiled();
    for file in ["shop/functions.py", "shop/manifest.json", "mce_runtime.py"] {
        let file = format!("compiled/{file}");
        project.write(&file, &project.read(&file).replace('\n', "\r\n"));
    }
    let (code, found) = project.json(&["compile", "--check", "--format", "json"]);
    assert_eq!(code, 1);
    let files = &found["servers"][0]["files"];
    for file in [&files[0], &files[1], &found["runtime"]] {
        assert_eq!(file["state"], "line_ends");
    }
    assert_eq!(kinds(&found["servers"][0]["diff"]), ["line_ends_converted"]);
    // Compiling would write what the next checkout converts again.
    assert_eq!(found["fix"], serde_json::json!([]));
    assert_eq!(project.mce(&["diff", "--exit-code"]).code, 1);
    let seen = project.mce(&["compile", "--check"]);
    has(&seen.stdout, "`compiled/** -text` to .gitattributes");
    // The folder is served no more, and says why.
    let seen = project.mce(&["call", "shop.list_items"]);
    has(&seen.stdout, ".gitattributes");
}

#[test]
fn a_moved_origin_comes_first_and_needs_its_own_command() {
    let project = Project::compiled();
    project.change("shop.yaml", "shop.example", "elsewhere.example");
    project.change("other.yaml", "List items.", "List.");
    let seen = project.mce(&["compile", "--check"]);
    assert_eq!(seen.code, 1);
    has(
        &seen.stdout,
        "**the API moved**, and credentials with it: `https://shop.example/v1` → \
         `https://elsewhere.example/v1`",
    );
    has(
        &seen.stderr,
        "`mce compile --accept-origin --server shop` and `mce compile`, if credentials may go",
    );
    let seen = project.mce(&["compile", "--server", "shop"]);
    assert_eq!(seen.code, 1);
    has(&seen.stderr, "--accept-origin");
    let seen = project.mce(&["compile", "--server", "shop", "--accept-origin"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    assert_eq!(
        project
            .mce(&["compile", "--check", "--server", "shop"])
            .code,
        0
    );
    let seen = project.mce(&["compile", "--check"]);
    assert!(!seen.stdout.contains("shop:"), "{}", seen.stdout);
    has(&seen.stdout, "other: 1 function changed\n");
}

#[test]
fn a_source_that_fails_fails_the_check_and_stops_no_other() {
    let project = Project::compiled();
    project.write("shop.yaml", "nothing: here\n");
    project.change("other.yaml", "List items.", "List.");
    let (code, found) = project.json(&["compile", "--check", "--format", "json"]);
    assert_eq!(code, 1);
    assert!(found["servers"][0]["error"].is_string(), "{found}");
    let found = kinds(&found["servers"][1]["diff"]);
    assert_eq!(found.first(), Some(&"summary_changed"));
    let seen = project.mce(&["compile", "--check"]);
    has(&seen.stderr, "`shop` was not compiled: ");
    let seen = project.mce(&["diff"]);
    assert_eq!(seen.code, 1);
    has(&seen.stdout, "### Not compared\n\n- `shop`: ");
}

#[test]
fn one_server_is_compiled_and_no_other_touched_or_removed() {
    let project = Project::compiled();
    for document in ["shop.yaml", "other.yaml"] {
        project.change(document, "List items.", "List.");
    }
    project.write(
        "swaggers.yaml",
        "servers:\n  - {name: shop, swagger_url: shop.yaml}\n  - {name: third, swagger_url: \
         shop.yaml}\n",
    );
    let before = project.read("compiled/other/manifest.json");
    let seen = project.mce(&["compile", "--server", "shop"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    has(&project.read("compiled/shop/functions.py"), "List.");
    assert_eq!(project.read("compiled/other/manifest.json"), before);
    assert!(!project.path().join("compiled/third").exists());
    assert_eq!(
        project
            .mce(&["compile", "--check", "--server", "shop"])
            .code,
        0
    );
    assert_eq!(
        project
            .mce(&["compile", "--check", "--server", "third"])
            .code,
        1
    );
}

#[test]
fn a_server_that_is_unknown_is_a_usage_error_with_the_nearest_name() {
    let project = Project::compiled();
    for command in [&["compile"][..], &["compile", "--check"], &["diff"]] {
        let seen = project.mce(&[command, &["--server", "shpo"]].concat());
        assert_eq!(seen.code, 2, "{}", seen.stderr);
        has(&seen.stderr, "hint: there is `shop`");
    }
    let seen = project.mce(&["clean", "compile", "--check"]);
    assert_eq!(seen.code, 2);
    assert!(project.path().join("compiled/shop").exists());
}

#[test]
fn nothing_to_do_is_seen_without_rendering_and_warnings_stay() {
    let project = Project::new();
    project.change(
        "shop.yaml",
        "- {name: limit",
        "- {name: Host, in: header, schema: {type: string}}\n        - {name: limit",
    );
    let reports = |project: &Project| project.json(&["compile", "--format", "json"]).1;
    let first = reports(&project);
    let again = reports(&project);
    let (first, again) = (&first["servers"][0], &again["servers"][0]);
    assert_eq!(
        (&first["up_to_date"], &again["up_to_date"]),
        (&Value::Bool(false), &Value::Bool(true))
    );
    assert!(!first["warnings"].as_array().unwrap().is_empty(), "{first}");
    for member in ["warnings", "functions", "unsupported", "paths"] {
        assert_eq!(first[member], again[member], "{member}");
    }
    assert_eq!(again["changed"], Value::Bool(false));
}

#[test]
fn every_input_of_the_config_ends_what_is_up_to_date() {
    let project = Project::new();
    let mut config = "servers:\n  - name: shop\n    swagger_url: shop.yaml\n".to_owned();
    for line in [
        "",
        "    base_url: https://h.example\n",
        "    is_read_only: true\n",
        "    read_only_allow: [POST /items]\n",
        "    rename: {listItems: all_items}\n",
        "    exclude: {operationIds: [addItem]}\n",
        "    include: {paths: [/items]}\n",
    ] {
        config.push_str(line);
        project.write("swaggers.yaml", &config);
        let (code, first) = project.json(&["compile", "--format", "json"]);
        assert_eq!(code, 0, "{line}{first}");
        assert_eq!(first["servers"][0]["up_to_date"], false, "{line}");
        let (_, again) = project.json(&["compile", "--format", "json"]);
        assert_eq!(again["servers"][0]["up_to_date"], true, "{line}");
        assert_eq!(project.mce(&["compile", "--check"]).code, 0, "{line}");
    }
}

#[test]
fn the_differences_are_markdown_that_no_document_can_steer() {
    let project = Project::compiled();
    project.change(
        "shop.yaml",
        "summary: List items.",
        "summary: \"``` \\n# Approved <img src=x> @team \\u202e [x](https://e.example)\"",
    );
    project.change(
        "shop.yaml",
        "/items:",
        "/`</code>:\n    delete: {operationId: 'a`b'}\n  /items:",
    );
    let seen = project.mce(&["diff"]);
    assert_eq!((seen.code, seen.stderr.as_str()), (0, ""));
    let lines: Vec<&str> = seen.stdout.lines().collect();
    assert_eq!(
        lines[..5],
        [
            "## Changes of compiled APIs",
            "",
            "- `shop`: 1 function added, 1 changed",
            "",
            "### Security",
        ]
    );
    has(
        &seen.stdout,
        "(`` DELETE /`</code> ``): new, and may change state",
    );
    assert!(
        !lines.iter().any(|line| line.starts_with("# ")),
        "{lines:?}"
    );
    assert!(!seen.stdout.contains('\u{202e}'));
    has(&seen.stdout, "### Descriptions");
    // Two runs say the same.
    assert_eq!(project.mce(&["diff"]).stdout, seen.stdout);
    assert_eq!(project.mce(&["diff", "--exit-code"]).code, 1);
    assert_eq!(project.mce(&["compile"]).code, 0);
    let seen = project.mce(&["diff", "--exit-code"]);
    assert_eq!(seen.code, 0);
    has(&seen.stdout, "Nothing differs.");
}

#[test]
fn two_folders_are_compared_without_a_config() {
    let project = Project::compiled();
    fs::rename(
        project.path().join("compiled"),
        project.path().join("before"),
    )
    .unwrap();
    project.change("shop.yaml", "addItem", "createItem");
    project.write(
        "swaggers.yaml",
        "servers:\n  - {name: shop, swagger_url: shop.yaml}\n  - {name: third, swagger_url: \
         other.yaml}\n",
    );
    assert_eq!(project.mce(&["compile"]).code, 0);
    fs::remove_file(project.path().join("swaggers.yaml")).unwrap();
    let (code, found) = project.json(&["diff", "before", "compiled", "--format", "json"]);
    assert_eq!((code, &found["differs"]), (0, &Value::Bool(true)));
    let servers = found["servers"].as_array().unwrap();
    let names: Vec<_> = servers
        .iter()
        .map(|it| it["server"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["other", "shop", "third"]);
    assert_eq!(kinds(&servers[0]), ["server_removed"]);
    assert_eq!(kinds(&servers[1])[..1], ["function_renamed"]);
    assert_eq!(found["shared"], serde_json::json!([]));
    assert_eq!(
        kinds(&servers[2]),
        [
            "origin_moved",
            "mutating_function_added",
            "server_added",
            "function_added"
        ]
    );
    let seen = project.mce(&["diff", "before", "nowhere"]);
    assert_eq!(seen.code, 2);
    assert_eq!(project.mce(&["diff", "before"]).code, 2);
}

#[test]
fn a_huge_difference_fits_a_comment() {
    let project = Project::compiled();
    let mut document = DOCUMENT.to_owned();
    for index in 0..2000 {
        use std::fmt::Write as _;
        let text = "long ".repeat(100);
        writeln!(
            document,
            "  /x{index}:\n    get: {{summary: {text}}}\n    delete: {{}}"
        )
        .unwrap();
    }
    project.write("shop.yaml", &document);
    let seen = project.mce(&["diff"]);
    assert!(seen.stdout.len() < 65_536, "{}", seen.stdout.len());
    has(&seen.stdout, "more; `mce diff --format json` lists all");
    let seen = project.mce(&["compile", "--check"]);
    assert!(seen.stdout.len() < 10_000, "{}", seen.stdout.len());
    has(&seen.stdout, "and 3980 more");
}

#[test]
fn files_that_mce_did_not_write_are_not_overwritten() {
    for file in ["shop/functions.py", "shop/manifest.json", "mce_runtime.py"] {
        let project = Project::new();
        let path = format!("compiled/{file}");
        project.write(&path, "{\"mine\": true}\n");
        for arguments in [&["compile"][..], &["compile", "--dry-run"]] {
            let seen = project.mce(arguments);
            assert_eq!(seen.code, 1, "{file}");
            has(&seen.stderr, &format!("{path}` was not written by mce"));
        }
        assert_eq!(project.read(&path), "{\"mine\": true}\n", "{file}");
        let seen = project.mce(&["compile", "--check"]);
        assert_eq!(seen.code, 1);
        has(
            &format!("{}{}", seen.stdout, seen.stderr),
            "was not written by mce",
        );
    }
    // What it did write it writes anew, whatever became of it.
    let project = Project::compiled();
    project.change("compiled/shop/functions.py", "def list_items", "def mine");
    assert_eq!(project.mce(&["compile"]).code, 0);
    has(
        &project.read("compiled/shop/functions.py"),
        "def list_items",
    );
}

#[cfg(unix)]
#[test]
fn a_read_only_output_that_is_a_link_is_checked_all_the_same() {
    use std::os::unix::fs::PermissionsExt as _;

    let project = Project::compiled();
    let (real, link) = (project.path().join("real"), project.path().join("compiled"));
    fs::rename(&link, &real).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    for folder in [real.join("shop"), real.clone()] {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o555)).unwrap();
    }
    let before = project.everything();
    assert_eq!(project.mce(&["compile", "--check"]).code, 0);
    assert_eq!(project.mce(&["diff", "--exit-code"]).code, 0);
    assert_eq!(project.everything(), before);
    for folder in [real.clone(), real.join("shop")] {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[test]
fn two_compilations_at_once_leave_what_one_would() {
    let project = Project::compiled();
    for round in 0..5 {
        for document in ["shop.yaml", "other.yaml"] {
            project.write(
                document,
                &DOCUMENT.replace("List items.", &format!("List {round}.")),
            );
        }
        let mut running: Vec<_> = (0..4)
            .map(|_| {
                let mut command = project.command(&["compile"]);
                command.stdout(Stdio::null()).spawn().unwrap()
            })
            .collect();
        for process in &mut running {
            assert!(process.wait().unwrap().success());
        }
        assert_eq!(project.mce(&["compile", "--check"]).code, 0);
    }
}

#[test]
fn a_name_that_cannot_be_given_is_placed_where_it_stands() {
    let project = Project::new();
    project.write(
        "swaggers.yaml",
        "servers:\n  - name: shop\n    swagger_url: shop.yaml\n    rename:\n      addItem: \
         add\n      listItems: list\n",
    );
    let seen = project.mce(&["compile"]);
    assert_eq!(seen.code, 1);
    has(&seen.stderr, "swaggers.yaml:6:18: `rename` of `listItems`");
}

#[test]
fn a_document_that_is_referred_to_counts_as_its_own_does() {
    let project = Project::new();
    project.change(
        "shop.yaml",
        "- {name: limit, in: query, schema: {type: integer}}",
        "- $ref: 'parts.yaml#/limit'\n        - $ref: 'missing.yaml#/top'",
    );
    let part = "limit: {name: limit, in: query, schema: {type: integer}}\n";
    project.write("parts.yaml", part);
    let up_to_date = |project: &Project| {
        let (_, found) = project.json(&["compile", "--server", "shop", "--format", "json"]);
        found["servers"][0]["up_to_date"].clone()
    };
    assert_eq!(up_to_date(&project), false);
    assert_eq!(up_to_date(&project), true);
    project.write("parts.yaml", &part.replace("integer", "string"));
    assert_eq!(up_to_date(&project), false);
    assert_eq!(up_to_date(&project), true);
    // What was not there when it was compiled.
    project.write(
        "missing.yaml",
        "top: {name: top, in: query, schema: {type: integer}}\n",
    );
    let seen = project.mce(&["compile", "--check", "--server", "shop"]);
    assert_eq!(seen.code, 1);
    has(&seen.stdout, "shop: 1 function added");
    assert_eq!(up_to_date(&project), false);
    assert_eq!(
        project
            .mce(&["compile", "--check", "--server", "shop"])
            .code,
        0
    );
}

/// A project and a copy of what it compiled, in `before`.
fn compiled_twice() -> Project {
    let project = Project::compiled();
    for file in ["shop/functions.py", "shop/manifest.json", "mce_runtime.py"] {
        let text = project.read(&format!("compiled/{file}"));
        project.write(&format!("before/{file}"), &text);
    }
    fs::remove_dir_all(project.path().join("compiled/other")).unwrap();
    assert_eq!(
        project
            .mce(&["diff", "--exit-code", "before", "compiled"])
            .code,
        0
    );
    project
}

#[test]
fn output_that_was_tampered_with_is_no_output_that_is_the_same() {
    let compare = |project: &Project| {
        let seen = project.mce(&["diff", "--exit-code", "before", "compiled"]);
        (seen.code, seen.stdout)
    };
    let appended = |project: &Project| {
        let module = project.read("compiled/shop/functions.py");
        project.write(
            "compiled/shop/functions.py",
            &format!("{module}\nimport os\n"),
        );
    };
    // The module alone, in folders and beside the inputs.
    let project = compiled_twice();
    appended(&project);
    let (code, text) = compare(&project);
    assert_eq!(code, 1, "{text}");
    has(
        &text,
        "### Security\n\n- `shop`: **its files are not what was compiled**",
    );
    let seen = project.mce(&["diff", "--exit-code", "--server", "shop"]);
    assert_eq!(seen.code, 1);
    has(&seen.stdout, "**its files are not what was compiled**");
    // A manifest that vouches for it too.
    let module = project.read("compiled/shop/functions.py");
    let hash = |text: &str| {
        use sha2::Digest as _;
        hex::encode(sha2::Sha256::digest(text.as_bytes()))
    };
    let before = hash(&project.read("before/shop/functions.py"));
    project.change("compiled/shop/manifest.json", &before, &hash(&module));
    let (code, text) = compare(&project);
    assert_eq!(code, 1, "{text}");
    has(&text, "**its files are not what was compiled**");
    has(&text, "`functions.py` has another text, `1 line`");
    // The runtime alone.
    let project = compiled_twice();
    project.change("compiled/mce_runtime.py", "import", "import os, ");
    let (code, text) = compare(&project);
    assert_eq!(code, 1, "{text}");
    has(
        &text,
        "### Security\n\n- `mce_runtime.py`: **the runtime differs**: `that of this version` → \
         `not that of this version, SHA-256 ",
    );
    let seen = project.mce(&["diff", "--exit-code", "--server", "shop"]);
    assert_eq!(seen.code, 1);
    has(
        &seen.stdout,
        "**the runtime differs**: `changed since it was compiled`",
    );
    let (_, found) = project.json(&["diff", "before", "compiled", "--format", "json"]);
    assert_eq!(found["differs"], true);
    assert_eq!(found["shared"][0]["kind"], "runtime_changed");
    assert_eq!(found["shared"][0]["level"], "security");
}

#[test]
fn diff_finds_a_difference_wherever_check_does() {
    let edits: [(&str, &str, &str, &str); 7] = [
        ("a blank", "compiled/shop/manifest.json", "{\n", "{ \n"),
        (
            "a hash",
            "compiled/shop/manifest.json",
            "\"sha256\": \"",
            "\"sha256\": \"0",
        ),
        (
            "a fingerprint",
            "compiled/shop/manifest.json",
            "\"fingerprint\": \"",
            "\"fingerprint\": \"0",
        ),
        (
            "a comment",
            "compiled/shop/functions.py",
            "import",
            "# x\nimport",
        ),
        ("the document", "shop.yaml", "info:", "x-new: 1\ninfo:"),
        (
            "the config",
            "swaggers.yaml",
            "swagger_url: shop.yaml",
            "swagger_url: ./shop.yaml",
        ),
        ("the runtime", "compiled/mce_runtime.py", "\n", "\r\n"),
    ];
    for (what, file, from, to) in edits {
        let project = Project::compiled();
        project.change(file, from, to);
        assert_eq!(project.mce(&["compile", "--check"]).code, 1, "{what}");
        let seen = project.mce(&["diff", "--exit-code"]);
        assert_eq!(seen.code, 1, "{what}: {}", seen.stdout);
        assert!(!seen.stdout.contains("Nothing differs"), "{what}");
    }
    for file in ["shop/functions.py", "shop/manifest.json", "mce_runtime.py"] {
        let project = Project::compiled();
        fs::remove_file(project.path().join("compiled").join(file)).unwrap();
        assert_eq!(project.mce(&["compile", "--check"]).code, 1, "{file}");
        assert_eq!(project.mce(&["diff", "--exit-code"]).code, 1, "{file}");
    }
    let project = Project::compiled();
    project.write(
        "swaggers.yaml",
        "servers:\n  - {name: shop, swagger_url: shop.yaml}\n",
    );
    assert_eq!(project.mce(&["diff", "--exit-code"]).code, 1);
}

#[test]
fn an_excluded_path_that_vanishes_from_the_document_is_security() {
    let project = Project::new();
    project.change(
        "swaggers.yaml",
        "{name: shop, swagger_url: shop.yaml}",
        "{name: shop, swagger_url: shop.yaml, exclude: {tags: [hidden]}}",
    );
    project.change(
        "shop.yaml",
        "  /items:",
        "  /hidden:\n    get: {tags: [hidden]}\n  /items/export:\n    get: {tags: [hidden]}\n  \
         /items/{id}:\n    get: {}\n  /items:",
    );
    assert_eq!(project.mce(&["compile"]).code, 0);
    project.change(
        "shop.yaml",
        "  /items/export:\n    get: {tags: [hidden]}\n",
        "",
    );
    let seen = project.mce(&["diff", "--exit-code"]);
    assert_eq!(seen.code, 1);
    has(
        &seen.stdout,
        "### Security\n\n- `shop` `GET /items/export`: was left out as `excluded` and is gone",
    );
}

#[test]
fn what_compiling_does_not_mend_has_a_hint_of_its_own() {
    let hint = |project: &Project| {
        let seen = project.mce(&["compile", "--check"]);
        assert_eq!(seen.code, 1);
        let (_, hint) = seen.stderr.split_once("hint: ").unwrap();
        hint.trim_end().to_owned()
    };
    let project = Project::compiled();
    fs::remove_file(project.path().join("compiled/shop/manifest.json")).unwrap();
    project.write("compiled/shop/functions.py", "mine = 1\n");
    assert_eq!(
        hint(&project),
        "restore `./compiled/shop/functions.py` from version control or move it elsewhere, or choose another folder for the output; \
         then run `mce compile` and commit"
    );
    let project = Project::compiled();
    project.change("compiled/other/functions.py", "List items.", "Mine.");
    project.write(
        "swaggers.yaml",
        "servers:\n  - {name: shop, swagger_url: shop.yaml}\n",
    );
    assert_eq!(
        hint(&project),
        "remove `./compiled/other` or list its server in the config"
    );
    let (_, found) = project.json(&["compile", "--check", "--format", "json"]);
    assert_eq!(found["fix"], serde_json::json!([]));
    assert_eq!(found["by_hand"].as_array().map(Vec::len), Some(1));
    let project = Project::compiled();
    let runtime = project.read("compiled/mce_runtime.py");
    project.write("compiled/mce_runtime.py", &runtime.replace('\n', "\r\n"));
    assert_eq!(
        hint(&project),
        "add `compiled/** -text` to .gitattributes and check the folder out again"
    );
}
