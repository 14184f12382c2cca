//! Which operations compile, and the reasons of those that do not.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use mce::api::{self, Api, Operation, filter};
use mce::openapi;
use serde_json::{Value, json};

/// The API of a document with these paths.
fn read(paths: &Value) -> Api {
    let document = json!({"openapi": "3.2.0", "paths": paths, "components": {
        "parameters": {"Loop": {"$ref": "#/components/parameters/Loop"}},
        "schemas": {
            "Outside": {"type": "object", "properties": {"a": {"$ref": "other.yaml"}}},
            "Loop": {"type": "object", "properties": {"again": {"$ref": "#/components/schemas/Loop"}}},
        },
    }});
    openapi::read_value(document, None).unwrap()
}

/// The reason that the only operation is skipped for.
fn reason(path: &str, operation: &Value) -> String {
    let api = read(&json!({path: {"get": operation}}));
    assert!(api.operations.is_empty(), "{:?}", api.operations);
    api.skipped[0].reason.clone()
}

fn with_parameter(parameter: &Value) -> Value {
    json!({"parameters": [parameter], "responses": {}})
}

#[test]
fn what_cannot_be_called_right_is_skipped_with_its_reason() {
    for (path, operation, expected) in [
        (
            "/a",
            with_parameter(&json!({"in": "query", "required": true})),
            "unsupported: a parameter has no name",
        ),
        (
            "/a",
            json!({"$ref": "resources/get.yml"}),
            "unsupported: external reference `resources/get.yml`",
        ),
        (
            "/a",
            json!({"responses": {"200": {"content": {"application/json": {
                "schema": {"$ref": "#/components/schemas/Outside"}}}}}}),
            "unsupported: external reference `other.yaml`",
        ),
        (
            "/a",
            json!({"requestBody": {"content": {"font/*": {}}}}),
            "unsupported: request body font/*",
        ),
        (
            "/a",
            with_parameter(&json!({"name": "X-Forwarded-For", "in": "header", "required": true})),
            "unsupported: requires header X-Forwarded-For",
        ),
        (
            "/a",
            with_parameter(&json!({"$ref": "#/components/parameters/Loop"})),
            "unsupported: reference `#/components/parameters/Loop` is part of a loop or of a chain longer than 256",
        ),
        (
            "/a",
            with_parameter(&json!({"name": "q", "in": "querystring", "required": true})),
            "unsupported: parameter `q` in querystring: its media type is not supported",
        ),
    ] {
        assert_eq!(reason(path, &operation), expected);
    }
}

#[test]
fn an_optional_parameter_that_cannot_be_sent_is_left_out_with_a_warning() {
    for name in ["Host", "X-HTTP-Method-Override", "a b", "X-Original-URL"] {
        let parameter = json!({"name": name, "in": "header", "schema": {"type": "string"}});
        let api = read(&json!({"/a": {"get": with_parameter(&parameter)}}));
        assert!(api.operations[0].parameters.is_empty());
        assert!(
            api.warnings.iter().any(|warning| warning.contains(name)),
            "{:?}",
            api.warnings
        );
    }
}

#[test]
fn path_level_parameters_are_overridden_by_name_and_place() {
    let parameter = |place: &str, description: &str| json!({"name": "a", "in": place, "description": description, "schema": {}});
    let api = read(&json!({"/x": {
        "parameters": [parameter("query", "outer"), parameter("header", "outer")],
        "get": {"parameters": [parameter("query", "inner"), parameter("cookie", "inner")], "responses": {}},
    }}));
    let found: Vec<String> = api.operations[0]
        .parameters
        .iter()
        .map(|parameter| format!("{:?} {}", parameter.location, parameter.description))
        .collect();
    assert_eq!(found, ["Query inner", "Header outer", "Cookie inner"]);
}

#[test]
fn every_method_is_listed_once_and_no_other_key_is_one() {
    let api = read(&json!({"/a": {
        "get": {}, "query": {}, "DELETE": {}, "x-post": {}, "summary": "s",
        "additionalOperations": {"PURGE": {}},
    }}));
    let compiled: Vec<String> = api.operations.iter().map(Operation::label).collect();
    assert_eq!(compiled, ["GET /a", "QUERY /a"]);
    let skipped: Vec<&str> = api
        .skipped
        .iter()
        .map(|skipped| skipped.method.as_str())
        .collect();
    assert_eq!(skipped, ["DELETE", "PURGE"]);
}

#[test]
fn a_method_that_is_written_twice_is_listed_once() {
    let api = read(&json!({"/a": {
        "DELETE": {}, "additionalOperations": {"GET": {}, "PURGE": {}}, "get": {}, "delete": {},
    }}));
    let compiled: Vec<String> = api.operations.iter().map(Operation::label).collect();
    assert_eq!(compiled, ["GET /a", "DELETE /a"]);
    let skipped: Vec<&str> = api.skipped.iter().map(|it| it.method.as_str()).collect();
    assert_eq!(skipped, ["PURGE"]);
    assert_eq!(api.warnings.len(), 4, "{:?}", api.warnings);
}

#[test]
fn a_path_that_cannot_be_read_is_listed_with_the_operations_that_are_known() {
    let api = read(&json!({
        "/external": {"$ref": "other.yaml#/a", "get": {"operationId": "known"}},
        "/loop": {"$ref": "#/paths/~1loop"},
        "/text": "none",
        "/member": {"put": "none"},
    }));
    assert!(api.operations.is_empty());
    let skipped: Vec<String> = api
        .skipped
        .iter()
        .map(|it| format!("{} {}: {}", it.method, it.path, it.reason))
        .collect();
    assert_eq!(
        skipped,
        [
            "* /external: unsupported: external reference `other.yaml#/a`",
            "GET /external: unsupported: external reference `other.yaml#/a`",
            "* /loop: unsupported: the references of the path item form a loop or too long a chain",
            "* /text: unsupported: the path item is no mapping",
            "PUT /member: unsupported: the operation is no mapping",
        ]
    );
    assert!(api.operation_ids.contains("known"));
}

#[test]
fn parts_that_operations_share_cannot_grow_a_document_without_bound() {
    let values: Vec<String> = (0..10_000).map(|number| format!("v{number}")).collect();
    let shared = json!({"name": "q", "in": "query", "schema": {"enum": values}});
    let operation = json!({"parameters": [{"$ref": "#/components/parameters/Q"}], "responses": {}});
    let paths: serde_json::Map<String, Value> = (0..1_000)
        .map(|number| (format!("/p{number}"), json!({"get": operation})))
        .collect();
    let document = json!({
        "openapi": "3.1.0", "paths": paths, "components": {"parameters": {"Q": shared}},
    });
    let error = openapi::read_value(document, None).unwrap_err();
    assert!(
        error.to_string().contains("repeat more than 128 MiB"),
        "{error}"
    );
}

#[test]
fn schemas_that_refer_to_themselves_are_gathered_once() {
    let api = read(
        &json!({"/a": {"get": {"responses": {"200": {"content": {"application/json": {
        "schema": {"$ref": "#/components/schemas/Loop"}}}}}}}}),
    );
    assert_eq!(
        api.schemas.keys().collect::<Vec<_>>(),
        ["#/components/schemas/Loop"]
    );
}

#[test]
fn security_says_none_optional_or_which() {
    let api = read(&json!({
        "/none": {"get": {"security": []}},
        "/silent": {"get": {}},
        "/which": {"get": {"security": [{"key": ["a"]}]}},
    }));
    let security: Vec<Value> = api.operations.iter().map(|o| json!(o.security)).collect();
    assert_eq!(security, [json!([]), json!([{}]), json!([{"key": ["a"]}])]);
}

#[test]
fn renaming_what_the_read_only_rule_leaves_out_is_no_error() {
    let mut api = read(&json!({"/a": {
        "get": {"operationId": "list_all"}, "delete": {"operationId": "gone"}, "put": {},
    }}));
    let rules = filter::Rules {
        read_only: true,
        ..filter::Rules::default()
    };
    assert_eq!(filter::apply(&mut api, &rules), []);
    let rename = |key: &str| [(key.to_owned(), "other".to_owned())].into_iter().collect();
    for key in ["gone", "PUT /a"] {
        let named = api::give_names(api.clone(), None, &rename(key)).unwrap();
        assert_eq!(named.names[0].function, "list_all");
        let expected = format!("`rename` of `{key}` has no effect: that operation was left out");
        assert!(
            named.api.warnings.contains(&expected),
            "{:?}",
            named.api.warnings
        );
    }
    assert!(api::give_names(api, None, &rename("PUT /b")).is_err());
}

#[test]
fn files_are_known_by_their_media_type_alone() {
    let content = json!({"multipart/form-data": {
        "schema": {"type": "object", "properties": {
            "picture": {"contentMediaType": "image/png"},
            "files": {"type": "array", "items": {"type": "string", "contentMediaType": "application/zip"}},
            "coded": {"type": "string", "contentMediaType": "image/png", "contentEncoding": "base64"},
            "page": {"type": "string", "contentMediaType": "text/html"},
            "photo": {"type": "string", "format": "binary"},
            "data": {"type": "object"},
        }},
        "encoding": {
            "photo": {"contentType": "image/png, image/jpeg"},
            "data": {"contentType": "application/json, application/xml"},
        },
    }});
    let root = json!({"openapi": "3.1.0", "paths": {"/a": {"post": {
        "requestBody": {"content": content}, "responses": {},
    }}}});
    let mut api = openapi::read_value(root, None).unwrap();
    let body = api.operations.remove(0).body.unwrap();
    let format = |pointer: &str| body.schema.pointer(pointer).and_then(Value::as_str);
    assert_eq!(format("/properties/picture/format"), Some("binary"));
    assert_eq!(format("/properties/files/items/format"), Some("binary"));
    assert_eq!(format("/properties/coded/format"), None);
    assert_eq!(format("/properties/page/format"), None);
    let sent: Vec<(&str, Option<&str>)> = body
        .encoding
        .iter()
        .map(|(name, it)| (name.as_str(), it.content_type.as_deref()))
        .collect();
    assert_eq!(
        sent,
        [
            ("data", Some("application/json")),
            ("files", Some("application/zip")),
            ("picture", Some("image/png")),
        ],
        "which of several kinds of pictures it is, only the caller knows"
    );
}

#[test]
fn headers_of_parts_are_stated_where_their_value_is_and_told_of_where_not() {
    let content = json!({"multipart/form-data": {
        "schema": {"type": "object", "properties": {"file": {"contentMediaType": "image/png"}}},
        "encoding": {
            "file": {"headers": {
                "X-Kind": {"schema": {"const": "scan"}},
                "X-Size": {"required": true, "schema": {"type": "integer"}},
            }},
        },
    }});
    let root = json!({"openapi": "3.1.0", "paths": {"/a": {"post": {
        "operationId": "send", "requestBody": {"content": content}, "responses": {},
    }}}});
    let api = openapi::read_value(root, None).unwrap();
    assert_eq!(
        api.warnings[0],
        "POST /a: the header `X-Size` of the part `file` is not sent: the document gives it no single value that a header can carry"
    );
    let encoding = &api.operations[0].body.as_ref().unwrap().encoding["file"];
    assert_eq!(encoding.content_type.as_deref(), Some("image/png"));
    let named = api::give_names(api, None, &indexmap::IndexMap::new()).unwrap();
    let target = mce::python::Target {
        server: "a",
        title: "A",
    };
    let source = mce::python::render(&named, target).unwrap().source;
    assert!(
        source.contains(
            "part_headers={\"multipart/form-data\": {\"file\": {\"X-Kind\": \"scan\"}}},"
        ),
        "{source}"
    );
}
