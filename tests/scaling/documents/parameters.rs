//! Parameters that many operations share, and operations with many of them.

use serde_json::{Map, json};

use super::{
    Files, alone, collides, document, list, map, reference, texts, with_parameter,
    with_schema_parameter, words,
};

pub(super) fn enum_and_default(size: usize) -> Files {
    let values = list(size * 8, |it| json!(format!("value{it}")));
    with_schema_parameter(
        size,
        &json!({"type": "string", "enum": values, "default": "d".repeat(size * 400)}),
    )
}

pub(super) fn inline_enum(size: usize) -> Files {
    let values = list(size / 8, |it| json!(format!("value{it}")));
    let schema = json!({"type": "string", "enum": values});
    let parameter = json!({"name": "shared", "in": "query", "schema": schema});
    with_parameter(size, &parameter, &json!({}))
}

pub(super) fn default_object(size: usize) -> Files {
    with_schema_parameter(
        size,
        &json!({"type": "object", "default": map(size * 8, |it| (format!("key{it}"), json!(it)))}),
    )
}

pub(super) fn parameter_examples(size: usize) -> Files {
    let examples = map(size / 2, |it| {
        (format!("example{it}"), json!({"value": it}))
    });
    let parameter = json!({"name": "shared", "in": "query", "schema": {"type": "string"},
        "examples": examples});
    with_parameter(size, &parameter, &json!({}))
}

pub(super) fn parameter_description(size: usize) -> Files {
    let parameter = json!({"name": "shared", "in": "query", "schema": {"type": "string"},
        "description": words(size / 5)});
    with_parameter(size, &parameter, &json!({}))
}

pub(super) fn header_description(size: usize) -> Files {
    let parameter = json!({"name": "X-Shared", "in": "header", "schema": {"type": "string"},
        "description": "w".repeat(size * 4)});
    with_parameter(size, &parameter, &json!({}))
}

pub(super) fn schema_description(size: usize) -> Files {
    with_schema_parameter(
        size,
        &json!({"type": "string", "description": words(size * 10), "pattern": "a".repeat(size * 100),
            "title": words(size)}),
    )
}

pub(super) fn path_parameters(size: usize) -> Files {
    let parameters = list(
        20,
        |it| json!({"name": format!("shared{it}"), "in": "query", "schema": {"type": "string"}}),
    );
    let mut document = document("get", size, &json!({}), |_| json!({}));
    for item in document["paths"]
        .as_object_mut()
        .into_iter()
        .flat_map(Map::values_mut)
    {
        for method in ["put", "post", "delete", "options", "head", "patch"] {
            item[method] = item["get"].clone();
        }
        item["parameters"] = parameters.clone();
    }
    alone(&document)
}

pub(super) fn parameters_of_one(size: usize) -> Files {
    let parameters = list(
        size,
        |it| json!({"name": format!("name{it}"), "in": "query", "schema": {"type": "string"}}),
    );
    alone(&document(
        "get",
        1,
        &json!({}),
        |_| json!({"parameters": parameters}),
    ))
}

pub(super) fn placeholders_of_one(size: usize) -> Files {
    let mut document = document("get", 1, &json!({}), |_| {
        json!({"parameters": list(size, |it| {
            json!({"name": format!("name{it}"), "in": "path", "required": true,
                "schema": {"type": "string"}})
        })})
    });
    let path = texts(size, |it| format!("/{{name{it}}}"));
    let item = document["paths"]["/p0"].take();
    document["paths"] = json!({path: item});
    alone(&document)
}

pub(super) fn colliding_parameters(size: usize) -> Files {
    let parameters = list(
        size,
        |it| json!({"name": collides(it), "in": "query", "schema": {"type": "string"}}),
    );
    alone(&document(
        "get",
        1,
        &json!({}),
        |_| json!({"parameters": parameters}),
    ))
}

pub(super) fn chain_of_parameters(size: usize) -> Files {
    let last = json!({"name": "shared", "in": "query", "schema": {"type": "string"}});
    let parameters = map(size, |it| {
        let next = if it + 1 < size {
            reference("parameters", format!("P{}", it + 1))
        } else {
            last.clone()
        };
        (format!("P{it}"), next)
    });
    alone(&document(
        "get",
        size,
        &json!({"parameters": parameters}),
        |it| json!({"parameters": [reference("parameters", format!("P{it}"))]}),
    ))
}
