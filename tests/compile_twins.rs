//! A document with hostile text in every place that only describes, and its twin with harmless
//! text there: the two modules differ in their literals and in nothing else, as `CPython` reads them.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::process::Command;

use indexmap::IndexMap;
use mce::{api, openapi, python};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Prints nothing where both files are the same tree once every literal is taken out of it.
const COMPARE: &str = r"
import ast, sys, warnings

warnings.simplefilter('error')

def shape(path):
    with open(path, encoding='utf-8') as file:
        tree = ast.parse(file.read(), path)
    compile(tree, path, 'exec')
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = ''
    return ast.dump(tree)

if shape(sys.argv[1]) != shape(sys.argv[2]):
    sys.exit('the trees differ')
";

/// Text that ends strings, opens blocks, hides, or passes for a template's or the compiler's own.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "\"\"\"",
            "'''",
            "\"",
            "'",
            "\\",
            "\\N{DASH}",
            "\\x",
            "\\u12",
            "\n",
            "\r",
            "\r\n",
            "\u{b}",
            "\u{c}",
            "\u{85}",
            "\u{2028}",
            "\u{2029}",
            "\u{202e}",
            "\u{2066}",
            "\u{200b}",
            "\u{feff}",
            "\u{e0041}",
            "\0",
            "\u{1b}[31m",
            "\u{7f}",
            "{",
            "}",
            "{0}",
            "{{ 7*191 }}",
            "{% raw %}",
            "{#",
            "%s",
            "${HOME}",
            "#",
            "# type: ignore",
            "# -*- coding: utf-7 -*-",
            "\nimport os\n",
            ">>> exec('x')",
            "Args:\n    x: y",
            "): pass",
            "...",
            "\"\"\"\n    ...\n\nimport os\n",
            "🐍",
            "é",
            "ｅｖａｌ",
        ])
        .prop_map(str::to_owned),
        "[a-zA-Z0-9_ ]{0,6}",
        any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..7).prop_map(|pieces| pieces.concat())
}

/// A document with `texts` in every place that names nothing. Each begins with its number, so that
/// none is empty and no two are equal.
fn document(texts: &[String], version: &str) -> Value {
    let text = |index: usize| format!("t{index}{}", texts.get(index).map_or("", String::as_str));
    let thing = json!({
        "type": "object",
        "description": text(0),
        "required": ["id"],
        "properties": {
            "id": {"type": "string", "description": text(1), "default": text(2), "example": text(3)},
            "state": {"type": "string", "enum": [text(4), text(5), text(6)], "description": text(7)},
            "next": {"$ref": "#/components/schemas/Thing"},
            "kind": {"const": text(8)},
            "choice": {"oneOf": [{"$ref": "#/components/schemas/Thing"}, {"type": "string", "description": text(9)}],
                       "discriminator": {"propertyName": text(10), "mapping": {text(11): "#/components/schemas/Thing"}}},
        },
        "example": {"id": text(12)},
    });
    let reference = json!({"$ref": "#/components/schemas/Thing"});
    json!({
        "openapi": version,
        "info": {"title": text(13), "description": text(14), "version": text(15), "license": {"name": text(16)}},
        "servers": [{"url": "https://api.example.com", "description": text(17)}],
        "tags": [{"name": text(18), "description": text(19)}],
        "paths": {"/things/{id}": {
            "summary": text(20),
            "get": {
                "operationId": "getThing", "summary": text(21), "description": text(22), "tags": [text(18)],
                "externalDocs": {"url": text(23), "description": text(24)},
                "parameters": [
                    {"name": "id", "in": "path", "required": true, "description": text(25), "schema": {"type": "string"},
                     "example": text(26)},
                    {"name": "sort", "in": "query", "description": text(27),
                     "schema": {"type": "string", "enum": [text(28), text(29)], "default": text(28)}},
                    {"name": "X-Trace", "in": "header", "description": text(30), "schema": {"type": "string", "pattern": text(31)}},
                ],
                "responses": {
                    "200": {"description": text(32), "content": {"application/json": {"schema": reference}}},
                    "404": {"description": text(33)},
                    "default": {"description": text(34)},
                },
            },
            "post": {
                "operationId": "addThing", "deprecated": true, "description": text(35),
                "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
                "requestBody": {"description": text(36), "content": {
                    "multipart/form-data": {"schema": {"type": "object", "properties": {
                        "file": {"type": "string", "format": "binary", "description": text(37)},
                        "note": {"type": "string", "default": text(38)},
                    }}},
                }},
                "responses": {"204": {"description": text(39)}},
            },
        }},
        "components": {"schemas": {"Thing": thing}},
    })
}

fn rendered(document: Value) -> (api::NamedApi, String) {
    let api = openapi::read_value(document, None).expect("it is a document");
    let title = api.title.clone();
    let named = api::give_names(api, None, &IndexMap::new()).expect("nothing is renamed");
    let target = python::Target {
        server: "twins",
        title: &title,
    };
    // `render` holds the module against the closed grammar itself.
    let rendered = python::render(&named, target).expect("the module is in the grammar");
    (named, rendered.source)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn hostile_text_changes_literals_alone(
        texts in proptest::collection::vec(hostile(), 40),
        version in prop_oneof![Just("3.0.3"), Just("3.1.0"), Just("3.2.0")],
    ) {
        let (named, source) = rendered(document(&texts, version));
        let (twin, harmless) = rendered(document(&[], version));
        prop_assert_eq!(named.api.operations.len(), 2);
        prop_assert_eq!(format!("{:?}", named.names), format!("{:?}", twin.names));

        let folder = tempfile::tempdir().expect("a folder");
        let files = [("hostile.py", &source), ("harmless.py", &harmless)].map(|(name, text)| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("it is written");
            path
        });
        let interpreter = std::env::var("MCE_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let compared = Command::new(interpreter)
            .args(["-I", "-c", COMPARE])
            .args(&files)
            .output()
            .expect("Python runs");
        let complaint = String::from_utf8_lossy(&compared.stderr);
        prop_assert!(compared.status.success(), "{}\n{}", complaint, source);
    }
}
