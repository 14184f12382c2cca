//! What `mce compile --check` and `mce diff` must not overlook: files that mce did not write, folders
//! that hold nothing to compare, and what a fingerprint does not cover.

use std::fs;

use serde_json::Value;
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::folder::{Folder, has};
use crate::shop::{WRITABLE, two_shops};

/// The header of bytecode with these flags.
fn bytecode(flags: u8) -> Vec<u8> {
    [b"\xa7\r\r\n", &[flags, 0, 0, 0][..], b"code"].concat()
}

#[test]
fn what_python_would_run_beside_the_compiled_files_fails_the_check() {
    for (path, named, level_of) in [
        ("shop/__init__.py", "shop/__init__.py", "shop"),
        ("shop/extra.py", "shop/extra.py", "shop"),
        ("shop/sub/x.py", "shop/sub/x.py", "shop"),
        ("httpx.py", "httpx.py", ""),
        ("typing.so", "typing.so", ""),
        ("zz/functions.py", "zz", ""),
    ] {
        let project = two_shops().compiled();
        project.write(&format!("compiled/{path}"), "print('run')\n");
        let seen = project.mce(&["compile", "--check"]);
        assert_eq!(seen.code, 1, "{path}");
        let line = format!("./compiled/{named}: was not written by mce, and Python would run it");
        has(&seen.stdout, &line);
        has(&seen.stderr, &format!("remove `./compiled/{named}`"));
        // Compiling removes nothing of somebody else's, and says so.
        let (_, found) = project.json(&["compile", "--check", "--format", "json"]);
        assert_eq!(found["fix"], serde_json::json!([]));
        let (code, found) = project.json(&["diff", "--exit-code", "--format", "json"]);
        assert_eq!(code, 1);
        let changes = match level_of {
            "" => &found["shared"],
            _ => &found["servers"][0]["changes"],
        };
        assert_eq!(changes[0]["kind"], "foreign_code", "{path}: {found}");
        assert_eq!(changes[0]["level"], "security");
        let seen = project.mce(&["compile"]);
        assert_eq!(seen.code, 0);
        has(
            &seen.stdout,
            &format!("warning: `./compiled/{named}` was not"),
        );
        has(&project.read(&format!("compiled/{path}")), "run");
    }
}

#[test]
fn bytecode_that_python_runs_whatever_its_source_says_fails_the_check() {
    for (flags, code) in [(0, 0), (1, 1), (3, 1)] {
        let project = two_shops().compiled();
        let folder = project.path().join("compiled/shop/__pycache__");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("functions.cpython-311.pyc"), bytecode(flags)).unwrap();
        assert_eq!(project.mce(&["compile", "--check"]).code, code, "{flags}");
    }
    let project = two_shops().compiled();
    let folder = project.path().join("compiled/__pycache__");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("mce_runtime.cpython-311.pyc"), bytecode(1)).unwrap();
    let seen = project.mce(&["compile", "--check"]);
    has(
        &seen.stdout,
        "__pycache__/mce_runtime.cpython-311.pyc: was not",
    );
}

#[test]
fn what_python_does_not_load_is_nobodys_business() {
    let project = two_shops().compiled();
    for name in [
        "README.md",
        ".gitattributes",
        ".mypy_cache/x.py",
        "notes/n.txt",
        "shop/.gitignore",
    ] {
        project.write(&format!("compiled/{name}"), "x");
    }
    let seen = project.mce(&["compile", "--check"]);
    assert_eq!(seen.code, 0, "{}", seen.stdout);
    let (_, found) = project.json(&["diff", "--format", "json"]);
    assert_eq!(found["differs"], false);
    // With only one server asked for, the others are still servers.
    assert_eq!(
        project
            .mce(&["compile", "--check", "--server", "shop"])
            .code,
        0
    );
}

#[test]
fn two_folders_differ_in_what_mce_did_not_write() {
    let project = two_shops().compiled();
    assert_eq!(project.mce(&["compile", "--output", "old"]).code, 0);
    project.write("compiled/shop/extra.py", "print(1)\n");
    project.write("compiled/zz/httpx.py", "print(1)\n");
    let seen = project.mce(&["diff", "old", "compiled", "--exit-code"]);
    assert_eq!(seen.code, 1);
    let security = seen.stdout.split("### ").nth(1).unwrap();
    has(security, "Security");
    has(security, "`shop`: **`extra.py` was not written by mce");
    has(
        security,
        "`beside the servers`: **`zz` was not written by mce",
    );
    // The same on both sides is no difference, other bytes are.
    project.write("old/shop/extra.py", "print(1)\n");
    project.write("old/zz/httpx.py", "print(1)\n");
    assert_eq!(
        project
            .mce(&["diff", "old", "compiled", "--exit-code"])
            .code,
        0
    );
    project.write("compiled/zz/httpx.py", "print(2)\n");
    let (code, found) =
        project.json(&["diff", "old", "compiled", "--exit-code", "--format", "json"]);
    assert_eq!(
        (code, &found["shared"][0]["level"]),
        (1, &Value::from("security"))
    );
    fs::remove_dir_all(project.path().join("compiled/zz")).unwrap();
    let (_, found) = project.json(&["diff", "old", "compiled", "--format", "json"]);
    assert_eq!(found["shared"][0]["level"], "other");
}

#[test]
fn folders_that_hold_nothing_to_compare_are_no_folders_that_are_the_same() {
    let project = two_shops().compiled();
    fs::create_dir(project.path().join("empty")).unwrap();
    fs::create_dir(project.path().join("void")).unwrap();
    let cases: [(&[&str], &str); 4] = [
        (
            &["diff", "compiled/shop", "compiled/other"],
            "`compiled/shop` is the folder of a single",
        ),
        (
            &["diff", "empty", "compiled/shop"],
            "hint: name the folder that holds it",
        ),
        (
            &["diff", "empty", "void"],
            "neither `empty` nor `void` holds a compiled server",
        ),
        (
            &["diff", "compiled", "compiled", "--server", "shap"],
            "`--server shap`: neither folder has such a server",
        ),
    ];
    for (arguments, wanted) in cases {
        let seen = project.mce(arguments);
        assert_eq!(seen.code, 2, "{arguments:?}");
        has(&seen.stderr, wanted);
        assert_eq!(seen.stdout, "");
    }
    // The first pull request has nothing to compare with; a server may be new.
    let seen = project.mce(&["diff", "empty", "compiled", "--server", "shop"]);
    assert_eq!(seen.code, 0);
    has(&seen.stdout, "`shop`: new, with");
}

#[test]
fn a_module_that_mce_did_not_write_is_foreign_beside_a_manifest_too() {
    let project = two_shops().compiled();
    project.write("compiled/shop/functions.py", "print(1)\n");
    let (_, found) = project.json(&["compile", "--check", "--format", "json"]);
    assert_eq!(found["servers"][0]["files"][0]["state"], "foreign");
    let step = found["by_hand"][0].as_str().unwrap();
    has(
        step,
        "restore `./compiled/shop/functions.py` from version control",
    );
    // As compiling does, which is not all that there is to do.
    let seen = project.mce(&["compile"]);
    assert_eq!(seen.code, 1);
    has(&seen.stderr, "functions.py` was not written by mce");
}

#[test]
fn a_runtime_that_was_changed_by_hand_is_told_where_it_can_be() {
    let state = |project: &Folder| {
        let (_, found) = project.json(&["compile", "--check", "--format", "json"]);
        found["runtime"]["state"].as_str().unwrap().to_owned()
    };
    let project = two_shops().compiled();
    project.change("compiled/mce_runtime.py", "import", "import os, ");
    assert_eq!(state(&project), "edited");
    // Without a manifest of this version nobody knows which runtime was written.
    for server in ["shop", "other"] {
        let path = format!("compiled/{server}/manifest.json");
        project.change(&path, "\"fingerprint\": \"", "\"fingerprint\": \"0");
    }
    assert_eq!(state(&project), "stale");
    let seen = project.mce(&["compile", "--check"]);
    has(
        &seen.stdout,
        "mce_runtime.py: is not that of this version of mce: it is another version's, or was \
         changed by hand",
    );
}

#[test]
fn a_manifest_that_cannot_be_read_is_repeated_without_what_nobody_sees() {
    let project = two_shops().compiled();
    project.change(
        "compiled/shop/manifest.json",
        "\"manifest_version\": ",
        "\"manifest_version\": \"\u{9b}31m\u{202e}x\", \"was\": ",
    );
    for arguments in [&["call", "shop.list_items"][..], &["compile"]] {
        let seen = project.mce(arguments);
        let text = format!("{}{}", seen.stdout, seen.stderr);
        has(&text, "invalid type: string");
        assert!(!text.contains(['\u{9b}', '\u{202e}']), "{text:?}");
    }
}

#[test]
fn another_reason_that_a_part_is_missing_is_another_input() {
    let project = two_shops();
    project.change(
        "shop.yaml",
        "responses: {'204': {description: fine}}\n    post",
        "responses: {'200': {$ref: 'gone.json'}}\n    post",
    );
    assert_eq!(project.mce(&["compile"]).code, 0);
    fs::create_dir(project.path().join("gone.json")).unwrap();
    assert_eq!(project.mce(&["compile"]).code, 0);
    let seen = project.mce(&["compile", "--check"]);
    assert_eq!(seen.code, 0, "{}{}", seen.stdout, seen.stderr);
}

#[test]
fn a_place_that_the_output_does_not_name_is_an_input_where_it_matters() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let web = runtime.block_on(MockServer::start());
    let port = web.address().port();
    let servers = "[{url: 'https://a.example'}, {url: 'https://b.example'}, {url: \
                   'https://c.example'}, {url: /v1}]";
    let document = WRITABLE
        .replace(
            "https://shop.example/v1",
            &format!("http://127.0.0.1:{port}/v1"),
        )
        .replace(
            "  /items:\n",
            &format!("  /items:\n    servers: {servers}\n"),
        );
    let answer = ResponseTemplate::new(200).set_body_string(document);
    runtime.block_on(
        Mock::given(path("/api.yaml"))
            .respond_with(answer)
            .mount(&web),
    );
    let project = two_shops();
    project.write(
        "swaggers.yaml",
        "servers:\n  - {name: shop, swagger_url: '${DOC}'}\n",
    );
    // Only at the second place is `/v1` the document's own server.
    for (host, functions) in [("localhost", 0), ("127.0.0.1", 2)] {
        let run = |arguments: &[&str]| {
            let mut command = project.command(arguments);
            command.env("DOC", format!("http://{host}:{port}/api.yaml"));
            command.output().unwrap()
        };
        let done = run(&["compile", "--format", "json"]);
        let found: Value = serde_json::from_slice(&done.stdout).unwrap();
        assert_eq!(found["servers"][0]["functions"], functions, "{found}");
        let done = run(&["compile", "--check"]);
        assert!(done.status.success(), "{done:?}");
    }
}
