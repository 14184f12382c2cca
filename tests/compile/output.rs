//! What is compiled, and what becomes of it when compiling again.

use std::fs;

use mce::compile::Report;

use crate::project::{Project, WEATHER, error_of, manifest_of};

#[test]
fn the_module_reads_well() {
    let project = Project::weather();
    let report = project.compile();
    assert!(!report.failed(), "{report:?}");
    insta::assert_snapshot!(
        "weather_functions",
        project.read("compiled/weather/functions.py")
    );
}

#[test]
fn the_manifest_lists_every_operation_once() {
    let project = Project::weather();
    project.compile();
    insta::assert_snapshot!(
        "weather_manifest",
        project
            .read("compiled/weather/manifest.json")
            .replace(env!("CARGO_PKG_VERSION"), "[version]")
            .lines()
            .map(|line| match line.trim_start().split_once("\": \"") {
                Some((key, value)) if value.trim_end_matches(['"', ',']).len() == 64 =>
                    format!("    {key}\": \"[hash]\""),
                _ => line.to_owned(),
            })
            .collect::<Vec<_>>()
            .join("\n")
    );
    assert!(project.verify("weather").is_ok());
}

#[test]
fn compiling_again_changes_nothing_wherever_the_project_lies() {
    let first = Project::weather();
    let second = Project::weather();
    assert!(first.compile().servers[0].changed);
    second.compile();
    for file in ["functions.py", "manifest.json"] {
        let name = format!("compiled/weather/{file}");
        assert_eq!(first.read(&name), second.read(&name));
    }
    let before = fs::metadata(first.path("compiled/weather/manifest.json")).unwrap();
    assert!(!first.compile().servers[0].changed);
    let after = fs::metadata(first.path("compiled/weather/manifest.json")).unwrap();
    assert_eq!(before.modified().unwrap(), after.modified().unwrap());
    assert_eq!(first.read("compiled/mce_runtime.py"), mce::compile::RUNTIME);
}

#[test]
fn a_read_only_server_has_no_mutating_function() {
    let project = Project::new(
        "  - name: weather\n    swagger_url: weather.yaml\n    is_read_only: true\n    read_only_allow: [\"POST /observations\"]\n",
    );
    let report = project.compile();
    assert_eq!(report.servers[0].read_only, 2, "{report:?}");
    let manifest = manifest_of(&project);
    let methods: Vec<String> = manifest["functions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|function| format!("{} {}", function["method"], function["path"]))
        .collect();
    assert!(methods.contains(&"\"POST\" \"/observations\"".to_owned()));
    assert!(!methods.iter().any(|method| method.contains("DELETE")));
    let verified = project.verify("weather").unwrap();
    let allowed = [("POST", "/observations")];
    assert!(verified.check_read_only(true, allowed.into_iter()).is_ok());
    assert!(verified.check_read_only(false, std::iter::empty()).is_err());
}

#[test]
fn the_manifest_agrees_with_the_types_of_parameters() {
    let project = Project::weather();
    project.write(
        "weather.yaml",
        r##"{"openapi": "3.0.3", "paths": {"/a": {"get": {"parameters": [
            {"name": "one", "in": "query", "schema": {"allOf": [{"$ref": "#/components/schemas/E"}]}},
            {"name": "two", "in": "query", "schema": {"nullable": true, "allOf": [{"$ref": "#/components/schemas/F"}]}},
            {"name": "three", "in": "query", "schema": {"$ref": "#/components/schemas/F"}}
        ], "responses": {}}}}, "components": {"schemas": {
            "E": {"type": "string", "nullable": true, "enum": ["a"], "default": "a"},
            "F": {"$ref": "#/components/schemas/G"},
            "G": {"allOf": [{"type": "string", "enum": ["b"]}], "default": "b"}
        }}}"##,
    );
    project.compile();
    let parameters = manifest_of(&project)["functions"][0]["parameters"].clone();
    let said = |index: usize| {
        let one = &parameters[index];
        serde_json::json!([one["type"], one["nullable"], one["enum"], one["default"]])
    };
    let optional = |value: &str| {
        let text = format!("Literal[\"{value}\"] | None");
        serde_json::json!([text, true, [value, null], value])
    };
    assert_eq!(said(0), optional("a"));
    assert_eq!(said(1), optional("b"));
    assert_eq!(
        said(2),
        serde_json::json!(["Literal[\"b\"]", false, ["b"], "b"])
    );
}

#[test]
fn names_stay_when_the_document_grows() {
    let project = Project::weather();
    project.compile();
    // Another operation with the same operationId would rename both, were there no lock.
    project.write(
        "weather.yaml",
        &WEATHER.replace("operationId: dropObservations", "operationId: getForecast"),
    );
    project.compile();
    let manifest = manifest_of(&project);
    let names: Vec<&str> = manifest["functions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|function| function["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"get_forecast"), "{names:?}");
    assert!(
        names.contains(&"get_forecast_delete_observations"),
        "{names:?}"
    );
    // From scratch, both are renamed alike.
    fs::remove_dir_all(project.path("compiled")).unwrap();
    project.compile();
    let manifest = manifest_of(&project).to_string();
    assert!(manifest.contains("\"get_forecast_get_forecast_station_id\""));
    assert!(!manifest.contains("\"get_forecast\""));
}

#[test]
fn an_unreadable_lock_is_an_error_and_not_from_scratch() {
    let project = Project::weather();
    project.compile();
    project.write(
        "compiled/weather/manifest.json",
        "{\"manifest_version\": 99}",
    );
    let report = project.compile();
    assert!(error_of(&report).contains("manifest.json"), "{report:?}");
    assert!(error_of(&report).contains("99"), "{report:?}");
}

#[test]
fn a_runtime_that_is_rewritten_is_reported() {
    let project = Project::new(
        "  - name: weather\n    swagger_url: weather.yaml\n  - name: second\n    swagger_url: weather.yaml\n",
    );
    let state = |report: Report| report.runtime.map(|runtime| runtime.changed);
    let dry = project.run_with(|options| options.dry_run = true);
    assert_eq!(state(dry), Some(true));
    assert!(!project.path("compiled").exists());
    let first = project.compile();
    assert_eq!(
        first.runtime.as_ref().unwrap().path,
        project.path("compiled/mce_runtime.py")
    );
    assert_eq!(state(first), Some(true));
    assert_eq!(state(project.compile()), Some(false));
    let older = mce::compile::RUNTIME.replace("TypeError", "ValueError");
    project.write("compiled/mce_runtime.py", &older);
    let dry = project.run_with(|options| options.dry_run = true);
    assert_eq!(state(dry), Some(true));
    let report = project.compile();
    assert!(report.servers.iter().all(|server| !server.changed));
    assert_eq!(state(report), Some(true));
    assert_eq!(
        project.read("compiled/mce_runtime.py"),
        mce::compile::RUNTIME
    );
    project.configure("  - name: weather\n    swagger_url: missing.yaml\n");
    assert_eq!(state(project.compile()), None);
}

#[test]
fn a_dry_run_writes_nothing() {
    let project = Project::weather();
    let report = project.run_with(|options| options.dry_run = true);
    assert_eq!(report.servers[0].functions, 5);
    assert!(report.servers[0].changed);
    assert!(!project.path("compiled").exists());
}
