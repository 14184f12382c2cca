//! What is taken for pagination, and what is not.

#![expect(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "a test fails by panicking, and JSON literals read best as values"
)]

use indexmap::IndexMap;
use mce::api::{give_names, pagination};
use mce::openapi;
use serde_json::{Value, json};

/// The pagination of an operation with these query parameters and this answer.
fn found(path: &str, queries: &Value, answer: &Value, headers: &Value) -> Value {
    let mut parameters: Vec<Value> = queries
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, schema)| json!({"name": name, "in": "query", "schema": schema}))
        .collect();
    if path.contains("{id}") {
        let id = json!({"name": "id", "in": "path", "required": true, "schema": {}});
        parameters.push(id);
    }
    let document = json!({
        "openapi": "3.1.0",
        "paths": {path: {"get": {"parameters": parameters, "responses": {"200": {
            "description": "", "headers": headers, "content": {"application/json": {"schema": answer}},
        }}}}},
        "components": {"schemas": {
            "Book": {"type": "object", "properties": {"id": {"type": "string"}}},
            "Paging": {"type": "object", "properties": {
                "next_cursor": {"type": ["string", "null"]}, "has_more": {"type": "boolean"}}},
            "Wrapped": {"allOf": [
                {"type": "object", "properties": {"meta": {"$ref": "#/components/schemas/Paging"}}},
                {"type": "object", "properties": {"books": {"type": "array", "items": {}}}},
            ]},
        }},
    });
    let api = openapi::read_value(document, None).unwrap();
    let named = give_names(api, None, &IndexMap::new()).unwrap();
    serde_json::to_value(pagination(
        &named.api.operations[0],
        &named.names[0],
        &named.types,
    ))
    .unwrap()
}

fn list() -> Value {
    json!({"type": "array", "items": {"$ref": "#/components/schemas/Book"}})
}

fn object(members: Value) -> Value {
    json!({"type": "object", "properties": members})
}

fn expected(
    kind: &str,
    parameter: Option<&str>,
    field: Option<&str>,
    items: Option<&str>,
) -> Value {
    json!({"kind": kind, "parameter": parameter, "field": field, "items": items})
}

fn text() -> Value {
    json!({"type": "string"})
}

fn number() -> Value {
    json!({"type": "integer"})
}

#[test]
fn cursors_need_a_parameter_and_where_its_value_comes_from() {
    let none = json!({});
    for (queries, answer, wanted) in [
        (
            json!({"cursor": text()}),
            json!({"$ref": "#/components/schemas/Wrapped"}),
            expected(
                "cursor",
                Some("cursor"),
                Some("meta.next_cursor"),
                Some("books"),
            ),
        ),
        (
            json!({"pageToken": text(), "maxResults": number()}),
            object(json!({"nextPageToken": text(), "items": list()})),
            expected(
                "cursor",
                Some("page_token"),
                Some("nextPageToken"),
                Some("items"),
            ),
        ),
        (
            json!({"continue": text()}),
            object(json!({"metadata": object(json!({"continue": text()})), "items": list()})),
            expected(
                "cursor",
                Some("continue_"),
                Some("metadata.continue"),
                Some("items"),
            ),
        ),
        (
            json!({"after": text()}),
            object(json!({
                "paging": object(json!({"cursors": object(json!({"after": text()}))})), "data": list(),
            })),
            expected(
                "cursor",
                Some("after"),
                Some("paging.cursors.after"),
                Some("data"),
            ),
        ),
        (
            json!({"starting_after": text(), "limit": number()}),
            object(json!({"has_more": {"type": "boolean"}, "data": list()})),
            expected(
                "cursor",
                Some("starting_after"),
                Some("data.-1.id"),
                Some("data"),
            ),
        ),
        // Two lists of no telling name: pages, but no items.
        (
            json!({"cursor": text()}),
            object(json!({"next_cursor": text(), "cats": list(), "dogs": list()})),
            expected("cursor", Some("cursor"), Some("next_cursor"), None),
        ),
        // Without the answer's part, or of another type.
        (
            json!({"cursor": text()}),
            object(json!({"items": list()})),
            Value::Null,
        ),
        (
            json!({"cursor": number()}),
            object(json!({"items": list(), "next_cursor": text()})),
            Value::Null,
        ),
        (
            json!({"after": {"type": "string", "format": "date"}}),
            object(json!({"items": list(), "after": text()})),
            Value::Null,
        ),
        (
            json!({}),
            object(json!({"next_cursor": text()})),
            Value::Null,
        ),
    ] {
        assert_eq!(
            found("/books", &queries, &answer, &none),
            wanted,
            "{queries}"
        );
    }
}

#[test]
fn next_urls_need_a_parameter_that_tells_pages_apart() {
    let none = json!({});
    let page = json!({"page": number()});
    for (queries, answer, wanted) in [
        (
            page.clone(),
            object(
                json!({"count": number(), "next": text(), "previous": text(), "results": list()}),
            ),
            expected("next_url", None, Some("next"), Some("results")),
        ),
        (
            json!({"$skip": number()}),
            object(json!({"@odata.nextLink": text(), "value": list()})),
            expected("next_url", None, Some("@odata.nextLink"), Some("value")),
        ),
        (
            json!({"page[number]": number()}),
            object(json!({
                "links": object(json!({"next": {"oneOf": [text(), {"type": "null"}]}})), "data": list(),
            })),
            expected("next_url", None, Some("links.next"), Some("data")),
        ),
        (
            page.clone(),
            object(
                json!({"_links": object(json!({"next": object(json!({"href": text()}))})), "items": list()}),
            ),
            expected("next_url", None, Some("_links.next.href"), Some("items")),
        ),
        // Nothing that a URL could say would be sent.
        (
            json!({"limit": number()}),
            object(json!({"next": {"type": "string", "format": "uri"}, "results": list()})),
            Value::Null,
        ),
        // A word such as `next` alone may be anything.
        (
            json!({"token": text()}),
            object(json!({"next": text(), "steps": list()})),
            Value::Null,
        ),
    ] {
        assert_eq!(
            found("/books", &queries, &answer, &none),
            wanted,
            "{queries}"
        );
    }
}

#[test]
fn links_serve_where_the_path_has_no_arguments() {
    let headers = json!({"Link": {"schema": text()}});
    let queries = json!({"page": number(), "per_page": number()});
    let by_page = json!({
        "kind": "page", "parameter": "page", "field": null, "items": "", "size": "per_page",
    });
    assert_eq!(
        found("/books", &queries, &list(), &headers),
        expected("link", None, None, Some(""))
    );
    assert_eq!(
        found("/shops/{id}/books", &queries, &list(), &headers),
        by_page
    );
    assert_eq!(found("/books", &queries, &list(), &json!({})), by_page);
    let either = json!({"anyOf": [list(), {"type": "array", "items": text()}]});
    assert_eq!(
        found("/shops/{id}/books", &queries, &either, &headers),
        by_page
    );
    // Pages with numbers that are no list: the link would spell the path otherwise.
    let counted = json!({"page": text()});
    assert_eq!(
        found("/shops/{id}/books", &counted, &list(), &headers),
        Value::Null
    );
    let before = json!({"before": text()});
    assert_eq!(
        found("/shops/{id}/books", &before, &list(), &headers),
        expected("link", None, None, Some(""))
    );
    assert_eq!(
        found("/books", &json!({"q": text()}), &list(), &headers),
        Value::Null
    );
}

#[test]
fn counted_pages_need_a_list_and_where_counting_begins() {
    let none = json!({});
    let zero = json!({"type": "integer", "default": 0});
    for (queries, answer, wanted) in [
        (
            json!({"page": zero, "size": number()}),
            object(json!({"content": list(), "sort": list(), "totalPages": number()})),
            json!({"kind": "page", "parameter": "page", "field": null, "items": "content",
                "size": "size", "first": 0}),
        ),
        (
            json!({"offset": number(), "limit": number()}),
            object(json!({"data": object(json!({"results": list(), "total": number()}))})),
            json!({"kind": "offset", "parameter": "offset", "field": null, "items": "data.results",
                "size": "limit"}),
        ),
        (
            json!({"startIndex": {"type": "integer", "minimum": 1}, "count": number()}),
            object(json!({"Resources": list(), "totalResults": number()})),
            json!({"kind": "offset", "parameter": "start_index", "field": null, "items": "Resources",
                "size": "count", "first": 1}),
        ),
        // A switch and an older way beside the cursor.
        (
            json!({"marker": text(), "usemarker": {"type": "boolean"}, "offset": number(), "limit": number()}),
            object(json!({"next_marker": text(), "entries": list()})),
            json!({"kind": "offset", "parameter": "offset", "field": null, "items": "entries",
                "size": "limit"}),
        ),
        (
            json!({"page": number(), "page_token": text()}),
            list(),
            Value::Null,
        ),
        // From 0 or from 1?
        (
            json!({"page": {"type": "integer", "minimum": 0}}),
            list(),
            Value::Null,
        ),
        (
            json!({"startIndex": number(), "count": number()}),
            list(),
            Value::Null,
        ),
        (
            json!({"page": {"type": "integer", "default": 7}}),
            list(),
            Value::Null,
        ),
        // A time range, no list, a text, a list that is a book's own.
        (
            json!({"start": number(), "end": number(), "limit": number()}),
            list(),
            Value::Null,
        ),
        (
            json!({"page": number()}),
            object(json!({"title": text()})),
            Value::Null,
        ),
        (json!({"page": text()}), list(), Value::Null),
        (
            json!({"page": number()}),
            object(json!({"title": text(), "tags": list()})),
            Value::Null,
        ),
        (json!({"offset": number()}), list(), Value::Null),
    ] {
        assert_eq!(
            found("/books", &queries, &answer, &none),
            wanted,
            "{queries}"
        );
    }
}
