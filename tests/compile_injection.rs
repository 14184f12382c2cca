//! Hostile text in every field of a document: it compiles, or is left out with a reason, and
//! whatever it says stays data.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use mce::api;
use mce::invisible::is_invisible;
use mce::{openapi, python};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Texts that end strings, open blocks, hide, or pass for what the compiler writes.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\"\"\"".to_owned()),
        Just("\"".to_owned()),
        Just("'".to_owned()),
        Just("\\".to_owned()),
        Just("\n".to_owned()),
        Just("\r".to_owned()),
        Just("\u{c}".to_owned()),
        Just("\u{2028}".to_owned()),
        Just("\u{202e}".to_owned()),
        Just("\u{e0041}".to_owned()),
        Just("\0".to_owned()),
        Just("import os".to_owned()),
        Just(">>> exec('x')".to_owned()),
        Just("Args:\n".to_owned()),
        Just("{{ 7*191 }}".to_owned()),
        Just("{% raw %}".to_owned()),
        Just("${HOME}".to_owned()),
        Just("): pass #".to_owned()),
        Just("# -*- coding: utf-7 -*-".to_owned()),
        Just("__class__".to_owned()),
        Just("lambda".to_owned()),
        "[a-zA-Z0-9_ ]{0,6}",
        any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

/// A document with a hostile text in every place that takes one.
fn document() -> impl Strategy<Value = Value> {
    proptest::collection::vec(hostile(), 32).prop_map(|texts| {
        let text = |index: usize| texts[index % texts.len()].clone();
        let name = |index: usize| format!("n{index}{}", text(index));
        let mut schema = json!({
            "type": "object",
            "title": text(0),
            "description": text(1),
            "required": [name(2)],
            "properties": {},
        });
        schema["properties"][name(2)] = json!({"type": "string", "description": text(3)});
        schema["properties"][text(4)] = json!({"enum": [text(5), text(6), null]});
        schema["properties"]["again"] = json!({"$ref": "#/components/schemas/Thing"});
        let mut document = json!({
            "openapi": "3.1.0",
            "info": {"title": text(7), "description": text(8), "version": text(9)},
            "servers": [{"url": format!("https://api.example.com/{}", text(10))}],
            "paths": {},
            "components": {
                "schemas": {"Thing": schema},
                "securitySchemes": {},
            },
        });
        document["components"]["schemas"][text(11)] = json!({"type": "object", "properties": {"a": {}}});
        document["components"]["securitySchemes"][text(12)] =
            json!({"type": "apiKey", "in": "query", "name": name(13)});
        let mut responses = json!({"200": {
            "description": text(14),
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}},
        }});
        responses[text(15)] = json!({"description": text(16)});
        let mut security = json!({});
        security[text(12)] = json!([text(17)]);
        document["paths"]["/control"] = json!({"get": {
            "operationId": "getControl",
            "summary": text(18),
            "description": text(19),
            "tags": [text(20)],
            "parameters": [
                {"name": name(21), "in": "query", "description": text(22),
                 "schema": {"enum": [text(23), text(24)], "default": text(25)}},
                {"name": text(26), "in": "header", "schema": {"type": "string"}},
                {"name": text(27), "in": "cookie", "schema": {"type": "string"}},
            ],
            "requestBody": {"description": text(28), "content": {
                "application/json": {"schema": {"type": "object", "properties": {"x": {"const": text(29)}}}},
            }},
            "responses": responses,
            "security": [security],
        }});
        document["paths"][format!("/{}", text(30))] = json!({"post": {
            "operationId": text(31), "responses": {},
        }});
        document
    })
}

fn rendered(document: Value) -> (api::NamedApi, python::Rendered) {
    let api = openapi::read_value(document, None).expect("it is a document");
    let title = api.title.clone();
    let named = api::give_names(api, None, &indexmap::IndexMap::new()).expect("no entries");
    let target = python::Target {
        server: "hostile",
        title: &title,
    };
    // `render` holds the module against the closed grammar itself.
    let rendered = python::render(&named, target).expect("the module is in the grammar");
    (named, rendered)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn hostile_text_stays_data(document in document()) {
        let operations: usize = document["paths"]
            .as_object()
            .unwrap()
            .values()
            .map(|item| item.as_object().unwrap().len())
            .sum();
        let (named, rendered) = rendered(document);
        prop_assert!(named.names.iter().any(|names| names.function == "get_control"));
        prop_assert_eq!(named.api.operations.len() + named.api.skipped.len(), operations);
        prop_assert!(!rendered.source.chars().any(|c| c != '\n' && is_invisible(c)));
        prop_assert!(!rendered.source.contains("1337"));
        prop_assert!(!rendered.source.lines().any(|line| line.trim_start().starts_with(">>>")));
        let facts = python::check_module(&rendered.source).unwrap();
        prop_assert_eq!(facts.functions.len(), named.names.len());
        for (stub, names) in facts.functions.iter().zip(&named.names) {
            prop_assert_eq!(&stub.name, &names.function);
            for parameter in &names.parameters {
                prop_assert!(
                    parameter.starts_with(|c: char| c.is_ascii_lowercase())
                        && parameter.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'),
                    "{}", parameter
                );
            }
        }
        for class in &facts.classes {
            prop_assert!(class.name.starts_with(|c: char| c.is_ascii_uppercase()), "{}", class.name);
        }
    }

    #[test]
    fn any_tree_is_read_without_a_panic(
        tree in arbitrary_tree(),
        place in prop_oneof![
            Just("/paths"), Just("/paths/~1a"), Just("/paths/~1a/get"), Just("/paths/~1a/get/parameters"),
            Just("/paths/~1a/get/requestBody"), Just("/paths/~1a/get/responses"),
            Just("/paths/~1a/get/responses/200/content"), Just("/paths/~1a/get/security"),
            Just("/paths/~1a/get/responses/200/content/application~1json/schema"),
            Just("/components/schemas/A"), Just("/components"), Just("/servers"), Just("/info"),
        ],
    ) {
        let mut document = json!({
            "openapi": "3.0.3",
            "info": {}, "servers": [],
            "paths": {"/a": {"get": {
                "parameters": [], "requestBody": {}, "security": [],
                "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/A"}}}}},
            }}},
            "components": {"schemas": {"A": {}}},
        });
        *document.pointer_mut(place).unwrap() = tree;
        if let Ok(api) = openapi::read_value(document, None) {
            let named = api::give_names(api, None, &indexmap::IndexMap::new()).unwrap();
            let target = python::Target { server: "odd", title: "Odd" };
            python::render(&named, target).unwrap();
        }
    }
}

/// Trees of the words that readers look for, in the wrong places.
fn arbitrary_tree() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        Just("$ref"),
        Just("type"),
        Just("object"),
        Just("array"),
        Just("string"),
        Just("properties"),
        Just("items"),
        Just("allOf"),
        Just("anyOf"),
        Just("enum"),
        Just("const"),
        Just("required"),
        Just("#/components/schemas/A"),
        Just("#/paths/~1a/get"),
        Just("#"),
        Just("nullable"),
        Just("name"),
        Just("in"),
        Just("query"),
        Just("path"),
        Just("schema"),
        Just("content"),
        Just("application/json"),
        Just("get"),
        Just("200"),
        Just("url"),
        Just("additionalProperties"),
        Just("style"),
        Just("description"),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::vec((word.clone(), inner), 0..6).prop_map(|members| {
                Value::Object(
                    members
                        .into_iter()
                        .map(|(key, value)| (key.to_owned(), value))
                        .collect(),
                )
            }),
        ]
    })
}

#[test]
fn schemas_that_explode_when_written_out_stay_small() {
    let mut schemas = serde_json::Map::new();
    for level in 0..40 {
        let next = json!({"$ref": format!("#/components/schemas/L{}", level + 1)});
        schemas.insert(
            format!("L{level}"),
            json!({"allOf": [next, next, {"type": "object", "properties": {"a": next, "b": next}}],
                   "anyOf": [next, {"type": "array", "items": next}]}),
        );
    }
    schemas.insert("L40".to_owned(), json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/components/schemas/L0"}}]}));
    let document = json!({
        "openapi": "3.1.0",
        "paths": {"/a": {"get": {"responses": {"200": {"content": {"application/json": {
            "schema": {"$ref": "#/components/schemas/L0"}}}}}}}},
        "components": {"schemas": schemas},
    });
    let started = std::time::Instant::now();
    let (_, rendered) = rendered(document);
    assert!(rendered.source.len() < 100_000, "{}", rendered.source.len());
    assert!(started.elapsed().as_secs() < 5);
}
