//! Small documents that could take any amount of memory: the real binary ends with a plain error
//! or a client, in an address space that leaves room for neither.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};
use tempfile::TempDir;

/// The address space in KiB. What threads reserve and never use counts as well.
const LIMIT: usize = 1 << 20;

/// Compiles a document in a bounded address space. Whether it went well, and what was said.
fn compile(document: &Value) -> (bool, String) {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("api.json", &document.to_string());
    write(
        "swaggers.yaml",
        "servers: [{name: small, swagger_url: api.json}]\n",
    );
    let done = Command::new("sh")
        .args(["-c", &format!("ulimit -v {LIMIT} && exec \"$0\" \"$@\"")])
        .arg(env!("CARGO_BIN_EXE_mce"))
        .arg("compile")
        .current_dir(folder.path())
        .env_clear()
        .env("HOME", folder.path())
        // However many processors there are.
        .env("MALLOC_ARENA_MAX", "2")
        .env("TOKIO_WORKER_THREADS", "2")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    let start: String = said.chars().take(2000).collect();
    assert_eq!(done.status.signal(), None, "{start}");
    assert!(!said.contains("internal error"), "{start}");
    (done.status.success(), said)
}

#[test]
fn where_no_thread_can_be_started_it_says_so_and_ends() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = TempDir::new().unwrap();
    let binary = folder.path().join("mce");
    fs::copy(env!("CARGO_BIN_EXE_mce"), &binary).unwrap();
    let open = fs::Permissions::from_mode(0o755);
    fs::set_permissions(folder.path(), open).unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("api.json", r#"{"openapi": "3.1.0", "paths": {}}"#);
    write(
        "swaggers.yaml",
        "servers: [{name: small, swagger_url: api.json}]\n",
    );
    // The limit does not bind the superuser.
    let is_root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    let other = if is_root {
        "setpriv --reuid=65534 --regid=65534 --clear-groups"
    } else {
        ""
    };
    let done = Command::new("sh")
        .args([
            "-c",
            &format!("exec timeout 20 {other} prlimit --nproc=1 ./mce compile"),
        ])
        .current_dir(folder.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(
        said.starts_with("error: cannot start the threads"),
        "{said}"
    );
    assert_eq!(done.status.code(), Some(1), "{said}");
}

fn assert_refused(document: &Value, reason: &str) {
    let (is_fine, said) = compile(document);
    // Lines are broken where the terminal ends.
    let words: Vec<&str> = said
        .split_whitespace()
        .filter(|word| *word != "│")
        .collect();
    let start: String = said.chars().take(2000).collect();
    assert!(!is_fine && words.join(" ").contains(reason), "{start}");
}

/// A 3.1 document with one operation, which answers a list of `count` schemas.
fn answering(count: usize, schema: &Value, schemas: &Value) -> Value {
    let all = vec![schema.clone(); count];
    json!({
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": {"/a": {"get": {"responses": {"200": {"description": "", "content": {
            "application/json": {"schema": {"prefixItems": all}}}}}}}},
        "components": {"schemas": schemas},
    })
}

fn named(name: String, schema: Value) -> Value {
    let schemas: Map<String, Value> = [(name, schema)].into_iter().collect();
    Value::Object(schemas)
}

#[test]
fn references_to_an_anchor_do_not_copy_a_long_pointer_without_bound() {
    let anchored = json!({"$anchor": "a", "type": "string"});
    let to_anchor = json!({"$ref": "#a"});
    let document = answering(
        20_000,
        &to_anchor,
        &named("k".repeat(60_000), anchored.clone()),
    );
    assert_refused(&document, "its references take too much room");
    // The whole of 1 MB spelt out 20 000 times would be 20 GB.
    let document = answering(20_000, &to_anchor, &named("k".repeat(500_000), anchored));
    assert_refused(
        &document,
        "a reference of it leads through names of more than 64 KiB",
    );
    let document = answering(
        20_000,
        &json!({"$dynamicRef": "#a"}),
        &named(
            "k".repeat(60_000),
            json!({"$dynamicAnchor": "a", "type": "string"}),
        ),
    );
    assert_refused(&document, "its references take too much room");
}

#[test]
fn references_within_a_schema_resource_do_not_copy_its_pointer_without_bound() {
    let inner = vec![json!({"$ref": "#/x"}); 20_000];
    let resource = json!({"$id": "https://r.example/", "x": {"type": "string"},
        "type": "array", "prefixItems": inner});
    let name = "k".repeat(60_000);
    let reference = json!({"$ref": format!("#/components/schemas/{name}")});
    let document = answering(1, &reference, &named(name, resource));
    assert_refused(&document, "its references take too much room");
    // An `$id` that every reference below would be joined to.
    let id = format!("https://r.example/{}/", "i".repeat(300_000));
    let inner: Vec<Value> = (0..10_000)
        .map(|it| json!({"$ref": format!("x{it}")}))
        .collect();
    let resource = json!({"$id": id, "prefixItems": inner});
    let document = answering(
        1,
        &json!({"$ref": "#/components/schemas/R"}),
        &named("R".to_owned(), resource),
    );
    compile(&document);
}

/// A 2.0 document whose operations have `members`.
fn swagger(root: &Value, count: usize, operation: &Value) -> Value {
    let mut document = json!({"swagger": "2.0", "info": {"title": "T", "version": "1"},
        "host": "api.example.com", "paths": {}});
    let paths: Map<String, Value> = (0..count)
        .map(|it| (format!("/p{it}"), json!({"post": operation})))
        .collect();
    document["paths"] = Value::Object(paths);
    for (key, value) in root.as_object().into_iter().flatten() {
        document[key] = value.clone();
    }
    document
}

fn media_types(count: usize, length: usize) -> Vec<String> {
    let names = (0..count).map(|it| format!("application/x{it}{}", "y".repeat(length)));
    names.collect()
}

#[test]
fn an_inline_schema_is_not_copied_for_each_of_many_media_types() {
    let properties: Map<String, Value> = (0..1500)
        .map(|it| (format!("p{it}"), json!({"type": "string"})))
        .collect();
    let schema = json!({"type": "object", "properties": properties});
    let produces = json!({"produces": media_types(1500, 0)});
    let answers = json!({"responses": {"200": {"description": "", "schema": schema}}});
    let (is_fine, said) = compile(&swagger(&produces, 1, &answers));
    assert!(is_fine, "{said}");
    let body = json!([{"in": "body", "name": "b", "schema": schema}]);
    let consumes = json!({"consumes": media_types(1500, 0)});
    let takes = json!({"parameters": body, "responses": {"204": {"description": ""}}});
    let (is_fine, said) = compile(&swagger(&consumes, 1, &takes));
    assert!(is_fine, "{said}");
    let fields: Vec<Value> = (0..1500)
        .map(|it| json!({"in": "formData", "name": format!("f{it}"), "type": "string"}))
        .collect();
    let forms: Vec<String> = (0..1500)
        .map(|it| format!("multipart/form-data;a={it}"))
        .collect();
    let takes = json!({"parameters": fields, "responses": {"204": {"description": ""}}});
    let (is_fine, said) = compile(&swagger(&json!({"consumes": forms}), 1, &takes));
    assert!(is_fine, "{said}");
}

#[test]
fn what_a_document_says_for_all_operations_is_not_repeated_without_bound() {
    let reason = "its operations repeat more than 128 MiB";
    let answers: Map<String, Value> = (200..300)
        .map(|it| (it.to_string(), json!({"schema": {}})))
        .collect();
    let root = json!({"produces": media_types(32, 200)});
    let document = swagger(&root, 500, &json!({"responses": answers}));
    assert_refused(&document, reason);
    let nothing = json!({"responses": {"204": {"description": ""}}});
    let security: Vec<Value> = (0..5000).map(|it| json!({format!("s{it}"): []})).collect();
    let document = swagger(&json!({"security": security}), 3000, &nothing);
    assert_refused(&document, reason);
    let security: Vec<Value> = (0..1000).map(|it| json!({format!("s{it}"): []})).collect();
    compile(&swagger(&json!({"security": security}), 1500, &nothing));
    let parameters: Vec<Value> = (0..2000)
        .map(|it| json!({"name": format!("p{it}"), "in": "query", "schema": {"type": "string"}}))
        .collect();
    let operations: Map<String, Value> = (0..3000)
        .map(|it| (format!("M{it}"), nothing.clone()))
        .collect();
    let document = json!({"openapi": "3.2.0", "info": {"title": "T", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": {"/a": {"parameters": parameters, "additionalOperations": operations}}});
    let (_, said) = compile(&document);
    assert!(!said.contains("memory allocation"), "{said}");
}

#[test]
fn a_long_name_of_a_schema_is_not_copied_for_each_reference_to_it_or_in_it() {
    let long = "k".repeat(300_000);
    let alias = json!({"$ref": format!("#/components/schemas/{long}")});
    let schemas = json!({long.clone(): {"type": "object"}, "Alias": alias});
    let to_alias = json!({"$ref": "#/components/schemas/Alias"});
    assert_refused(
        &answering(10_000, &to_alias, &schemas),
        "its operations repeat more than 128 MiB",
    );
    let mut schemas: Map<String, Value> = (0..10_000)
        .map(|it| (format!("S{it}"), json!({"type": "object"})))
        .collect();
    let properties: Map<String, Value> = (0..10_000)
        .map(|it| {
            (
                format!("p{it}"),
                json!({"$ref": format!("#/components/schemas/S{it}")}),
            )
        })
        .collect();
    schemas.insert(long, json!({"properties": properties}));
    compile(&answering(1, &alias, &Value::Object(schemas)));
}

#[test]
fn a_long_path_is_not_copied_for_each_of_many_operations() {
    let operations: Map<String, Value> = (0..10_000)
        .map(|it| (format!("M{it}"), json!({"responses": {}})))
        .collect();
    let path = format!("/{}", "p".repeat(300_000));
    let document = json!({"openapi": "3.2.0", "info": {"title": "T", "version": "1"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": {path: {"additionalOperations": operations}}});
    assert_refused(&document, "its operations repeat more than 128 MiB");
}

#[test]
fn legal_values_behind_a_reference_are_not_copied_for_each_function() {
    let values: Vec<String> = (0..20_000).map(|it| format!("value{it}")).collect();
    let parameter = json!([{"name": "kind", "in": "query",
        "schema": {"$ref": "#/components/schemas/Kind"}}]);
    let paths: Map<String, Value> = (0..300)
        .map(|it| {
            let operation = json!({"parameters": parameter, "responses": {}});
            (format!("/p{it}"), json!({"get": operation}))
        })
        .collect();
    let document = json!({"openapi": "3.1.0", "info": {"title": "T", "version": "1"},
        "servers": [{"url": "https://api.example.com"}], "paths": paths,
        "components": {"schemas": {"Kind": {"type": "string", "enum": values}}}});
    let (is_fine, said) = compile(&document);
    assert!(is_fine, "{said}");
}
