use serde_json::{Value, json};

use super::*;

mod faults;
mod members;

/// One read and one write.
const SHOP: &str = r##"{
    "manifest_version": 1, "runtime_abi": 1, "server": "shop", "title": "Shop",
    "description": "", "spec": {"version": "3.0.0", "sha256": "a", "source": "shop.yaml",
    "files": {}}, "compiler": "mce 1", "fingerprint": "", "read_only": false,
    "base_url": "https://shop.example/v1", "base_url_env": "MCE_SHOP_BASE_URL",
    "security_schemes": {"key": {"type": "apiKey", "scheme": null, "in": "header", "name": "K"}},
    "outputs": {},
    "types": {
        "Item": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"},
            "kind": {"type": "string", "enum": ["a", "b"]}}},
        "New": {"type": "object", "properties": {"name": {"type": "string"}}}
    },
    "functions": [
        {"name": "list_items", "operation_id": null, "method": "GET", "path": "/items",
         "tags": [], "summary": "List.", "deprecated": false, "parameters": [
            {"name": "limit", "wire_name": "limit", "in": "query", "required": false,
             "type": "int", "style": "form", "explode": true, "allow_reserved": false,
             "content_type": null, "nullable": false, "default": null, "enum": null,
             "description": "", "schema": {"type": "integer"}}],
         "body": null, "returns": "list[Item]", "responses": [
            {"status": "200", "content_types": ["application/json"], "kind": "json",
             "schema": {"type": "array", "items": {"$ref": "#/types/Item"}}}],
         "security": [{"key": []}], "pagination": null},
        {"name": "add_item", "operation_id": null, "method": "POST", "path": "/items",
         "tags": [], "summary": "Add.", "deprecated": false, "parameters": [],
         "body": {"name": "body", "content_type": "application/json", "required": true,
            "type": "New", "alternatives": [], "encoding": {},
            "schema": {"$ref": "#/types/New"}},
         "returns": "Item", "responses": [], "security": [{"key": []}], "pagination": null}
    ],
    "skipped": []
}"##;

/// [`SHOP`], changed as the test wants.
fn manifest(change: impl FnOnce(&mut Value)) -> Manifest {
    let mut value = serde_json::from_str(SHOP).unwrap();
    change(&mut value);
    serde_json::from_value(value).unwrap()
}

fn diff(change: impl FnOnce(&mut Value)) -> ServerDiff {
    let (old, new) = (manifest(|_| {}), manifest(change));
    compare("shop", Some(side(&old)), Some(side(&new)))
}

fn side(manifest: &Manifest) -> Side<'_> {
    Side {
        manifest,
        functions: None,
        integrity: Integrity::AsCompiled,
    }
}

/// Level, kind, and subject or function of each change.
fn said(diff: &ServerDiff) -> Vec<(Level, Kind, String)> {
    let name = |change: &'_ Change| change.subject.clone().or_else(|| change.function.clone());
    let changes = diff.changes.iter();
    let said = changes.map(|it| (it.level, it.kind, name(it).unwrap_or_default()));
    said.collect()
}

#[test]
fn nothing_differs_from_itself() {
    assert_eq!(diff(|_| {}).changes, []);
}

#[test]
fn a_moved_origin_comes_first_and_a_path_is_no_move() {
    let diff = diff(|it| {
        it["base_url"] = json!("https://evil.example/v1");
        it["read_only"] = json!(true);
        it["functions"][0]["summary"] = json!("Others.");
    });
    let kinds: Vec<_> = diff.changes.iter().map(|it| it.kind).collect();
    assert_eq!(
        kinds,
        [Kind::OriginMoved, Kind::ReadOnlyBegun, Kind::SummaryChanged]
    );
    assert!(diff.moves_origin());
    let path = super::tests::diff(|it| it["base_url"] = json!("https://shop.example/v2"));
    assert_eq!(
        said(&path),
        [(Level::Security, Kind::BaseUrlChanged, String::new())]
    );
    assert!(!path.moves_origin());
    let port = super::tests::diff(|it| it["base_url"] = json!("https://shop.example:8443/v1"));
    assert!(port.moves_origin());
    let gone = super::tests::diff(|it| it["base_url"] = Value::Null);
    assert!(!gone.is_empty() && !gone.moves_origin());
}

#[test]
fn places_of_credentials_and_operations_that_want_others_are_security() {
    let diff = diff(|it| {
        it["security_schemes"]["key"]["name"] = json!("Other");
        it["security_schemes"]["new"] =
            json!({"type": "apiKey", "scheme": null, "in": "query", "name": "k"});
        it["functions"][0]["security"] = json!([]);
    });
    assert_eq!(
        said(&diff),
        [
            (Level::Security, Kind::SchemeAdded, "new".to_owned()),
            (Level::Security, Kind::SchemeChanged, "key".to_owned()),
            (
                Level::Security,
                Kind::SecurityChanged,
                "list_items".to_owned()
            ),
        ]
    );
    let last = &diff.changes[2];
    assert_eq!(last.old.as_deref(), Some("key"));
    assert_eq!(last.new.as_deref(), Some("no credential"));
}

#[test]
fn a_new_operation_that_may_change_state_is_security_and_a_new_read_is_not() {
    let diff = diff(|it| {
        let mut read = it["functions"][0].clone();
        (read["name"], read["path"]) = (json!("get_item"), json!("/items/{id}"));
        let mut write = read.clone();
        (write["name"], write["method"]) = (json!("delete_item"), json!("DELETE"));
        let mut tunnel = write.clone();
        (tunnel["name"], tunnel["path"]) = (json!("query"), json!("/graphql"));
        let functions = it["functions"].as_array_mut().unwrap();
        functions.extend([read, write, tunnel]);
    });
    assert_eq!(
        said(&diff),
        [
            (
                Level::Security,
                Kind::MutatingFunctionAdded,
                "delete_item".to_owned()
            ),
            (
                Level::Security,
                Kind::MutatingFunctionAdded,
                "query".to_owned()
            ),
            (Level::Security, Kind::TunnelAdded, "query".to_owned()),
            (Level::Other, Kind::FunctionAdded, "get_item".to_owned()),
        ]
    );
    assert_eq!(diff.added.len(), 3);
}

#[test]
fn a_name_that_calls_another_operation_is_security() {
    let diff = diff(|it| {
        it["functions"][0]["path"] = json!("/all");
    });
    assert_eq!(
        said(&diff),
        [
            (
                Level::Security,
                Kind::FunctionRetargeted,
                "list_items".to_owned()
            ),
            (
                Level::Breaking,
                Kind::FunctionRemoved,
                "list_items".to_owned()
            ),
            (Level::Other, Kind::FunctionAdded, "list_items".to_owned()),
        ]
    );
}

#[test]
fn a_function_that_is_gone_says_why() {
    let diff = diff(|it| {
        it["functions"].as_array_mut().unwrap().remove(1);
        it["skipped"] = json!([{"method": "POST", "path": "/items", "reason": "read_only"}]);
    });
    assert_eq!(
        said(&diff),
        [(
            Level::Breaking,
            Kind::FunctionRemoved,
            "add_item".to_owned()
        )]
    );
    assert_eq!(diff.changes[0].new.as_deref(), Some("read_only"));
    assert_eq!(diff.removed.iter().collect::<Vec<_>>(), ["add_item"]);
}

#[test]
fn what_callers_must_change_is_breaking_and_what_they_may_use_is_not() {
    use Level::{Breaking, Other, Text};
    type Edit = Box<dyn Fn(&mut Value)>;
    let parameter = |name: &str, required: bool| {
        let mut one = serde_json::to_value(&manifest(|_| {}).functions[0].parameters[0]).unwrap();
        (one["name"], one["wire_name"]) = (json!(name), json!(name));
        one["required"] = json!(required);
        one
    };
    let cases: Vec<(Edit, Level, Kind, &str)> = vec![
        (
            Box::new(|it| it["parameters"] = json!([])),
            Breaking,
            Kind::ParameterRemoved,
            "limit",
        ),
        (
            Box::new(|it| it["parameters"][0]["name"] = json!("top")),
            Breaking,
            Kind::ParameterRenamed,
            "top",
        ),
        (
            Box::new(|it| it["parameters"][0]["required"] = json!(true)),
            Breaking,
            Kind::ParameterRequired,
            "limit",
        ),
        (
            Box::new(|it| it["parameters"][0]["type"] = json!("str")),
            Breaking,
            Kind::ParameterTypeChanged,
            "limit",
        ),
        (
            Box::new(move |it| {
                let all = it["parameters"].as_array_mut().unwrap();
                all.push(parameter("shelf", true));
            }),
            Breaking,
            Kind::RequiredParameterAdded,
            "shelf",
        ),
        (
            Box::new(|it| it["returns"] = json!("Item")),
            Breaking,
            Kind::ReturnTypeChanged,
            "list_items",
        ),
        (
            Box::new(|it| it["parameters"][0]["explode"] = json!(false)),
            Other,
            Kind::EncodingChanged,
            "limit",
        ),
        (
            Box::new(|it| it["parameters"][0]["schema"]["maximum"] = json!(9)),
            Other,
            Kind::ConstraintsChanged,
            "limit",
        ),
        (
            Box::new(|it| it["parameters"][0]["description"] = json!("How many.")),
            Text,
            Kind::ParameterDescriptionChanged,
            "limit",
        ),
    ];
    for (edit, level, kind, name) in cases {
        let diff = diff(|it| edit(&mut it["functions"][0]));
        assert_eq!(said(&diff), [(level, kind, name.to_owned())]);
        assert_eq!(diff.changed.len(), 1, "{kind:?}");
    }
}

#[test]
fn values_that_come_and_go_are_told_apart() {
    let with = |values: Value| {
        move |it: &mut Value| {
            let one = &mut it["functions"][0]["parameters"][0];
            one["type"] = json!(format!("Literal[{values}]"));
            one["enum"] = values;
        }
    };
    let old = manifest(with(json!([1, 2])));
    let new = manifest(with(json!([2, 3])));
    let diff = compare("shop", Some(side(&old)), Some(side(&new)));
    assert_eq!(
        said(&diff),
        [
            (Level::Breaking, Kind::EnumValueRemoved, "limit".to_owned()),
            (Level::Other, Kind::EnumValueAdded, "limit".to_owned()),
        ]
    );
    assert_eq!(diff.changes[0].old.as_deref(), Some("1"));
}

#[test]
fn a_key_that_is_required_breaks_who_gives_it_and_not_who_reads_it() {
    let require = |name: &'static str, key: &'static str| {
        move |it: &mut Value| it["types"][name]["required"] = json!([key])
    };
    assert_eq!(
        said(&diff(require("New", "name"))),
        [(Level::Breaking, Kind::KeyRequired, "New.name".to_owned())]
    );
    let read = diff(|it| it["types"]["Item"]["required"] = json!(["id", "kind"]));
    assert_eq!(
        said(&read),
        [(Level::Other, Kind::KeyRequired, "Item.kind".to_owned())]
    );
    let optional = diff(|it| it["types"]["Item"]["required"] = json!([]));
    assert_eq!(
        said(&optional),
        [(Level::Breaking, Kind::KeyOptional, "Item.id".to_owned())]
    );
}

#[test]
fn types_are_compared_key_by_key_and_descriptions_are_only_that() {
    let diff = diff(|it| {
        let properties = &mut it["types"]["Item"]["properties"];
        properties["id"] = json!({"type": "integer"});
        properties["kind"] = json!({"type": "string", "enum": ["b"], "description": "Which."});
        properties["description"] = json!({"type": "string"});
    });
    assert_eq!(
        said(&diff),
        [
            (Level::Breaking, Kind::KeyChanged, "Item.id".to_owned()),
            (Level::Other, Kind::EnumValueRemoved, "Item.kind".to_owned()),
            (Level::Other, Kind::KeyAdded, "Item.description".to_owned()),
        ]
    );
    let text = super::tests::diff(|it| {
        it["types"]["Item"]["properties"]["id"]["description"] = json!("Which.");
        it["types"]["Item"]["title"] = json!("An item");
    });
    assert_eq!(
        said(&text),
        [(Level::Text, Kind::TypeDescriptionChanged, "Item".to_owned())]
    );
}

#[test]
fn a_change_of_a_type_names_the_functions_that_it_matters_to() {
    let with_parts = |it: &mut Value| {
        it["types"]["Part"] = json!({"type": "object", "properties": {"sku": {"type": "string"}}});
        for name in ["Item", "New"] {
            it["types"][name]["properties"]["parts"] =
                json!({"type": "array", "items": {"$ref": "#/types/Part"}});
        }
    };
    let users = |change: &dyn Fn(&mut Value)| {
        let old = manifest(with_parts);
        let new = manifest(|it| {
            with_parts(it);
            change(it);
        });
        let diff = compare("shop", Some(side(&old)), Some(side(&new)));
        diff.changes[0].used_by.clone()
    };
    // What must be given matters to who gives it, through other types too.
    assert_eq!(
        users(&|it| it["types"]["Part"]["required"] = json!(["sku"])),
        ["add_item"]
    );
    assert_eq!(
        users(&|it| it["types"]["Part"]["properties"]["sku"] = json!({"type": "integer"})),
        ["add_item", "list_items"]
    );
    let read = diff(|it| it["types"]["Item"]["required"] = json!([]));
    assert_eq!(read.changes[0].used_by, ["list_items"]);

    let old = manifest(|_| {});
    let new = manifest(|it| {
        it["types"]["Item"]["required"] = json!([]);
        let list = it["functions"][0].clone();
        for index in 0..11 {
            let mut more = list.clone();
            more["name"] = json!(format!("more_{index:02}"));
            more["path"] = json!(format!("/more/{index}"));
            it["functions"].as_array_mut().unwrap().push(more);
        }
    });
    let diff = compare("shop", Some(side(&old)), Some(side(&new)));
    let change = diff.changes.iter().find(|it| it.kind == Kind::KeyOptional);
    let change = change.unwrap();
    assert_eq!((change.used_by.len(), change.used_by_more), (10, 2));
}

#[test]
fn docstrings_are_compared_by_function() {
    let all = manifest(|_| {});
    let module = |text: &str| {
        format!("def list_items() -> None:\n    \"\"\"{text}\n\n    More.\n    \"\"\"\n")
    };
    let (old, new) = (module("One."), module("Two."));
    let of = |text| {
        Some(Side {
            manifest: &all,
            functions: Some(text),
            integrity: Integrity::AsCompiled,
        })
    };
    let diff = compare("shop", of(&old), of(&new));
    assert_eq!(
        said(&diff),
        [
            (Level::Text, Kind::DocstringChanged, "1 line".to_owned()),
            (Level::Text, Kind::ModuleChanged, "1 line".to_owned()),
        ]
    );
    assert_eq!(diff.changes[0].function.as_deref(), Some("list_items"));
    assert_eq!(diff.changes[0].new.as_deref(), Some("Two."));
}

#[test]
fn texts_of_documents_are_cut_and_hold_nothing_invisible() {
    let text = format!("a\n\u{202e}{}", "x".repeat(1000));
    let diff = diff(|it| it["functions"][0]["summary"] = json!(text));
    let new = diff.changes[0].new.as_deref().unwrap();
    assert!(new.starts_with("a\\u{a}\\u{202e}xxx") && new.ends_with("x…"));
    assert!(new.len() < 250);
}

#[test]
fn a_new_server_shows_where_credentials_go_and_one_that_is_gone_is_breaking() {
    let all = manifest(|_| {});
    let new = compare("shop", None, Some(side(&all)));
    assert_eq!(
        said(&new),
        [
            (Level::Security, Kind::OriginMoved, String::new()),
            (Level::Security, Kind::SchemeAdded, "key".to_owned()),
            (
                Level::Security,
                Kind::MutatingFunctionAdded,
                "add_item".to_owned()
            ),
            (Level::Other, Kind::ServerAdded, String::new()),
            (Level::Other, Kind::FunctionAdded, "list_items".to_owned()),
        ]
    );
    let gone = compare("shop", Some(side(&all)), None);
    assert_eq!(
        said(&gone),
        [(Level::Breaking, Kind::ServerRemoved, String::new())]
    );
    assert_eq!(gone.removed.len(), 2);
}
