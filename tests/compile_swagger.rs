//! Swagger 2.0 documents.

#![expect(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "a test fails by panicking, and JSON literals read best as values"
)]

use mce::api::{Api, Location, Operation, ResponseKind, Style};
use mce::openapi;
use serde_json::{Value, json};
use url::Url;

fn read_at(mut root: Value, location: Option<&str>) -> Api {
    root["swagger"] = Value::from("2.0");
    let location = location.map(|text| Url::parse(text).unwrap());
    openapi::read_value(root, location.as_ref()).unwrap()
}

fn read(root: Value) -> Api {
    read_at(root, None)
}

/// The only operation of a document with these members and this operation.
fn operation(mut root: Value, operation: Value) -> Operation {
    root["paths"] = json!({"/a/{id}": {"post": operation}});
    let mut api = read(root);
    assert!(api.skipped.is_empty(), "{:?}", api.skipped);
    api.operations.remove(0)
}

fn spellings(operation: &Operation) -> Vec<(&str, Location, Style, bool)> {
    let parameters = operation.parameters.iter();
    parameters
        .map(|it| (it.wire_name.as_str(), it.location, it.style, it.explode))
        .collect()
}

#[test]
fn the_server_is_made_of_scheme_host_and_base_path() {
    for (root, location, expected) in [
        (
            json!({"host": "api.example.com", "basePath": "/v1/", "schemes": ["http", "https"]}),
            None,
            Some("https://api.example.com/v1"),
        ),
        (
            json!({"host": "api.example.com:8080", "basePath": "v1", "schemes": ["ws", "http"]}),
            None,
            Some("http://api.example.com:8080/v1"),
        ),
        (
            json!({"host": "api.example.com"}),
            None,
            Some("https://api.example.com"),
        ),
        (
            json!({"host": "api.example.com"}),
            Some("http://docs.example.com/swagger.json"),
            Some("http://api.example.com"),
        ),
        (
            json!({"basePath": "/v1"}),
            Some("https://docs.example.com:444/x/swagger.json"),
            Some("https://docs.example.com:444/v1"),
        ),
        (
            json!({}),
            Some("https://docs.example.com/x/swagger.json"),
            Some("https://docs.example.com"),
        ),
        (json!({"basePath": "/v1"}), None, None),
        (json!({}), None, None),
        (
            json!({"host": "api.example.com", "schemes": ["wss"]}),
            None,
            None,
        ),
        (json!({"host": "api.example.com@evil.example"}), None, None),
        (json!({"host": "evil.example/api.example.com"}), None, None),
        (json!({"host": "evil.example#.example.com"}), None, None),
        (json!({"host": "https://api.example.com"}), None, None),
        (json!({"host": "{tenant}.example.com"}), None, None),
        (
            json!({"basePath": "//evil.example/x"}),
            Some("https://docs.example.com/"),
            None,
        ),
    ] {
        let api = read_at(root.clone(), location);
        assert_eq!(api.base_url.as_deref(), expected, "{root}");
        let is_named = root.get("host").is_some() || root.get("basePath").is_some();
        let is_warned = !api.unusable_server.is_empty();
        assert_eq!(
            is_warned,
            expected.is_none() && is_named,
            "{:?}",
            api.warnings
        );
    }
}

#[test]
fn schemes_of_an_operation_are_servers_of_its_own() {
    let api = read(
        json!({"host": "a.example", "schemes": ["https", "http"], "paths": {"/a": {
        "get": {"schemes": ["http", "https"]}, "put": {"schemes": ["http"]}}}}),
    );
    let own: Vec<_> = api.operations.iter().map(|it| &it.server).collect();
    assert_eq!(*own[0], mce::api::OperationServer::Document);
    let elsewhere = mce::api::OperationServer::Elsewhere("`http://a.example`".to_owned());
    assert_eq!(*own[1], elsewhere);
}

#[test]
fn lists_are_written_as_collection_format_says() {
    let list = |name: &str, place: &str, format: &str| {
        json!({"name": name, "in": place, "required": place == "path", "type": "array",
            "items": {"type": "string"}, "collectionFormat": format})
    };
    let found = operation(
        json!({"parameters": {"Shared": list("shared", "query", "tsv")}}),
        json!({"parameters": [
            list("id", "path", "pipes"), list("csv", "query", "csv"), list("ssv", "query", "ssv"),
            list("pipes", "query", "pipes"), list("multi", "query", "multi"),
            list("X-A", "header", "ssv"), {"$ref": "#/parameters/Shared"},
            {"name": "plain", "in": "query", "type": "array"},
            {"name": "one", "in": "query", "type": "string", "collectionFormat": "csv"},
        ]}),
    );
    assert_eq!(
        spellings(&found),
        [
            ("id", Location::Path, Style::PipeDelimited, false),
            ("csv", Location::Query, Style::Form, false),
            ("ssv", Location::Query, Style::SpaceDelimited, false),
            ("pipes", Location::Query, Style::PipeDelimited, false),
            ("multi", Location::Query, Style::Form, true),
            ("X-A", Location::Header, Style::SpaceDelimited, false),
            ("shared", Location::Query, Style::TabDelimited, false),
            ("plain", Location::Query, Style::Form, false),
            ("one", Location::Query, Style::Form, true),
        ]
    );
}

#[test]
fn what_cannot_be_sent_is_left_out_or_skips_its_operation() {
    for (parameter, reason) in [
        (
            json!({"name": "f", "in": "query", "type": "file"}),
            "parameter `f` in query: a file is sent in forms only",
        ),
        (
            json!({"name": "f", "in": "query", "type": "array", "collectionFormat": "x"}),
            "parameter `f` in query: its `collectionFormat` is unknown",
        ),
        (
            json!({"name": "f", "in": "formData", "type": "array", "collectionFormat": "x"}),
            "form field `f`: its `collectionFormat` is unknown",
        ),
        (
            json!({"name": "X-F", "in": "header", "type": "array", "collectionFormat": "multi"}),
            "parameter `X-F` in header: `collectionFormat: multi` is for query and forms only",
        ),
        (
            json!({"name": "c", "in": "cookie2"}),
            "parameter `c` in cookie2, which is no place",
        ),
    ] {
        let mut required = parameter.clone();
        required["required"] = Value::Bool(true);
        let api = read(json!({"paths": {"/a": {"post": {"parameters": [required]}}}}));
        assert_eq!(api.skipped[0].reason, format!("unsupported: {reason}"));
        let api = read(json!({"paths": {"/a": {"post": {"parameters": [parameter]}}}}));
        assert!(api.operations[0].parameters.is_empty() && api.operations[0].body.is_none());
        let is_left_out = |it: &String| it.contains("is left out");
        assert!(api.warnings.iter().any(is_left_out), "{:?}", api.warnings);
    }
}

#[test]
fn bodies_are_what_the_operation_consumes() {
    let body = json!({"name": "pet", "in": "body", "required": true,
        "schema": {"$ref": "#/definitions/Pet"}});
    let definitions = json!({"Pet": {"type": "object", "properties": {
        "photo": {"type": "file"}, "age": {"type": "integer", "x-nullable": true}}}});
    let of = |root_consumes: Value, consumes: Value| {
        let mut declared = json!({"parameters": [body.clone()]});
        if !consumes.is_null() {
            declared["consumes"] = consumes;
        }
        let root = json!({"consumes": root_consumes, "definitions": definitions.clone()});
        let body = operation(root, declared).body.unwrap();
        assert!(body.required);
        body.content_type
    };
    assert_eq!(of(json!(["text/xml"]), Value::Null), "text/xml");
    assert_eq!(
        of(json!(["text/xml"]), json!(["application/vnd.a+json"])),
        "application/vnd.a+json"
    );
    assert_eq!(of(json!(["text/xml"]), json!([])), "application/json");
    assert_eq!(of(json!(["*/*"]), Value::Null), "application/json");
    assert_eq!(
        of(json!(["nonsense", "a/b\r\nX: y"]), Value::Null),
        "application/json"
    );

    let api = read(
        json!({"definitions": definitions, "paths": {"/a": {"post": {
        "parameters": [body]}}}}),
    );
    assert_eq!(
        api.schemas["#/definitions/Pet"]["properties"],
        json!({"photo": {"type": "string", "format": "binary"}, "age": {"type": ["integer", "null"]}})
    );
}

#[test]
fn responses_are_what_the_operation_produces() {
    let found = operation(
        json!({"produces": ["application/json", "text/plain"], "responses": {
            "Missing": {"description": "There is none.", "schema": {"type": "string"}}}}),
        json!({"responses": {
            "200": {"description": "It.", "schema": {"type": "string"}},
            "204": {"description": "Nothing."},
            "404": {"$ref": "#/responses/Missing"},
        }}),
    );
    let kinds: Vec<_> = found
        .responses
        .iter()
        .map(|it| (it.status.as_str(), it.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            ("200", ResponseKind::Json),
            ("204", ResponseKind::Empty),
            ("404", ResponseKind::Json)
        ]
    );
    assert_eq!(
        found.responses[0].content_types,
        ["application/json", "text/plain"]
    );
    assert_eq!(found.response_descriptions["404"], "There is none.");
    let file = operation(
        json!({}),
        json!({"responses": {"200": {"schema": {"type": "file"}}}}),
    );
    assert_eq!(file.responses[0].kind, ResponseKind::Bytes);
    assert_eq!(
        file.responses[0].content_types,
        ["application/octet-stream"]
    );
}

#[test]
fn security_definitions_become_schemes() {
    let api = read(json!({
        "securityDefinitions": {
            "b": {"type": "basic"},
            "k": {"type": "apiKey", "in": "query", "name": "key"},
            "app": {"type": "oauth2", "flow": "application", "tokenUrl": "https://x.example"},
            "user": {"type": "oauth2", "flow": "accessCode"},
        },
        "security": [{"b": []}],
        "paths": {"/a": {"get": {}, "put": {"security": [{"k": []}, {"gone": []}]}, "post": {"security": []}}},
    }));
    let schemes: Vec<_> = api
        .security_schemes
        .iter()
        .map(|(name, it)| {
            (
                name.as_str(),
                it.r#type.as_str(),
                it.scheme.as_deref(),
                it.r#in.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        schemes,
        [
            ("app", "oauth2", None, None),
            ("b", "http", Some("basic"), None),
            ("k", "apiKey", None, Some("query")),
            ("user", "oauth2", None, None),
        ]
    );
    let names: Vec<Vec<&String>> = api
        .operations
        .iter()
        .map(|it| it.security.iter().flat_map(|all| all.keys()).collect())
        .collect();
    assert_eq!(names, [vec!["b"], vec!["k", "gone"], vec![]]);
    let warned = |text: &str| api.warnings.iter().filter(|it| it.contains(text)).count();
    assert_eq!(warned("`user` (OAuth 2.0 authorizationCode)"), 1);
    assert_eq!(warned("`app` (OAuth"), 0);
    assert_eq!(warned("`gone`, which the document does not declare"), 1);
}

#[test]
fn references_within_2_0_are_followed_as_in_3() {
    let api = read(json!({
        "definitions": {"Tree": {"type": "object", "discriminator": "kind", "properties": {
            "children": {"type": "array", "items": {"$ref": "#/definitions/Tree"}}}}},
        "paths": {
            "/a": {"parameters": [{"name": "b", "in": "body", "schema": {"$ref": "#/definitions/Tree"}}],
                "post": {"responses": {"200": {"schema": {"$ref": "#/definitions/Tree"}}}}},
            "/b": {"post": {"responses": {"200": {"$ref": "#/responses/Nowhere"}}}},
        },
    }));
    assert_eq!(api.operations.len(), 1);
    assert!(api.operations[0].body.is_some());
    assert!(api.schemas.contains_key("#/definitions/Tree"));
    assert_eq!(
        api.skipped[0].reason,
        "unsupported: reference `#/responses/Nowhere` leads nowhere"
    );
}

#[test]
fn lists_of_multipart_forms_keep_their_collection_format() {
    let operation = operation(
        json!({}),
        json!({"consumes": ["multipart/form-data"], "parameters": [
            {"name": "id", "in": "path", "type": "string", "required": true},
            {"name": "file", "in": "formData", "type": "file"},
            {"name": "tags", "in": "formData", "type": "array", "items": {"type": "string"}},
            {"name": "ids", "in": "formData", "type": "array", "items": {"type": "string"},
             "collectionFormat": "multi"},
        ]}),
    );
    let body = operation.body.unwrap();
    assert_eq!(body.content_type, "multipart/form-data");
    let explode = |name: &str| body.encoding.get(name).and_then(|it| it.explode);
    assert_eq!((explode("tags"), explode("ids")), (Some(false), Some(true)));
}

#[test]
fn lists_within_lists_have_a_collection_format_of_their_own() {
    let of = |format: &str| {
        let inner = json!({"type": "array", "collectionFormat": format, "items": {"type": "array",
                "collectionFormat": "ssv", "items": {"type": "string"}}});
        let root = json!({"swagger": "2.0", "info": {}, "paths": {"/a": {"get": {
            "parameters": [
                {"name": "rows", "in": "query", "required": true, "type": "array", "items": inner},
                {"name": "row", "in": "query", "type": "array", "items": {"type": "string"}},
            ],
            "responses": {"200": {"description": ""}},
        }}}});
        openapi::read_value(root, None).unwrap()
    };
    let api = of("pipes");
    let styles = api.operations[0].parameters.iter();
    let styles: Vec<&[Style]> = styles.map(|it| it.items_styles.as_slice()).collect();
    assert_eq!(
        styles,
        [&[Style::PipeDelimited, Style::SpaceDelimited][..], &[]]
    );
    let named = mce::api::give_names(api, None, &indexmap::IndexMap::new()).unwrap();
    let target = mce::python::Target {
        server: "a",
        title: "A",
    };
    let source = mce::python::render(&named, target).unwrap().source;
    assert!(
        source.contains("items={\"rows\": (\"pipeDelimited\", \"spaceDelimited\")},"),
        "{source}"
    );
    assert_eq!(of("multi").operations.len(), 0);
}

/// Lists of one item can be sent all the same, and of those that hold others nothing else is lost.
#[test]
fn lists_within_lists_that_have_the_same_delimiter_are_told_of() {
    let list = |place: &str, outer: &str, inner: &str| {
        let items =
            json!({"type": "array", "collectionFormat": inner, "items": {"type": "string"}});
        json!({"name": "a", "in": place, "required": true, "type": "array", "items": items,
            "collectionFormat": outer})
    };
    let parameter = |place: &str| {
        format!(
            "lists within the list of the parameter `a` in {place} have its own delimiter, so those of more than one item cannot be sent"
        )
    };
    let field = "lists within the list of the form field `a` are sent as JSON, whatever their `collectionFormat`";
    for (place, outer, inner, expected) in [
        ("header", "csv", "csv", Some(parameter("header"))),
        ("path", "pipes", "pipes", Some(parameter("path"))),
        ("header", "pipes", "pipes", Some(parameter("header"))),
        ("query", "ssv", "ssv", Some(parameter("query"))),
        ("query", "tsv", "tsv", Some(parameter("query"))),
        // These commas are encoded.
        ("query", "csv", "csv", None),
        ("path", "csv", "csv", None),
        ("query", "multi", "csv", None),
        ("path", "pipes", "csv", None),
        ("query", "csv", "pipes", None),
        ("formData", "multi", "pipes", Some(field.to_owned())),
    ] {
        let declared = list(place, outer, inner);
        let operation = json!({"parameters": [declared], "responses": {}});
        let api = read(json!({"paths": {"/x/{a}": {"post": operation}}}));
        assert_eq!(api.operations.len(), 1, "{place} {outer} {inner}");
        let told: Vec<&str> = api
            .warnings
            .iter()
            .map(String::as_str)
            .filter(|text| text.contains("lists within"))
            .collect();
        match expected {
            Some(expected) => assert!(
                matches!(told.as_slice(), [only] if only.ends_with(&expected)),
                "{told:?}"
            ),
            None => assert!(told.is_empty(), "{told:?}"),
        }
    }
}
