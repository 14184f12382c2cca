use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::api::{OperationBody, OperationParameter, OperationServer, Style};

fn operation(method: &str, path: &str, id: Option<&str>) -> Operation {
    Operation {
        operation_id: id.map(str::to_owned),
        method: method.to_owned(),
        path: path.to_owned(),
        tags: Vec::new(),
        summary: String::new(),
        description: String::new(),
        deprecated: false,
        parameters: Vec::new(),
        body: None,
        responses: Vec::new(),
        response_descriptions: BTreeMap::new(),
        success_headers: std::collections::BTreeSet::new(),
        security: Vec::new(),
        server: OperationServer::Document,
    }
}

fn parameter(location: Location, name: &str) -> OperationParameter {
    OperationParameter {
        wire_name: name.to_owned(),
        location,
        required: false,
        style: Style::Form,
        explode: true,
        allow_reserved: false,
        items_styles: Vec::new(),
        content_type: None,
        description: String::new(),
        schema: json!({}),
    }
}

fn named(operations: &[Operation], lock: Option<&Manifest>) -> Vec<OperationNames> {
    let api = Api {
        operations: operations.to_vec(),
        ..Api::default()
    };
    give_names(api, lock, &IndexMap::new()).unwrap().names
}

/// A manifest of operations that were given names.
fn lock(operations: &[Operation], names: &[OperationNames]) -> Manifest {
    let functions: Vec<Value> = operations
        .iter()
        .zip(names)
        .map(|(operation, names)| {
            let parameters = operation.parameters.iter().zip(&names.parameters);
            let parameters: Vec<Value> = parameters
                .map(|(parameter, name)| {
                    json!({"name": name, "wire_name": parameter.wire_name, "in": parameter.location,
                        "required": false, "type": "Any", "style": "form", "explode": true,
                        "allow_reserved": false, "content_type": null, "nullable": false,
                        "default": null, "enum": null, "description": "", "schema": {}})
                })
                .collect();
            let body = names.body.as_ref().map(|name| {
                json!({"name": name, "content_type": "application/json", "required": false,
                    "type": "Any", "alternatives": [], "encoding": {}, "schema": {}})
            });
            json!({"name": names.function, "operation_id": operation.operation_id,
                "method": operation.method, "path": operation.path, "tags": [], "summary": "",
                "deprecated": false, "parameters": parameters, "body": body, "returns": "None",
                "responses": [], "security": [], "pagination": null})
        })
        .collect();
    let manifest = json!({
        "manifest_version": 1, "runtime_abi": 1, "server": "x", "title": "", "description": "",
        "spec": {"version": "3.1.0", "sha256": "", "source": ""}, "compiler": "", "fingerprint": "",
        "read_only": false, "base_url": null, "base_url_env": "", "security_schemes": {},
        "outputs": {}, "types": {}, "functions": functions, "skipped": [],
    });
    serde_json::from_value(manifest).unwrap()
}

fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![
        // Such as collide after their spelling is made alike.
        prop::sample::select(vec![
            "id",
            "ID",
            "i-d",
            "user.name",
            "userName",
            "user[name]",
            "filter[a][b]",
            "class",
            "list",
            "None",
            "body",
            "request_body",
            "2fa",
            "größe",
            "名前",
            "",
            "_",
            "$top",
            "self",
            "match",
            "import",
            "get_a",
            "getA",
            "get_a_id",
            "post_a",
        ])
        .prop_map(str::to_owned),
        "[a-zA-Z_.\\[\\]-]{1,6}",
        "\\PC{0,12}",
        "x{70,120}",
    ]
}

fn any_operations() -> impl Strategy<Value = Vec<Operation>> {
    let location = prop::sample::select(vec![
        Location::Path,
        Location::Query,
        Location::Header,
        Location::Cookie,
    ]);
    let parameters = prop::collection::vec((location, any_name()), 0..6);
    let one = (
        prop::sample::select(vec!["GET", "POST"]),
        prop::sample::select(vec![
            "/a", "/a/{id}", "/a/id", "/{id}/a", "/a-id", "/名前", "/",
        ]),
        prop::option::of(any_name()),
        parameters,
        any::<bool>(),
    );
    prop::collection::vec(one, 0..10).prop_map(|operations| {
        let mut kept: IndexMap<(String, String), Operation> = IndexMap::new();
        for (method, path, id, parameters, has_body) in operations {
            let mut operation = operation(method, path, id.as_deref());
            let mut seen = BTreeSet::new();
            for (location, name) in parameters {
                if seen.insert((location_word(location), name.clone())) {
                    operation.parameters.push(parameter(location, &name));
                }
            }
            operation.body = has_body.then(|| OperationBody {
                content_type: "application/json".to_owned(),
                required: false,
                alternatives: Vec::new(),
                description: String::new(),
                schema: json!({}),
                encoding: BTreeMap::new(),
            });
            kept.insert((method.to_owned(), path.to_owned()), operation);
        }
        kept.into_values().collect()
    })
}

fn all_different<'n>(names: impl Iterator<Item = &'n String>) -> bool {
    let mut seen = BTreeSet::new();
    names.into_iter().all(|name| seen.insert(name))
}

proptest! {
    #[test]
    fn names_are_python_and_all_different(operations in any_operations()) {
        let names = named(&operations, None);
        prop_assert!(all_different(names.iter().map(|names| &names.function)));
        for names in &names {
            prop_assert!(is_function_name(&names.function), "{}", names.function);
            let arguments = || names.parameters.iter().chain(&names.body);
            prop_assert!(all_different(arguments()), "{names:?}");
            for name in arguments() {
                prop_assert!(is_function_name(name), "{name}");
            }
        }
    }

    #[test]
    fn the_order_of_the_document_does_not_matter(operations in any_operations()) {
        let names = named(&operations, None);
        let backwards: Vec<Operation> = operations.iter().rev().cloned().collect();
        let mut others = named(&backwards, None);
        others.reverse();
        prop_assert_eq!(names, others);
    }

    /// Whatever is added, and wherever it stands.
    #[test]
    fn a_committed_name_stays(operations in any_operations(), committed in 0_usize..10) {
        let old: Vec<Operation> = operations.iter().skip(committed).cloned().collect();
        let names = named(&old, None);
        let grown = named(&operations, Some(&lock(&old, &names)));
        let kept: Vec<OperationNames> = grown.into_iter().skip(committed).collect();
        prop_assert_eq!(kept, names);
    }
}

#[test]
fn those_that_collide_are_all_renamed_from_method_and_path() {
    let names = named(
        &[
            operation("GET", "/users", Some("find-user")),
            operation("GET", "/people", Some("findUser")),
            operation("GET", "/a/{b}", None),
            operation("GET", "/a/b", None),
            operation("POST", "/x", Some("größe")),
        ],
        None,
    );
    let names: Vec<&str> = names.iter().map(|names| names.function.as_str()).collect();
    assert_eq!(
        names,
        [
            "find_user_get_users",
            "find_user_get_people",
            "get_a_b_a5c38ae4",
            "get_a_b_840b7118",
            "post_x"
        ]
    );
}

#[test]
fn parameters_of_one_name_say_where_they_travel() {
    let mut operation = operation("PUT", "/a/{id}", None);
    operation.parameters = vec![
        parameter(Location::Path, "id"),
        parameter(Location::Query, "id"),
        parameter(Location::Query, "user-name"),
        parameter(Location::Query, "userName"),
        parameter(Location::Header, "body"),
    ];
    operation.body = Some(OperationBody {
        content_type: "application/json".to_owned(),
        required: true,
        alternatives: Vec::new(),
        description: String::new(),
        schema: json!({}),
        encoding: BTreeMap::new(),
    });
    let names = named(&[operation], None).remove(0);
    assert_eq!(names.parameters[..2], ["id_path", "id_query"]);
    assert!(names.parameters[2].starts_with("user_name_"), "{names:?}");
    assert_ne!(names.parameters[2], names.parameters[3]);
    assert_eq!(names.parameters[4], "body_header");
    assert_eq!(names.body.as_deref(), Some("request_body"));
}
