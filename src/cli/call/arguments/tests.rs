use std::fs;

use serde_json::json;

use super::*;

/// One function, with a parameter of each kind and a body of two media types.
const NOTES: &str = r##"{
    "manifest_version": 1, "runtime_abi": 1, "server": "notes", "title": "", "description": "",
    "spec": {"version": "3.1.0", "sha256": "", "source": "", "files": {}}, "compiler": "",
    "fingerprint": "", "read_only": false, "base_url": null, "base_url_env": "",
    "security_schemes": {}, "outputs": {}, "skipped": [],
    "types": {
        "Code": {"type": "string"},
        "Note": {"allOf": [{"$ref": "#/types/Base"}, {"properties": {
            "labels": {"type": "array", "items": {"$ref": "#/types/Code"}}}}]},
        "Base": {"type": "object", "properties": {"title": {"type": "string"},
            "count": {"type": "integer"}, "a.b": {"type": "string"},
            "of": {"type": "object", "properties": {"code": {"$ref": "#/types/Code"}}}}}
    },
    "functions": [{"name": "save", "operation_id": null, "method": "POST", "path": "/n",
        "tags": [], "summary": "", "deprecated": false, "parameters": [
            {"name": "code", "schema": {"$ref": "#/types/Code"}},
            {"name": "either", "schema": {"type": ["string", "integer"]}},
            {"name": "maybe", "schema": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
            {"name": "version", "schema": {"type": "string", "enum": [1.0, 2.0]}},
            {"name": "only", "schema": {"const": "5"}},
            {"name": "tags", "schema": {"type": "array", "items": {"type": "string"}}},
            {"name": "sizes", "schema": {"type": "array", "items": {"type": "integer"}}}],
        "body": {"name": "body", "content_type": "application/json", "required": true, "type": "",
            "alternatives": [{"content_type": "multipart/form-data", "type": "", "encoding": {},
                "schema": {"type": "object", "properties": {"file": {"type": "string",
                    "format": "binary"}}}},
                {"content_type": "text/plain", "type": "str", "encoding": {}, "schema": {}}],
            "encoding": {}, "schema": {"$ref": "#/types/Note"}},
        "returns": "None", "responses": [], "security": [], "pagination": null}]
}"##;

fn notes() -> Manifest {
    let mut value: Json = serde_json::from_str(NOTES).expect("JSON");
    let parameters = value["functions"][0]["parameters"].as_array_mut();
    for parameter in parameters.expect("a list") {
        let members = parameter.as_object_mut().expect("an object");
        for (key, value) in [
            ("wire_name", members["name"].clone()),
            ("in", json!("query")),
            ("required", json!(false)),
            ("type", json!("")),
            ("style", json!("form")),
            ("explode", json!(true)),
            ("allow_reserved", json!(false)),
            ("content_type", Json::Null),
            ("nullable", json!(false)),
            ("default", Json::Null),
            ("enum", Json::Null),
            ("description", json!("")),
        ] {
            members.insert(key.to_owned(), value);
        }
    }
    serde_json::from_value(value).expect("a manifest")
}

fn read(
    manifest: Option<&Manifest>,
    content_type: Option<&str>,
    items: &[&str],
) -> Result<Arguments, Stop> {
    let items: Vec<String> = items.iter().map(|item| (*item).to_owned()).collect();
    let reader = Reader {
        declared: manifest.map(|manifest| Declared {
            manifest,
            function: &manifest.functions[0],
        }),
        content_type,
        limit: 100,
    };
    reader.read(&items)
}

fn parsed(items: &[&str]) -> Result<Arguments, Stop> {
    read(None, None, items)
}

/// The arguments as JSON, read as `save` declares them.
fn saved(items: &[&str]) -> Json {
    let arguments = read(Some(&notes()), None, items).expect("it parses");
    Value::Object(arguments).into_json()
}

/// `isbn=9780000000017` was a number, which the function then refused.
#[test]
fn declared_text_is_taken_as_it_was_typed() {
    assert_eq!(
        saved(&[
            "code=0017",
            "either=17",
            "maybe=null",
            "version=1.0",
            "only=5",
            "body.title=true",
            "body.of.code=5",
            "body.count=5",
        ]),
        json!({"code": "0017", "either": 17, "maybe": null, "version": json!(1.0), "only": "5",
            "body": {"title": "true", "of": {"code": "5"}, "count": 5}})
    );
    assert_eq!(
        saved(&["code=\"a\"", "maybe=1"]),
        json!({"code": "\"a\"", "maybe": "1"})
    );
}

#[test]
fn a_list_is_made_of_one_value_or_of_several() {
    assert_eq!(
        saved(&[
            "tags=1",
            "sizes=1",
            "sizes=2",
            "body.labels=1",
            "body.labels=x"
        ]),
        json!({"tags": ["1"], "sizes": [1, 2], "body": {"labels": ["1", "x"]}})
    );
    assert_eq!(
        saved(&["tags=[\"a\", \"b\"]", "tags=c"]),
        json!({"tags": ["a", "b", "c"]})
    );
}

#[test]
fn members_are_set_by_dotted_names_beside_the_whole() {
    assert_eq!(
        saved(&["body={\"x\": 1}", "body.a.b=1", "body.new.er=2"]),
        json!({"body": {"x": 1, "a.b": "1", "new": {"er": 2}}})
    );
    let manifest = notes();
    let deep = format!("body{}=1", ".a".repeat(30));
    for items in [
        &["code=1", "code=2"][..],
        &["body.title=a", "body.title=b"],
        &["body.title=a", "body={}"],
        &["code=a", "code.b=c"],
        &[&deep],
    ] {
        let refused = read(Some(&manifest), None, items);
        assert!(matches!(refused, Err(Stop::Usage(_))), "{items:?}");
    }
}

#[test]
fn a_body_of_text_is_text_whatever_its_schema_says() {
    let arguments = read(Some(&notes()), Some("text/plain"), &["body=5"]).expect("it parses");
    assert_eq!(arguments["body"], Value::String("5".to_owned()));
}

/// The text `@note.txt` was sent.
#[test]
fn a_file_of_a_multipart_body_has_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("note.txt");
    fs::write(&file, "hello").expect("a file");
    let item = format!("body.file=@{}", file.display());
    let manifest = notes();
    let given = |content_type| {
        let arguments = read(Some(&manifest), content_type, &[&item]).expect("it parses");
        arguments["body"].clone()
    };
    let bytes = Value::Bytes("hello".into());
    let named = Value::Array(vec![Value::String("note.txt".to_owned()), bytes.clone()]);
    let body = |value| Value::Object([("file".to_owned(), value)].into_iter().collect());
    assert_eq!(given(Some("multipart/form-data")), body(named));
    assert_eq!(given(None), body(bytes));
}

#[test]
fn a_value_is_json_where_it_can_be_and_text_otherwise() {
    let arguments = parsed(&[
        "limit=5",
        "isbn=\"05\"",
        "name=Ada",
        "filter=a=b",
        "body={\"x\": [1.50]}",
        "empty=",
        "nothing=null",
        "handle=@@ada",
    ])
    .expect("it parses");
    let json: Vec<_> = arguments.into_iter().map(|(_, value)| value).collect();
    assert_eq!(
        json,
        [
            Value::from(json!(5)),
            Value::String("05".to_owned()),
            Value::String("Ada".to_owned()),
            Value::String("a=b".to_owned()),
            parse_json(b"{\"x\": [1.50]}").expect("JSON"),
            Value::String(String::new()),
            Value::Null,
            Value::String("@ada".to_owned()),
        ]
    );
}

#[test]
fn a_file_gives_its_bytes_up_to_the_limit() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("cover.png");
    fs::write(&file, [0_u8, 255, 10]).expect("a file");
    let item = format!("cover=@{}", file.display());
    let arguments = parsed(&[&item]).expect("it parses");
    assert_eq!(arguments["cover"], Value::Bytes(vec![0, 255, 10].into()));
    fs::write(&file, [0_u8; 101]).expect("a file");
    assert!(matches!(parsed(&[&item]), Err(Stop::Usage(_))));
}

/// Opening a pipe waited for a writer for good, and no signal ended that.
#[test]
fn a_pipe_is_no_file_to_send() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
    let item = format!("cover=@{}", pipe.display());
    assert!(matches!(parsed(&[&item]), Err(Stop::Usage(_))));
}

#[test]
fn a_name_given_twice_is_a_usage_error() {
    assert!(matches!(parsed(&["a=1", "a=2"]), Err(Stop::Usage(_))));
    assert!(matches!(parsed(&["a"]), Err(Stop::Usage(_))));
}
