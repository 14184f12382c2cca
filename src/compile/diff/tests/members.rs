//! No member of a manifest can change unseen: each is changed alone, and behind a change of tags.

use serde_json::{Value, json};

use super::*;

/// A manifest with something in every member.
fn full() -> Value {
    let mut value = serde_json::to_value(manifest(|_| {})).unwrap();
    value["description"] = json!("Sells.");
    value["warnings"] = json!(["`x` was left out"]);
    value["outputs"] = json!({"functions.py": "aa"});
    value["spec"]["files"] = json!({"parts.yaml": "bb"});
    value["skipped"] = json!([{"method": "GET", "path": "/items/export", "reason": "excluded",
        "base_url": "https://shop.example/v2"}]);
    let function = &mut value["functions"][1];
    function["operation_id"] = json!("addItem");
    function["base_url"] = json!("https://shop.example/v2");
    function["tags"] = json!(["items"]);
    function["pagination"] = json!({"kind": "cursor", "parameter": "after", "field": "next",
        "items": "data", "size": "limit", "first": 0});
    function["responses"] = json!([{"status": "200", "content_types": ["application/json"],
        "kind": "json", "schema": {"type": "object", "properties": {"n": {"type": "string"}}}}]);
    function["parameters"] = json!([{"name": "sort", "wire_name": "sort", "in": "query",
        "required": false, "type": "Literal[\"a\", \"b\"]", "style": "form", "explode": true,
        "allow_reserved": false, "content_type": "application/json", "nullable": false,
        "default": "a", "enum": ["a", "b"], "description": "Order.",
        "schema": {"type": "string", "enum": ["a", "b"]}}]);
    let body = &mut function["body"];
    body["encoding"] = json!({"name": {"style": "form"}});
    body["alternatives"] = json!([{"content_type": "multipart/form-data", "type": "dict[str, Any]",
        "schema": {"type": "object", "properties": {"name": {"type": "string"}}},
        "encoding": {"name": {"contentType": "text/plain"}}}]);
    value
}

/// Another value that the member may have.
fn mutated(place: &str, value: &Value) -> Value {
    let text = match place {
        "/functions/1/parameters/0/in" => "header",
        "/functions/1/parameters/0/style" | "/functions/1/body/encoding/name/style" => {
            "pipeDelimited"
        }
        "/functions/1/pagination/kind" => "next_url",
        "/functions/1/responses/0/kind" => "text",
        "/base_url" => "https://elsewhere.example",
        "/skipped/0/reason" => "read_only",
        _ => "",
    };
    if !text.is_empty() {
        return json!(text);
    }
    match value {
        Value::Null => json!("other"),
        Value::Bool(value) => json!(!value),
        Value::Number(_) => json!(7),
        Value::String(text) => json!(format!("{text}x")),
        Value::Array(items) if items.iter().all(Value::is_string) => json!(["zz"]),
        Value::Array(_) => json!([]),
        Value::Object(_) => json!({}),
    }
}

/// The places of all members, those of schemas and of names that a document gives excepted.
fn places(value: &Value, place: &str, found: &mut Vec<String>) {
    if !place.is_empty() && place != "/fingerprint" {
        found.push(place.to_owned());
    }
    if place.ends_with("/schema") || place.starts_with("/types/") {
        return;
    }
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                let key = key.replace('~', "~0").replace('/', "~1");
                places(member, &format!("{place}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, &format!("{place}/{index}"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn every_member_that_changes_is_reported_by_a_kind_of_its_own_even_behind_another() {
    let full = full();
    let mut all = Vec::new();
    places(&full, "", &mut all);
    let old: Manifest = serde_json::from_value(full.clone()).unwrap();
    let mut tried = 0;
    for place in all {
        let mut changed = full.clone();
        let member = changed.pointer_mut(&place).unwrap();
        *member = mutated(&place, member);
        // An object that must have members: those are changed one by one.
        let Ok(new) = serde_json::from_value::<Manifest>(changed.clone()) else {
            continue;
        };
        if new == old {
            continue;
        }
        tried += 1;
        let alone = compare("shop", Some(side(&old)), Some(side(&new)));
        assert!(!alone.is_empty(), "{place}");
        // Every change of a document changes its hash; that is only said where nothing else is.
        let is_hash = place.starts_with("/spec/sha256") || place.starts_with("/spec/files/");
        if is_hash {
            assert_eq!(alone.changes[0].kind, Kind::ManifestChanged, "{place}");
            continue;
        }
        let general = [Kind::ManifestChanged];
        let told = alone
            .changes
            .iter()
            .filter(|it| !general.contains(&it.kind));
        assert!(told.count() > 0, "{place}");
        if place.starts_with("/functions/0") || place == "/functions" {
            continue;
        }
        let mut hidden = changed;
        hidden["functions"][0]["tags"] = json!(["hides"]);
        let new: Manifest = serde_json::from_value(hidden).unwrap();
        let behind = compare("shop", Some(side(&old)), Some(side(&new)));
        assert!(behind.changes.len() > 1, "{place}");
    }
    assert!(tried > 60, "{tried}");
}

#[test]
fn where_requests_and_credentials_go_is_security_whichever_member_says_so() {
    let full = full();
    let old: Manifest = serde_json::from_value(full.clone()).unwrap();
    for (place, value, kind) in [
        ("/base_url", json!(null), Kind::OriginMoved),
        ("/base_url_env", json!("PATH"), Kind::BaseUrlVariableChanged),
        (
            "/functions/1/base_url",
            json!(null),
            Kind::FunctionBaseUrlChanged,
        ),
        ("/functions/1/security", json!([]), Kind::SecurityChanged),
        ("/functions/1/security", json!([{}]), Kind::SecurityChanged),
        (
            "/functions/1/security",
            json!([{"key": []}, {}]),
            Kind::SecurityChanged,
        ),
        (
            "/functions/1/security",
            json!([{"key": ["all"]}]),
            Kind::SecurityChanged,
        ),
        (
            "/security_schemes/key/in",
            json!("query"),
            Kind::SchemeChanged,
        ),
        (
            "/security_schemes/key/name",
            json!("L"),
            Kind::SchemeChanged,
        ),
        (
            "/security_schemes/key/type",
            json!("http"),
            Kind::SchemeChanged,
        ),
        ("/security_schemes", json!({}), Kind::SchemeRemoved),
        ("/read_only", json!(true), Kind::ReadOnlyBegun),
        ("/skipped", json!([]), Kind::SkippedRemoved),
        (
            "/skipped/0/base_url",
            json!(null),
            Kind::SkippedBaseUrlChanged,
        ),
        (
            "/outputs",
            json!({"functions.py": "aa", "more.py": "bb"}),
            Kind::ModuleChanged,
        ),
        ("/outputs/functions.py", json!("bb"), Kind::ModuleChanged),
        (
            "/functions/1/pagination/kind",
            json!("next_url"),
            Kind::PaginationChanged,
        ),
    ] {
        let mut changed = full.clone();
        *changed.pointer_mut(place).unwrap() = value;
        let new: Manifest = serde_json::from_value(changed).unwrap();
        let diff = compare("shop", Some(side(&old)), Some(side(&new)));
        let found: Vec<_> = diff.changes.iter().map(|it| (it.level, it.kind)).collect();
        assert_eq!(found, [(Level::Security, kind)], "{place}");
        let back = compare("shop", Some(side(&new)), Some(side(&old)));
        assert!(!back.is_empty(), "{place}");
        // Old and new read differently.
        let change = &diff.changes[0];
        assert!(
            change.old != change.new || change.old.is_none(),
            "{place}: {change:?}"
        );
    }
}
