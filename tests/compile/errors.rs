//! What cannot be compiled: said once, clearly, and at no other server's cost.

use std::fs;
use std::path::PathBuf;

use crate::project::{Project, error_of};

#[test]
fn entries_of_the_config_that_fit_nothing_are_errors_that_quote_them() {
    for (line, quoted) in [
        (
            "    is_read_only: true\n    read_only_allow: [\"POST /nowhere\"]\n",
            "POST /nowhere",
        ),
        ("    exclude: {tags: [nothing]}\n", "nothing"),
        ("    rename: {nothing: something}\n", "nothing"),
        (
            "    rename: {getForecast: add_observation}\n",
            "add_observation",
        ),
        ("    top_level_functions: [nothing]\n", "nothing"),
    ] {
        let project = Project::new(&format!(
            "  - name: weather\n    swagger_url: weather.yaml\n{line}"
        ));
        let report = project.compile();
        assert!(error_of(&report).contains(quoted), "{report:?}");
        assert!(!project.path("compiled/weather").exists());
    }
}

#[test]
fn an_entry_that_fitted_what_is_committed_is_known_to_be_lost_by_the_document() {
    let server = "  - name: weather\n    swagger_url: weather.yaml\n";
    for entries in [
        "    is_read_only: true\n    read_only_allow: [\"POST /observations\"]\n",
        "    include: {operationIds: [addObservation]}\n",
    ] {
        let project = Project::new(&format!("{server}{entries}"));
        assert!(!project.compile().failed(), "{entries}");
        let document = project.read("weather.yaml");
        let moved = document
            .replace("/observations:", "/notes:")
            .replace("addObservation", "addNote");
        std::fs::write(project.path("weather.yaml"), moved).unwrap();
        let report = project.compile();
        let text = "; the committed manifest has it, so the document has lost or changed it";
        assert!(error_of(&report).ends_with(text), "{report:?}");
    }
}

#[test]
fn a_name_that_calls_another_operation_now_is_said_first() {
    let project = Project::new("  - name: weather\n    swagger_url: weather.yaml\n");
    let document = |first: &str, second: &str| {
        let responses = "responses: {\"204\": {description: Done}}";
        let operation = |path: &str, id: &str| {
            format!("  {path}: {{delete: {{operationId: {id}, {responses}}}}}\n")
        };
        format!(
            "openapi: 3.0.3\ninfo: {{title: W, version: '1'}}\npaths:\n{}{}",
            operation("/draft", first),
            operation("/account", second)
        )
    };
    let write = |text: String| std::fs::write(project.path("weather.yaml"), text).unwrap();
    write(document("remove", "purge"));
    assert!(!project.compile().failed());
    write(document("purge", "remove"));
    let report = project.compile();
    let said = &report.servers[0].warnings;
    assert_eq!(
        said[..2],
        [
            "`purge` calls DELETE /draft now, and called DELETE /account before",
            "`remove` calls DELETE /account now, and called DELETE /draft before",
        ]
    );
    let again = project.compile();
    assert!(
        !again.servers[0]
            .warnings
            .iter()
            .any(|it| it.contains(" now, and "))
    );
}

#[test]
fn a_failing_source_keeps_its_old_output_and_stops_no_other() {
    let project = Project::new(
        "  - name: weather\n    swagger_url: weather.yaml\n  - name: second\n    swagger_url: weather.yaml\n",
    );
    project.compile();
    let before = project.read("compiled/weather/functions.py");
    project.configure(
        "  - name: weather\n    swagger_url: missing.yaml\n  - name: second\n    swagger_url: weather.yaml\n",
    );
    let report = project.compile();
    assert!(report.failed());
    assert!(error_of(&report).contains("missing.yaml"), "{report:?}");
    assert!(report.servers[1].error.is_none());
    assert_eq!(project.read("compiled/weather/functions.py"), before);
}

#[test]
fn a_missing_document_with_an_absolute_path_is_named_as_it_is_spelt() {
    let missing = std::env::temp_dir().join("no-such-folder/api.yaml");
    let project = Project::new(&format!(
        "  - name: weather\n    swagger_url: {}\n",
        missing.display()
    ));
    let report = project.compile();
    let error = error_of(&report);
    assert!(
        error.contains(&format!("`{}`", missing.display())),
        "{error}"
    );
    assert!(error.contains("no such file"), "{error}");
    assert!(!error.contains("relative"), "{error}");
}

#[test]
fn bad_documents_get_one_clear_error() {
    for (document, expected) in [
        ("", "the file is empty"),
        ("<html>sign in", "HTML"),
        ("- a\n- b\n", "a mapping was expected at its root"),
        ("swagger: '1.2'\npaths: {}\n", "`swagger: 1.2`"),
        ("title: x\n", "no `openapi` or `swagger` key"),
        ("openapi: 4.0.0\n", "4.0.0"),
        ("openapi: 3.0.0\npaths:\n  - a\n", "line 3"),
        ("openapi: 3.0.0\npaths: {}\npaths: {}\n", "line 3"),
        ("a: &a [*a, *a]\n", "line 1"),
    ] {
        let project = Project::weather();
        project.write("weather.yaml", document);
        let report = project.compile();
        let error = error_of(&report);
        assert!(
            error.contains(expected) && error.contains("weather.yaml"),
            "{error}"
        );
        assert!(!project.path("compiled/weather").exists());
    }
}

#[test]
fn an_output_folder_that_is_a_file_is_one_error() {
    let project = Project::weather();
    project.write("compiled", "mine");
    let report = project.compile();
    assert!(report.servers.is_empty());
    let error = report.error.unwrap();
    assert!(
        error.ends_with("/compiled`: it is a file; name a folder"),
        "{error}"
    );
    assert_eq!(project.read("compiled"), "mine");
}

#[test]
fn a_server_that_fails_costs_no_other_its_output() {
    let project = Project::weather();
    project.compile();
    let renamed = Project::new("  - name: wether\n    swagger_url: nowhere.yaml\n");
    let before = project.read("compiled/weather/manifest.json");
    fs::create_dir_all(renamed.path("compiled/weather")).unwrap();
    for file in ["manifest.json", "functions.py"] {
        let file = format!("compiled/weather/{file}");
        renamed.write(&file, &project.read(&file));
    }
    let report = renamed.compile();
    assert!(report.failed());
    assert_eq!(report.removed, Vec::<PathBuf>::new());
    assert_eq!(renamed.read("compiled/weather/manifest.json"), before);
}
