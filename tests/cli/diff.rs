//! `mce diff`, as a reviewer meets it.

use std::fs;

use serde_json::Value;

use crate::folder::{Folder, has};
use crate::shop::{WRITABLE, compiled_twice, kinds, two_shops};

#[test]
fn the_differences_are_markdown_that_no_document_can_steer() {
    let project = two_shops().compiled();
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
    let project = two_shops().compiled();
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
    let project = two_shops().compiled();
    let mut document = WRITABLE.to_owned();
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
fn output_that_was_tampered_with_is_no_output_that_is_the_same() {
    let compare = |project: &Folder| {
        let seen = project.mce(&["diff", "--exit-code", "before", "compiled"]);
        (seen.code, seen.stdout)
    };
    let appended = |project: &Folder| {
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
        let project = two_shops().compiled();
        project.change(file, from, to);
        assert_eq!(project.mce(&["compile", "--check"]).code, 1, "{what}");
        let seen = project.mce(&["diff", "--exit-code"]);
        assert_eq!(seen.code, 1, "{what}: {}", seen.stdout);
        assert!(!seen.stdout.contains("Nothing differs"), "{what}");
    }
    for file in ["shop/functions.py", "shop/manifest.json", "mce_runtime.py"] {
        let project = two_shops().compiled();
        fs::remove_file(project.path().join("compiled").join(file)).unwrap();
        assert_eq!(project.mce(&["compile", "--check"]).code, 1, "{file}");
        assert_eq!(project.mce(&["diff", "--exit-code"]).code, 1, "{file}");
    }
    let project = two_shops().compiled();
    project.write(
        "swaggers.yaml",
        "servers:\n  - {name: shop, swagger_url: shop.yaml}\n",
    );
    assert_eq!(project.mce(&["diff", "--exit-code"]).code, 1);
}

#[test]
fn a_key_that_must_be_given_now_is_said_with_the_functions_that_take_it() {
    let project = two_shops();
    project.change(
        "shop.yaml",
        "operationId: addItem\n",
        "operationId: addItem\n      requestBody: {content: {application/json: {schema: {$ref: \
         '#/components/schemas/Item'}}}}\n",
    );
    let item = "components:\n  schemas:\n    Item: {type: object, required: [id], properties: {id: \
                {type: string}}}\n";
    let document = project.read("shop.yaml");
    project.write("shop.yaml", &format!("{document}{item}"));
    let project = project.compiled();
    project.change(
        "shop.yaml",
        "required: [id], properties: {",
        "required: [id, sku], properties: {sku: {type: string}, ",
    );
    let seen = project.mce(&["diff"]);
    has(
        &seen.stdout,
        "- `shop`: new key `Item.sku` is required; used by `add_item`\n",
    );
}

#[test]
fn an_excluded_path_that_vanishes_from_the_document_is_security() {
    let project = two_shops();
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

/// The job for GitLab compared the inputs with what is committed beside them, where a correct merge
/// request has no difference.
#[test]
fn the_workflows_compare_with_the_output_that_the_request_started_from() {
    let documented = include_str!("../../docs/ci.md");
    let (_, workflows) = documented.split_once("## GitHub Actions").unwrap();
    let (github, gitlab) = workflows.split_once("## GitLab").unwrap();
    has(github, "mce diff ../base/compiled compiled > changes.md");
    has(gitlab, "mce diff \"$base/compiled\" compiled > changes.md");
}
