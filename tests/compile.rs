//! The pipeline as a whole: what is written, when, and what is left alone.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use mce::compile::{self, Options, Report};
use mce::config::{Config, Environment};
use tempfile::TempDir;

const WEATHER: &str = include_str!("fixtures/compile/weather.yaml");

/// A folder with a config and documents, and its output.
struct Project {
    folder: TempDir,
}

impl Project {
    fn new(servers: &str) -> Self {
        let project = Self {
            folder: TempDir::new().unwrap(),
        };
        project.write("weather.yaml", WEATHER);
        project.configure(servers);
        project
    }

    fn weather() -> Self {
        Self::new("  - name: weather\n    swagger_url: weather.yaml\n")
    }

    fn configure(&self, servers: &str) {
        self.write("swaggers.yaml", &format!("servers:\n{servers}"));
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn run_with(&self, change: impl FnOnce(&mut Options)) -> Report {
        let config = Config::load(&self.path("swaggers.yaml")).unwrap();
        let mut options = Options {
            output: self.path("compiled"),
            ..Options::default()
        };
        change(&mut options);
        tokio::runtime::Runtime::new()
            .unwrap()
            .block_on(compile::run(
                &config,
                &Environment::from_pairs::<&str, &str>([]),
                &options,
            ))
    }

    fn compile(&self) -> Report {
        self.run_with(|_| {})
    }

    fn verify(&self, server: &str) -> Result<compile::Verified, compile::VerifyError> {
        compile::verify(&self.path("compiled"), server)
    }
}

fn error_of(report: &Report) -> &str {
    report.servers[0].error.as_deref().unwrap()
}

fn manifest_of(project: &Project) -> serde_json::Value {
    serde_json::from_str(&project.read("compiled/weather/manifest.json")).unwrap()
}

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

/// Importing `weather.functions` leaves bytecode behind, which is nobody's work.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
#[test]
fn bytecode_of_an_import_neither_spoils_the_exchange_nor_stays() {
    use std::os::unix::fs::MetadataExt as _;
    let servers = "  - name: weather\n    swagger_url: weather.yaml\n  - name: second\n    swagger_url: weather.yaml\n";
    let project = Project::new(servers);
    project.compile();
    let import = || {
        for folder in ["weather", "second", "."] {
            project.write(
                &format!("compiled/{folder}/__pycache__/functions.cpython-313.pyc"),
                "bytecode",
            );
        }
    };
    import();
    let folder = || {
        fs::metadata(project.path("compiled/weather"))
            .unwrap()
            .ino()
    };
    let before = folder();
    project.write(
        "weather.yaml",
        &WEATHER.replace("A forecast", "The forecast"),
    );
    assert!(project.compile().servers[0].changed);
    assert_ne!(folder(), before, "the files were replaced one by one");
    assert!(!project.path("compiled/weather/__pycache__").exists());
    import();
    project.configure("  - name: weather\n    swagger_url: weather.yaml\n");
    let report = project.compile();
    assert_eq!(report.removed, [project.path("compiled/second")]);
    assert!(report.warnings.is_empty(), "{report:?}");
    compile::clean(&project.path("compiled")).unwrap();
    assert!(!project.path("compiled").exists());
    // A folder of that name with anything else in it is not touched.
    project.compile();
    project.write("compiled/weather/__pycache__/notes.txt", "mine");
    project.write("weather.yaml", WEATHER);
    project.compile();
    compile::clean(&project.path("compiled")).unwrap();
    assert_eq!(
        project.read("compiled/weather/__pycache__/notes.txt"),
        "mine"
    );
}

#[test]
fn output_of_another_version_is_left_with_a_warning() {
    let project = Project::weather();
    project.compile();
    let manifest = project.read("compiled/weather/manifest.json");
    project.write(
        "compiled/weather/manifest.json",
        &manifest.replace("\"manifest_version\": 1", "\"manifest_version\": 2"),
    );
    let cleaned = compile::clean(&project.path("compiled")).unwrap();
    assert!(cleaned.removed.is_empty(), "{cleaned:?}");
    assert!(
        cleaned.warnings[0].contains("`manifest_version` is 2"),
        "{cleaned:?}"
    );
    assert!(project.path("compiled/weather/functions.py").exists());
}

#[test]
fn a_dry_run_writes_nothing() {
    let project = Project::weather();
    let report = project.run_with(|options| options.dry_run = true);
    assert_eq!(report.servers[0].functions, 5);
    assert!(report.servers[0].changed);
    assert!(!project.path("compiled").exists());
}

#[test]
fn output_of_servers_that_are_gone_is_removed_and_nothing_else() {
    let project = Project::new(
        "  - name: weather\n    swagger_url: weather.yaml\n  - name: second\n    swagger_url: weather.yaml\n  - name: third\n    swagger_url: weather.yaml\n",
    );
    project.compile();
    project.write("compiled/by_hand/notes.txt", "mine");
    project.write("compiled/third/notes.txt", "mine");
    project.write("compiled/third/functions.py", "changed by hand");
    project.configure("  - name: weather\n    swagger_url: weather.yaml\n");
    let report = project.run_with(|options| options.dry_run = true);
    assert!(report.removed.is_empty());
    let report = project.compile();
    assert_eq!(report.removed, [project.path("compiled/second")]);
    assert!(report.warnings[0].contains("third"), "{report:?}");
    assert!(project.path("compiled/third/manifest.json").exists());
    assert_eq!(project.read("compiled/by_hand/notes.txt"), "mine");
    assert!(project.path("compiled/weather/functions.py").exists());
}

#[test]
fn clean_leaves_what_it_did_not_write() {
    let project = Project::weather();
    project.compile();
    project.write("compiled/by_hand/manifest.json", "{}");
    let cleaned = compile::clean(&project.path("compiled")).unwrap();
    assert_eq!(
        cleaned.removed,
        [
            project.path("compiled/weather"),
            project.path("compiled/mce_runtime.py")
        ]
    );
    assert!(project.path("compiled/by_hand/manifest.json").exists());
}

#[cfg(unix)]
#[test]
fn symbolic_links_are_neither_written_through_nor_removed_through() {
    let project = Project::weather();
    project.write("victim/keep.txt", "mine");
    fs::create_dir_all(project.path("compiled")).unwrap();
    std::os::unix::fs::symlink(project.path("victim"), project.path("compiled/weather")).unwrap();
    let report = project.compile();
    assert!(error_of(&report).contains("symbolic link"), "{report:?}");
    compile::clean(&project.path("compiled")).unwrap();
    assert_eq!(project.read("victim/keep.txt"), "mine");
    assert_eq!(fs::read_dir(project.path("victim")).unwrap().count(), 1);
}

#[test]
fn a_tampered_folder_is_refused_with_what_to_do() {
    let tampered = |change: &dyn Fn(&Project)| {
        let project = Project::weather();
        project.compile();
        change(&project);
        let error = project.verify("weather").unwrap_err().to_string();
        assert!(error.contains("mce compile"), "{error}");
        error
    };
    let functions = "compiled/weather/functions.py";
    let manifest = "compiled/weather/manifest.json";
    let replace = |project: &Project, file: &str, from: &str, to: &str| {
        let text = project.read(file);
        assert!(text.contains(from), "{from}");
        project.write(file, &text.replacen(from, to, 1));
    };
    tampered(&|project| replace(project, functions, "Weather", "weather"));
    tampered(&|project| fs::remove_file(project.path(functions)).unwrap());
    tampered(&|project| fs::remove_file(project.path(manifest)).unwrap());
    tampered(&|project| {
        replace(
            project,
            manifest,
            "\"manifest_version\": 1",
            "\"manifest_version\": 2",
        );
    });
    tampered(&|project| {
        replace(
            project,
            manifest,
            "\"runtime_abi\": 1",
            "\"runtime_abi\": 9",
        );
    });
    let error = tampered(&|project| {
        replace(
            project,
            manifest,
            "\"method\": \"DELETE\"",
            "\"method\": \"PUT\"",
        );
    });
    assert!(error.contains("drop_observations"), "{error}");
    // Code in the module is refused even where its hash is made to fit.
    let error = tampered(&|project| rewrite(project, |old| format!("{old}\nimport os\n")));
    assert!(
        error.contains("not allowed") || error.contains("line"),
        "{error}"
    );
}

/// Changes the module and makes the manifest's hash fit.
fn rewrite(project: &Project, change: impl FnOnce(&str) -> String) {
    use sha2::Digest as _;
    let hash = |text: &str| {
        let digest = sha2::Sha256::digest(text.as_bytes());
        digest
            .iter()
            .fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"))
    };
    let old = project.read("compiled/weather/functions.py");
    let new = change(&old);
    assert_ne!(old, new);
    project.write("compiled/weather/functions.py", &new);
    let manifest = project.read("compiled/weather/manifest.json");
    project.write(
        "compiled/weather/manifest.json",
        &manifest.replace(&hash(&old), &hash(&new)),
    );
}

/// What is reviewed is the module, so a manifest that says anything else is not served.
#[test]
fn a_manifest_that_sends_elsewhere_than_the_module_says_is_refused() {
    type Change = fn(&mut serde_json::Value);
    let changes: [(&str, Change); 19] = [
        ("base_url", |it| {
            it["base_url"] = "https://evil.example".into();
        }),
        ("base_url", |it| it["base_url"] = serde_json::Value::Null),
        ("base_url_env", |it| {
            it["base_url_env"] = "MCE_EVIL_BASE_URL".into();
        }),
        ("get_forecast", |it| {
            of(it, "get_forecast")["parameters"][0]["wire_name"] = "x".into();
        }),
        ("get_forecast", |it| {
            of(it, "get_forecast")["parameters"][0]["style"] = "label".into();
        }),
        ("get_forecast", |it| {
            of(it, "get_forecast")["parameters"][0]["explode"] = true.into();
        }),
        ("get_forecast", |it| {
            of(it, "get_forecast")["parameters"][0]["in"] = "query".into();
        }),
        ("get_forecast", |it| {
            of(it, "get_forecast")["parameters"][0]["required"] = false.into();
        }),
        ("get_forecast", |it| {
            of(it, "get_forecast")["parameters"][1]["in"] = "header".into();
        }),
        ("get_forecast", |it| {
            of(it, "get_forecast")["parameters"][1]["allow_reserved"] = true.into();
        }),
        ("get_forecast", |it| {
            of(it, "get_forecast")["parameters"][1]["content_type"] = "text/plain".into();
        }),
        ("get_forecast", |it| {
            of(it, "get_forecast")["path"] = "/admin/{stationId}".into();
        }),
        ("get_forecast", |it| {
            of(it, "get_forecast")["security"] = serde_json::json!([]);
        }),
        ("get_forecast", |it| {
            of(it, "get_forecast")["responses"][0]["kind"] = "bytes".into();
        }),
        ("get_forecast", |it| {
            of(it, "get_forecast")["responses"][0]["content_types"][0] = "text/x".into();
        }),
        ("add_observation", |it| {
            of(it, "add_observation")["body"]["content_type"] = "text/plain".into();
        }),
        ("add_observation", |it| {
            of(it, "add_observation")["body"]["name"] = "other".into();
        }),
        ("add_observation", |it| {
            of(it, "add_observation")["body"]["encoding"] =
                serde_json::json!({"a": {"headers": {"X-Kind": "scan"}}});
        }),
        ("add_observation", |it| {
            it["security_schemes"]["other"] =
                serde_json::json!({"type": "apiKey", "scheme": null, "in": "query", "name": "k"});
            of(it, "add_observation")["security"] = serde_json::json!([{"other": []}]);
        }),
    ];
    let project = Project::weather();
    project.compile();
    let before = project.read("compiled/weather/manifest.json");
    for (index, (named, change)) in changes.into_iter().enumerate() {
        let mut manifest = serde_json::from_str(&before).unwrap();
        change(&mut manifest);
        let after = serde_json::to_string_pretty(&manifest).unwrap();
        project.write("compiled/weather/manifest.json", &after);
        let verified = project.verify("weather");
        let error = verified.expect_err(&index.to_string()).to_string();
        assert!(
            error.contains(&format!("disagree on `{named}`")),
            "{index}: {error}"
        );
    }
    // As data alone, and in whatever order, it is the same manifest.
    let whole: serde_json::Value = serde_json::from_str(&before).unwrap();
    project.write("compiled/weather/manifest.json", &whole.to_string());
    assert!(project.verify("weather").is_ok());
}

fn of<'a>(manifest: &'a mut serde_json::Value, name: &str) -> &'a mut serde_json::Value {
    let functions = manifest["functions"].as_array_mut().unwrap();
    functions.iter_mut().find(|it| it["name"] == name).unwrap()
}

/// Neither a method in lower case nor one that nobody knows is taken for a safe one.
#[test]
fn a_method_that_is_unknown_is_not_served_and_counts_as_changing() {
    for method in ["delete", "PURGE", "get", ""] {
        let project = Project::new(
            "  - name: weather\n    swagger_url: weather.yaml\n    is_read_only: true\n",
        );
        project.compile();
        rewrite(&project, |module| {
            module.replace("\"GET\"", &format!("\"{method}\""))
        });
        let manifest = project.read("compiled/weather/manifest.json");
        project.write(
            "compiled/weather/manifest.json",
            &manifest.replace("\"method\": \"GET\"", &format!("\"method\": \"{method}\"")),
        );
        let error = project.verify("weather").unwrap_err().to_string();
        assert!(error.contains(&format!("is `{method}`")), "{error}");
        assert!(mce::api::is_mutating(method), "{method}");
    }
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

/// Whatever moment the process is killed at, the folder is refused or is one whole set.
#[test]
fn no_mixture_of_two_compilations_passes_the_check() {
    let project = Project::weather();
    project.compile();
    let old = ["functions.py", "manifest.json"]
        .map(|file| project.read(&format!("compiled/weather/{file}")));
    project.write(
        "weather.yaml",
        &WEATHER.replace("A forecast", "The forecast"),
    );
    project.compile();
    assert!(project.verify("weather").is_ok());
    let new = ["functions.py", "manifest.json"]
        .map(|file| project.read(&format!("compiled/weather/{file}")));
    assert_ne!(old, new);
    project.write("compiled/weather/manifest.json", &old[1]);
    assert!(project.verify("weather").is_err());
    project.write("compiled/weather/functions.py", &old[0]);
    assert!(project.verify("weather").is_ok());
    // And compiling mends it.
    project.write("compiled/weather/functions.py", &new[0]);
    assert!(!project.compile().failed());
    assert!(project.verify("weather").is_ok());
    assert!(no_leftovers(&project.path("compiled")));
}

/// Readers that look at the folder while it is rewritten again and again see whole sets only.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
#[test]
fn readers_never_see_half_of_a_compilation() {
    let project = Project::weather();
    project.compile();
    let done = std::sync::atomic::AtomicBool::new(false);
    let order = std::sync::atomic::Ordering::SeqCst;
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut seen = std::collections::BTreeSet::new();
            while !done.load(order) {
                // Module and manifest fit together by hash and content.
                let verified = project.verify("weather").unwrap();
                seen.insert(verified.functions.text().to_owned());
            }
            seen.len()
        });
        for round in 0..20 {
            let changed = WEATHER.replace("A forecast", &format!("Forecast {round}"));
            project.write("weather.yaml", &changed);
            assert!(!project.compile().failed());
            assert!(project.verify("weather").is_ok());
        }
        done.store(true, order);
        // It read while others wrote.
        assert!(reader.join().unwrap() > 1);
    });
    assert!(no_leftovers(&project.path("compiled")));
    assert!(!project.path("compiled/.mce-staging").exists());
}

#[test]
fn files_of_others_in_a_server_folder_survive() {
    let project = Project::weather();
    project.compile();
    project.write("compiled/weather/notes.md", "mine");
    project.write(
        "weather.yaml",
        &WEATHER.replace("A forecast", "The forecast"),
    );
    assert!(project.compile().servers[0].changed);
    assert_eq!(project.read("compiled/weather/notes.md"), "mine");
    assert!(project.verify("weather").is_ok());
}

/// Not a test of its own: what the next one starts and kills.
#[test]
#[ignore = "runs until it is killed"]
fn compile_until_killed() {
    let Ok(folder) = std::env::var("MCE_TEST_COMPILE_FOLDER") else {
        return;
    };
    let folder = PathBuf::from(folder);
    let config = Config::load(&folder.join("swaggers.yaml")).unwrap();
    let options = Options {
        output: folder.join("compiled"),
        ..Options::default()
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for round in 0.. {
        let changed = WEATHER.replace("A forecast", &format!("Forecast {round}"));
        fs::write(folder.join("next.yaml"), changed).unwrap();
        fs::rename(folder.join("next.yaml"), folder.join("weather.yaml")).unwrap();
        let environment = Environment::from_pairs::<&str, &str>([]);
        let report = runtime.block_on(compile::run(&config, &environment, &options));
        assert!(!report.failed(), "{report:?}");
    }
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
#[test]
fn a_process_killed_at_any_moment_leaves_a_whole_set() {
    let project = Project::weather();
    project.compile();
    for milliseconds in [0, 1, 2, 3, 5, 8, 13, 21] {
        let before = project.read("compiled/weather/functions.py");
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "compile_until_killed"])
            .env("MCE_TEST_COMPILE_FOLDER", project.path(""))
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        // It is killed while it compiles again and again, not before it has begun.
        let started = std::time::Instant::now();
        while project.read("compiled/weather/functions.py") == before {
            assert!(started.elapsed().as_secs() < 60, "nothing was compiled");
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        }
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
        let verified = project.verify("weather");
        assert!(verified.is_ok(), "after {milliseconds} ms: {verified:?}");
    }
}

fn no_leftovers(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().flatten().all(|entry| {
        !entry.file_name().to_string_lossy().ends_with(".tmp")
            && (!entry.path().is_dir() || no_leftovers(&entry.path()))
    })
}

#[test]
fn a_killed_process_leaves_nothing_beside_files_of_others() {
    let project = Project::weather();
    project.compile();
    project.write("compiled/weather/notes.md", "mine");
    for milliseconds in [45, 60, 80, 100, 125, 150] {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "compile_until_killed"])
            .env("MCE_TEST_COMPILE_FOLDER", project.path(""))
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
        let mut names: Vec<_> = fs::read_dir(project.path("compiled/weather"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["functions.py", "manifest.json", "notes.md"]);
    }
    assert!(!project.compile().failed());
    assert!(project.verify("weather").is_ok());
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
