//! Files that are somebody else's, and those of servers that are gone.

use std::fs;

use mce::compile;

use crate::project::{Project, WEATHER, error_of};

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
