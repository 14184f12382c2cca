use std::time::{Duration, Instant};

use serde_json::json;

use super::*;
use crate::compile::tunnel::tests::{body, function};

fn said(schema: Value, types: &IndexMap<String, Value>) -> Option<String> {
    let mut one = function("POST", "/x");
    one.body = Some(body("application/json", schema));
    Bodies::new(types).sign(&one).map(|sign| sign.to_string())
}

#[test]
fn lists_of_requests_are_found_below_what_composes_them() {
    let none = IndexMap::new();
    let call = json!({"properties": {"HTTP-Method": {}, "relative_URL": {}}});
    for schema in [
        json!({"items": call}),
        json!({"items": {"oneOf": [{"type": "string"}, call]}}),
        json!({"prefixItems": [call]}),
        json!({"additionalProperties": call}),
        json!({"allOf": [{"properties": {"calls": {"items": call}}}]}),
        json!({"items": {"allOf": [{"properties": {"HTTP-Method": {}}},
            {"properties": {"relative_URL": {}}}]}}),
    ] {
        let found = said(schema.clone(), &none);
        let expected = "a list with `HTTP-Method` and `relative_URL` in its body";
        assert_eq!(found.as_deref(), Some(expected), "{schema}");
    }
    // A webhook is no list, and forms of an item are not one another.
    let apart = json!({"items": {"oneOf": [{"properties": {"method": {}}},
        {"properties": {"url": {}}}]}});
    for schema in [call, apart] {
        assert_eq!(said(schema.clone(), &none), None, "{schema}");
    }
}

#[test]
fn calls_of_rpc_and_graphql_are_found_where_they_are_the_body() {
    let none = IndexMap::new();
    let rpc = json!({"properties": {"jsonrpc": {}, "method": {}, "params": {}}});
    let graphql = json!({"properties": {"query": {}, "operation_name": {}}});
    assert_eq!(
        said(json!({"oneOf": [{"items": rpc.clone()}, {}]}), &none).as_deref(),
        Some("`jsonrpc` and `method` in its body")
    );
    assert_eq!(
        said(graphql.clone(), &none).as_deref(),
        Some("`query` and `operation_name` in its body")
    );
    assert_eq!(
        said(json!({"properties": {"query": {}, "page": {}}}), &none),
        None
    );
    assert_eq!(said(json!({"properties": {"saved": graphql}}), &none), None);
}

#[test]
fn types_that_refer_to_one_another_are_looked_at_once() {
    let mut types = IndexMap::new();
    for it in 0..100 {
        let properties: Map<String, Value> = (0..100)
            .map(|to| (format!("p{to}"), json!({"$ref": format!("#/types/A{to}")})))
            .collect();
        types.insert(format!("A{it}"), json!({"properties": properties}));
    }
    let start = Instant::now();
    assert_eq!(said(json!({"$ref": "#/types/A0"}), &types), None);
    assert!(start.elapsed() < Duration::from_secs(5));
    types.insert(
        "Loop".to_owned(),
        json!({"$ref": "#/types/Loop", "allOf": [{"$ref": "#/types/Loop"}]}),
    );
    assert_eq!(
        said(json!({"items": {"$ref": "#/types/Loop"}}), &types),
        None
    );
}
