//! Compiling again: what is up to date, what is written, and what is left alone.

use std::process::Stdio;

use serde_json::Value;

use crate::folder::{Folder, has};
use crate::shop::{WRITABLE, two_shops};

#[test]
fn one_server_is_compiled_and_no_other_touched_or_removed() {
    let project = two_shops().compiled();
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
fn nothing_to_do_is_seen_without_rendering_and_warnings_stay() {
    let project = two_shops();
    project.change(
        "shop.yaml",
        "- {name: limit",
        "- {name: Host, in: header, schema: {type: string}}\n        - {name: limit",
    );
    let reports = |project: &Folder| project.json(&["compile", "--format", "json"]).1;
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
    let project = two_shops();
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
fn a_document_that_is_referred_to_counts_as_its_own_does() {
    let project = two_shops();
    project.change(
        "shop.yaml",
        "- {name: limit, in: query, schema: {type: integer}}",
        "- $ref: 'parts.yaml#/limit'\n        - $ref: 'missing.yaml#/top'",
    );
    let part = "limit: {name: limit, in: query, schema: {type: integer}}\n";
    project.write("parts.yaml", part);
    let up_to_date = |project: &Folder| {
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

#[test]
fn files_that_mce_did_not_write_are_not_overwritten() {
    for file in ["shop/functions.py", "shop/manifest.json", "mce_runtime.py"] {
        let project = two_shops();
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
    let project = two_shops().compiled();
    project.change("compiled/shop/functions.py", "def list_items", "def mine");
    assert_eq!(project.mce(&["compile"]).code, 0);
    has(
        &project.read("compiled/shop/functions.py"),
        "def list_items",
    );
}

#[test]
fn two_compilations_at_once_leave_what_one_would() {
    let project = two_shops().compiled();
    for round in 0..5 {
        for document in ["shop.yaml", "other.yaml"] {
            project.write(
                document,
                &WRITABLE.replace("List items.", &format!("List {round}.")),
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
    let project = two_shops();
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
fn all_entries_that_fit_nothing_of_the_document_are_said_at_once_each_with_its_line() {
    let project = two_shops();
    project.write(
        "swaggers.yaml",
        "servers:
  - name: shop
    swagger_url: shop.yaml
    is_read_only: true
    read_only_allow:
      - POST /itmes
      - POST /items
      - PUT /items
    include: {tags: [pets], paths: [/items, /thing/*]}
    exclude:
      operationIds:
        - addItem
        - addItems
    rename:
      listitems: all_items
      addItem: add_one
      GET /item: one_item
    top_level_functions: [nothing]
",
    );
    let seen = project.mce(&["compile"]);
    assert_eq!(seen.code, 1);
    let lines: Vec<&str> = seen.stderr.lines().collect();
    let unknown = "is no operation of the document; write `METHOD /path` as the document spells it";
    let nothing = "matches no operation of the document";
    let nobody = "no operation has this operationId or `METHOD /path`";
    assert_eq!(
        lines,
        [
            &format!(
                "error: `shop` was not compiled: swaggers.yaml:6:9: `read_only_allow`: `POST /itmes` {unknown}"
            ),
            &format!("swaggers.yaml:8:9: `read_only_allow`: `PUT /items` {unknown}"),
            &format!("swaggers.yaml:9:22: `include.tags`: `pets` {nothing}"),
            &format!("swaggers.yaml:9:45: `include.paths`: `/thing/*` {nothing}"),
            &format!(
                "swaggers.yaml:13:11: `exclude.operationIds`: `addItems` {nothing}; did you mean `addItem`?"
            ),
            &format!(
                "swaggers.yaml:15:18: `rename` of `listitems`: {nobody}; did you mean `listItems`?"
            ),
            &format!("swaggers.yaml:17:18: `rename` of `GET /item`: {nobody}"),
        ]
    );
    let seen = project.mce(&["compile", "--check"]);
    assert_eq!(seen.code, 1);
    has(&seen.stderr, "\nswaggers.yaml:8:9: `read_only_allow`");
}

#[test]
fn every_function_that_is_no_tool_of_its_own_is_placed_where_it_stands() {
    let project = two_shops();
    project.write(
        "swaggers.yaml",
        "servers:\n  - name: shop\n    swagger_url: shop.yaml\n    top_level_functions:\n      - \
         one\n      - add_item\n      - two\n",
    );
    let seen = project.mce(&["compile"]);
    has(
        &seen.stderr,
        "swaggers.yaml:5:9: `top_level_functions`: `one`",
    );
    has(
        &seen.stderr,
        "\nswaggers.yaml:7:9: `top_level_functions`: `two`",
    );
}

#[test]
fn a_tag_that_is_nearly_one_is_answered_with_those_there_are() {
    let project = two_shops();
    project.change(
        "shop.yaml",
        "operationId: listItems",
        "tags: [notes, users]",
    );
    project.write(
        "swaggers.yaml",
        "servers:\n  - {name: shop, swagger_url: shop.yaml, include: {tags: [note]}}\n",
    );
    has(
        &project.mce(&["compile"]).stderr,
        "`include.tags`: `note` matches no operation of the document; did you mean `notes`? There \
         are `notes`, `users`",
    );
}

/// It stood there after every compilation, with nothing said of how to end it.
#[test]
fn a_document_that_names_a_server_beside_the_configured_one_is_warned_of_until_it_is_accepted() {
    let project = two_shops();
    project.change(
        "shop.yaml",
        "servers: [{url: https://shop.example/v1}]\n",
        "",
    );
    project.write(
        "swaggers.yaml",
        "servers:\n  - {name: shop, swagger_url: shop.yaml, base_url: 'https://s.example'}\n",
    );
    assert_eq!(project.mce(&["compile"]).code, 0);
    project.change(
        "shop.yaml",
        "paths:",
        "servers: [{url: https://shop.example/v1}]\npaths:",
    );
    let seen = project.mce(&["compile"]);
    has(&seen.stdout, "moves the API from no server of its own");
    has(
        &seen.stdout,
        "`mce compile --accept-origin` notes the new server",
    );
    assert_eq!(project.mce(&["compile", "--accept-origin"]).code, 0);
    let seen = project.mce(&["compile"]);
    assert!(!seen.stdout.contains("moves the API"), "{}", seen.stdout);
}

#[test]
fn a_client_is_configured_where_a_server_is_new() {
    let project = two_shops();
    let is_told = |arguments: &[&str]| project.mce(arguments).stdout.contains("mcpServers");
    assert!(is_told(&["compile", "--server", "shop"]));
    assert!(!is_told(&["compile", "--server", "shop"]));
    assert!(is_told(&["compile"]));
    assert!(!is_told(&["compile"]));
    assert!(is_told(&["compile", "--format", "json"]));
}
