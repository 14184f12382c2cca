//! Bodies and answers that many operations share.

use serde_json::{Value, json};

use super::{
    Files, alone, answer, content, document, list, map, nothing, properties, reference, to_schema,
    with_body, with_response, words,
};

pub(super) fn body_properties(size: usize) -> Files {
    with_body(
        size,
        &json!({"type": "object", "properties": properties(size * 4)}),
    )
}

pub(super) fn body_of_optional_examples(size: usize) -> Files {
    let keys = map(size * 4, |it| {
        (
            format!("key{it}"),
            json!({"type": "string", "examples": ["some text"]}),
        )
    });
    with_body(size, &json!({"type": "object", "properties": keys}))
}

pub(super) fn body_examples_that_do_not_fit(size: usize) -> Files {
    let keys = map(size * 4, |it| {
        (
            format!("key{it}"),
            json!({"type": "string", "examples": [it]}),
        )
    });
    let required = list(size * 4, |it| json!(format!("key{it}")));
    let whole = map(size / 4, |it| (format!("key{it}"), json!("x")));
    with_body(
        size,
        &json!({"type": "object", "properties": keys, "required": required,
        "examples": [whole]}),
    )
}

pub(super) fn body_media_types(size: usize) -> Files {
    let media = map(size, |it| {
        (
            format!("application/x{it}+json"),
            json!({"schema": to_schema(0)}),
        )
    });
    let components = json!({"requestBodies": {"Shared": {"content": media}},
        "schemas": {"S0": {"type": "object", "properties": properties(size)}}});
    alone(&document(
        "post",
        size,
        &components,
        |_| json!({"requestBody": reference("requestBodies", "Shared")}),
    ))
}

pub(super) fn media_types_of_one(size: usize) -> Files {
    let media = map(size, |it| {
        let last = json!({format!("last{it}"): {"type": "string"}});
        let schema = json!({"type": "object", "properties": {"a": {"type": "array",
            "items": {"properties": properties(4)}}, "z": {"properties": last}}});
        (format!("application/x{it}+json"), json!({"schema": schema}))
    });
    alone(&document(
        "post",
        1,
        &json!({}),
        |_| json!({"requestBody": {"content": media}}),
    ))
}

pub(super) fn form_fields(size: usize) -> Files {
    let encoding = map(size / 2, |it| {
        (format!("key{it}"), json!({"style": "deepObject"}))
    });
    let schema = json!({"type": "object", "properties": properties(size)});
    let media = json!({"schema": schema, "encoding": encoding});
    let components = json!({"requestBodies": {"Shared": {"content": {
        "application/x-www-form-urlencoded": media, "multipart/form-data": media}}}});
    alone(&document(
        "post",
        size,
        &components,
        |_| json!({"requestBody": reference("requestBodies", "Shared")}),
    ))
}

pub(super) fn inline_response(size: usize) -> Files {
    let schema = json!({"type": "object", "properties": properties(size / 4)});
    with_response(
        size,
        &json!({"description": "It", "content": content(&schema)}),
    )
}

pub(super) fn answered_properties(size: usize) -> Files {
    let schema = json!({"type": "object", "properties": properties(size * 4)});
    let components = json!({"schemas": {"S0": schema}});
    let page = json!({"name": "page", "in": "query", "schema": {"type": "integer"}});
    alone(&document(
        "get",
        size,
        &components,
        |_| json!({"parameters": [page], "responses": answer(&to_schema(0))}),
    ))
}

pub(super) fn response_headers(size: usize) -> Files {
    let headers = map(size / 2, |it| {
        (
            format!("X-Header-{it}"),
            json!({"schema": {"type": "string"}}),
        )
    });
    with_response(
        size,
        &json!({"description": "It", "headers": headers,
        "content": content(&json!({"type": "string"}))}),
    )
}

pub(super) fn response_links(size: usize) -> Files {
    let links = map(size / 2, |it| {
        (format!("link{it}"), json!({"operationId": "other"}))
    });
    with_response(
        size,
        &json!({"description": "It", "links": links,
        "content": content(&json!({"type": "string"}))}),
    )
}

pub(super) fn callbacks(size: usize) -> Files {
    let called = map(size, |it| {
        (
            format!("{{$request.body#/url{it}}}"),
            json!({"post": {"responses": nothing()}}),
        )
    });
    let components = json!({"callbacks": {"Shared": called}});
    alone(&document(
        "get",
        size,
        &components,
        |_| json!({"callbacks": {"shared": reference("callbacks", "Shared")}}),
    ))
}

pub(super) fn responses_of_each(size: usize) -> Files {
    let components = json!({"responses": {"Shared": {"description": "It", "content":
        content(&to_schema(0))}}, "schemas": {"S0": {"properties": properties(size)}}});
    let responses = map(200, |it| {
        ((it + 200).to_string(), reference("responses", "Shared"))
    });
    alone(&document(
        "get",
        size,
        &components,
        |_| json!({"responses": responses}),
    ))
}

pub(super) fn response_description(size: usize) -> Files {
    with_response(
        size,
        &json!({"description": words(size / 2),
        "content": content(&json!({"type": "string"}))}),
    )
}

pub(super) fn required_names(size: usize) -> Files {
    with_body(
        size,
        &json!({"type": "object", "properties": {"a": {"type": "string"}},
        "required": list(size * 10, |it| json!(format!("name{it}")))}),
    )
}

fn swagger(size: usize, root: &Value, operation: &Value) -> Files {
    let mut document = json!({"swagger": "2.0", "info": {"title": "Made", "version": "1"},
        "host": "api.example.com", "schemes": ["https"],
        "paths": map(size, |it| (format!("/p{it}"), json!({"post": operation})))});
    for (key, value) in root.as_object().into_iter().flatten() {
        document[key] = value.clone();
    }
    alone(&document)
}

pub(super) fn swagger_media_types(size: usize) -> Files {
    let media = list(size / 4, |it| json!(format!("application/x{it}+json")));
    swagger(
        size,
        &json!({"consumes": media, "produces": media, "definitions": {"S0": {"properties": properties(size)}}}),
        &json!({"parameters": [{"name": "body", "in": "body", "schema": {"$ref": "#/definitions/S0"}}],
            "responses": {"200": {"description": "It", "schema": {"$ref": "#/definitions/S0"}}}}),
    )
}

pub(super) fn swagger_body(size: usize) -> Files {
    let body = json!({"name": "body", "in": "body",
        "schema": {"type": "object", "properties": properties(size / 4)}});
    swagger(
        size,
        &json!({"parameters": {"Body": body}, "responses": {"Ok": {"description": "It", "schema": body["schema"]}}}),
        &json!({"parameters": [{"$ref": "#/parameters/Body"}], "responses": {"200": {"$ref": "#/responses/Ok"}}}),
    )
}

pub(super) fn swagger_form(size: usize) -> Files {
    let fields = map(size, |it| {
        (
            format!("F{it}"),
            json!({"name": format!("field{it}"), "in": "formData", "type": "string"}),
        )
    });
    let parameters = list(
        size / 2,
        |it| json!({"$ref": format!("#/parameters/F{it}")}),
    );
    swagger(
        size,
        &json!({"parameters": fields}),
        &json!({"consumes": ["multipart/form-data"], "parameters": parameters, "responses": nothing()}),
    )
}
