use serde_json::json;

use super::*;
use crate::api::{Body, Parameter, Style};
use crate::config::{Filter, OperationRef};

pub(super) fn function(method: &str, path: &str) -> Function {
    Function {
        name: "f".to_owned(),
        operation_id: None,
        method: method.to_owned(),
        path: path.to_owned(),
        tags: Vec::new(),
        summary: String::new(),
        deprecated: false,
        parameters: Vec::new(),
        body: None,
        returns: String::new(),
        responses: Vec::new(),
        security: Vec::new(),
        base_url: None,
        pagination: None,
    }
}

pub(super) fn body(content_type: &str, schema: Value) -> Body {
    Body {
        name: "body".to_owned(),
        content_type: content_type.to_owned(),
        required: true,
        r#type: String::new(),
        alternatives: Vec::new(),
        encoding: std::collections::BTreeMap::new(),
        schema,
    }
}

fn query(name: &str) -> Parameter {
    Parameter {
        name: name.to_owned(),
        wire_name: name.to_owned(),
        r#in: Location::Query,
        required: false,
        r#type: "str".to_owned(),
        style: Style::Form,
        explode: true,
        allow_reserved: false,
        items_styles: Vec::new(),
        content_type: None,
        nullable: false,
        default: None,
        r#enum: None,
        description: String::new(),
        schema: json!({"type": "string"}),
    }
}

fn said(function: &Function) -> Option<String> {
    Signs::new(&IndexMap::new())
        .of(function)
        .map(|sign| sign.to_string())
}

#[test]
fn paths_show_what_carries_others_and_what_only_sounds_like_it() {
    for (method, path, found) in [
        ("POST", "/graphql", Some("graphql")),
        ("GET", "/api/graphql", Some("graphql")),
        ("POST", "/v1/$batch", Some("$batch")),
        ("POST", "/batch/", Some("batch")),
        ("POST", "/index/_bulk", Some("_bulk")),
        ("POST", "/api/v2/bulk", Some("bulk")),
        ("POST", "/members/bulk", None),
        ("DELETE", "/bulk", None),
        ("POST", "/json-rpc", Some("json-rpc")),
        ("POST", "/rpc", Some("rpc")),
        ("GET", "/nodes/{name}/proxy/{path}", Some("proxy")),
        ("DELETE", "/passthrough/{url+}", Some("passthrough")),
        ("POST", "/api/graphql.json", Some("graphql.json")),
        ("POST", "/xmlrpc.php", Some("xmlrpc.php")),
        ("GET", "/graphql/{tenant}", Some("graphql")),
        ("POST", "/graphql/execute", Some("graphql")),
        ("GET", "/graphql/schema", None),
        ("POST", "/rpc/{method}", Some("rpc")),
        ("POST", "/rpc/refresh_view", None),
        ("POST", "/v1/batches", Some("batches")),
        ("POST", "/batch/{api}/{v}", Some("batch")),
        ("POST", "/batch/{id}", None),
        // The state of a batch, and settings of a proxy.
        ("GET", "/batch", None),
        ("GET", "/batch/{id}", None),
        ("GET", "/batches", None),
        ("POST", "/stock/batches", None),
        ("POST", "/batch/{id}/cancel", None),
        ("PUT", "/settings/proxy", None),
        ("GET", "/proxy/{id}", None),
        ("GET", "/{graphql}", None),
        ("POST", "/graphql-keys", None),
    ] {
        let expected = found.map(|segment| format!("`{segment}` in its path"));
        assert_eq!(said(&function(method, path)), expected, "{method} {path}");
    }
    let mut proxy = function("GET", "/fetch/proxy");
    proxy.parameters = vec![query("url")];
    assert_eq!(said(&proxy).as_deref(), Some("`proxy` in its path"));
}

#[test]
fn operation_ids_media_types_and_bodies_show_it_too() {
    let mut by_id = function("POST", "/query");
    by_id.operation_id = Some("run-GraphQL".to_owned());
    assert_eq!(
        said(&by_id).as_deref(),
        Some("its operationId `run-GraphQL`")
    );
    by_id.operation_id = Some("sendBatch".to_owned());
    assert_eq!(said(&by_id), None);

    let mut files = function("POST", "/disputes");
    files.body = Some(body("multipart/mixed", json!({})));
    assert_eq!(said(&files), None);
    let media_types = [
        "application/graphql",
        "application/graphql+json",
        "application/vnd.x.jsonrpc+json",
        "Multipart/Mixed; boundary=a",
        "*/*",
    ];
    for media_type in media_types {
        let mut one = function("POST", "/batchJobs");
        one.body = Some(body(media_type, json!({})));
        let expected = format!("its media type `{media_type}`");
        assert_eq!(said(&one), Some(expected));
    }

    for schema in [
        json!({"type": "string", "format": "binary"}),
        json!({"type": "object"}),
    ] {
        files.body = Some(body("*/*", schema));
        assert_eq!(said(&files), None);
    }

    let mut by_parameter = function("POST", "/x");
    by_parameter.parameters = vec![query("_method")];
    assert_eq!(
        said(&by_parameter).as_deref(),
        Some("its parameter `_method`")
    );
}

#[test]
fn a_list_of_requests_in_a_body_is_found_through_references() {
    let types: IndexMap<String, Value> = [
        (
            "Calls".to_owned(),
            json!({"properties": {"calls": {"items": {"$ref": "#/types/Call"}},
                "self": {"$ref": "#/types/Calls"}}}),
        ),
        (
            "Call".to_owned(),
            json!({"properties": {"method": {}, "relative_url": {}}}),
        ),
    ]
    .into_iter()
    .collect();
    let mut one = function("POST", "/x");
    one.body = Some(body("application/json", json!({"$ref": "#/types/Calls"})));
    let found = Signs::new(&types).of(&one).unwrap();
    assert_eq!(
        found.to_string(),
        "a list with `method` and `relative_url` in its body"
    );
    // One request is what a webhook is.
    one.body = Some(body("application/json", json!({"$ref": "#/types/Call"})));
    assert_eq!(Signs::new(&types).of(&one), None);
}

#[test]
fn only_a_config_that_restricts_is_warned_and_told_what_to_change() {
    let mut manifest: Manifest = serde_json::from_value(json!({
        "manifest_version": 1, "runtime_abi": 1, "server": "a", "title": "", "description": "",
        "spec": {"version": "3.0.0", "sha256": "", "source": "", "files": {}}, "compiler": "mce 0",
        "fingerprint": "", "read_only": false, "base_url": null, "base_url_env": "MCE_A_BASE_URL",
        "security_schemes": {}, "outputs": {}, "types": {}, "functions": [], "skipped": []}))
    .unwrap();
    manifest.functions = vec![function("POST", "/graphql"), function("GET", "/a")];
    let mut server = ServerConfig::default();
    assert_eq!(warnings(&server, &manifest), [""; 0]);
    server.exclude = Filter {
        paths: vec!["/b".to_owned()],
        ..Filter::default()
    };
    assert_eq!(
        warnings(&server, &manifest),
        [
            "`POST /graphql` can carry other operations (`graphql` in its path), to which \
             `exclude` cannot apply; `exclude` it unless that is meant"
        ]
    );
    manifest.read_only = true;
    server.read_only_allow = vec![OperationRef {
        method: "POST".to_owned(),
        path: "/graphql".to_owned(),
    }];
    assert_eq!(
        warnings(&server, &manifest),
        [
            "`POST /graphql` can carry other operations (`graphql` in its path), to which \
             `is_read_only` and `exclude` cannot apply; remove it from `read_only_allow` unless \
             that is meant"
        ]
    );
}
