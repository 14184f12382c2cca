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
    let types = serde_json::from_value(case.get("types").cloned().unwrap_or(json!({}))).unwrap();
    match wire::encode(&function, &types, &arguments(&case["arguments"])) {
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

fn python(script: &Path, python: &str, arguments: &[&Path]) {
    let output = Command::new(python)
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
}

#[test]
fn the_python_backend_passes_the_vectors() {
    let script = root().join("tests/wire/run_outside.py");
    let runtime = root().join("templates/mce_runtime.py");
    python(&script, "python3", &[&runtime]);
}

/// `MCE_TEST_PYTHON` names a Python that has httpx, for the tests that send requests; those are
/// left out by the script where it has none.
#[test]
fn the_python_runtime_behaves() {
    let name = std::env::var("MCE_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    python(&root().join("tests/python/test_runtime.py"), &name, &[]);
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
    for _ in 0..257 {
        value = Value::Array(vec![value]);
    }
    let arguments = [("x".to_owned(), value)].into_iter().collect();
    let error = wire::encode(&function, &indexmap::IndexMap::new(), &arguments).unwrap_err();
    assert_eq!(
        error.to_string(),
        "call() argument 'x' is nested deeper than 256 levels"
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
        let request = wire::encode(&function, &indexmap::IndexMap::new(), &arguments).unwrap();
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

mod properties {
    use super::*;
    use indexmap::IndexMap;
    use percent_encoding::percent_decode_str;
    use proptest::prelude::*;

    fn encode(parameter: &Json, value: Value) -> Result<wire::Request, wire::ArgumentError> {
        let path = match parameter["in"].as_str() {
            Some("path") => "/a/{x}/b",
            _ => "/a",
        };
        let function = function(&json!({"path": path, "parameters": [parameter]}));
        let arguments = [("x".to_owned(), value)].into_iter().collect();
        wire::encode(&function, &IndexMap::new(), &arguments)
    }

    fn decoded(text: &str) -> String {
        percent_decode_str(text).decode_utf8().unwrap().into_owned()
    }

    fn parts(text: &str, separator: &str) -> Vec<String> {
        text.split(separator).map(decoded).collect()
    }

    fn strings(items: &[String]) -> Value {
        Value::Array(items.iter().cloned().map(Value::String).collect())
    }

    fn object(members: &IndexMap<String, String>) -> Value {
        let members = members.iter();
        Value::Object(
            members
                .map(|(key, value)| (key.clone(), Value::String(value.clone())))
                .collect(),
        )
    }

    fn flat(members: &IndexMap<String, String>) -> Vec<String> {
        let members = members.iter();
        members
            .flat_map(|(key, value)| [key.clone(), value.clone()])
            .collect()
    }

    /// What the query of a URL may hold (RFC 3986, section 3.4), less the `&` between items.
    fn is_legal_in_query(text: &str) -> bool {
        text.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-._~%!$'()*+,;=:@/?".contains(&byte))
    }

    /// Texts with much of what matters.
    fn text() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<String>(),
            "[a-z.,;=&|#?/%+\\[\\] \r\n\\x00é☃\u{1d11e}]{0,12}",
            Just("..".to_owned()),
            Just("%2e%2E%2f".to_owned()),
        ]
    }

    fn texts() -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec(text(), 1..6)
    }

    fn members() -> impl Strategy<Value = IndexMap<String, String>> {
        prop::collection::vec((text(), text()), 1..5).prop_map(|pairs| pairs.into_iter().collect())
    }

    proptest! {
        #[test]
        fn a_path_value_stays_in_its_segment(value in text(), style in "simple|label|matrix") {
            prop_assume!(!value.is_empty());
            let parameter = json!({"name": "x", "in": "path", "style": style});
            let path = encode(&parameter, Value::String(value.clone())).unwrap().path;
            let segment = path.strip_prefix("/a/").and_then(|rest| rest.strip_suffix("/b")).unwrap();
            let text = match style.as_str() {
                "label" => segment.strip_prefix('.').unwrap(),
                "matrix" => segment.strip_prefix(";x=").unwrap(),
                _ => segment,
            };
            let is_strict = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte));
            prop_assert!(is_strict, "{}", text);
            prop_assert_eq!(decoded(text), value);
        }

        #[test]
        fn path_items_decode_back(items in texts(), members in members(), style in "simple|label", explode: bool) {
            prop_assume!(items.iter().any(|item| !item.is_empty()));
            let parameter = json!({"name": "x", "in": "path", "style": style, "explode": explode});
            let separator = if style == "label" && explode { "." } else { "," };
            let segment = |value| {
                let path = encode(&parameter, value).unwrap().path;
                let segment = path["/a/".len()..path.len() - "/b".len()].to_owned();
                assert!(!segment.contains('/'), "{segment}");
                segment.strip_prefix('.').filter(|_| style == "label").unwrap_or(&segment).to_owned()
            };
            prop_assert_eq!(parts(&segment(strings(&items)), separator), items);
            prop_assume!(flat(&members).iter().any(|item| !item.is_empty()));
            let text = segment(object(&members));
            let found: Vec<String> = if explode {
                text.split(separator).flat_map(|pair| {
                    let (key, value) = pair.split_once('=').unwrap();
                    [decoded(key), decoded(value)]
                }).collect()
            } else {
                parts(&text, separator)
            };
            prop_assert_eq!(found, flat(&members));
        }

        #[test]
        fn query_values_decode_back(items in texts(), members in members(), reserved: bool) {
            let exploded = json!({"name": "x", "in": "query", "allow_reserved": reserved});
            let joined = json!({"name": "x", "in": "query", "allow_reserved": reserved, "explode": false});
            let deep = json!({"name": "x", "in": "query", "allow_reserved": reserved, "style": "deepObject"});

            let query = encode(&exploded, strings(&items)).unwrap().query;
            prop_assert!(query.iter().all(|item| is_legal_in_query(item) && !item.contains(['+', ';'])), "{:?}", query);
            let found: Vec<String> = query.iter().map(|item| decoded(item.strip_prefix("x=").unwrap())).collect();
            prop_assert_eq!(found, items.clone());

            let query = encode(&joined, strings(&items)).unwrap().query;
            prop_assert!(is_legal_in_query(&query[0]), "{:?}", query);
            prop_assert_eq!(parts(query[0].strip_prefix("x=").unwrap(), ","), items);

            let query = encode(&joined, object(&members)).unwrap().query;
            prop_assert_eq!(parts(query[0].strip_prefix("x=").unwrap(), ","), flat(&members));

            for (parameter, prefix, suffix) in [(&exploded, "", ""), (&deep, "x[", "]")] {
                let query = encode(parameter, object(&members)).unwrap().query;
                prop_assert!(query.iter().all(|item| is_legal_in_query(item)), "{:?}", query);
                let found: Vec<String> = query.iter().flat_map(|item| {
                    let (key, value) = item.split_once('=').unwrap();
                    let key = decoded(key);
                    let key = key.strip_prefix(prefix).and_then(|key| key.strip_suffix(suffix)).unwrap();
                    [key.to_owned(), decoded(value)]
                }).collect();
                prop_assert_eq!(found, flat(&members));
            }
        }

        #[test]
        fn delimited_values_decode_back_or_are_refused(items in texts(), pipe: bool) {
            let (style, delimiter) = if pipe { ("pipeDelimited", "|") } else { ("spaceDelimited", " ") };
            let parameter = json!({"name": "x", "in": "query", "style": style});
            match encode(&parameter, strings(&items)) {
                Ok(request) => {
                    let text = decoded(request.query[0].strip_prefix("x=").unwrap());
                    let found: Vec<&str> = text.split(delimiter).collect();
                    prop_assert_eq!(found, items);
                }
                Err(_) => prop_assert!(items.iter().any(|item| item.contains(delimiter))),
            }
        }

        #[test]
        fn headers_and_cookies_never_break_out(value in text(), items in texts()) {
            let header = json!({"name": "x", "in": "header"});
            for value in [Value::String(value.clone()), strings(&items)] {
                if let Ok(request) = encode(&header, value) {
                    for (_, text) in request.headers {
                        prop_assert!(text.bytes().all(|byte| (0x20..0x7f).contains(&byte)), "{:?}", text);
                    }
                }
            }
            let cookie = json!({"name": "x", "in": "cookie"});
            let cookies = encode(&cookie, Value::String(value.clone())).unwrap().cookies;
            prop_assert!(cookies[0].1.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte)));
            prop_assert_eq!(decoded(&cookies[0].1), value);
        }

        #[test]
        fn no_response_makes_the_decoder_panic(
            body in prop::collection::vec(any::<u8>(), 0..64),
            content_type in prop::option::of("(application|text)/(json|plain|html|octet-stream)(; charset=(latin1|utf-8|x))?"),
            status in 100u16..600,
        ) {
            let function = function(&json!({"responses": [{"status": "default", "content_types": [], "kind": "json"}]}));
            let _ = wire::decode(&function, status, content_type.as_deref(), &body);
            let message = wire::error_message(status, content_type.as_deref(), &body);
            prop_assert!(message.chars().count() <= 300 && !message.contains(char::is_control), "{:?}", message);
        }
    }
}
