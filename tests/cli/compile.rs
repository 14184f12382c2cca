//! `mce compile` and `mce clean`: what they say, write and leave.

use std::fmt::Write as _;
use std::fs;

use crate::folder::{Folder, has};
use crate::seen::snapshot;
use crate::shop::{CONFIG, DOCUMENT, shop};

#[test]
fn compile_says_what_it_wrote_and_how_a_client_is_configured() {
    let folder = shop();
    snapshot!(folder, folder.command(&["compile"]));
    let mut written: Vec<_> = folder.walk("compiled");
    written.sort();
    assert_eq!(
        written,
        ["mce_runtime.py", "shop/functions.py", "shop/manifest.json"]
    );
}

#[test]
fn compile_answers_programs_in_json() {
    let folder = shop();
    let done = folder
        .command(&["compile", "--format", "json"])
        .output()
        .unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(answer["servers"][0]["server"], "shop");
    assert_eq!(answer["servers"][0]["functions"], 1);
}

#[test]
fn a_dry_run_writes_nothing() {
    let folder = shop();
    snapshot!(folder, folder.command(&["compile", "--dry-run"]));
    assert!(!folder.path().join("compiled").exists());
}

#[test]
fn a_missing_config_is_named() {
    let folder = shop();
    snapshot!(
        folder,
        folder.command(&["compile", "--config", "nowhere.yaml"])
    );
}

#[test]
fn no_config_at_all_says_where_it_was_looked_for() {
    let folder = shop();
    fs::remove_file(folder.path().join("swaggers.yaml")).unwrap();
    snapshot!(folder, folder.command(&["compile"]));
}

#[test]
fn a_missing_document_is_named() {
    let folder = shop();
    fs::remove_file(folder.path().join("shop.yaml")).unwrap();
    snapshot!(folder, folder.command(&["compile"]));
}

#[test]
fn an_unknown_key_is_placed_and_the_nearest_one_offered() {
    let folder = shop();
    folder.write(
        "swaggers.yaml",
        &CONFIG.replace("is_read_only", "is_readonly"),
    );
    snapshot!(folder, folder.command(&["compile"]));
    assert!(!folder.path().join("compiled").exists());
}

#[test]
fn a_document_that_is_none_is_refused() {
    let folder = shop();
    folder.write("shop.yaml", "just: yaml\n");
    snapshot!(folder, folder.command(&["compile"]));
}

/// Aliases of aliases, which would be ten to the eleventh.
fn bomb() -> String {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let above = level - 1;
        let items = vec![format!("*a{above}"); 10].join(", ");
        let _ = writeln!(bomb, "a{level}: &a{level} [{items}]");
    }
    bomb
}

#[test]
fn a_yaml_bomb_is_refused() {
    let folder = shop();
    let bomb = bomb();
    folder.write("shop.yaml", &format!("{bomb}{DOCUMENT}"));
    snapshot!(folder, folder.command(&["compile"]));
    folder.write("swaggers.yaml", &format!("{bomb}{CONFIG}"));
    snapshot!(folder, folder.command(&["compile"]));
}

/// What the machine cannot hold ends the process; a document is refused long before.
#[test]
fn a_document_beyond_a_limit_stops_no_other() {
    let deep = format!("deep: {}{}", "[".repeat(5_000), "]".repeat(5_000));
    let bomb = bomb();
    let parts: Vec<String> = (0..2_001)
        .map(|it| format!("    p{it}: {{$ref: 'parts/{it}.yaml'}}\n"))
        .collect();
    let folder = Folder::new(&[
        ("fine.yaml", DOCUMENT),
        ("deep.yaml", &format!("{DOCUMENT}{deep}\n")),
        ("bomb.yaml", &format!("{bomb}{DOCUMENT}")),
        (
            "parts.yaml",
            &format!("{DOCUMENT}components:\n  schemas:\n{}", parts.concat()),
        ),
        ("large.yaml", ""),
    ]);
    let large = fs::File::create(folder.path().join("large.yaml")).unwrap();
    large.set_len(65 << 20).unwrap();
    let servers = ["deep", "bomb", "large", "parts", "fine"];
    let entries = servers.map(|it| format!("  - {{name: {it}_api, swagger_url: {it}.yaml}}\n"));
    folder.write("swaggers.yaml", &format!("servers:\n{}", entries.concat()));
    let (code, report) = folder.json(&["compile", "--format", "json"]);
    assert_eq!(code, 1);
    let errors: Vec<_> = report["servers"].as_array().unwrap().iter().collect();
    for (server, wanted) in errors.iter().zip([
        Some("256 levels of nesting"),
        Some("alias"),
        Some("larger than 64 MiB"),
        Some("more than 2000 other files"),
        None,
    ]) {
        match wanted {
            Some(wanted) => has(server["error"].as_str().unwrap(), wanted),
            None => assert_eq!(server["error"], serde_json::Value::Null),
        }
    }
    assert_eq!(
        folder.walk("compiled"),
        [
            "fine_api/functions.py",
            "fine_api/manifest.json",
            "mce_runtime.py"
        ]
    );
}

#[test]
fn a_failed_document_leaves_the_old_output_untouched() {
    let folder = shop().compiled();
    let manifest = folder.path().join("compiled/shop/manifest.json");
    let before = fs::read(&manifest).unwrap();
    folder.write("shop.yaml", "just: yaml\n");
    assert!(!folder.command(&["compile"]).status().unwrap().success());
    assert_eq!(fs::read(&manifest).unwrap(), before);
}

#[test]
fn clean_removes_what_compile_wrote_and_nothing_else() {
    let folder = shop().compiled();
    folder.write("compiled/notes.txt", "mine");
    snapshot!(folder, folder.command(&["clean"]));
    assert_eq!(folder.walk("compiled"), ["notes.txt"]);
    snapshot!(folder, folder.command(&["clean"]));
}

#[test]
fn clean_removes_no_database_that_is_not_the_cache() {
    let folder = shop().compiled();
    folder.write("notes.txt", "mine");
    let audit = folder.path().join("audit.db");
    let database = rusqlite::Connection::open(&audit).unwrap();
    database.execute_batch("CREATE TABLE mine (x)").unwrap();
    drop(database);
    let pipe = std::process::Command::new("mkfifo")
        .arg(folder.path().join("pipe"))
        .status();
    assert!(pipe.unwrap().success());
    for file in ["notes.txt", "audit.db", "pipe"] {
        let mut clean = folder.command(&["clean"]);
        clean.env("MCE_CACHE_DB_PATH", folder.path().join(file));
        let done = clean.output().unwrap();
        assert_eq!(done.status.code(), Some(1), "{file}");
        let stderr = String::from_utf8_lossy(&done.stderr);
        assert!(stderr.contains("MCE_CACHE_DB_PATH"), "{stderr}");
        assert!(folder.path().join(file).exists(), "{file}");
    }
}

#[test]
fn a_config_that_cannot_be_read_costs_no_output() {
    let folder = shop().compiled();
    for config in ["servers: [", "servers: []\n"] {
        folder.write("swaggers.yaml", config);
        let done = folder.command(&["clean", "compile"]).output().unwrap();
        assert_eq!(done.status.code(), Some(1), "{done:?}");
        assert!(done.stdout.is_empty(), "{done:?}");
        assert!(folder.path().join("compiled/shop/manifest.json").exists());
    }
    folder.write("swaggers.yaml", CONFIG);
    let done = folder.command(&["clean", "compile"]).output().unwrap();
    assert!(done.status.success(), "{done:?}");
}
