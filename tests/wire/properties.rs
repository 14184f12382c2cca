//! What holds for any argument and any response, not only for those someone thought of.

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
    wire::encode(&function, &IndexMap::new(), &arguments, None)
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

/// A value as vectors write it.
fn packed(value: Value) -> Json {
    match value {
        Value::Bytes(bytes) => json!({"$bytes": BASE64.encode(bytes)}),
        Value::Array(items) => Json::Array(items.into_iter().map(packed).collect()),
        Value::Object(members) => Json::Object(
            members
                .into_iter()
                .map(|(key, value)| (key, packed(value)))
                .collect(),
        ),
        other => other.into_json(),
    }
}

/// JSON with bytes, a few levels deep; numbers as Python spells them.
fn any_value() -> impl Strategy<Value = Json> {
    let scalar = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(|value| json!(value)),
        any::<i64>().prop_map(|value| json!(value)),
        prop::sample::select(vec![
            "0.1",
            "-0.0",
            "1e+16",
            "1e-07",
            "2.0",
            "99999999999999999999"
        ])
        .prop_map(|spelling| serde_json::from_str(spelling).unwrap()),
        text().prop_map(Json::String),
        text().prop_map(Json::String),
        text().prop_map(Json::String),
        Just(json!({"$bytes": "AP8="})),
    ];
    scalar.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
            prop::collection::vec((text(), inner), 0..4)
                .prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

/// A form and its members, three of which may be spelt otherwise than by default.
fn any_form() -> impl Strategy<Value = (Json, Json)> {
    let content_type = prop::sample::select(vec![
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "multipart/mixed",
    ]);
    let style = prop::sample::select(vec![
        "form",
        "spaceDelimited",
        "pipeDelimited",
        "tabDelimited",
        "deepObject",
    ]);
    let media_type = prop::sample::select(vec!["application/json", "text/xml", "image/png"]);
    let encoding = prop_oneof![
        (style, any::<bool>(), any::<bool>()).prop_map(|(style, explode, reserved)| {
            json!({"style": style, "explode": explode, "allowReserved": reserved})
        }),
        media_type.prop_map(|media_type| json!({"contentType": media_type})),
    ];
    let file = (text(), prop::option::of(text())).prop_map(|(name, media_type)| {
        let mut file = vec![json!(name), json!({"$bytes": "AP8="})];
        file.extend(media_type.map(Json::String));
        Json::Array(file)
    });
    let member = prop_oneof![any_value(), any_value(), file];
    let members = prop::collection::vec((prop_oneof!["[abc]", text()], member), 0..5)
        .prop_map(|members| Json::Object(members.into_iter().collect()));
    let encodings = prop::collection::btree_map("[abc]", encoding, 0..3);
    let value = prop_oneof![members.clone(), members.clone(), members, any_value()];
    (content_type, encodings, value).prop_map(|(content_type, encoding, value)| {
        (
            json!({"content_type": content_type, "encoding": encoding}),
            value,
        )
    })
}

fn any_case() -> impl Strategy<Value = Json> {
    let place = prop::sample::select(vec![
        ("path", "simple"),
        ("path", "label"),
        ("path", "matrix"),
        ("query", "form"),
        ("query", "spaceDelimited"),
        ("query", "pipeDelimited"),
        ("query", "deepObject"),
        ("header", "simple"),
        ("cookie", "form"),
    ]);
    let content = prop::sample::select(vec![
        None,
        None,
        None,
        Some("application/json"),
        Some("text/plain"),
    ]);
    let name = prop_oneof![Just("x".to_owned()), text(), Just("Cookie".to_owned())];
    let body = prop_oneof![
        any_value().prop_map(|value| (json!({"content_type": "application/json"}), value)),
        text().prop_map(|value| (json!({"content_type": "text/plain"}), Json::String(value))),
        Just((
            json!({"content_type": "image/png"}),
            json!({"$bytes": "AP8="})
        )),
        any_value().prop_map(|value| (json!({"content_type": "image/png"}), value)),
        any_form(),
        any_form(),
        any_form(),
    ];
    let options = (place, any::<bool>(), any::<bool>(), content, name, body);
    (options, any_value()).prop_map(
        |((place, explode, reserved, content, wire_name, (body, body_value)), value)| {
            json!({
                "function": {
                    "method": "POST",
                    "path": if place.0 == "path" { "/a/{x}/{y}.b" } else { "/a" },
                    "parameters": [
                        {"name": "x", "in": place.0, "style": place.1, "explode": explode,
                         "allow_reserved": reserved, "content_type": content,
                         "wire_name": if place.0 == "path" { "x".to_owned() } else { wire_name }},
                        {"name": "y", "in": place.0},
                    ],
                    "body": body,
                },
                "arguments": {"x": value, "y": "why", "body": body_value},
            })
        },
    )
}

/// As [`any_value`], without what stands for bytes in a vector.
fn any_json() -> impl Strategy<Value = Json> {
    any_value().prop_map(|value| {
        let text = value.to_string().replace("$bytes", "bytes");
        serde_json::from_str(&text).unwrap()
    })
}

fn any_response() -> impl Strategy<Value = Json> {
    let content_type = prop::option::of(
        "(application|text)/(json|plain|html|octet-stream|x\\+json)(; charset=(latin1|utf-8|x))?",
    );
    let body = prop_oneof![
        any_json().prop_map(|value| value.to_string().into_bytes()),
        any_json().prop_map(|value| json!({"error": value}).to_string().into_bytes()),
        any_json().prop_map(|value| json!({"detail": value, "title": "t"})
            .to_string()
            .into_bytes()),
        text().prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..16),
        "[\\[\\]{}\",:0-9.eE+\\-\\\\u d8a-f<title>/]{0,24}".prop_map(String::into_bytes),
    ];
    let kind = prop::sample::select(vec!["json", "text", "bytes", "empty", "events"]);
    let status = prop::sample::select(vec![200_u16, 201, 204, 404, 503, 599]);
    (content_type, body, kind, status).prop_map(|(content_type, body, kind, status)| {
        json!({
            "function": {"responses": [
                {"status": "2XX", "content_types": ["text/plain"], "kind": kind},
                {"status": "default", "content_types": ["application/json"], "kind": kind},
            ]},
            "status": status,
            "content_type": content_type,
            "body_base64": BASE64.encode(body),
        })
    })
}

/// The vectors hold what someone thought of; this is the rest.
#[test]
fn python_and_rust_agree_on_random_cases() {
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let mut cases = Vec::new();
    for index in 0..1_500 {
        let mut case = any_case().new_tree(&mut runner).unwrap().current();
        case["name"] = json!(format!("request {index}"));
        let function = function(&case["function"]);
        match wire::encode(
            &function,
            &IndexMap::new(),
            &arguments(&case["arguments"]),
            None,
        ) {
            Ok(request) => {
                case["request"] = json!({
                    "path": request.path, "query": request.query,
                    "headers": request.headers, "cookies": request.cookies,
                    "body_base64": BASE64.encode(request.body.unwrap()),
                });
            }
            Err(error) => case["error"] = json!(error.to_string()),
        }
        cases.push(case);
    }
    assert!(
        cases
            .iter()
            .filter(|case| case.get("request").is_some())
            .count()
            > 300
    );
    for index in 0..1_500 {
        let mut case = any_response().new_tree(&mut runner).unwrap().current();
        let function = function(&case["function"]);
        let status = u16::try_from(case["status"].as_u64().unwrap()).unwrap();
        let content_type = case["content_type"].as_str();
        let body = response_body(&case);
        let message = wire::error_message(status, content_type, &body);
        let value = packed(wire::decode(&function, status, content_type, &body).unwrap());
        let mut said = case.clone();
        said["name"] = json!(format!("message {index}"));
        said["message"] = json!(message);
        case["name"] = json!(format!("response {index}"));
        case["value"] = value;
        cases.extend([case, said]);
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("cases.json");
    std::fs::write(&file, serde_json::to_vec(&cases).unwrap()).unwrap();
    let script = root().join("tests/wire/run_outside.py");
    python(&script, "python3", &[&file]);
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
