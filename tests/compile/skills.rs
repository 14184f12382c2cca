//! The notes on a server: fetched when compiling, committed, checked.

use std::fs;
use std::time::Duration;

use mce::compile::{self, FileState, Options};
use mce::config::{Config, Environment};

use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::project::{Project, WEATHER, error_of, manifest_of};

const CONFIG: &str =
    "  - name: weather\n    swagger_url: weather.yaml\n    skills_url: notes/weather.md\n";
const NOTES: &str = "compiled/weather/skills.md";

fn project(notes: &str) -> Project {
    let project = Project::new(CONFIG);
    project.write("notes/weather.md", notes);
    project
}

fn check(project: &Project) -> compile::CheckReport {
    let config = Config::load(&project.path("swaggers.yaml")).unwrap();
    let options = Options {
        output: project.path("compiled"),
        ..Options::default()
    };
    let environment = Environment::from_pairs::<&str, &str>([]);
    let checking = compile::check(&config, &environment, &options, &|_| {});
    tokio::runtime::Runtime::new().unwrap().block_on(checking)
}

fn states(project: &Project) -> Vec<(String, FileState)> {
    let files = check(project).servers.remove(0).files.into_iter();
    let name = |path: &std::path::Path| path.file_name().unwrap().to_string_lossy().into_owned();
    files.map(|file| (name(&file.path), file.state)).collect()
}

#[test]
fn notes_are_committed_without_what_nobody_sees_and_are_vouched_for() {
    let project = project("\u{feff}# Weather\r\n\r\nAsk\u{200b} for days.\r\n");
    let report = project.compile();
    assert!(!report.failed(), "{report:?}");
    assert_eq!(project.read(NOTES), "# Weather\n\nAsk for days.\n");
    let paths = report.servers[0].paths.iter();
    let names: Vec<_> = paths.map(|path| path.file_name().unwrap()).collect();
    assert_eq!(names, ["functions.py", "skills.md", "manifest.json"]);
    let outputs = &manifest_of(&project)["outputs"];
    assert_eq!(outputs.as_object().unwrap().len(), 2);
    assert_eq!(outputs["skills.md"].as_str().unwrap().len(), 64);
    let verified = project.verify("weather").unwrap();
    assert_eq!(
        verified.skills.as_deref(),
        Some("# Weather\n\nAsk for days.\n")
    );
    assert!(check(&project).is_equal());

    // Nothing is compiled again while nothing has changed.
    let again = project.compile();
    assert!(again.servers[0].up_to_date && !again.servers[0].changed);
    assert!(again.servers[0].paths[1].ends_with("skills.md"));
}

#[test]
fn notes_that_differ_are_compiled_and_told() {
    let project = project("# One\n");
    project.compile();
    project.write("notes/weather.md", "# Two\n");
    let files = states(&project);
    assert_eq!(files[1], ("skills.md".to_owned(), FileState::Stale));
    let diff = check(&project).servers.remove(0).diff;
    let kinds: Vec<String> = diff
        .changes
        .iter()
        .map(|change| serde_json::to_value(change).unwrap()["kind"].to_string())
        .collect();
    assert_eq!(kinds, ["\"skills_changed\""]);
    assert!(project.compile().servers[0].changed);
    assert_eq!(project.read(NOTES), "# Two\n");
    assert!(check(&project).is_equal());
}

#[test]
fn notes_changed_by_hand_refuse_the_server_and_are_found() {
    let project = project("# One\n");
    project.compile();
    project.write(NOTES, "# Mine\n");
    let error = project.verify("weather").unwrap_err().to_string();
    assert!(error.contains("skills.md"), "{error}");
    let files = states(&project);
    assert_eq!(files[1], ("skills.md".to_owned(), FileState::Edited));
    assert!(project.compile().servers[0].changed);
    assert_eq!(project.read(NOTES), "# One\n");
}

#[test]
fn notes_that_the_config_no_longer_names_are_removed() {
    let project = project("# One\n");
    project.compile();
    project.configure("  - name: weather\n    swagger_url: weather.yaml\n");
    let files = states(&project);
    assert_eq!(files[1], ("skills.md".to_owned(), FileState::Stale));
    project.compile();
    assert!(!project.path(NOTES).exists());
    assert!(project.verify("weather").unwrap().skills.is_none());
    assert!(check(&project).is_equal());

    // They go where the folder holds something else, too.
    project.configure(CONFIG);
    project.compile();
    project.write("compiled/weather/own.txt", "mine");
    project.configure("  - name: weather\n    swagger_url: weather.yaml\n");
    project.compile();
    assert!(!project.path(NOTES).exists());
    assert_eq!(project.read("compiled/weather/own.txt"), "mine");
}

#[test]
fn notes_of_somebody_else_are_never_overwritten_or_removed() {
    let project = Project::weather();
    project.compile();
    project.write(NOTES, "mine\n");
    project.compile();
    assert_eq!(project.read(NOTES), "mine\n");
    assert!(check(&project).is_equal());
    project.write("notes/weather.md", "# One\n");
    project.configure(CONFIG);
    let files = states(&project);
    assert_eq!(files[1], ("skills.md".to_owned(), FileState::Foreign));
    let report = project.compile();
    let error = error_of(&report);
    assert!(error.contains("was not written by mce"), "{error}");
    assert_eq!(project.read(NOTES), "mine\n");
}

#[test]
fn notes_that_cannot_be_used_fail_the_server_and_leave_its_output() {
    let project = project("# One\n");
    project.compile();
    for (notes, expected) in [
        (
            "x".repeat(40_000),
            "it has 40001 bytes, expected at most 32768",
        ),
        ("\u{200b}\n".to_owned(), "it is empty"),
    ] {
        project.write("notes/weather.md", &notes);
        let report = project.compile();
        let error = error_of(&report);
        assert!(error.contains(expected), "{error}");
        assert!(error.contains("skills_url: notes/weather.md"), "{error}");
        assert_eq!(project.read(NOTES), "# One\n");
    }
    fs::remove_file(project.path("notes/weather.md")).unwrap();
    let report = project.compile();
    assert!(error_of(&report).contains("there is no such file"));
    assert_eq!(project.read(NOTES), "# One\n");
}

#[test]
fn clean_removes_notes_with_what_was_compiled() {
    let project = project("# One\n");
    project.compile();
    let cleaned = compile::clean(&project.path("compiled")).unwrap();
    assert_eq!(cleaned.warnings, Vec::<String>::new());
    assert!(!project.path("compiled").exists());
}

#[tokio::test]
async fn notes_are_fetched_beside_the_document() {
    let home = MockServer::start().await;
    for (name, text) in [("/weather.yaml", WEATHER), ("/notes.md", "# Home\n")] {
        let answer = ResponseTemplate::new(200).set_body_string(text);
        Mock::given(path(name))
            .respond_with(answer.set_delay(Duration::from_secs(2)))
            .mount(&home)
            .await;
    }
    let home = home.uri();
    let project = Project::weather();
    project.configure(&format!(
        "  - {{name: weather, swagger_url: '{home}/weather.yaml', skills_url: '{home}/notes.md'}}\n"
    ));
    let config = Config::load(&project.path("swaggers.yaml")).unwrap();
    let options = Options {
        output: project.path("compiled"),
        ..Options::default()
    };
    let report = compile::run(&config, &Environment::default(), &options).await;
    assert!(!report.failed(), "{report:?}");
    let loading = report.servers[0].load_ms;
    assert!((2_000..3_900).contains(&loading), "{loading} ms");
}

#[tokio::test]
async fn headers_of_the_document_reach_notes_of_its_origin_alone() {
    let (home, elsewhere) = (MockServer::start().await, MockServer::start().await);
    for (server, name, text) in [
        (&home, "/weather.yaml", WEATHER),
        (&home, "/notes.md", "# Home\n"),
        (&elsewhere, "/notes.md", "# Elsewhere\n"),
    ] {
        Mock::given(path(name))
            .respond_with(ResponseTemplate::new(200).set_body_string(text))
            .mount(server)
            .await;
    }
    let project = Project::weather();
    for (server, expected) in [(&home, "# Home\n"), (&elsewhere, "# Elsewhere\n")] {
        project.configure(&format!(
            "  - name: weather\n    swagger_url: {}/weather.yaml\n    skills_url: {}/notes.md\n    \
             swagger_headers: {{X-Specs: \"${{TOKEN}}\"}}\n",
            home.uri(),
            server.uri()
        ));
        let config = Config::load(&project.path("swaggers.yaml")).unwrap();
        let options = Options {
            output: project.path("compiled"),
            ..Options::default()
        };
        let environment = Environment::from_pairs([("TOKEN", "t0ken-canary")]);
        let report = compile::run(&config, &environment, &options).await;
        assert!(!report.failed(), "{report:?}");
        assert_eq!(project.read(NOTES), expected);
        for request in server.received_requests().await.unwrap() {
            let sent = request.headers.get("x-specs");
            let sent = sent.map(|value| value.to_str().unwrap());
            assert_eq!(sent.is_some(), server.uri() == home.uri(), "{request:?}");
        }
    }
}
