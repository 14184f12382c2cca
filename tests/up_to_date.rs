//! What is up to date, told without reading the documents, and what ends it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use mce::compile::{self, Options, Report};
use mce::config::{Config, Environment};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A document whose operation answers what `parts/a.yaml` and `parts/b.yaml` say.
struct Project(TempDir);

impl Project {
    fn new() -> Self {
        let project = Self(TempDir::new().unwrap());
        let part = |name: &str| json!({"$ref": format!("parts/{name}.yaml")});
        let schema = json!({"type": "object", "properties": {"a": part("a"), "b": part("b")}});
        let document = json!({
            "openapi": "3.1.0", "info": {"title": "T", "version": "1"},
            "servers": [{"url": "https://api.example.com"}],
            "paths": {"/a": {"get": {"operationId": "getA", "responses": {"200": {
                "description": "", "content": {"application/json": {"schema": schema}}}}}}},
        });
        project.write("api.json", &document.to_string());
        project.write("parts/a.yaml", &object("first"));
        project.write("parts/b.yaml", "{$ref: c.yaml}");
        project.write("parts/c.yaml", &object("second"));
        project.write(
            "swaggers.yaml",
            "servers:\n  - name: pets\n    swagger_url: api.json\n",
        );
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Compiles, and says whether there was nothing to do.
    fn is_up_to_date(&self) -> bool {
        let report = report(self.0.path());
        assert!(!report.failed(), "{report:?}");
        report.servers[0].up_to_date
    }

    fn manifest(&self) -> String {
        fs::read_to_string(self.path("compiled/pets/manifest.json")).unwrap()
    }

    /// The file names of the manifest.
    fn files(&self) -> Vec<String> {
        let manifest: Value = serde_json::from_str(&self.manifest()).unwrap();
        let files = manifest["spec"]["files"].as_object().unwrap();
        files.keys().cloned().collect()
    }
}

/// Compiles what `swaggers.yaml` in a folder lists.
fn report(folder: &Path) -> Report {
    let config = Config::load(&folder.join("swaggers.yaml")).unwrap();
    let options = Options {
        output: folder.join("compiled"),
        ..Options::default()
    };
    let environment = Environment::from_pairs::<&str, &str>([]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(compile::run(&config, &environment, &options))
}

fn object(member: &str) -> String {
    format!("{{type: object, properties: {{{member}: {{type: string}}}}}}")
}

#[test]
fn every_file_counts_whichever_refers_to_it() {
    let project = Project::new();
    assert!(!project.is_up_to_date());
    assert_eq!(
        project.files(),
        ["parts/a.yaml", "parts/b.yaml", "parts/c.yaml"]
    );
    assert!(project.is_up_to_date());
    project.write("parts/unrelated.yaml", "");
    assert!(project.is_up_to_date());
    for name in ["a", "b", "c"] {
        project.write(
            &format!("parts/{name}.yaml"),
            &object(&format!("new_{name}")),
        );
        assert!(!project.is_up_to_date(), "{name}");
        assert!(project.is_up_to_date(), "{name}");
        // `c` is no longer referred to once `b` is an object itself.
        if name == "b" {
            assert_eq!(project.files(), ["parts/a.yaml", "parts/b.yaml"]);
            project.write("parts/b.yaml", "{$ref: c.yaml}");
            assert!(!project.is_up_to_date());
        }
    }
    assert!(project.manifest().contains("new_c"));
}

#[test]
fn a_file_that_is_gone_ends_it_and_so_does_one_that_comes_back() {
    let project = Project::new();
    project.is_up_to_date();
    fs::remove_file(project.path("parts/c.yaml")).unwrap();
    assert!(!project.is_up_to_date());
    assert!(!project.manifest().contains("second"));
    // What is absent is looked for each time, and that it still is changes nothing.
    assert!(project.is_up_to_date());
    project.write("parts/c.yaml", &object("second"));
    assert!(!project.is_up_to_date());
    assert!(project.manifest().contains("second"));
    assert!(project.is_up_to_date());
}

/// What a document calls itself may name the folder that it lies in.
#[test]
fn a_document_that_names_the_folders_above_it_is_read_again() {
    for (own, is_same) in [("../old/called.json", false), ("called.json", true)] {
        let project = Project::new();
        let (old, new) = (project.path("old"), project.path("new"));
        fs::create_dir(&old).unwrap();
        for name in ["swaggers.yaml", "parts"] {
            fs::rename(project.path(name), old.join(name)).unwrap();
        }
        let text = fs::read_to_string(project.path("api.json")).unwrap();
        let mut document: Value = serde_json::from_str(&text).unwrap();
        document["openapi"] = json!("3.2.0");
        document["$self"] = json!(own);
        document["components"] = json!({"schemas": {"A": {"type": "string"}}});
        let part =
            "{type: object, properties: {own: {$ref: '../called.json#/components/schemas/A'}}}";
        fs::write(old.join("parts/c.yaml"), part).unwrap();
        fs::write(old.join("api.json"), document.to_string()).unwrap();
        assert!(!report(&old).servers[0].up_to_date, "{own}");
        assert!(report(&old).servers[0].up_to_date, "{own}");
        fs::rename(&old, &new).unwrap();
        assert_eq!(report(&new).servers[0].up_to_date, is_same, "{own}");
    }
}

/// The same bytes, and a reference that does not lead to them any more.
#[test]
fn a_reference_that_names_the_folders_above_is_followed_again() {
    for (target, is_same) in [
        ("{home}/parts/c.yaml", false),
        ("../../{name}/parts/c.yaml", false),
        ("../parts/c.yaml", true),
    ] {
        let project = Project::new();
        let (old, new) = (project.path("old"), project.path("new"));
        fs::create_dir(&old).unwrap();
        for name in ["api.json", "swaggers.yaml", "parts"] {
            fs::rename(project.path(name), old.join(name)).unwrap();
        }
        let target = target
            .replace("{home}", old.to_str().unwrap())
            .replace("{name}", "old");
        fs::write(old.join("parts/b.yaml"), format!("{{$ref: '{target}'}}")).unwrap();
        let up_to_date = |folder: &Path| report(folder).servers[0].up_to_date;
        assert!(!up_to_date(&old), "{target}");
        assert!(up_to_date(&old), "{target}");
        fs::rename(&old, &new).unwrap();
        let moved = report(&new);
        assert_eq!(moved.servers[0].up_to_date, is_same, "{target}");
        assert_eq!(moved.servers[0].error.is_none(), is_same, "{target}");
    }
}

#[test]
fn names_with_signs_of_urls_lead_back_to_their_files() {
    let project = Project::new();
    project.write("parts/b.yaml", "{$ref: 'c%20%23%25.yaml'}");
    project.write("parts/c #%.yaml", &object("second"));
    assert!(!project.is_up_to_date());
    assert_eq!(project.files()[2], "parts/c %23%.yaml");
    assert!(project.is_up_to_date());
    project.write("parts/c #%.yaml", &object("third"));
    assert!(!project.is_up_to_date());
    assert!(project.manifest().contains("third"));
    // Two files that the manifest calls alike.
    project.write("parts/b.yaml", "{$ref: 'c%2523.yaml'}");
    project.write("parts/c%23.yaml", &object("second"));
    project.write("parts/c#.yaml", &object("second"));
    assert!(!project.is_up_to_date());
    assert!(project.is_up_to_date());
    project.write("parts/c%23.yaml", &object("fourth"));
    assert!(!project.is_up_to_date());
    assert!(project.manifest().contains("fourth"));
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_to_another_file_ends_it() {
    use std::os::unix::fs::symlink;

    // The link alone, and as the second way to a file that is named as well.
    for (other, is_named) in [("elsewhere", false), ("a", true)] {
        let project = Project::new();
        project.write("parts/elsewhere.yaml", &object("first"));
        project.write("parts/new.yaml", &object("third"));
        let link = project.path("parts/b.yaml");
        fs::remove_file(&link).unwrap();
        symlink(format!("{other}.yaml"), &link).unwrap();
        assert!(!project.is_up_to_date());
        assert_eq!(
            project.files().contains(&"parts/b.yaml".to_owned()),
            !is_named
        );
        assert!(project.is_up_to_date());
        fs::remove_file(&link).unwrap();
        symlink("new.yaml", &link).unwrap();
        assert!(!project.is_up_to_date(), "{other}");
        assert!(project.manifest().contains("third"));
        assert!(project.is_up_to_date());
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_became_a_link_is_read_again() {
    let project = Project::new();
    project.is_up_to_date();
    fs::rename(project.path("parts"), project.path("moved")).unwrap();
    std::os::unix::fs::symlink("moved", project.path("parts")).unwrap();
    // The same texts, by a way that may lead elsewhere tomorrow.
    assert!(!project.is_up_to_date());
    assert!(project.is_up_to_date());
    fs::remove_file(project.path("parts")).unwrap();
    fs::create_dir(project.path("parts")).unwrap();
    project.write("parts/a.yaml", &object("fourth"));
    project.write("parts/b.yaml", &object("second"));
    assert!(!project.is_up_to_date());
    assert!(project.manifest().contains("fourth"));
}
