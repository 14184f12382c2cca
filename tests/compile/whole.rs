//! Output is that of one compilation or of the one before, whoever reads or kills.

use std::fs;
use std::path::{Path, PathBuf};

use mce::compile::{self, Options};
use mce::config::{Config, Environment};

use crate::project::{Project, WEATHER};

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

/// Another process that compiles a project until it is killed.
fn compiling(project: &Project) -> std::process::Child {
    std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "whole::compile_until_killed"])
        .env("MCE_TEST_COMPILE_FOLDER", project.path(""))
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap()
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
#[test]
fn a_process_killed_at_any_moment_leaves_a_whole_set() {
    let project = Project::weather();
    project.compile();
    for milliseconds in [0, 1, 2, 3, 5, 8, 13, 21] {
        let before = project.read("compiled/weather/functions.py");
        let mut child = compiling(&project);
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
        let mut child = compiling(&project);
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
