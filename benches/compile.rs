//! The stages of the compiler on documents of 10 to 10,000 operations: what an operation costs
//! should not depend on how many there are.

#![expect(clippy::expect_used, reason = "a benchmark fails by panicking")]

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use indexmap::IndexMap;
use mce::{api, openapi, python, yaml};
use serde_json::{Map, Value, json};

const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];

/// A document like those of large APIs: resources with five operations and a schema each, which
/// refer to one another.
fn document(operations: usize) -> Value {
    let mut paths = Map::new();
    let mut schemas = Map::new();
    for number in 0..operations.div_ceil(5) {
        let reference =
            |number: usize| json!({"$ref": format!("#/components/schemas/Resource{number}")});
        schemas.insert(
            format!("Resource{number}"),
            json!({
                "type": "object",
                "required": ["id", "name"],
                "properties": {
                    "id": {"type": "integer", "format": "int64", "description": "The unique identifier"},
                    "name": {"type": "string", "description": format!("What resource {number} is called")},
                    "state": {"type": "string", "enum": ["open", "closed", "waiting"]},
                    "labels": {"type": "array", "items": {"type": "string"}},
                    "created_at": {"type": ["string", "null"], "format": "date-time"},
                    "next": reference(number.saturating_sub(1)),
                },
            }),
        );
        let answer = |schema: Value| json!({"200": {"description": "It worked", "content": {"application/json": {"schema": schema}}}});
        let body = json!({"required": true, "content": {"application/json": {"schema": reference(number)}}});
        let page = |name: &str| json!({"name": name, "in": "query", "schema": {"type": "integer", "default": 30}});
        let tags = json!([format!("group{}", number % 40)]);
        paths.insert(
            format!("/groups/resource-{number}"),
            json!({
                "get": {
                    "tags": tags, "operationId": format!("list-resource{number}"),
                    "summary": "List them", "parameters": [page("page"), page("per_page")],
                    "responses": answer(json!({"type": "array", "items": reference(number)})),
                },
                "post": {
                    "tags": tags, "operationId": format!("create-resource{number}"),
                    "requestBody": body, "responses": answer(reference(number)),
                },
            }),
        );
        paths.insert(
            format!("/groups/resource-{number}/{{id}}"),
            json!({
                "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}],
                "get": {
                    "tags": tags, "operationId": format!("get-resource{number}"),
                    "responses": answer(reference(number)),
                },
                "patch": {
                    "tags": tags, "operationId": format!("update-resource{number}"),
                    "requestBody": body, "responses": answer(reference(number)),
                },
                "delete": {
                    "tags": tags, "operationId": format!("delete-resource{number}"),
                    "responses": {"204": {"description": "Gone"}},
                },
            }),
        );
    }
    json!({
        "openapi": "3.1.0",
        "info": {"title": "Made", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": paths,
        "components": {"schemas": schemas},
    })
}

fn normalised(document: Value) -> api::Api {
    openapi::read_value(document, None).expect("it is a document")
}

fn named(api: api::Api) -> api::NamedApi {
    api::give_names(api, None, &IndexMap::new()).expect("there is nothing to rename")
}

fn rendered(named: &api::NamedApi) -> python::Rendered {
    let target = python::Target {
        server: "made",
        title: "Made",
    };
    python::render(named, target).expect("the module is in the grammar")
}

fn stages(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("compile");
    group.sample_size(10);
    group.warm_up_time(Duration::from_millis(500));
    group.measurement_time(Duration::from_secs(3));
    for size in SIZES {
        let value = document(size);
        let bytes = serde_json::to_vec(&value).expect("a tree is JSON");
        let api = normalised(value.clone());
        let ready = named(api.clone());
        group.throughput(Throughput::Elements(size as u64));
        group.bench_function(BenchmarkId::new("load", size), |bencher| {
            bencher.iter(|| yaml::read_value(black_box(&bytes), &yaml::Limits::DOCUMENT));
        });
        group.bench_function(BenchmarkId::new("normalise", size), |bencher| {
            bencher.iter_batched(|| value.clone(), normalised, BatchSize::LargeInput);
        });
        group.bench_function(BenchmarkId::new("name", size), |bencher| {
            bencher.iter_batched(|| api.clone(), named, BatchSize::LargeInput);
        });
        group.bench_function(BenchmarkId::new("render", size), |bencher| {
            bencher.iter(|| rendered(black_box(&ready)));
        });
    }
    group.finish();
}

criterion_group!(benches, stages);
criterion_main!(benches);
