//! One test for each fault that was found in what documents are compiled to.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::time::{Duration, Instant};

use mce::api::OperationServer;
use mce::{api, openapi, python};
use serde_json::{Value, json};

/// The module of a document, and its manifest's part of it.
fn rendered(document: Value) -> (api::NamedApi, python::Rendered) {
    let api = openapi::read_value(document, None).expect("it is a document");
    let named = api::give_names(api, None, &indexmap::IndexMap::new()).expect("no entries");
    let target = python::Target {
        server: "faults",
        title: "Faults",
    };
    let rendered = python::render(&named, target).expect("the module is in the grammar");
    (named, rendered)
}

/// A document with these schemas and one operation that returns the first of them.
fn returning(schemas: &Value) -> Value {
    let first = schemas
        .as_object()
        .and_then(|schemas| schemas.keys().next())
        .expect("there is one");
    json!({
        "openapi": "3.0.3",
        "paths": {"/a": {"get": {"operationId": "a", "responses": {"200": {"content": {
            "application/json": {"schema": {"$ref": format!("#/components/schemas/{first}")}}}}}}}},
        "components": {"schemas": schemas},
    })
}

#[test]
fn inherited_keys_of_many_classes_stay_within_bounds() {
    const CLASSES: usize = 1200;
    let name = |index: usize| format!("C{index:04}");
    let reference = |index: usize| json!({"$ref": format!("#/components/schemas/{}", name(index))});
    let mut schemas = serde_json::Map::new();
    let all: serde_json::Map<String, Value> = (0..CLASSES)
        .map(|index| (format!("c{index}"), reference(index)))
        .collect();
    schemas.insert(
        "Root".to_owned(),
        json!({"type": "object", "properties": all}),
    );
    for index in 0..CLASSES {
        let own = json!({"properties": {format!("p{index}"): {"type": "integer"}}});
        let parts = if index + 1 < CLASSES {
            json!([reference(index + 1), own])
        } else {
            json!([own, {"description": "the last"}])
        };
        schemas.insert(name(index), json!({"allOf": parts}));
    }
    let started = Instant::now();
    let (_, rendered) = rendered(returning(&Value::Object(schemas)));
    assert!(
        rendered.source.len() < 8_000_000,
        "{}",
        rendered.source.len()
    );
    assert!(
        rendered
            .warnings
            .iter()
            .any(|warning| warning.contains("dict[str, Any]")),
        "{:?}",
        rendered.warnings
    );
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
fn long_types_of_inherited_keys_stay_within_bounds() {
    let values: Vec<String> = (0..300)
        .map(|index| format!("value number {index}"))
        .collect();
    let wide: serde_json::Map<String, Value> = (0..300)
        .map(|index| (format!("k{index}"), json!({"enum": values})))
        .collect();
    let mut schemas = serde_json::Map::new();
    let parts: serde_json::Map<String, Value> = (0..300)
        .map(|index| {
            let part = json!({"allOf": [{"$ref": "#/components/schemas/Wide"},
                {"properties": {format!("own{index}"): {"type": "string"}}}]});
            (format!("part{index}"), part)
        })
        .collect();
    schemas.insert("Root".to_owned(), json!({"properties": parts}));
    schemas.insert("Wide".to_owned(), json!({"properties": wide}));
    let (_, rendered) = rendered(returning(&Value::Object(schemas)));
    assert!(
        rendered.source.len() < 16_000_000,
        "{}",
        rendered.source.len()
    );
}

#[test]
fn a_broken_reference_at_the_end_of_a_long_chain_is_found_once() {
    const LENGTH: usize = 3000;
    let mut schemas = serde_json::Map::new();
    let mut paths = serde_json::Map::new();
    for index in 0..LENGTH {
        let next = format!("#/components/schemas/L{}", index + 1);
        schemas.insert(
            format!("L{index}"),
            json!({"properties": {"next": {"$ref": next}}}),
        );
        let schema = json!({"$ref": format!("#/components/schemas/L{index}")});
        let parameter = json!({"name": "q", "in": "query", "required": true, "schema": schema});
        paths.insert(
            format!("/{index}"),
            json!({"get": {"parameters": [parameter], "responses": {}}}),
        );
    }
    let document = json!({"openapi": "3.1.0", "paths": paths, "components": {"schemas": schemas}});
    let started = Instant::now();
    let api = openapi::read_value(document, None).expect("it is a document");
    assert!(started.elapsed() < Duration::from_secs(8));
    assert!(api.operations.is_empty());
    assert_eq!(api.skipped.len(), LENGTH);
    for skipped in api.skipped {
        assert_eq!(
            skipped.reason,
            format!("unsupported: reference `#/components/schemas/L{LENGTH}` leads nowhere")
        );
    }
}

#[test]
fn what_lies_beside_a_broken_reference_is_neither_lost_nor_walked_again() {
    let reference = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    let answer = |name: &str| {
        json!({"get": {"responses": {"200": {"content": {"application/json":
            {"schema": reference(name)}}}}}})
    };
    let document = json!({
        "openapi": "3.1.0",
        "paths": {"/both": answer("Both"), "/good": answer("Good"), "/loop": answer("Loop")},
        "components": {"schemas": {
            "Both": {"properties": {"bad": reference("Bad"), "good": reference("Good")}},
            "Bad": {"properties": {"x": {"$ref": "elsewhere.yaml"}, "loop": reference("Loop")}},
            "Loop": {"properties": {"bad": reference("Bad")}},
            "Good": {"properties": {"deep": reference("Deep")}},
            "Deep": {"type": "string"},
        }},
    });
    let api = openapi::read_value(document, None).expect("it is a document");
    let paths: Vec<&str> = api.operations.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(paths, ["/good"]);
    assert_eq!(api.schemas.len(), 2);
    assert!(
        api.skipped
            .iter()
            .all(|skipped| skipped.reason == "unsupported: external reference `elsewhere.yaml`")
    );
}

/// The API of a document with this path item at `/a`, and these members at its root.
fn with_path_item(item: &Value, root: &Value) -> api::Api {
    let mut document = json!({"openapi": "3.1.0", "paths": {"/a": item}});
    for (key, value) in root.as_object().expect("it is a mapping") {
        document[key] = value.clone();
    }
    openapi::read_value(document, None).expect("it is a document")
}

fn skipped(api: &api::Api) -> Vec<String> {
    let entries = api.skipped.iter();
    entries
        .map(|one| format!("{} {}: {}", one.method, one.path, one.reason))
        .collect()
}

#[test]
fn servers_of_paths_and_operations_are_not_ignored() {
    let root = json!({"servers": [{"url": "https://a.example/v1"}]});
    let own = json!([{"url": "https://u:p@b.example/x?q"}]);
    let same = json!([{"url": "https://b.example"}, {"url": "https://{x}.example/v1/",
        "variables": {"x": {"default": "a"}}}]);
    let here = json!([{"url": "https://b.example"}, {"url": "https://a.example:443/upload/"}]);
    let api = with_path_item(
        &json!({"servers": own, "get": {}, "put": {"servers": same}, "post": {"servers": here}}),
        &root,
    );
    let found = api.operations.iter().map(|one| (one.label(), &one.server));
    let expected = [
        (
            "GET /a",
            OperationServer::Elsewhere("`https://b.example/x`".to_owned()),
        ),
        ("PUT /a", OperationServer::Document),
        (
            "POST /a",
            OperationServer::Own("https://a.example/upload".to_owned()),
        ),
    ];
    let expected = expected
        .iter()
        .map(|(label, server)| ((*label).to_owned(), server));
    assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    for scheme in ["http://a.example/v1", "https://a.example:8443/v1", "/v1"] {
        let own = json!([{"url": scheme}]);
        let api = with_path_item(&json!({"get": {"servers": own}}), &root);
        let server = &api.operations[0].server;
        assert!(
            matches!(server, OperationServer::Elsewhere(_)),
            "{server:?}"
        );
    }
    // Neither can be resolved, yet they are the same.
    let relative = json!([{"url": "/api"}]);
    let api = with_path_item(
        &json!({"get": {"servers": relative}}),
        &json!({"servers": relative}),
    );
    assert_eq!(api.operations[0].server, OperationServer::Document);
}

#[test]
fn operations_of_path_items_that_cannot_be_read_are_listed() {
    let reason = "unsupported: external reference `o.yaml#/x`";
    let api = with_path_item(&json!({"$ref": "o.yaml#/x", "get": {}}), &json!({}));
    // What else the item holds is not known.
    assert_eq!(
        skipped(&api),
        [format!("* /a: {reason}"), format!("GET /a: {reason}")]
    );
    let api = with_path_item(&json!({"$ref": "o.yaml#/x"}), &json!({}));
    assert_eq!(skipped(&api), [format!("* /a: {reason}")]);
    let api = with_path_item(&json!([]), &json!({}));
    assert_eq!(
        skipped(&api),
        ["* /a: unsupported: the path item is no mapping"]
    );
    let api = with_path_item(
        &json!({"get": [], "PUT": {}, "patch": {}, "Patch": {}}),
        &json!({}),
    );
    assert_eq!(
        skipped(&api),
        [
            "GET /a: unsupported: the operation is no mapping",
            "PUT /a: unsupported: method `PUT`",
            "Patch /a: unsupported: method `Patch`",
        ]
    );
    assert_eq!(api.operations.len(), 1);
}

#[test]
fn malformed_security_is_not_read_as_none() {
    let optional = vec![std::collections::BTreeMap::new()];
    for security in [json!(["k"]), json!("k"), json!({"k": []}), json!([null])] {
        let api = with_path_item(&json!({"get": {"security": security}}), &json!({}));
        assert_eq!(api.operations[0].security, optional, "{security}");
        assert!(
            api.warnings.iter().any(|one| one.contains("`security`")),
            "{:?}",
            api.warnings
        );
        let api = with_path_item(&json!({"get": {}}), &json!({"security": security}));
        assert_eq!(api.operations[0].security, optional, "{security}");
    }
    let api = with_path_item(&json!({"get": {"security": []}}), &json!({}));
    assert!(api.operations[0].security.is_empty());
}

/// A document with one operation that takes these schemas as query parameters.
fn taking(parameters: &Value, schemas: &Value) -> Value {
    let parameters: Vec<Value> = parameters
        .as_object()
        .expect("it is a mapping")
        .iter()
        .map(|(name, schema)| {
            json!({"name": name, "in": "query", "required": true, "schema": schema,
                   "description": "How many"})
        })
        .collect();
    json!({
        "openapi": "3.0.3",
        "paths": {"/a": {"get": {"operationId": "a", "parameters": parameters, "responses": {}}}},
        "components": {"schemas": schemas},
    })
}

#[test]
fn text_that_looks_like_a_signature_is_left_alone() {
    let (_, rendered) = rendered(taking(&json!({"q": {"enum": ["(*,)"]}}), &json!({})));
    assert!(
        rendered.source.contains("Literal[\"(*,)\"]"),
        "{}",
        rendered.source
    );
}

#[test]
fn nullable_objects_keep_their_names() {
    for schema in [
        json!({"type": "object", "nullable": true, "properties": {"a": {"type": "string"}}}),
        json!({"nullable": true, "properties": {"a": {"type": "string"}}}),
        json!({"nullable": true, "allOf": [{"properties": {"a": {}}}, {"required": ["a"]}]}),
    ] {
        let (_, rendered) = rendered(returning(&json!({"N": schema})));
        assert!(rendered.source.contains("class N(TypedDict"), "{schema}");
        assert!(!rendered.source.contains("N2"), "{schema}");
        assert_eq!(rendered.functions[0].returns, "N | None");
    }
}

#[test]
fn required_keys_of_a_nullable_parent_stay_required() {
    let (_, rendered) = rendered(returning(&json!({
        "Child": {"allOf": [{"$ref": "#/components/schemas/Parent"}, {"properties": {"b": {}}}]},
        "Parent": {"nullable": true, "properties": {"a": {"type": "string"}}, "required": ["a"]},
    })));
    assert!(
        rendered.source.contains("    a: str\n"),
        "{}",
        rendered.source
    );
}

#[test]
fn sentences_of_a_docstring_do_not_run_on() {
    let (_, rendered) = rendered(taking(
        &json!({"q": {"type": "integer", "default": 20}}),
        &json!({}),
    ));
    assert!(
        rendered
            .source
            .contains("q: How many. The API's default is `20`."),
        "{}",
        rendered.source
    );
}

fn rename_error(document: &Value, rename: &[(&str, &str)]) -> Option<String> {
    let api = openapi::read_value(document.clone(), None).expect("it is a document");
    let rename = rename
        .iter()
        .map(|(key, name)| ((*key).to_owned(), (*name).to_owned()));
    let named = api::give_names(api, None, &rename.collect());
    named.err().map(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        errors.join("\n")
    })
}

#[test]
fn rename_says_what_is_wrong_and_nothing_of_what_is_not() {
    let document = json!({"openapi": "3.1.0", "paths": {
        "/a": {"get": {"operationId": "a"}, "put": {"operationId": "left_out", "requestBody": 1}},
        "/b": {"get": {"operationId": "twice"}, "head": {"operationId": "twice"}},
    }});
    assert_eq!(
        rename_error(&document, &[("a", "one"), ("GET /a", "two")]).as_deref(),
        Some("`rename` of `GET /a`: `a` is the same operation; remove one of the entries")
    );
    assert_eq!(
        rename_error(&document, &[("twice", "one")]).as_deref(),
        Some(
            "`rename` of `twice`: this operationId is that of `GET /b` and of `HEAD /b`; write \
             `METHOD /path` in its place"
        )
    );
    assert_eq!(rename_error(&document, &[("left_out", "one")]), None);
    assert_eq!(rename_error(&document, &[("PUT /a", "one")]), None);
    assert!(rename_error(&document, &[("PUT /b", "one")]).is_some());
}

#[test]
fn a_new_schema_takes_over_no_type_name() {
    let schema = |key: &str| json!({"type": "object", "properties": {key: {"type": "string"}}});
    let reference = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    let (_, before) = rendered(returning(&json!({"FooBar": schema("old")})));
    assert_eq!(before.functions[0].returns, "FooBar");
    let (named, _) = rendered(returning(&json!({
        "Root": {"properties": {"a": reference("FooBar"), "b": reference("Foo-Bar")}},
        "FooBar": schema("old"), "Foo-Bar": schema("new"),
    })));
    let types: Vec<&String> = named.types.keys().collect();
    assert_eq!(types.len(), 3);
    assert!(!types.iter().any(|name| *name == "FooBar"), "{types:?}");
}

#[test]
fn cookies_have_a_style_of_their_own_in_3_2_alone() {
    let document = |version: &str| {
        json!({"openapi": version, "paths": {"/a": {"get": {"operationId": "a", "responses": {},
            "parameters": [{"name": "c", "in": "cookie", "style": "cookie",
                "schema": {"type": "array", "items": {"type": "string"}}}]}}}})
    };
    let (_, rendered) = rendered(document("3.2.0"));
    assert!(
        rendered
            .source
            .contains("cookie={\"c\": (\"cookie\", True)})"),
        "{}",
        rendered.source
    );
    let api = mce::openapi::read_value(document("3.1.0"), None).unwrap();
    let warned = |it: &String| it.contains("its style is not legal there");
    assert!(api.warnings.iter().any(warned), "{:?}", api.warnings);
}

#[test]
fn an_example_of_a_number_is_within_its_bounds() {
    for (bounds, number) in [
        (json!({}), "1"),
        (json!({"minimum": 7}), "7"),
        (json!({"maximum": -3}), "-3"),
        (json!({"exclusiveMinimum": 5}), "6"),
        (json!({"exclusiveMaximum": 1}), "0"),
        (
            json!({"minimum": 2, "exclusiveMinimum": 8, "maximum": 9}),
            "9",
        ),
    ] {
        let mut schema = bounds.clone();
        schema["type"] = json!("integer");
        let (_, rendered) = rendered(json!({"openapi": "3.1.0", "paths": {"/a": {"get": {
            "operationId": "a", "responses": {}, "parameters": [
                {"name": "n", "in": "query", "required": true, "schema": schema}]}}}}));
        let call = format!("a(n={number})");
        assert!(
            rendered.source.contains(&call),
            "{bounds}: {}",
            rendered.source
        );
    }
}

#[test]
fn examples_give_the_keys_that_are_required() {
    let reference = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    let (_, rendered) = rendered(json!({
        "openapi": "3.1.0",
        "paths": {"/a": {"post": {"operationId": "a", "responses": {}, "requestBody": {
            "required": true, "content": {"application/json": {"schema": reference("Order")}}}}}},
        "components": {"schemas": {
            "Order": {"required": ["count", "item"], "properties": {
                "count": {"type": "integer"}, "item": reference("Item"), "note": {"type": "string"}}},
            "Item": {"required": ["parts"], "properties": {
                "parts": {"type": "array", "items": reference("Item")}}},
        }},
    }));
    assert!(
        rendered.source.contains(
            "a(body={\"count\": 1, \"item\": {\"parts\": [{\"parts\": [{\"parts\": [{...}]}]}]}})"
        ),
        "{}",
        rendered.source
    );
}
