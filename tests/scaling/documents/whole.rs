//! What a document says as a whole, and documents in several files or in YAML.

use serde_json::{Value, json};

use super::{
    Files, alone, answer, document, list, map, nothing, reference, texts, to_schema, words,
};

fn of_path_item(size: usize, operation: &Value) -> Files {
    let mut document = document(
        "get",
        0,
        &json!({"pathItems": {"Shared": {"get": operation}}}),
        |_| json!({}),
    );
    document["paths"] = map(size, |it| {
        (format!("/p{it}"), reference("pathItems", "Shared"))
    });
    alone(&document)
}

pub(super) fn path_item(size: usize) -> Files {
    let parameters = list(size / 10, |it| {
        json!({"name": format!("name{it}"), "in": "query", "schema": {"type": "string"},
            "description": words(4)})
    });
    of_path_item(
        size,
        &json!({"operationId": "same", "parameters": parameters,
        "description": words(size), "responses": nothing()}),
    )
}

pub(super) fn path_item_of_tags(size: usize) -> Files {
    of_path_item(
        size,
        &json!({"tags": list(size / 4, |it| json!(format!("tag{it}"))),
        "responses": nothing()}),
    )
}

pub(super) fn security_alternatives(size: usize) -> Files {
    let schemes = map(size, |it| {
        (
            format!("key{it}"),
            json!({"type": "apiKey", "in": "header", "name": format!("X-Key-{it}")}),
        )
    });
    let mut document = document("get", size, &json!({"securitySchemes": schemes}), |_| {
        json!({})
    });
    document["security"] = list(size / 4, |it| json!({format!("key{it}"): []}));
    alone(&document)
}

pub(super) fn security_schemes(size: usize) -> Files {
    let schemes = map(size, |it| {
        (
            format!("key{it}"),
            json!({"type": "http", "scheme": "bearer"}),
        )
    });
    alone(&document(
        "get",
        size,
        &json!({"securitySchemes": schemes}),
        |it| json!({"security": [{format!("key{it}"): [], "undeclared": []}]}),
    ))
}

pub(super) fn tags_of_all(size: usize) -> Files {
    let mut document = document(
        "get",
        size,
        &json!({}),
        |it| json!({"tags": [format!("tag{it}")]}),
    );
    document["tags"] = list(
        size * 4,
        |it| json!({"name": format!("tag{it}"), "description": words(4)}),
    );
    alone(&document)
}

pub(super) fn servers_of_all(size: usize) -> Files {
    let mut document = document("get", size, &json!({}), |_| json!({}));
    document["servers"] = list(size * 4, |it| {
        json!({"url": format!("https://api.example.com/{{v}}/{it}"), "variables": {"v": {"default": "1",
            "enum": list(4, |it| json!(it.to_string()))}}})
    });
    alone(&document)
}

pub(super) fn servers_of_paths(size: usize) -> Files {
    let mut document = document("get", size, &json!({}), |_| json!({}));
    let servers = list(
        size / 4,
        |it| json!({"url": format!("https://api.example.com/{it}")}),
    );
    let item = json!({"get": {"responses": nothing()}, "servers": servers});
    document["paths"] = map(size, |it| {
        (format!("/p{it}"), reference("pathItems", "Shared"))
    });
    document["components"] = json!({"pathItems": {"Shared": item}});
    alone(&document)
}

pub(super) fn same_operation_ids(size: usize) -> Files {
    alone(&document(
        "get",
        size,
        &json!({}),
        |_| json!({"operationId": "same"}),
    ))
}

pub(super) fn long_operation_ids(size: usize) -> Files {
    alone(&document(
        "get",
        size,
        &json!({}),
        |it| json!({"operationId": format!("{}{it}", "long_name_".repeat(100))}),
    ))
}

pub(super) fn unknown_keys(size: usize) -> Files {
    let further =
        |prefix: &str, count: usize| map(count, |it| (format!("{prefix}{it}"), json!([{"a": it}])));
    let mut schema = further("unknown", size * 4);
    schema["type"] = json!("string");
    let mut parameter = further("x-", size / 4);
    parameter["name"] = json!("shared");
    parameter["in"] = json!("query");
    parameter["schema"] = to_schema(0);
    let components = json!({"parameters": {"Shared": parameter}, "schemas": {"S0": schema}});
    let mut document = document(
        "get",
        size,
        &components,
        |_| json!({"parameters": [reference("parameters", "Shared")]}),
    );
    for (key, value) in further("x-root", size * 4)
        .as_object()
        .into_iter()
        .flatten()
    {
        document[key] = value.clone();
    }
    alone(&document)
}

pub(super) fn skipped_operations(size: usize) -> Files {
    alone(&document(
        "get",
        size,
        &json!({}),
        |it| json!({"parameters": [reference("parameters", format!("Missing{it}"))]}),
    ))
}

pub(super) fn warned_operations(size: usize) -> Files {
    alone(&document("get", size, &json!({}), |it| {
        json!({"parameters": [{"name": format!("a b{it}"), "in": "header", "schema": {"type": "string"}}],
            "responses": answer(&reference("schemas", format!("Missing{it}")))})
    }))
}

pub(super) fn external_files(size: usize) -> Files {
    let count = size.min(1_900);
    let document = document(
        "get",
        size,
        &json!({}),
        |it| json!({"responses": answer(&json!({"$ref": format!("part{}.json#/Thing", it % count)}))}),
    );
    let mut files = alone(&document);
    files.extend((0..count).map(|it| {
        let part = json!({"Thing": {"properties": {format!("own{it}"): {"type": "string"}}}});
        (format!("part{it}.json"), part.to_string())
    }));
    files
}

pub(super) fn chain_of_files(size: usize) -> Files {
    let count = size.min(1_900);
    let document = document(
        "get",
        size,
        &json!({}),
        |_| json!({"responses": answer(&json!({"$ref": "part0.json#/Thing"}))}),
    );
    let mut files = alone(&document);
    files.extend((0..count).map(|it| {
        let next = json!({"$ref": format!("part{}.json#/Thing", (it + 1) % count)});
        let part = json!({"Thing": {"properties": {"next": next}}});
        (format!("part{it}.json"), part.to_string())
    }));
    files
}

pub(super) fn long_prose(size: usize) -> Files {
    let mut document = document("get", 1, &json!({}), |_| {
        json!({"summary": words(size * 10), "description": words(size * 10),
            "responses": {"200": {"description": words(size * 10)}, "400": {"description": words(size * 10)}}})
    });
    document["info"]["title"] = json!("t".repeat(size * 100));
    document["info"]["description"] = json!(words(size * 10));
    alone(&document)
}

fn yaml(head: &str, operation: &str, count: usize) -> Files {
    let start = "openapi: 3.1.0\ninfo: {title: Made, version: '1'}\n\
        servers: [{url: https://api.example.com}]\n";
    let paths = texts(count, |it| format!("  /p{it}:\n    get: {operation}\n"));
    let text = format!("{start}{head}\npaths:\n{paths}");
    vec![("api.yaml".to_owned(), text)]
}

const PLAIN: &str = "{responses: {}}";

pub(super) fn yaml_long_line(size: usize) -> Files {
    let words: String = words(size * 20);
    let flow = texts(size * 20, |it| format!("k{it}: [1, 'x', \"y\"], "));
    yaml(
        &format!("x-text: \"{words}\"\nx-flow: {{{flow}}}"),
        PLAIN,
        1,
    )
}

pub(super) fn yaml_comments(size: usize) -> Files {
    yaml(
        &"# a comment of some length\n\n".repeat(size * 20),
        PLAIN,
        1,
    )
}

pub(super) fn yaml_aliases(size: usize) -> Files {
    let values = texts(size / 4, |it| format!("v{it}, "));
    yaml(
        &format!(
            "x-shared: &shared {{name: a, in: query, schema: {{type: string, enum: [{values}]}}}}"
        ),
        "{parameters: [*shared], responses: {}}",
        size,
    )
}

pub(super) fn yaml_merges(size: usize) -> Files {
    let merged = texts(size - 1, |it| {
        format!("  - &m{}\n    <<: *m{it}\n    k{it}: 1\n", it + 1)
    });
    yaml(&format!("x-merged:\n  - &m0 {{k: 1}}\n{merged}"), PLAIN, 1)
}

pub(super) fn yaml_block_text(size: usize) -> Files {
    let lines = "    a line of text\n\n".repeat(size * 20);
    yaml(
        &format!("x-literal: |\n{lines}\nx-folded: >\n{lines}"),
        PLAIN,
        1,
    )
}
