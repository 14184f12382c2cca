//! The wire vectors (`tests/wire/`) against Rust and against the Python backend, and properties
//! of the encoder that hold for any argument.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "what fails in a test should fail it; clippy.toml reaches no function beside the tests"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use mce::api::Function;
use mce::wire::{self, Value};
use serde_json::{Value as Json, json};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// `object` with the members of `defaults` that it lacks.
fn with_defaults(object: &Json, defaults: Json) -> Json {
    let mut merged = defaults;
    for (key, value) in object.as_object().unwrap() {
        merged[key] = value.clone();
    }
    merged
}

/// The manifest's function that a vector's short form stands for (`tests/wire/README.md`).
fn function(short: &Json) -> Function {
    let mut full = with_defaults(
        short,
        json!({
            "name": "call", "operation_id": null, "method": "GET", "path": "/x", "tags": [],
            "summary": "", "deprecated": false, "parameters": [], "body": null,
            "returns": "Any", "responses": [], "security": [], "pagination": null,
        }),
    );
    for parameter in full["parameters"].as_array_mut().unwrap() {
        let style = match parameter["in"].as_str().unwrap() {
            "path" | "header" => "simple",
            _ => "form",
        };
        let style = parameter.get("style").cloned().unwrap_or(json!(style));
        let defaults = json!({
            "wire_name": parameter["name"], "required": parameter["in"] == "path", "type": "Any",
            "explode": style == "form", "style": style, "allow_reserved": false,
            "content_type": null, "nullable": false, "default": null, "enum": null,
            "description": "", "schema": {},
        });
        *parameter = with_defaults(parameter, defaults);
    }
    if !full["body"].is_null() {
        full["body"] = with_defaults(
            &full["body"],
            json!({
                "name": "body", "content_type": "application/json", "required": false,
                "type": "Any", "alternatives": [], "encoding": {}, "schema": {},
            }),
        );
        for media in full["body"]["alternatives"].as_array_mut().unwrap() {
            *media = with_defaults(media, json!({"type": "Any", "schema": {}}));
        }
    }
    serde_json::from_value(full).unwrap()
}

/// A vector's value, with `{"$bytes": …}` as bytes.
fn unpacked(value: &Json) -> Value {
    match value {
        Json::Object(members) => match members.get("$bytes") {
            Some(Json::String(text)) => Value::Bytes(BASE64.decode(text).unwrap().into()),
            _ => Value::Object(
                members
                    .iter()
                    .map(|(key, value)| (key.clone(), unpacked(value)))
                    .collect(),
            ),
        },
        Json::Array(items) => Value::Array(items.iter().map(unpacked).collect()),
        other => Value::from(other.clone()),
    }
}

fn arguments(value: &Json) -> wire::Arguments {
    let Value::Object(arguments) = unpacked(value) else {
        panic!("arguments are an object");
    };
    arguments
}

fn expected_request(case: &Json, function: &Function) -> wire::Request {
    let request = &case["request"];
    let texts = |key: &str| -> Vec<String> {
        serde_json::from_value(request.get(key).cloned().unwrap_or(json!([]))).unwrap()
    };
    let pairs = |key: &str| -> Vec<(String, String)> {
        serde_json::from_value(request.get(key).cloned().unwrap_or(json!([]))).unwrap()
    };
    let text = request.get("body_text").and_then(Json::as_str);
    let coded = request.get("body_base64").and_then(Json::as_str);
    wire::Request {
        method: function.method.clone(),
        path: request
            .get("path")
            .and_then(Json::as_str)
            .unwrap_or(&function.path)
            .to_owned(),
        query: texts("query"),
        headers: pairs("headers"),
        cookies: pairs("cookies"),
        body: text
            .map(|text| text.as_bytes().to_vec().into())
            .or_else(|| coded.map(|text| BASE64.decode(text).unwrap().into())),
    }
}

fn response_body(case: &Json) -> Vec<u8> {
    case.get("body_base64").and_then(Json::as_str).map_or_else(
        || case["body"].as_str().unwrap().as_bytes().to_vec(),
        |text| BASE64.decode(text).unwrap(),
    )
}

/// What differs between a case's outcome and what it says, if anything.
fn judge(case: &Json) -> Option<String> {
    let status = || u16::try_from(case["status"].as_u64().unwrap()).unwrap();
    let content_type = case.get("content_type").and_then(Json::as_str);
    if let Some(message) = case.get("message") {
        let found = wire::error_message(status(), content_type, &response_body(case));
        return (message != &found).then(|| format!("found {found:?}, wanted {message}"));
    }
    let function = function(&case["function"]);
    if let Some(value) = case.get("value") {
        let found = wire::decode(&function, status(), content_type, &response_body(case)).unwrap();
        // Members in order: maps compare equal in any.
        let (found, wanted) = (format!("{found:?}"), format!("{:?}", unpacked(value)));
        return (found != wanted).then(|| format!("found {found}, wanted {wanted}"));
    }
    let select = case.get("select").and_then(Json::as_str);
    let types = serde_json::from_value(case.get("types").cloned().unwrap_or(json!({}))).unwrap();
    match wire::encode(&function, &types, &arguments(&case["arguments"]), select) {
        Ok(found) => {
            let wanted = expected_request(case, &function);
            let is_right = found == wanted && case.get("error").is_none();
            (!is_right).then(|| format!("found {found:?}, wanted {case}"))
        }
        Err(error) => {
            let is_right = case.get("error") == Some(&json!(error.to_string()));
            (!is_right).then(|| format!("found {error}, wanted {case}"))
        }
    }
}

#[test]
fn rust_passes_the_vectors() {
    let mut failures = Vec::new();
    let mut run = 0;
    for entry in std::fs::read_dir(root().join("tests/wire")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let cases: Vec<Json> =
            serde_json::from_slice(&std::fs::read(&path).unwrap()).expect("a list of cases");
        for case in cases {
            run += 1;
            if let Some(problem) = judge(&case) {
                failures.push(format!("{}: {}: {problem}", path.display(), case["name"]));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(run > 250, "only {run} cases were found");
}

/// Runs a script that takes `mce_runtime.py` as `compile` writes it from `MCE_TEST_RUNTIME`.
fn python(script: &Path, python: &str, arguments: &[&Path]) {
    let folder = tempfile::tempdir().unwrap();
    let runtime = folder.path().join("mce_runtime.py");
    std::fs::write(&runtime, mce::compile::RUNTIME).unwrap();
    let output = Command::new(python)
        .env("MCE_TEST_RUNTIME", &runtime)
        .arg("-B")
        .arg(script)
        .args(arguments)
        .output()
        .unwrap_or_else(|error| panic!("`{python}` did not start: {error}"));
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    // An environment that was made for the tests has all that they need.
    let told = String::from_utf8_lossy(&output.stderr);
    let is_made = std::env::var_os("MCE_TEST_PYTHON").is_some();
    assert!(!is_made || !told.contains("skipped="), "{told}");
}

#[test]
fn the_python_tests_take_no_other_runtime_for_that_of_the_sources() {
    for script in [
        "tests/python/test_multipart.py",
        "tests/wire/run_outside.py",
    ] {
        let output = Command::new("python3")
            .env_remove("MCE_TEST_RUNTIME")
            .arg("-B")
            .arg(root().join(script))
            .output()
            .unwrap();
        assert!(!output.status.success(), "{script}");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.starts_with("MCE_TEST_RUNTIME is not set"), "{told}");
    }
}

#[test]
fn the_python_backend_passes_the_vectors() {
    let script = root().join("tests/wire/run_outside.py");
    python(&script, "python3", &[]);
}

/// `MCE_TEST_PYTHON` names a Python that has httpx, for the tests that send requests; those are
/// left out by the script where it has none.
#[test]
fn both_backends_have_one_name() {
    for line in [
        format!("_USER_AGENT = \"{}\"", wire::USER_AGENT),
        format!("\"Accept-Encoding\": \"{}\"", wire::ACCEPT_ENCODING),
    ] {
        assert!(mce::compile::RUNTIME.contains(&line), "{line}");
    }
}

/// The kinds of values that `matrix.json` has of each place, style and explode.
const KINDS: &[&str] = &[
    "null",
    "boolean",
    "integer",
    "big",
    "float",
    "text",
    "date",
    "empty text",
    "array",
    "empty array",
    "object",
    "empty object",
];

/// What a value of a vector is.
fn kind(value: &Json) -> &'static str {
    let is_bytes = |item: &Json| item.get("$bytes").is_some();
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(number) if number.as_i64().is_some() => "integer",
        Json::Number(number) if number.to_string().contains('.') => "float",
        Json::Number(_) => "big",
        Json::String(text) => match text.as_bytes() {
            [] => "empty text",
            [_, _, _, _, b'-', _, _, b'-', _, _] => "date",
            _ => "text",
        },
        Json::Array(items) => match items.as_slice() {
            [] => "empty array",
            [Json::String(_), content, ..] if is_bytes(content) => "file",
            items if items.iter().any(is_bytes) => "files",
            _ => "array",
        },
        value if is_bytes(value) => "bytes",
        Json::Object(members) if members.is_empty() => "empty object",
        Json::Object(_) => "object",
    }
}

fn cases_of(file: &str) -> Vec<Json> {
    let path = root().join("tests/wire").join(file);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// The cell of a vector with one parameter, by what it holds; its name may say anything.
fn cell(case: &Json) -> String {
    let short = &case["function"]["parameters"][0];
    let parameter = &function(&case["function"]).parameters[0];
    let value = &case["arguments"][&parameter.name];
    let style = serde_json::to_value(parameter.style).unwrap();
    let mut cell = format!(
        "{} {}",
        short["in"].as_str().unwrap(),
        style.as_str().unwrap()
    );
    let marks = [
        (parameter.explode, "explode"),
        (true, kind(value)),
        (parameter.allow_reserved, "reserved"),
        (parameter.content_type.is_some(), "content"),
    ];
    for (_, mark) in marks.into_iter().filter(|(is_set, _)| *is_set) {
        cell.push(' ');
        cell.push_str(mark);
    }
    cell
}

/// Those of the wanted cells that are not among the others.
fn missing(wanted: Vec<String>, found: &std::collections::HashSet<String>) -> Vec<String> {
    let is_missing = |cell: &String| !found.contains(cell);
    wanted.into_iter().filter(is_missing).collect()
}

const EXPLODES: [&str; 2] = ["", " explode"];
const DELIMITED: [&str; 3] = ["spaceDelimited", "pipeDelimited", "tabDelimited"];

/// OpenAPI's tables of styles, the `ssv`, `tsv` and `pipes` of Swagger 2.0 among them, hold no cell
/// that nobody looked at.
#[test]
fn every_cell_of_the_matrix_has_a_vector() {
    let found = cases_of("matrix.json").iter().map(cell).collect();
    let styles: &[(&str, &[&str])] = &[
        ("path", &["simple", "label", "matrix"]),
        ("query", &["form", "deepObject"]),
        ("header", &["simple"]),
        ("cookie", &["form", "cookie"]),
    ];
    let mut wanted = Vec::new();
    for (place, styles) in styles {
        let delimited = DELIMITED.iter().filter(|_| *place != "cookie");
        for style in styles.iter().chain(delimited) {
            for explode in EXPLODES {
                let kinds = KINDS.iter();
                wanted.extend(kinds.map(|kind| format!("{place} {style}{explode} {kind}")));
                if *place == "query" {
                    let kinds = ["text", "array", "object"];
                    let reserved =
                        kinds.map(|kind| format!("query {style}{explode} {kind} reserved"));
                    wanted.extend(reserved);
                }
            }
        }
        let of_content = match *place {
            "path" | "header" => format!("{place} simple"),
            _ => format!("{place} form explode"),
        };
        let kinds = KINDS.iter();
        wanted.extend(kinds.map(|kind| format!("{of_content} {kind} content")));
    }
    assert_eq!(missing(wanted, &found), [""; 0]);
}

/// So it is with bodies: every kind of body, for forms with every encoding of a property, and every
/// kind of value.
#[test]
fn every_cell_of_bodies_has_a_vector() {
    let kinds = [
        "null",
        "boolean",
        "float",
        "text",
        "array",
        "empty array",
        "object",
        "empty object",
        "bytes",
        "file",
        "files",
    ];
    let forms = ["application/x-www-form-urlencoded", "multipart/form-data"];
    let found = cases_of("bodies.json").into_iter().map(|case| {
        let body = function(&case["function"]).body.unwrap();
        let value = &case["arguments"]["body"];
        if !forms.contains(&body.content_type.as_str()) {
            return format!("{}: {}", body.content_type, kind(value));
        }
        let encoding = case["function"]["body"]["encoding"].get("a");
        let style = encoding.and_then(|it| it["style"].as_str());
        let content = encoding.and_then(|it| it["contentType"].as_str());
        let explode = encoding.is_some_and(|it| it["explode"] == true);
        let explode = if explode { " explode" } else { "" };
        let spelt = style.or(content).unwrap_or("none");
        format!(
            "{} {spelt}{explode}: {}",
            body.content_type,
            kind(&value["a"])
        )
    });
    let found = found.collect();
    let mut wanted = Vec::new();
    for kind in kinds {
        for body in [
            "application/json",
            "text/plain",
            "application/octet-stream",
            "*/*",
        ] {
            wanted.push(format!("{body}: {kind}"));
        }
        for form in forms {
            for encoding in ["none", "application/json", "text/plain", "image/png"] {
                wanted.push(format!("{form} {encoding}: {kind}"));
            }
            for style in ["form", "deepObject"].iter().chain(&DELIMITED) {
                let cells = EXPLODES.map(|explode| format!("{form} {style}{explode}: {kind}"));
                wanted.extend(cells);
            }
        }
    }
    assert_eq!(missing(wanted, &found), [""; 0]);
}

#[test]
fn the_python_runtime_behaves() {
    let name = std::env::var("MCE_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    python(&root().join("tests/python/test_runtime.py"), &name, &[]);
    python(&root().join("tests/python/test_outside.py"), &name, &[]);
    python(&root().join("tests/python/test_pages.py"), &name, &[]);
    python(&root().join("tests/python/test_multipart.py"), &name, &[]);
}

#[test]
fn a_response_nested_too_deeply_is_an_error_and_no_crash() {
    let function = function(&json!({}));
    let body = "[".repeat(1_000_000);
    let error = wire::decode(&function, 200, Some("application/json"), body.as_bytes());
    assert_eq!(error, Err(wire::DecodeError::TooDeep));
    let message = wire::error_message(400, Some("application/json"), body.as_bytes());
    assert_eq!(message.chars().count(), 300);
}

#[test]
fn an_argument_nested_too_deeply_is_an_error_and_no_crash() {
    let function = function(&json!({"parameters": [{"name": "x", "in": "query"}]}));
    let mut value = Value::Null;
    for _ in 0..100 {
        value = Value::Array(vec![value]);
    }
    assert!(!value.is_deeper_than(100));
    value = Value::Array(vec![value]);
    let arguments = [("x".to_owned(), value)].into_iter().collect();
    let error = wire::encode(&function, &indexmap::IndexMap::new(), &arguments, None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "call() argument 'x' is nested deeper than 100 levels"
    );
}

/// But for an exponent, which `serde_json` spells `e+5` however it was written.
#[test]
fn numbers_keep_the_spelling_they_came_with() {
    let function = function(&json!({
        "method": "POST", "parameters": [{"name": "x", "in": "query"}], "body": {},
    }));
    for (given, spelling) in [
        ("1.10", "1.10"),
        ("-0", "-0"),
        ("0.10000000000000000000001", "0.10000000000000000000001"),
        ("1e-7", "1e-7"),
        ("1E5", "1e+5"),
        ("1e400", "1e+400"),
    ] {
        let value = Value::from(serde_json::from_str::<Json>(given).unwrap());
        let arguments = [("x".to_owned(), value.clone()), ("body".to_owned(), value)]
            .into_iter()
            .collect();
        let request =
            wire::encode(&function, &indexmap::IndexMap::new(), &arguments, None).unwrap();
        assert_eq!(
            request.query,
            [format!("x={}", spelling.replace('+', "%2B"))]
        );
        assert_eq!(request.body.as_deref(), Some(spelling.as_bytes()));
        let decoded = wire::decode(&function, 200, Some("application/json"), given.as_bytes());
        assert_eq!(decoded.unwrap().into_json().to_string(), spelling);
    }
}

#[test]
fn bytes_become_base64_text_in_json() {
    let value = Value::Array(vec![Value::Bytes(vec![0, 255].into()), Value::Null]);
    assert_eq!(value.into_json(), json!(["AP8=", null]));
}

#[path = "wire/properties.rs"]
mod properties;
