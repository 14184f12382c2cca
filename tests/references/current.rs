//! Parts are inputs: a change of any is seen when compiling again.

use std::fs;

use serde_json::json;

use crate::project::{Project, api_with, referring_to};

#[test]
fn the_manifest_lists_all_files_and_a_change_of_any_changes_its_fingerprint() {
    let schema = json!({"properties": {
        "a": {"$ref": "models/pet-owner.yaml"}, "b": {"$ref": "other/Pet.yaml#/definitions/Pet"},
        "c": {"$ref": "models/Pet.yaml"}, "d": {"$ref": "gone.yaml"},
    }});
    let mut root = api_with(&schema);
    root["paths"]["/b"] = json!({"get": {"responses": {"200": {"description": "", "content": {"application/json": {
        "schema": {"$ref": "models/pet-owner.yaml"}}}}}}});
    let project = Project::new(&[
        ("api.json", &root.to_string()),
        (
            "models/pet-owner.yaml",
            "type: object\nproperties: {pet: {$ref: '../other/Pet.yaml#/definitions/Pet'}}",
        ),
        ("models/Pet.yaml", "type: object"),
        (
            "other/Pet.yaml",
            "definitions: {Pet: {type: object, properties: {name: {type: string}}}}",
        ),
    ]);
    let before = project.compile();
    let files = before["spec"]["files"].as_object().unwrap();
    assert_eq!(
        files.keys().collect::<Vec<_>>(),
        ["models/Pet.yaml", "models/pet-owner.yaml", "other/Pet.yaml"]
    );
    // SHA-256 of `type: object`.
    assert_eq!(
        files["models/Pet.yaml"],
        "85a3959ba1d81623b26c7acc955d7380fccfdafc895c92c84c21231fe5f9bcbd"
    );
    let types: Vec<&String> = before["types"].as_object().unwrap().keys().collect();
    assert_eq!(types, ["Pet", "PetOwner"]);
    assert!(
        !before
            .to_string()
            .contains(project.0.path().to_str().unwrap())
    );

    project.write("home/specs/models/Pet.yaml", "type: object # changed");
    let after = project.compile();
    assert_ne!(before["fingerprint"], after["fingerprint"]);
    assert_eq!(before["functions"], after["functions"]);
}

#[test]
fn a_part_that_only_a_dynamic_reference_leads_to_ends_what_is_up_to_date() {
    let root = api_with(&json!({"$dynamicRef": "part.yaml"})).to_string();
    let part = "type: object\nproperties: {old: {type: string}}";
    let project = Project::new(&[("api.json", &root), ("part.yaml", part)]);
    let before = project.compile();
    assert!(before["spec"]["files"].get("part.yaml").is_some());
    project.write(
        "home/specs/part.yaml",
        "type: object\nproperties: {new: {type: string}}",
    );
    let after = project.compile();
    assert_ne!(before["spec"]["files"], after["spec"]["files"]);
    let types = after["types"].to_string() + &after["functions"].to_string();
    assert!(types.contains("new") && !types.contains("old"), "{types}");
}

#[test]
fn another_reason_why_a_part_is_absent_ends_what_is_up_to_date() {
    let project = Project::new(&[("api.json", &referring_to("part.yaml"))]);
    let before = project.compile();
    assert!(
        before["skipped"]
            .to_string()
            .contains("there is no such file")
    );
    fs::create_dir(project.path("home/specs/part.yaml")).unwrap();
    let after = project.compile();
    assert!(
        after["skipped"].to_string().contains("it is a folder"),
        "{after}"
    );
}
