//! What references lead to, and what it costs when they lead nowhere.

use serde_json::json;

use crate::project::{
    Project, answer_of, api_with, called, paths_of, read, reason_of, referring_to,
};

#[test]
fn what_cannot_be_resolved_costs_its_operation_alone() {
    for (reference, reason) in [
        (
            "missing.yaml#/A",
            "reference `missing.yaml#/A` cannot be resolved: there is no such file",
        ),
        (
            "part.yaml#/B",
            "reference `part.yaml#/B` cannot be resolved: there is nothing of that name in it",
        ),
        (
            "part.yaml#name",
            "reference `part.yaml#name` cannot be resolved: there is nothing of that name in it",
        ),
        (
            "broken.yaml",
            "reference `broken.yaml` cannot be resolved: line 1, column ",
        ),
        ("page.html", "looks like an HTML page"),
        ("double.json", "duplicate key `a`"),
        ("folder", "it is a folder"),
        ("..\\part.yaml", "separates no folders"),
        (
            "https://u:p@example.com/x.yaml?key=1#/A",
            "reference `https://example.com/x.yaml#/A` cannot be resolved: nothing is fetched",
        ),
    ] {
        let project = Project::new(&[
            ("api.json", &referring_to(reference)),
            ("part.yaml", "A: {type: string}"),
            ("broken.yaml", "a: [}"),
            ("page.html", "<!DOCTYPE html><html></html>"),
            ("double.json", r#"{"a": 1, "a": 2}"#),
            ("folder/x.yaml", ""),
        ]);
        let api = project.api();
        let found = reason_of(&api);
        assert!(found.starts_with("unsupported: "), "{found}");
        assert!(found.contains(reason), "{reference}: {found}");
    }
}

#[test]
fn every_kind_of_part_is_found_relative_to_the_file_it_is_named_in() {
    let root = json!({
        "openapi": "3.0.3",
        "info": {"title": "T", "version": "1"},
        "paths": {
            "/item": {"$ref": "parts/item.yaml"},
            "/operation": {"post": {"$ref": "parts/more.yaml#/operations/send"}},
            "/again": {"get": {"responses": {"200": {"$ref": "./parts/../parts/more.yaml#/responses/Fine"}}}},
        },
        "components": {"schemas": {"Name": {"type": "string", "maxLength": 9}}},
    });
    let item = "
        parameters:
        - $ref: more.yaml#/parameters/Limit
        get:
          operationId: item
          responses:
            '200': {$ref: 'more.yaml#/responses/Fine'}
    ";
    let more = "
        parameters:
          Limit: {name: limit, in: query, schema: {$ref: 'models/whole%20number.yaml'}}
        bodies:
          Pet: {content: {application/json: {schema: {$ref: ../../shared/pet.yaml#/Pet}}}}
        operations:
          send:
            requestBody: {$ref: '#/bodies/Pet'}
            responses: {default: {description: ''}}
        responses:
          Fine:
            description: ''
            content: {application/json: {schema: {$ref: '../api.json#/components/schemas/Name'}}}
    ";
    let project = Project::new(&[
        ("api.json", &root.to_string()),
        ("parts/item.yaml", item),
        ("parts/more.yaml", more),
        ("parts/models/whole number.yaml", "type: integer"),
    ]);
    project.write(
        "home/shared/pet.yaml",
        "Pet: {type: object, properties: {tag: {$ref: '#/Tag'}}}\nTag: {type: string}\n",
    );
    let loaded = project.load().unwrap();
    assert_eq!(
        loaded.files.keys().collect::<Vec<_>>(),
        [
            "../shared/pet.yaml",
            "parts/item.yaml",
            "parts/models/whole number.yaml",
            "parts/more.yaml",
        ]
    );
    let api = read(loaded);
    assert!(api.skipped.is_empty(), "{:?}", api.skipped);
    let [item, operation, again] = api.operations.as_slice() else {
        panic!("{:?}", api.operations);
    };
    let name = json!({"$ref": "#/components/schemas/Name"});
    assert_eq!(item.responses[0].schema, name);
    assert_eq!(again.responses[0].schema, name);
    assert_eq!(
        api.schemas[item.parameters[0].schema["$ref"].as_str().unwrap()],
        json!({"type": "integer"})
    );
    let body = operation.body.as_ref().unwrap();
    assert_eq!(body.schema, json!({"$ref": "../shared/pet.yaml#/Pet"}));
    assert_eq!(
        api.schemas["../shared/pet.yaml#/Pet"],
        json!({"type": "object", "properties": {"tag": {"$ref": "../shared/pet.yaml#/Tag"}}})
    );
}

#[test]
fn all_paths_may_be_kept_in_a_file_of_their_own() {
    let mut root = api_with(&json!(true));
    let paths = std::mem::replace(&mut root["paths"], json!({"$ref": "paths.json"}));
    let project = Project::new(&[
        ("api.json", &root.to_string()),
        ("paths.json", &paths.to_string()),
    ]);
    assert_eq!(paths_of(&project.api()), ["/control", "/a"]);
}

#[test]
fn a_pointer_goes_on_where_a_reference_in_its_way_leads() {
    let mut root = api_with(&json!({"$ref": "#/components/schemas/Foo/properties/bar"}));
    root["components"] = json!({"schemas": {"Foo": {"$ref": "models/Foo.yaml"}}});
    let project = Project::new(&[
        ("api.json", &root.to_string()),
        (
            "models/Foo.yaml",
            "properties: {bar: {$ref: 'Bar.yaml#/deep/0'}}",
        ),
        ("models/Bar.yaml", "deep: [{type: integer}]"),
    ]);
    assert_eq!(answer_of(&project.api()), &json!({"type": "integer"}));

    // And goes round in circles no longer than it has to.
    let mut root = api_with(&json!({"$ref": "#/components/schemas/A/x"}));
    root["components"] = json!({"schemas": {"A": {"$ref": "#/components/schemas/A/y"}}});
    for name in ["api.json#", ""] {
        let root = root.to_string().replace(
            "\"#/components/schemas/A/x",
            &format!("\"{name}#/components/schemas/A/x").replace("##", "#"),
        );
        let project = Project::new(&[("api.json", &root)]);
        assert!(reason_of(&project.api()).contains("loop"));
    }
}

#[test]
fn files_that_refer_to_each_other_are_read_once_and_give_one_type() {
    let mut root = api_with(&json!({"$ref": "part.yaml#/Node"}));
    root["components"] = json!({"schemas": {"Leaf": {"type": "string"}}});
    let part = "
        Node:
          properties:
            leaf: {$ref: 'api.json#/components/schemas/Leaf'}
            again: {$ref: 'part.yaml#/Node'}
            self: {$ref: '#/Node'}
            other: {$ref: 'whole.yaml'}
    ";
    let project = Project::new(&[
        ("api.json", &root.to_string()),
        ("part.yaml", part),
        (
            "whole.yaml",
            "properties: {me: {$ref: '#'}, node: {$ref: part.yaml#/Node}}",
        ),
    ]);
    let loaded = project.load().unwrap();
    assert_eq!(loaded.files.len(), 2);
    let api = read(loaded);
    assert_eq!(
        api.schemas
            .keys()
            .map(String::as_str)
            .collect::<std::collections::BTreeSet<_>>(),
        [
            "#/components/schemas/Leaf",
            "part.yaml#/Node",
            "whole.yaml#"
        ]
        .into()
    );
}

#[test]
fn what_only_looks_like_a_reference_is_data() {
    let evil = json!({"$ref": "file:///etc/passwd"});
    let schema = json!({
        "type": "object",
        "default": evil, "example": evil, "examples": [evil], "enum": [evil], "const": evil,
        "x-note": evil,
        "properties": {"$ref": {"type": "string"}, "b": {"$ref": "part.yaml"}},
    });
    let mut root = api_with(&schema);
    let media = &mut root["paths"]["/a"]["get"]["responses"]["200"]["content"]["application/json"];
    media["example"] = evil.clone();
    media["examples"] = json!({"e": {"value": evil}, "f": {"externalValue": "file:///etc/passwd"}});
    root["paths"]["/a"]["get"]["x-data"] = evil.clone();
    root["paths"]["/a"]["get"]["callbacks"] = json!({"c": {"url": evil}});
    root["webhooks"] = json!({"w": evil});
    root["x-data"] = evil;
    let project = Project::new(&[
        ("api.json", &root.to_string()),
        ("part.yaml", "type: integer"),
    ]);
    let api = project.api();
    let properties = &answer_of(&api)["properties"];
    assert_eq!(properties["$ref"], json!({"type": "string"}));
    assert_eq!(properties["b"], json!({"$ref": "part.yaml#"}));
}

#[test]
fn names_of_files_cannot_be_mistaken_for_pointers() {
    let project = Project::new(&[
        ("api.json", &referring_to("a%23b%25.yaml#/x%2525/~1")),
        ("a#b%.yaml", "x%25: {/: {type: integer}}"),
    ]);
    assert_eq!(answer_of(&project.api()), &json!({"type": "integer"}));
}

#[test]
fn anchors_and_schemas_with_names_of_their_own_are_found() {
    let mut root = api_with(&json!({"allOf": [
        {"$ref": "#tree"},
        {"$ref": "part.yaml#leaf"},
        {"$ref": "https://schemas.example/named"},
        {"$ref": "#twice"},
    ]}));
    root["components"] = json!({"schemas": {
        "Tree": {"$anchor": "tree", "$dynamicAnchor": "node", "properties": {"down": {"$dynamicRef": "#node"}}},
        "Named": {"$id": "https://schemas.example/named", "$defs": {"In": {"type": "null"}}, "$ref": "#/$defs/In"},
        "A": {"$anchor": "twice"}, "B": {"$anchor": "twice"},
    }});
    let part = "x: {$anchor: leaf, type: string}";
    let project = Project::new(&[("api.json", &root.to_string()), ("part.yaml", part)]);
    let is_told = |warning: &String| warning.contains("`#twice` leads nowhere");
    assert!(project.api().warnings.iter().any(is_told));

    root["components"]["schemas"]["B"] = json!({});
    project.write("home/specs/api.json", &root.to_string());
    let api = project.api();
    assert_eq!(
        answer_of(&api)["allOf"],
        json!([
            {"$ref": "#/components/schemas/Tree"},
            {"$ref": "part.yaml#/x"},
            {"$ref": "#/components/schemas/Named"},
            {"$ref": "#/components/schemas/A"},
        ])
    );
    assert_eq!(
        api.schemas["#/components/schemas/Named"]["$ref"],
        "#/components/schemas/Named/$defs/In"
    );
    assert_eq!(
        api.schemas["#/components/schemas/Tree"]["properties"]["down"],
        json!({"$ref": "#/components/schemas/Tree"})
    );
}

#[test]
fn an_id_moves_no_reference_to_another_place() {
    for id in [
        "file:///etc/",
        "http://169.254.169.254/",
        "https://schemas.example/x/",
    ] {
        let schema =
            json!({"$id": id, "properties": {"x": {"$ref": "passwd"}, "y": {"$ref": "part.yaml"}}});
        let project = Project::new(&[
            ("api.json", &api_with(&schema).to_string()),
            ("part.yaml", "{}"),
        ]);
        let api = project.api();
        assert!(reason_of(&api).contains("`passwd` cannot be resolved: there is no such file"));
    }
}

#[test]
fn a_version_that_is_written_as_a_number_has_anchors_as_well() {
    let mut root = api_with(&json!({"$ref": "#pet"}));
    root["components"] = json!({"schemas": {"Pet": {"$anchor": "pet", "type": "object",
        "properties": {"name": {"type": "string"}}}}});
    for version in [json!("3.1.0"), json!(3.1), json!(3.2)] {
        root["openapi"] = version;
        let project = Project::new(&[("api.json", &root.to_string())]);
        let api = project.api();
        assert!(api.skipped.is_empty(), "{:?}", api.skipped);
    }
    root["openapi"] = json!("3.0.0");
    let project = Project::new(&[("api.json", &root.to_string())]);
    reason_of(&project.api());
}

#[test]
fn references_that_spell_what_the_document_calls_itself_stay_in_it() {
    let own = "https://a.example/api/openapi.yaml";
    for reference in [
        "https://a.example/api/openapi.yaml#/components/schemas/Own",
        "openapi.yaml#/components/schemas/Own",
        "/api/openapi.yaml#/components/schemas/Own",
        "#/components/schemas/Own",
    ] {
        let project = Project::new(&[("api.json", &called(own, reference))]);
        let api = project.api();
        assert_eq!(answer_of(&api), &json!({"type": "integer"}), "{reference}");
        assert!(api.schemas.contains_key("#/components/schemas/Own"));
    }
    for (own, reference) in [
        ("openapi.yaml", "openapi.yaml#/components/schemas/Own"),
        (
            "openapi.yaml",
            "./x/../openapi.yaml#/components/schemas/Own",
        ),
        ("v1/openapi.yaml", "v1/openapi.yaml#/components/schemas/Own"),
        ("v1/openapi.yaml", "openapi.yaml#/components/schemas/Own"),
        (
            "../openapi.yaml#",
            "../openapi.yaml#/components/schemas/Own",
        ),
    ] {
        let project = Project::new(&[("api.json", &called(own, reference))]);
        let api = project.api();
        assert_eq!(answer_of(&api), &json!({"type": "integer"}), "{reference}");
        // Whoever reads it from a part means the same place.
        let part = json!({"$ref": format!("../{reference}")});
        let project = Project::new(&[
            ("api.json", &called(own, "parts/part.json")),
            ("parts/part.json", &part.to_string()),
        ]);
        let found = project.api();
        let is_beside = own != "v1/openapi.yaml" || reference.starts_with("v1");
        if is_beside {
            assert_eq!(
                answer_of(&found),
                &json!({"type": "integer"}),
                "{reference}"
            );
        } else {
            reason_of(&found);
        }
    }
    // It opens nothing: a reference to what is named outside the folders is what it ever was.
    let outside = "file:///openapi.yaml";
    let project = Project::new(&[("api.json", &called(outside, outside))]);
    assert!(project.refusal().contains("is refused"));
    // Parts name the whole the same way; all else lies beside the file, as ever.
    let part = json!({"$ref": "https://a.example/api/openapi.yaml#/components/schemas/Own"});
    let project = Project::new(&[
        ("api.json", &called(own, "part.json")),
        ("part.json", &part.to_string()),
    ]);
    assert_eq!(answer_of(&project.api()), &json!({"type": "integer"}));
    let other = "https://a.example/api/other.yaml#/components/schemas/Own";
    let project = Project::new(&[("api.json", &called(own, other))]);
    let api = project.api();
    let reason = reason_of(&api);
    assert!(
        reason.contains("nothing is fetched for a document that is a file"),
        "{reason}"
    );
}
