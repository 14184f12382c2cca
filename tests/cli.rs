//! The real binary: what people see, and with which code it exits. Snapshots hold stdout, stderr
//! and the code; nothing here needs an engine.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test may fail anywhere"
)]

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use assert_cmd::cargo::CommandCargoExt as _;
use tempfile::TempDir;

const DOCUMENT: &str = "\
openapi: 3.0.3
info: {title: Shop, version: '1'}
servers: [{url: https://shop.example/v1}]
paths:
  /items:
    get:
      operationId: listItems
      parameters:
        - {name: limit, in: query, schema: {type: integer}}
      responses:
        '200':
          description: fine
          content: {application/json: {schema: {type: array, items: {type: string}}}}
    post:
      operationId: addItem
      responses: {'204': {description: fine}}
";

const CONFIG: &str = "\
servers:
  - name: shop
    swagger_url: shop.yaml
    is_read_only: true
";

/// A folder with a config and a document, in which the binary runs with a bare environment.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(TempDir::new().unwrap());
        folder.write("shop.yaml", DOCUMENT);
        folder.write("swaggers.yaml", CONFIG);
        folder
    }

    fn compiled() -> Self {
        let folder = Self::new();
        let done = folder.mce(&["compile"]).output().unwrap();
        assert!(done.status.success(), "{done:?}");
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    fn mce(&self, arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("mce").unwrap();
        command
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .env("HOME", self.path())
            .env("MCE_LOG_LEVEL", "error")
            .env("MCE_DOCKER_HOST", "unix:///nonexistent/engine.sock")
            .stdin(Stdio::null());
        command
    }

    /// Code, stdout and stderr as one text, with what differs from run to run replaced.
    fn seen(&self, command: &mut Command) -> String {
        let done = command.output().unwrap();
        let stdout = String::from_utf8(done.stdout).unwrap();
        let stderr = String::from_utf8(done.stderr).unwrap();
        let text = format!(
            "exit: {}\n----- stdout\n{stdout}----- stderr\n{stderr}",
            done.status.code().expect("no signal")
        );
        let text = text
            .replace(&self.path().display().to_string(), "[FOLDER]")
            .replace(
                &fs::canonicalize(command.get_program())
                    .unwrap()
                    .display()
                    .to_string(),
                "[MCE]",
            )
            .replace(env!("CARGO_PKG_VERSION"), "[VERSION]");
        let text = replace_times(&text);
        replace_values(&text, &["execution_id", "execution_time_ms", "ms"])
    }
}

/// Replaces the number in every `, 12 ms)`.
fn replace_times(text: &str) -> String {
    let mut parts = text.split(" ms)");
    let mut replaced = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = replaced
            .trim_end_matches(|it: char| it.is_ascii_digit())
            .len();
        replaced.truncate(digits);
        replaced.push_str("[MS] ms)");
        replaced.push_str(part);
    }
    replaced
}

/// Replaces the values of these JSON members.
fn replace_values(text: &str, members: &[&str]) -> String {
    let line = |line: &str| {
        let name = line.trim_start().strip_prefix('"')?;
        let (name, _) = name.split_once("\": ")?;
        members.contains(&name).then(|| {
            let indent = &line[..line.len() - line.trim_start().len()];
            let comma = if line.ends_with(',') { "," } else { "" };
            format!("{indent}\"{name}\": [{name}]{comma}")
        })
    };
    let lines: Vec<_> = text
        .lines()
        .map(|it| line(it).unwrap_or_else(|| it.to_owned()))
        .collect();
    lines.join("\n")
}

macro_rules! snapshot {
    ($folder:expr, $command:expr) => {
        insta::assert_snapshot!($folder.seen(&mut $command))
    };
}

#[test]
fn compile_says_what_it_wrote_and_how_a_client_is_configured() {
    let folder = Folder::new();
    snapshot!(folder, folder.mce(&["compile"]));
    let mut written: Vec<_> = walk(&folder.path().join("compiled"));
    written.sort();
    assert_eq!(
        written,
        ["mce_runtime.py", "shop/functions.py", "shop/manifest.json"]
    );
}

#[test]
fn compile_answers_programs_in_json() {
    let folder = Folder::new();
    let done = folder
        .mce(&["compile", "--format", "json"])
        .output()
        .unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(answer["servers"][0]["server"], "shop");
    assert_eq!(answer["servers"][0]["functions"], 1);
}

#[test]
fn a_dry_run_writes_nothing() {
    let folder = Folder::new();
    snapshot!(folder, folder.mce(&["compile", "--dry-run"]));
    assert!(!folder.path().join("compiled").exists());
}

#[test]
fn a_missing_config_is_named() {
    let folder = Folder::new();
    snapshot!(folder, folder.mce(&["compile", "--config", "nowhere.yaml"]));
}

#[test]
fn no_config_at_all_says_where_it_was_looked_for() {
    let folder = Folder::new();
    fs::remove_file(folder.path().join("swaggers.yaml")).unwrap();
    snapshot!(folder, folder.mce(&["compile"]));
}

#[test]
fn a_missing_document_is_named() {
    let folder = Folder::new();
    fs::remove_file(folder.path().join("shop.yaml")).unwrap();
    snapshot!(folder, folder.mce(&["compile"]));
}

#[test]
fn an_unknown_key_is_placed_and_the_nearest_one_offered() {
    let folder = Folder::new();
    folder.write(
        "swaggers.yaml",
        &CONFIG.replace("is_read_only", "is_readonly"),
    );
    snapshot!(folder, folder.mce(&["compile"]));
    assert!(!folder.path().join("compiled").exists());
}

#[test]
fn a_document_that_is_none_is_refused() {
    let folder = Folder::new();
    folder.write("shop.yaml", "just: yaml\n");
    snapshot!(folder, folder.mce(&["compile"]));
}

#[test]
fn a_yaml_bomb_is_refused() {
    let folder = Folder::new();
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let above = level - 1;
        let items = vec![format!("*a{above}"); 10].join(", ");
        let _ = writeln!(bomb, "a{level}: &a{level} [{items}]");
    }
    folder.write("shop.yaml", &format!("{bomb}{DOCUMENT}"));
    snapshot!(folder, folder.mce(&["compile"]));
    folder.write("swaggers.yaml", &format!("{bomb}{CONFIG}"));
    snapshot!(folder, folder.mce(&["compile"]));
}

#[test]
fn a_failed_document_leaves_the_old_output_untouched() {
    let folder = Folder::compiled();
    let manifest = folder.path().join("compiled/shop/manifest.json");
    let before = fs::read(&manifest).unwrap();
    folder.write("shop.yaml", "just: yaml\n");
    assert!(!folder.mce(&["compile"]).status().unwrap().success());
    assert_eq!(fs::read(&manifest).unwrap(), before);
}

#[test]
fn an_engine_that_does_not_run_is_said_with_what_to_do() {
    let folder = Folder::compiled();
    folder.write("code.py", "result = 6 * 7\n");
    snapshot!(folder, folder.mce(&["exec", "code.py"]));
    snapshot!(folder, folder.mce(&["sandbox", "status"]));
    snapshot!(folder, folder.mce(&["demo"]));
}

#[test]
fn code_beyond_the_limit_is_refused() {
    let folder = Folder::compiled();
    folder.write("code.py", &format!("{}\nresult = 1\n", "#".repeat(65_536)));
    snapshot!(folder, folder.mce(&["exec", "code.py"]));
    snapshot!(folder, folder.mce(&["guard", "code.py"]));
}

#[test]
fn code_that_is_missing_or_no_text_is_said() {
    let folder = Folder::compiled();
    snapshot!(folder, folder.mce(&["exec", "nowhere.py"]));
    fs::write(folder.path().join("latin.py"), b"name = '\xe9'\n").unwrap();
    snapshot!(folder, folder.mce(&["exec", "latin.py"]));
}

#[test]
fn changed_output_is_not_served() {
    let folder = Folder::compiled();
    let functions = folder.path().join("compiled/shop/functions.py");
    let text = fs::read_to_string(&functions).unwrap();
    fs::write(&functions, text.replace("/items", "/admin")).unwrap();
    snapshot!(folder, folder.mce(&["call", "shop.list_items"]));
}

#[test]
fn a_changed_manifest_is_not_served() {
    let folder = Folder::compiled();
    let manifest = folder.path().join("compiled/shop/manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("\"list_items\"", "\"list_others\"")).unwrap();
    snapshot!(folder, folder.mce(&["call", "shop.list_others"]));
    fs::write(&manifest, "{").unwrap();
    snapshot!(folder, folder.mce(&["call", "shop.list_items"]));
}

#[test]
fn a_call_is_checked_before_it_leaves() {
    let folder = Folder::compiled();
    snapshot!(
        folder,
        folder.mce(&["call", "shop.list_items", "limit=many"])
    );
    snapshot!(folder, folder.mce(&["call", "shop.list_items", "page=2"]));
    snapshot!(folder, folder.mce(&["call", "shop.add_item"]));
    snapshot!(folder, folder.mce(&["call", "nowhere.list_items"]));
    snapshot!(folder, folder.mce(&["call", "list_items"]));
}

#[test]
fn guard_judges_by_file_line_and_column() {
    let folder = Folder::compiled();
    folder.write(
        "good.py",
        "from shop.functions import list_items\nresult = list_items()\n",
    );
    folder.write("bad.py", "import os\nresult = os.environ\n");
    snapshot!(folder, folder.mce(&["guard", "good.py", "bad.py"]));
    snapshot!(folder, folder.mce(&["guard", "good.py"]));
    snapshot!(folder, folder.mce(&["guard", "nowhere.py"]));

    let done = folder
        .mce(&["guard", "--format", "json", "good.py", "bad.py"])
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(1));
    let verdicts: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(verdicts[0]["file"], "good.py");
    assert_eq!(verdicts[0]["ok"], true);
    assert_eq!(verdicts[0]["violations"], serde_json::json!([]));
    assert_eq!(verdicts[1]["ok"], false);
    assert_eq!(verdicts[1]["violations"][0]["line"], 1);
}

#[test]
fn guard_needs_but_names_of_a_manifest_whatever_the_config() {
    let folder = Folder::new();
    folder.write("swaggers.yaml", "this is: [no config");
    fs::create_dir_all(folder.path().join("stubs/crm")).unwrap();
    folder.write(
        "stubs/crm/manifest.json",
        r#"{"server": "crm", "functions": [{"name": "list_leads"}]}"#,
    );
    folder.write(
        "code.py",
        "from crm.functions import list_leads\nresult = list_leads()\n",
    );
    let mut command = folder.mce(&["guard", "code.py"]);
    let done = command
        .env("MCE_COMPILED_OUTPUT_DIR", "stubs")
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(0), "{done:?}");
}

#[test]
fn clean_removes_what_compile_wrote_and_nothing_else() {
    let folder = Folder::compiled();
    folder.write("compiled/notes.txt", "mine");
    snapshot!(folder, folder.mce(&["clean"]));
    assert_eq!(walk(&folder.path().join("compiled")), ["notes.txt"]);
    snapshot!(folder, folder.mce(&["clean"]));
}

#[test]
fn clean_removes_no_database_that_is_not_the_cache() {
    let folder = Folder::compiled();
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
        let mut clean = folder.mce(&["clean"]);
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
    let folder = Folder::compiled();
    for config in ["servers: [", "servers: []\n"] {
        folder.write("swaggers.yaml", config);
        let done = folder.mce(&["clean", "compile"]).output().unwrap();
        assert_eq!(done.status.code(), Some(1), "{done:?}");
        assert!(done.stdout.is_empty(), "{done:?}");
        assert!(folder.path().join("compiled/shop/manifest.json").exists());
    }
    folder.write("swaggers.yaml", CONFIG);
    let done = folder.mce(&["clean", "compile"]).output().unwrap();
    assert!(done.status.success(), "{done:?}");
}

#[test]
fn errors_are_json_where_logs_are() {
    let folder = Folder::new();
    let done = folder
        .mce(&[
            "--log-format",
            "json",
            "compile",
            "--config",
            "nowhere.yaml",
        ])
        .output()
        .unwrap();
    let stderr = String::from_utf8(done.stderr).unwrap();
    for line in stderr.lines() {
        let entry: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(entry["level"], "ERROR", "{line}");
    }
    assert!(stderr.contains("nowhere.yaml"), "{stderr}");
}

#[test]
fn usage_is_told_apart_from_failure() {
    let folder = Folder::new();
    for arguments in [
        &["compile", "--no-such-flag"][..],
        &["nonsense"],
        &["guard"],
    ] {
        let status = folder
            .mce(arguments)
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(2), "{arguments:?}");
    }
    for arguments in [
        &["--version"][..],
        &["--help"],
        &["help", "settings"],
        &["settings"],
    ] {
        let status = folder
            .mce(arguments)
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(0), "{arguments:?}");
    }
}

#[test]
fn no_subcommand_prints_help_and_is_no_failure() {
    let folder = Folder::new();
    let done = folder.mce(&[]).output().unwrap();
    assert_eq!(done.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&done.stderr), "");
    let help = folder.mce(&["--help"]).output().unwrap();
    let (done, help) = (done.stdout, help.stdout);
    assert!(
        String::from_utf8(done)
            .unwrap()
            .starts_with("Compiles OpenAPI")
    );
    assert!(help.starts_with(b"Compiles OpenAPI"));
}

#[test]
fn usage_errors_are_json_where_logs_are() {
    let folder = Folder::new();
    for arguments in [
        &["--log-format", "json", "nonsense"][..],
        &["compile", "--no-such-flag", "--log-format=json"],
        &["exec", "--log-format", "json", "missing.py"],
        &["call", "--log-format", "json", "nothing"],
    ] {
        let done = folder.mce(arguments).output().unwrap();
        assert_eq!(done.status.code(), Some(2), "{arguments:?}");
        let text = String::from_utf8(done.stderr).unwrap();
        for line in text.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(line["level"].is_string() && line["message"].is_string());
        }
        assert!(text.contains("\"level\":\"ERROR\""), "{text}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let folder = Folder::new();
    for arguments in [&["settings"][..], &["completions", "zsh"], &["--help"]] {
        let mut child = folder
            .mce(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let done = child.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&done.stderr), "", "{arguments:?}");
    }
}

#[test]
fn every_shell_has_a_completion_script() {
    let folder = Folder::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let done = folder.mce(&["completions", shell]).output().unwrap();
        assert!(done.status.success(), "{shell}");
        assert!(
            String::from_utf8(done.stdout).unwrap().contains("compile"),
            "{shell}"
        );
    }
}

#[test]
fn help_teaches() {
    let folder = Folder::new();
    snapshot!(folder, folder.mce(&["--help"]));
    for command in [
        &["compile"][..],
        &["serve"],
        &["run"],
        &["clean"],
        &["exec"],
        &["call"],
        &["guard"],
        &["demo"],
        &["settings"],
        &["completions"],
        &["sandbox"],
        &["sandbox", "build"],
        &["sandbox", "status"],
        &["sandbox", "inspect"],
    ] {
        let arguments = [&["help"], command].concat();
        let done = folder.mce(&arguments).output().unwrap();
        let help = String::from_utf8(done.stdout).unwrap();
        assert!(help.contains("Examples:\n  "), "{command:?}: {help}");
    }
}

#[test]
fn the_protocol_alone_is_on_the_servers_stdout() {
    let folder = Folder::compiled();
    let mut child = folder
        .mce(&["serve"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |message: &str| {
        writeln!(stdin, "{message}").unwrap();
        let line = lines.next().unwrap().unwrap();
        serde_json::from_str::<serde_json::Value>(&line).unwrap()
    };
    let hello = ask(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#,
    );
    assert_eq!(hello["result"]["serverInfo"]["name"], "mce");
    let missing = ask(
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_cached_code","arguments":{"cache_id":"nothing"}}}"#,
    );
    assert!(missing.to_string().contains("cache_miss"), "{missing}");
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn run_compiles_and_then_serves_with_a_clean_stdout() {
    let folder = Folder::new();
    let done = folder.mce(&["run"]).output().unwrap();
    assert_eq!(String::from_utf8(done.stdout).unwrap(), "");
    assert!(folder.path().join("compiled/shop/manifest.json").exists());

    folder.write("shop.yaml", "just: yaml\n");
    let done = folder.mce(&["run"]).output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    assert!(
        String::from_utf8(done.stderr)
            .unwrap()
            .contains("`shop` was not compiled")
    );
}

#[test]
fn a_variable_that_only_the_env_file_sets_reaches_the_config_and_no_message() {
    let folder = Folder::compiled();
    folder.write(
        "swaggers.yaml",
        &format!("{CONFIG}    base_url: http://127.0.0.1:9\n    auth: {{type: jwt, token: '${{TOKEN_OF_SHOP}}'}}\n"),
    );
    folder.write("secrets.env", "TOKEN_OF_SHOP=canary-31d4aa9e\n");
    let call = ["call", "shop.list_items"];
    let unset = folder.mce(&call).output().unwrap();
    let unset = String::from_utf8(unset.stdout).unwrap();
    assert!(unset.contains("TOKEN_OF_SHOP"), "{unset}");
    let set = folder
        .mce(&[&["--env-file", "secrets.env"], &call[..]].concat())
        .output()
        .unwrap();
    let text = format!(
        "{}{}",
        String::from_utf8(set.stdout).unwrap(),
        String::from_utf8(set.stderr).unwrap()
    );
    assert!(text.contains("\"network\""), "{text}");
    assert!(!text.contains("canary-31d4aa9e"), "{text}");
}

/// The files below a folder, by relative path.
fn walk(folder: &Path) -> Vec<String> {
    let mut folders = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(next) = folders.pop() {
        let Ok(entries) = fs::read_dir(&next) else {
            continue;
        };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let relative = path.strip_prefix(folder).unwrap();
                files.push(relative.display().to_string());
            }
        }
    }
    files.sort();
    files
}
