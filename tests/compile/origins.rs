//! Where calls go: the document's server, those of operations, and what moves them.

use crate::project::{Project, WEATHER, error_of, manifest_of};

#[test]
fn a_document_cannot_move_the_origin_without_consent() {
    let project = Project::weather();
    project.compile();
    let before = project.read("compiled/weather/manifest.json");
    project.write(
        "weather.yaml",
        &WEATHER.replace("weather.example", "evil.example"),
    );
    let report = project.compile();
    let error = error_of(&report);
    assert!(error.contains("https://eu.weather.example"), "{error}");
    assert!(error.contains("https://eu.evil.example"), "{error}");
    assert!(error.contains("--accept-origin"), "{error}");
    assert_eq!(project.read("compiled/weather/manifest.json"), before);
    let report = project.run_with(|options| options.accept_origin = true);
    assert!(!report.failed(), "{report:?}");
    assert_eq!(
        manifest_of(&project)["base_url"],
        "https://eu.evil.example/v1"
    );
}

/// Credentials go where the config says, so consent would be to nothing.
#[test]
fn a_moved_origin_is_a_warning_where_the_config_names_the_base_url() {
    let project = Project::new(
        "  - name: weather\n    swagger_url: weather.yaml\n    base_url: https://own.example/v1\n",
    );
    project.compile();
    project.write(
        "weather.yaml",
        &WEATHER.replace("weather.example", "moved.example"),
    );
    let report = project.compile();
    assert!(!report.failed(), "{report:?}");
    let warning = report.servers[0]
        .warnings
        .iter()
        .find(|warning| warning.contains("https://eu.moved.example"))
        .unwrap();
    assert!(warning.contains("https://eu.weather.example"), "{warning}");
    assert!(
        warning.contains("`base_url` of the config is used"),
        "{warning}"
    );
    // Without the config's, the new origin must not have become the committed one by then.
    assert_eq!(
        manifest_of(&project)["base_url"],
        "https://eu.weather.example/v1"
    );
}

const WITH_SERVERS: &str = "openapi: 3.1.0
servers: [{url: https://a.example/v1}]
paths:
  /plain: {get: {operationId: plain}}
  /upload: {servers: [{url: https://a.example/upload}], post: {operationId: upload}}
  /elsewhere: {get: {operationId: elsewhere, servers: [{url: https://b.example}]}}
";

#[test]
fn servers_of_operations_count_on_the_same_origin_and_without_a_base_url() {
    let project = Project::weather();
    project.write("weather.yaml", WITH_SERVERS);
    let report = project.compile();
    assert_eq!(
        report.servers[0].unsupported,
        [
            "GET /elsewhere: its own server `https://b.example` is on another origin than the \
             document's; with `base_url` it is called there"
        ]
    );
    let own: Vec<_> = manifest_of(&project)["functions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|function| (function["name"].clone(), function.get("base_url").cloned()))
        .collect();
    assert_eq!(
        own,
        [
            ("plain".into(), None),
            ("upload".into(), Some("https://a.example/upload".into()))
        ]
    );
    let module = project.read("compiled/weather/functions.py");
    assert!(
        module.contains("base_url=\"https://a.example/upload\""),
        "{module}"
    );
    assert!(project.verify("weather").is_ok());

    project.configure(
        "  - name: weather\n    swagger_url: weather.yaml\n    base_url: https://c.example\n",
    );
    let report = project.compile();
    assert_eq!(report.servers[0].functions, 3);
    let warning = "1 operation has a server of its own (`https://b.example`), which is not used";
    let warnings = &report.servers[0].warnings;
    assert!(
        warnings.iter().any(|it| it.starts_with(warning)),
        "{warnings:?}"
    );
}

/// The function would be called, credentials and all, where nobody agreed to.
#[test]
fn a_function_on_another_origin_than_the_server_is_refused() {
    for other in [
        "https://b.example/upload",
        "http://a.example/upload",
        "https://a.example:8443/upload",
        "https://u:p@a.example/upload",
        "https://a.example/upload?x",
    ] {
        let project = Project::weather();
        project.write("weather.yaml", WITH_SERVERS);
        project.compile();
        for file in ["functions.py", "manifest.json"] {
            let name = format!("compiled/weather/{file}");
            let text = project
                .read(&name)
                .replace("https://a.example/upload", other);
            project.write(&name, &text);
        }
        let error = project.verify("weather").unwrap_err().to_string();
        assert!(
            error.contains("is on another origin than the server's"),
            "{error}"
        );
    }
}

/// A document that moves, and a config that says where to go: what was committed stays, and so no
/// function may point to where the document moved.
#[test]
fn servers_of_operations_do_not_move_with_the_document() {
    let project = Project::weather();
    project.write("weather.yaml", WITH_SERVERS);
    project.compile();
    project.write(
        "weather.yaml",
        &WITH_SERVERS.replace("a.example", "evil.example"),
    );
    assert!(project.compile().failed());
    project.configure(
        "  - name: weather\n    swagger_url: weather.yaml\n    base_url: https://c.example\n",
    );
    let report = project.compile();
    assert!(!report.failed(), "{report:?}");
    // The warnings name it, and nothing else does.
    let mut manifest = manifest_of(&project);
    let warnings = manifest["warnings"].take().to_string();
    assert!(warnings.contains("evil.example"), "{warnings}");
    assert!(!manifest.to_string().contains("evil.example"));
    assert!(project.verify("weather").is_ok());
}

/// A document may hold the words of any warning.
#[test]
fn a_warning_that_speaks_of_base_url_is_kept_unless_it_is_of_the_root_server() {
    let document = "openapi: 3.1.0
info: {title: T, version: '1'}
servers: [{url: 'ftp://a.example'}]
paths:
  '/x/{set `base_url`}':
    get: {responses: {'204': {description: none}}}
";
    let of_root = "the root server `ftp://a.example` is not used";
    let of_path = "the placeholder `{set `base_url`}` of the path is not declared";
    for (base_url, has_root) in [("", true), ("    base_url: https://c.example\n", false)] {
        let servers = format!("  - name: weather\n    swagger_url: weather.yaml\n{base_url}");
        let project = Project::new(&servers);
        project.write("weather.yaml", document);
        let report = project.compile();
        assert!(!report.failed(), "{report:?}");
        let manifest = manifest_of(&project);
        let warnings = manifest["warnings"].as_array().unwrap();
        let all: Vec<&str> = warnings.iter().filter_map(|it| it.as_str()).collect();
        let all = all.join("\n");
        assert_eq!(all.contains(of_root), has_root, "{all}");
        assert!(all.contains(of_path), "{all}");
        assert!(!all.contains("names no server"), "{all}");
    }
}
