//! How much references may lead to.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};

use crate::project::{Project, api_with, referring_to};

#[test]
fn more_than_2000_files_are_refused_unread() {
    let parts = |count: usize| {
        let properties: serde_json::Map<String, Value> = (0..count)
            .map(|index| {
                (
                    format!("p{index}"),
                    json!({"$ref": format!("part{index}.json")}),
                )
            })
            .collect();
        api_with(&json!({"type": "object", "properties": properties})).to_string()
    };
    let project = Project::new(&[("api.json", &parts(2_001))]);
    let reason = project.load().unwrap_err().reason;
    assert_eq!(reason, "it refers to more than 2000 other files");
    project.write("home/specs/api.json", &parts(2_000));
    assert!(project.load().is_ok());
}

#[test]
fn references_are_counted_over_all_files() {
    let mut many = String::from("{\"properties\": {");
    for index in 0..200_000 {
        let _ = write!(
            many,
            "{}\"p{index}\":{{\"$ref\":\"#\"}}",
            if index == 0 { "" } else { "," }
        );
    }
    many.push_str("}}");
    let project = Project::new(&[
        ("api.json", &referring_to("part.json")),
        ("part.json", &many),
    ]);
    let reason = project.load().unwrap_err().reason;
    assert!(reason.contains("more than 200000 references"), "{reason}");
}

#[test]
fn dynamic_references_count_towards_the_limit_of_references() {
    let many = vec![json!({"$dynamicRef": "#/components/schemas/A"}); 200_001];
    let project = Project::new(&[(
        "api.json",
        &api_with(&json!({"prefixItems": many})).to_string(),
    )]);
    assert!(project.refusal().contains("more than 200000 references"));
}

#[test]
fn all_files_together_are_bounded() {
    let schema = json!({"anyOf": [{"$ref": "one.yaml"}, {"$ref": "two.yaml"}]});
    let project = Project::new(&[("api.json", &api_with(&schema).to_string())]);
    for name in ["one.yaml", "two.yaml"] {
        let file = fs::File::create(project.path("home/specs").join(name)).unwrap();
        file.set_len(40 << 20).unwrap();
    }
    let reason = project.load().unwrap_err().reason;
    assert_eq!(
        reason,
        "`two.yaml`, which it refers to: it is larger than 64 MiB with all that it refers to"
    );
}
