//! `mce compile --check`, as a CI job meets it.

use std::fs;

use serde_json::Value;

use crate::folder::{Folder, has};
use crate::shop::{kinds, two_shops};

#[test]
fn what_is_committed_as_compiled_passes_with_one_line() {
    let project = two_shops().compiled();
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
    let project = two_shops().compiled();
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
    let project = two_shops().compiled();
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
    let project = two_shops().compiled();
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
    let project = two_shops().compiled();
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
    let project = two_shops().compiled();
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
    let project = two_shops().compiled();
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
    let project = two_shops().compiled();
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
    let project = two_shops().compiled();
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
fn a_server_that_is_unknown_is_a_usage_error_with_the_nearest_name() {
    let project = two_shops().compiled();
    for command in [&["compile"][..], &["compile", "--check"], &["diff"]] {
        let seen = project.mce(&[command, &["--server", "shpo"]].concat());
        assert_eq!(seen.code, 2, "{}", seen.stderr);
        has(&seen.stderr, "hint: there is `shop`");
    }
    let seen = project.mce(&["clean", "compile", "--check"]);
    assert_eq!(seen.code, 2);
    assert!(project.path().join("compiled/shop").exists());
}

#[cfg(unix)]
#[test]
fn a_read_only_output_that_is_a_link_is_checked_all_the_same() {
    use std::os::unix::fs::PermissionsExt as _;

    let project = two_shops().compiled();
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
fn what_compiling_does_not_mend_has_a_hint_of_its_own() {
    let hint = |project: &Folder| {
        let seen = project.mce(&["compile", "--check"]);
        assert_eq!(seen.code, 1);
        let (_, hint) = seen.stderr.split_once("hint: ").unwrap();
        hint.trim_end().to_owned()
    };
    let project = two_shops().compiled();
    fs::remove_file(project.path().join("compiled/shop/manifest.json")).unwrap();
    project.write("compiled/shop/functions.py", "mine = 1\n");
    assert_eq!(
        hint(&project),
        "restore `./compiled/shop/functions.py` from version control or move it elsewhere, or choose another folder for the output; \
         then run `mce compile` and commit"
    );
    let project = two_shops().compiled();
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
    let project = two_shops().compiled();
    let runtime = project.read("compiled/mce_runtime.py");
    project.write("compiled/mce_runtime.py", &runtime.replace('\n', "\r\n"));
    assert_eq!(
        hint(&project),
        "add `compiled/** -text` to .gitattributes and check the folder out again"
    );
}
