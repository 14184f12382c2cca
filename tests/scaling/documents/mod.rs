//! Documents in which many share one thing, or one thing goes on and on. All of them are made for a
//! size, and so that both sides grow with it: what is done for each of the many with all of the one
//! takes the square of the size.

mod contents;
mod parameters;
mod schemas;
mod whole;

use serde_json::{Map, Value, json};

/// What lies in the folder of a case: `api.json` or `api.yaml`, and what it refers to.
pub type Files = Vec<(String, String)>;

/// One kind of document.
pub struct Case {
    pub name: &'static str,
    /// The files for a size.
    pub files: fn(usize) -> Files,
    /// The smaller of the two sizes.
    pub size: usize,
    /// The stubs that there must be for a size.
    pub functions: fn(usize) -> usize,
}

/// As many functions as the size.
fn each(size: usize) -> usize {
    size
}

fn one(_: usize) -> usize {
    1
}

/// None: the document is refused.
fn none(_: usize) -> usize {
    0
}

macro_rules! cases {
    ($(#[$about:meta])* $cases:ident $($module:ident $name:ident, $size:literal, $functions:expr;)*) => {
        $(#[$about])*
        pub const $cases: &[Case] = &[$(Case {
            name: stringify!($name),
            files: $module::$name,
            size: $size,
            functions: $functions,
        }),*];
    };
}

cases! {
    /// What many share is written once, or cut.
    SHARED
    parameters enum_and_default, 80, each;
    parameters default_object, 80, each;
    parameters schema_description, 80, each;
    parameters parameters_of_one, 100, one;
    parameters placeholders_of_one, 100, one;
    parameters colliding_parameters, 100, one;
    contents body_properties, 80, each;
    contents body_of_optional_examples, 80, each;
    contents body_examples_that_do_not_fit, 80, each;
    contents media_types_of_one, 100, one;
    contents answered_properties, 80, each;
    contents response_links, 80, each;
    contents callbacks, 80, each;
    contents responses_of_each, 16, each;
    contents response_description, 80, each;
    whole security_schemes, 80, each;
    whole tags_of_all, 80, each;
    whole servers_of_all, 80, each;
    schemas variants, 80, each;
    schemas variants_with_mapping, 80, each;
    schemas variants_within_variants, 80, each;
    schemas inherits_all, 80, each;
    schemas inherited_by_those_told_apart, 80, each;
    schemas bases_of_all, 80, each;
    schemas ring_of_properties, 80, each;
    schemas ring_of_items, 80, each;
    schemas ring_of_variants, 80, each;
    schemas nested_items, 60, each;
    schemas chain_of_items, 80, each;
    schemas chain_of_references, 60, each;
    parameters chain_of_parameters, 60, each;
    contents required_names, 80, each;
    schemas prefix_items, 80, each;
    schemas pattern_properties, 80, each;
    whole same_operation_ids, 150, each;
    whole long_operation_ids, 80, each;
    schemas colliding_schemas, 80, each;
    schemas colliding_keys, 80, each;
    whole skipped_operations, 100, none;
    whole warned_operations, 100, none;
    schemas anchors, 80, each;
    schemas resources, 80, each;
    whole external_files, 80, each;
    whole chain_of_files, 50, each;
    whole long_prose, 100, one;
    whole yaml_long_line, 150, one;
    whole yaml_comments, 150, one;
    whole yaml_merges, 60, one;
    whole yaml_block_text, 150, one;
}

cases! {
    /// What many share is copied for each of them, as far as that is allowed.
    COPIED
    schemas inherited_chain, 200, each;
    schemas inherited_diamonds, 60, each;
    schemas inherited_by_all, 200, each;
    parameters inline_enum, 300, each;
    parameters parameter_examples, 300, each;
    parameters parameter_description, 300, each;
    parameters header_description, 300, each;
    parameters path_parameters, 40, |size| 7 * size;
    contents body_media_types, 60, each;
    contents form_fields, 80, each;
    contents inline_response, 200, each;
    contents response_headers, 200, each;
    whole path_item, 80, each;
    whole path_item_of_tags, 200, each;
    whole security_alternatives, 90, each;
    whole servers_of_paths, 80, each;
    schemas inline_variants, 60, each;
    schemas everything_refers_to_everything, 30, each;
    whole unknown_keys, 500, each;
    contents swagger_media_types, 60, each;
    contents swagger_body, 200, each;
    contents swagger_form, 60, each;
    whole yaml_aliases, 300, each;
}

fn alone(document: &Value) -> Files {
    vec![("api.json".to_owned(), document.to_string())]
}

fn words(count: usize) -> String {
    "several words of prose. ".repeat(count)
}

/// One text after another.
fn texts(count: usize, make: impl Fn(usize) -> String) -> String {
    (0..count).map(make).collect::<Vec<_>>().concat()
}

/// What `make` makes of each number.
fn map(count: usize, make: impl Fn(usize) -> (String, Value)) -> Value {
    Value::Object((0..count).map(make).collect::<Map<_, _>>())
}

fn list(count: usize, make: impl Fn(usize) -> Value) -> Value {
    (0..count).map(make).collect()
}

fn reference(kind: &str, name: impl std::fmt::Display) -> Value {
    json!({"$ref": format!("#/components/{kind}/{name}")})
}

fn to_schema(number: usize) -> Value {
    reference("schemas", format!("S{number}"))
}

fn nothing() -> Value {
    json!({"204": {"description": "Done"}})
}

fn content(schema: &Value) -> Value {
    json!({"application/json": {"schema": schema}})
}

fn answer(schema: &Value) -> Value {
    json!({"200": {"description": "It", "content": content(schema)}})
}

/// A document with a path for each number, whose `method` is what `make` says.
fn document(
    method: &str,
    count: usize,
    components: &Value,
    make: impl Fn(usize) -> Value,
) -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {"title": "Made", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": map(count, |it| {
            let mut operation = make(it);
            if operation.get("responses").is_none() {
                operation["responses"] = nothing();
            }
            (format!("/p{it}"), json!({method: operation}))
        }),
        "components": components,
    })
}

fn with_parameter(size: usize, parameter: &Value, schema: &Value) -> Files {
    let components = json!({"parameters": {"Shared": parameter}, "schemas": {"S0": schema}});
    alone(&document(
        "get",
        size,
        &components,
        |_| json!({"parameters": [reference("parameters", "Shared")]}),
    ))
}

fn with_schema_parameter(size: usize, schema: &Value) -> Files {
    let parameter = json!({"name": "shared", "in": "query", "schema": to_schema(0)});
    with_parameter(size, &parameter, schema)
}

fn with_bodies(size: usize, schemas: &Value, schema: impl Fn(usize) -> Value) -> Files {
    let components = json!({"schemas": schemas});
    alone(&document("post", size, &components, |it| {
        let schema = schema(it);
        json!({"requestBody": {"content": content(&schema)}, "responses": answer(&schema)})
    }))
}

fn with_body(size: usize, schema: &Value) -> Files {
    with_bodies(size, &json!({"S0": schema}), |_| to_schema(0))
}

fn with_response(size: usize, response: &Value) -> Files {
    let components = json!({"responses": {"Shared": response}});
    alone(&document(
        "get",
        size,
        &components,
        |_| json!({"responses": {"200": reference("responses", "Shared")}}),
    ))
}

fn properties(count: usize) -> Value {
    map(count, |it| (format!("key{it}"), json!({"type": "string"})))
}

/// A name that is another one each time and the same in Python.
fn collides(number: usize) -> String {
    let mut name = "some".to_owned();
    let mut rest = number;
    for _ in 0..12 {
        name.push(['-', '.', '~'][rest % 3]);
        name.push('x');
        rest /= 3;
    }
    name
}
