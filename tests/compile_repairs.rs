//! Common mistakes in documents: what is made of them, and that a warning says so.

#![expect(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "a test fails by panicking, and JSON literals read best as values"
)]

use mce::api::{Api, Location, OperationParameter, Style};
use mce::openapi;
use serde_json::{Value, json};

fn read(version: &str, path: &str, operation: Value) -> Api {
    let method = if path.contains("post") { "post" } else { "get" };
    let mut paths = json!({});
    paths[path] = json!({method: operation});
    openapi::read_value(json!({"openapi": version, "paths": paths}), None).unwrap()
}

#[track_caller]
fn warned(api: &Api, text: &str) {
    let is_there = api.warnings.iter().any(|warning| warning.contains(text));
    assert!(is_there, "{text:?} is not in {:?}", api.warnings);
}

fn parameters(api: &Api) -> &[OperationParameter] {
    assert!(api.skipped.is_empty(), "{:?}", api.skipped);
    &api.operations[0].parameters
}

#[test]
fn an_undeclared_placeholder_is_a_required_text() {
    let api = read("3.0.0", "/a/{id}", json!({}));
    let [only] = parameters(&api) else {
        unreachable!("{:?}", api.operations)
    };
    assert_eq!(
        (only.wire_name.as_str(), only.location),
        ("id", Location::Path)
    );
    assert!(only.required);
    assert_eq!(only.schema, json!({"type": "string"}));
    warned(
        &api,
        "GET /a/{id}: the placeholder `{id}` of the path is not declared",
    );
}

#[test]
fn a_path_parameter_without_a_placeholder_is_left_out() {
    let declared = json!({"name": "id", "in": "path", "schema": {"type": "integer"}});
    let api = read("3.0.0", "/a", json!({"parameters": [declared]}));
    assert!(parameters(&api).is_empty());
    warned(
        &api,
        "no placeholder for the path parameter `id`, which is left out",
    );
}

#[test]
fn places_of_2_0_make_the_body_of_an_operation_without_one() {
    let fields = json!([
        {"name": "prompt", "in": "formData", "required": true, "schema": {"type": "string"}},
        {"name": "image", "in": "formData", "type": "file"},
    ]);
    let whole =
        json!([{"name": "b", "in": "body", "required": true, "schema": {"type": "object"}}]);
    let api = read("3.0.0", "/post", json!({"parameters": whole}));
    assert!(parameters(&api).is_empty());
    let body = api.operations[0].body.as_ref().unwrap();
    assert_eq!(
        (body.content_type.as_str(), body.required),
        ("application/json", true)
    );
    warned(&api, "`b` in body is read as Swagger 2.0 has it");

    let content = json!({"application/json": {"schema": {"type": "string"}}});
    let both = json!({"parameters": fields, "requestBody": {"content": content}});
    let api = read("3.0.0", "/post", both);
    let body = api.operations[0].body.as_ref().unwrap();
    assert_eq!(body.schema, json!({"type": "string"}));
    warned(
        &api,
        "`prompt` in formData, a place of Swagger 2.0, is left out beside `requestBody`",
    );
}

#[test]
fn a_type_beside_in_is_the_schema() {
    let declared = json!({"name": "n", "in": "query", "type": "integer", "default": 3});
    let api = read("3.1.0", "/a", json!({"parameters": [declared]}));
    assert_eq!(
        parameters(&api)[0].schema,
        json!({"type": "integer", "default": 3})
    );
    warned(&api, "the parameter `n` in query has its type beside `in`");
}

#[test]
fn a_style_of_another_place_does_not_matter_to_a_single_value() {
    let declared = |kind: &str, required: bool| {
        json!({"parameters": [{"name": "n", "in": "header", "style": "form", "required": required,
            "schema": {"type": kind}}]})
    };
    let api = read("3.0.0", "/a", declared("string", true));
    assert_eq!(parameters(&api)[0].style, Style::Simple);
    warned(
        &api,
        "the style of the parameter `n` in header is not legal there",
    );
    let api = read("3.0.0", "/a", declared("array", true));
    assert_eq!(
        api.skipped[0].reason,
        "unsupported: parameter `n` in header: its style is not legal there"
    );
    assert!(parameters(&read("3.0.0", "/a", declared("array", false))).is_empty());
}

#[test]
fn of_parameters_declared_twice_the_last_counts() {
    let declared = |kind: &str| json!({"name": "X-A", "in": "header", "schema": {"type": kind}});
    let mut second = declared("integer");
    second["name"] = Value::from("x-a");
    let nameless = json!({"in": "query", "schema": {}});
    let api = read(
        "3.0.0",
        "/a",
        json!({"parameters": [declared("string"), second, nameless]}),
    );
    let [only] = parameters(&api) else {
        unreachable!("{:?}", api.operations)
    };
    assert_eq!(only.schema, json!({"type": "integer"}));
    warned(&api, "`x-a` in header is declared twice");
    warned(&api, "an optional parameter without a name is left out");
}

#[test]
fn a_reference_within_a_body_or_answer_that_leads_nowhere_stands_for_anything() {
    let media = json!({"application/json": {"schema": {"type": "object", "properties": {
        "a": {"$ref": "#/components/schemas/Gone"}, "b": {"type": "string"}}}}});
    let api = read(
        "3.0.0",
        "/post",
        json!({"requestBody": {"content": media}, "responses": {"200": {"content": media}}}),
    );
    assert!(api.skipped.is_empty(), "{:?}", api.skipped);
    let expected = json!({"type": "object", "properties": {"a": {}, "b": {"type": "string"}}});
    assert_eq!(api.operations[0].body.as_ref().unwrap().schema, expected);
    assert_eq!(api.operations[0].responses[0].schema, expected);
    warned(
        &api,
        "the body may hold anything where reference `#/components/schemas/Gone` leads nowhere",
    );
    warned(&api, "the answer 200 may hold anything where reference");

    let gone = json!({"schema": {"$ref": "#/components/schemas/Gone"}});
    let content = json!({"content": {"application/json": gone}});
    for operation in [
        json!({"requestBody": content}),
        json!({"parameters": [{"name": "q", "in": "query", "required": true,
            "schema": {"type": "array", "items": gone["schema"]}}]}),
    ] {
        let api = read("3.0.0", "/post", operation);
        assert_eq!(
            api.skipped[0].reason,
            "unsupported: reference `#/components/schemas/Gone` leads nowhere"
        );
    }
}

#[test]
fn what_is_wrong_with_many_operations_is_said_once() {
    let paths: serde_json::Map<String, Value> = (0..5)
        .map(|index| {
            (
                format!("/{index}/{{id}}"),
                json!({"get": {"responses": {}}}),
            )
        })
        .collect();
    let document = json!({"openapi": "3.0.0", "paths": paths});
    let api = openapi::read_value(document, None).unwrap();
    assert_eq!(
        api.warnings,
        [
            "GET /0/{id} and 4 more operations: the placeholder `{id}` of the path is not declared \
             as a parameter; it is taken for a text"
        ]
    );
}

#[test]
fn queries_and_fragments_in_path_keys_are_kept() {
    let paths = json!({
        "/a": {"post": {}}, "/a?beta=true": {"post": {}}, "/a#close": {"post": {}},
        "/a?x=a{x}": {"post": {}}, "/a?_method=DELETE": {"get": {}},
    });
    let document = json!({"openapi": "3.0.0", "paths": paths});
    let api = openapi::read_value(document, None).unwrap();
    let found: Vec<String> = api
        .operations
        .iter()
        .map(mce::api::Operation::label)
        .collect();
    assert_eq!(found, ["POST /a", "POST /a?beta=true", "POST /a#close"]);
    warned(
        &api,
        "POST /a#close: the fragment is not sent, so the request is that of POST /a",
    );
    let reasons: Vec<&str> = api.skipped.iter().map(|one| one.reason.as_str()).collect();
    assert_eq!(
        reasons,
        [
            "unsupported: the query of the path holds `{`",
            "unsupported: requires query parameter `_method`"
        ]
    );
}

#[test]
fn placeholders_in_the_query_of_a_path_key_are_query_parameters() {
    let text = json!({"type": "string"});
    let api = read(
        "3.0.0",
        "/a?b={b}&c={other}&d={d}&e=1",
        json!({"parameters": [
            {"name": "b", "in": "query", "schema": text},
            {"name": "other", "in": "path", "required": true, "schema": text},
        ]}),
    );
    let found: Vec<_> = parameters(&api)
        .iter()
        .map(|it| (it.wire_name.as_str(), it.location, it.style, it.required))
        .collect();
    assert_eq!(
        found,
        [
            ("b", Location::Query, Style::Form, false),
            ("c", Location::Query, Style::Form, true),
            ("d", Location::Query, Style::Form, true),
        ]
    );
    warned(
        &api,
        "the placeholder `{d}` in the query of the path is taken for a query parameter",
    );
}

#[test]
fn places_are_known_however_they_are_spelt() {
    let declared =
        json!([{"name": "q", "in": "Query", "schema": {}}, {"name": "h", "in": " header"}]);
    let api = read("3.0.0", "/a", json!({"parameters": declared}));
    let places: Vec<_> = parameters(&api).iter().map(|it| it.location).collect();
    assert_eq!(places, [Location::Query, Location::Header]);
    let api = read("3.0.0", "/a", json!({"parameters": {}}));
    assert!(parameters(&api).is_empty());
}

#[test]
fn what_3_2_says_of_encodings_and_does_not_count_is_said() {
    let form = |media: &Value| {
        let content = json!({"application/x-www-form-urlencoded": media});
        json!({"parameters": [{"name": "q", "in": "querystring", "content": content}]})
    };
    let flat = json!({"schema": {"type": "object", "properties": {"a": {"type": "string"}}}});
    let warnings = read("3.2.0", "/a", form(&flat)).warnings;
    assert_eq!(warnings, ["GET /a: it documents no responses"]);
    let list = json!({"schema": {"type": "object", "properties": {"a": {"type": "array"}}},
        "encoding": {"a": {"style": "pipeDelimited"}}});
    let api = read("3.2.0", "/a", form(&list));
    warned(
        &api,
        "the `encoding` of the query `q` in querystring does not count",
    );
    warned(
        &api,
        "lists and objects within the query `q` in querystring are sent as JSON",
    );
    for keyword in ["itemEncoding", "prefixEncoding"] {
        let content = json!({"multipart/mixed": {"schema": {"type": "array"}, keyword: {}}});
        let api = read("3.2.0", "/a", json!({"requestBody": {"content": content}}));
        warned(
            &api,
            &format!("`{keyword}` of the body `multipart/mixed` does not count"),
        );
    }
}

#[test]
fn version_3_2_has_whole_queries_and_further_methods() {
    let form = json!({"application/x-www-form-urlencoded": {"schema": {"type": "object"}}});
    let json = json!({"application/json": {"schema": {"type": "object"}}});
    let whole = |content: &Value| json!({"parameters": [{"name": "q", "in": "querystring", "required": true, "content": content}]});
    let api = read("3.2.0", "/a", whole(&form));
    let [only] = parameters(&api) else {
        unreachable!("{:?}", api.operations)
    };
    assert_eq!(
        (only.location, only.style, only.explode),
        (Location::Query, Style::Form, true)
    );
    let api = read("3.2.0", "/a", whole(&json));
    let [only] = parameters(&api) else {
        unreachable!("{:?}", api.operations)
    };
    assert_eq!(
        (only.location, only.style, only.content_type.as_deref()),
        (Location::Query, Style::Whole, Some("application/json"))
    );
    let mut beside = whole(&json);
    let listed = beside["parameters"].as_array_mut().unwrap();
    listed.push(json!({"name": "r", "in": "query", "schema": {}}));
    for api in [
        read("3.2.0", "/a", beside),
        read("3.2.0", "/a", whole(&json!({"text/plain": {}}))),
        read("3.1.0", "/a", whole(&form)),
    ] {
        assert_eq!(api.operations.len(), 0);
    }
    // What a path fixes is a part of the query too.
    for (path, content, callable) in [
        ("/a?fixed=1", &json, 0),
        ("/a?kind={kind}", &json, 0),
        ("/a?#get", &json, 1),
        ("/a?fixed=1", &form, 1),
    ] {
        let api = read("3.2.0", path, whole(content));
        assert_eq!(api.operations.len(), callable, "{path}");
    }
    let paths = json!({"/a": {"additionalOperations": {"POST": {}, "LINK": {}, "post": {}}}});
    let api = openapi::read_value(json!({"openapi": "3.2.0", "paths": paths}), None).unwrap();
    let found: Vec<String> = api
        .operations
        .iter()
        .map(mce::api::Operation::label)
        .collect();
    assert_eq!(found, ["POST /a"]);
    let skipped: Vec<&str> = api.skipped.iter().map(|one| one.reason.as_str()).collect();
    assert_eq!(
        skipped,
        ["unsupported: method `LINK`", "unsupported: method `post`"]
    );
}

#[test]
fn servers_that_cannot_be_meant_are_warned_of() {
    for (url, text) in [
        (
            "https://user:hunter2@a.example/",
            "the user name and password of the root server's URL are left out",
        ),
        (
            "https://a.example/v1?key=hunter2",
            "the query and fragment of the root server's URL are left out",
        ),
        (
            "http://169.254.169.254/latest",
            "is a link-local or metadata address, which is never called",
        ),
        (
            "http://metadata.google.internal/",
            "is a link-local or metadata address, which is never called",
        ),
    ] {
        let root = json!({"openapi": "3.1.0", "servers": [{"url": url}], "paths": {}});
        let api = openapi::read_value(root, None).unwrap();
        assert!(api.base_url.is_some());
        let said = [api.warnings, api.unusable_server].concat().join("\n");
        assert!(said.contains(text), "{said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
}

#[test]
fn a_body_whose_media_type_is_misspelt_is_sent_as_what_was_meant() {
    for (spelt, meant) in [
        ("", "application/json"),
        ("json", "application/json"),
        ("applicationjson;version=2", "application/json"),
        (
            "application/x-www-form-urlencoded, application/json",
            "application/x-www-form-urlencoded",
        ),
    ] {
        let content = json!({spelt: {"schema": {"type": "object"}}});
        let api = read(
            "3.0.0",
            "/post",
            json!({"requestBody": {"content": content}}),
        );
        assert!(api.skipped.is_empty(), "{spelt}: {:?}", api.skipped);
        let body = api.operations[0].body.as_ref().unwrap();
        assert_eq!(body.content_type, meant, "{spelt}");
        warned(
            &api,
            &format!("`{spelt}` is no media type; the body is sent as {meant}"),
        );
        let told_twice = |it: &String| it.contains("cannot be sent");
        assert!(!api.warnings.iter().any(told_twice), "{:?}", api.warnings);
    }
    // Beside one that can be sent it is left out, and what is hidden in a name is no slip.
    let content = json!({"": {}, "text/plain": {"schema": {"type": "string"}}});
    let api = read(
        "3.0.0",
        "/post",
        json!({"requestBody": {"content": content}}),
    );
    let body = api.operations[0].body.as_ref().unwrap();
    assert_eq!(body.content_type, "text/plain");
    let content = json!({"application/json\r\nX-Evil: 1": {}});
    let api = read(
        "3.0.0",
        "/post",
        json!({"requestBody": {"content": content}}),
    );
    assert_eq!(
        api.skipped[0].reason,
        "unsupported: the media type of the request body is malformed"
    );
}

#[test]
fn an_answer_whose_media_type_is_misspelt_is_read_as_what_was_meant() {
    for (content, types, kind) in [
        (json!({"json": {}}), ["application/json"], "json"),
        (json!({"text/plain, text/html": {}}), ["text/plain"], "text"),
        (json!({"json": {}, "text/csv": {}}), ["text/csv"], "text"),
    ] {
        let responses = json!({"200": {"description": "It worked", "content": content}});
        let api = read("3.0.0", "/get", json!({"responses": responses}));
        let response = &api.operations[0].responses[0];
        assert_eq!(response.content_types, types, "{content}");
        assert_eq!(serde_json::to_value(response.kind).unwrap(), kind);
    }
    let responses = json!({"200": {"description": "It worked", "content": {"json": {}}}});
    let api = read("3.0.0", "/get", json!({"responses": responses}));
    warned(
        &api,
        "`json` is no media type; the answer 200 is read as application/json",
    );
    let responses = json!({"200": {"description": "", "content": {"a/b\r\nX: 1": {}}}});
    let api = read("3.0.0", "/get", json!({"responses": responses}));
    assert_eq!(api.operations[0].responses[0].content_types, [""; 0]);
}

#[test]
fn of_a_status_that_is_there_twice_the_first_counts() {
    let responses = json!({
        "2xx": {"description": "first", "content": {"text/plain": {}}},
        "2XX": {"description": "second", "content": {"application/json": {}}},
    });
    let api = read("3.0.0", "/get", json!({"responses": responses}));
    let operation = &api.operations[0];
    assert_eq!(operation.responses.len(), 1);
    assert_eq!(operation.responses[0].content_types, ["text/plain"]);
    warned(
        &api,
        "the response 2XX is there twice, spelt differently; the first counts",
    );
    let named = mce::api::give_names(api, None, &indexmap::IndexMap::new()).unwrap();
    let target = mce::python::Target {
        server: "a",
        title: "A",
    };
    mce::python::render(&named, target).unwrap();
}

#[test]
fn a_content_length_that_is_required_is_what_any_client_sends() {
    let header = |name: &str| {
        json!({"parameters": [{"name": name, "in": "header", "required": true,
            "schema": {"type": "integer"}}]})
    };
    for name in ["Content-Length", "content-length"] {
        let api = read("3.0.0", "/post", header(name));
        assert!(parameters(&api).is_empty());
    }
    let api = read("3.0.0", "/post", header("Transfer-Encoding"));
    assert_eq!(
        api.skipped[0].reason,
        "unsupported: requires header Transfer-Encoding"
    );
}

#[test]
fn content_of_any_media_type_is_text_where_the_value_is_a_single_one() {
    for (schema, media_type) in [
        (json!({"type": "string", "format": "uuid"}), "text/plain"),
        (json!({"type": "integer"}), "text/plain"),
        (json!({"type": "object"}), "application/json"),
        (json!({"type": "array", "items": {}}), "application/json"),
        (json!({}), "application/json"),
    ] {
        let declared = json!({"name": "id", "in": "path", "required": true,
            "content": {"*/*": {"schema": schema}}});
        let api = read("3.0.0", "/a/{id}", json!({"parameters": [declared]}));
        let found = parameters(&api)[0].content_type.as_deref();
        assert_eq!(found, Some(media_type), "{schema}");
    }
}
