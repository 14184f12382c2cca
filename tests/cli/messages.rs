//! What the binary says to somebody who is new to it and got something wrong: the text has to name
//! the thing and what to do.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Output, Stdio};

use assert_cmd::cargo::CommandCargoExt as _;
use serde_json::Value;
use tempfile::TempDir;

use crate::folder::{Folder, has};

const DOCUMENT: &str = "\
openapi: 3.0.3
info: {title: Tasks, version: '1'}
servers: [{url: 'http://127.0.0.1:9/v1'}]
security: [{key: []}]
paths:
  /tasks/{taskId}:
    get:
      operationId: getTask
      parameters:
        - {name: taskId, in: path, required: true, schema: {type: integer}}
      responses: {'200': {description: fine, content: {application/json: {schema: {type: object}}}}}
    delete:
      operationId: deleteTask
      parameters:
        - {name: taskId, in: path, required: true, schema: {type: integer}}
      responses: {'204': {description: fine}}
  /tasks:
    post:
      operationId: addTask
      requestBody: {content: {application/json: {schema: {type: object}}}}
      responses: {'204': {description: fine}}
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Api-Key}
";

const CONFIG: &str = "\
servers:
  - name: tasks
    swagger_url: tasks.yaml
";

/// A folder with the document and this config.
fn tasks(config: &str) -> Folder {
    Folder::new(&[("tasks.yaml", DOCUMENT), ("swaggers.yaml", config)]).logging()
}

/// The same, compiled.
fn compiled(config: &str) -> Folder {
    tasks(config).compiled()
}

/// What `mce compile` prints, on one line.
fn compile(folder: &Folder) -> String {
    let done = folder.command(&["compile"]).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    one_line(&done.stdout)
}

fn one_line(text: &[u8]) -> String {
    let text = std::str::from_utf8(text).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The result that `call` and `exec` print.
fn result(done: &Output) -> Value {
    serde_json::from_slice(&done.stdout).unwrap()
}

/// What a call of `get_task` comes to.
fn called(folder: &Folder) -> Value {
    let mut call = folder.command(&["call", "tasks.get_task", "task_id=1"]);
    result(&call.output().unwrap())
}

fn text<'a>(result: &'a Value, member: &str) -> &'a str {
    result[member].as_str().unwrap_or_default()
}

#[test]
fn a_private_server_of_the_document_is_said_when_compiling_and_when_calling() {
    let folder = tasks(CONFIG);
    has(
        &compile(&folder),
        "the document's server `http://127.0.0.1:9/v1` is a private address, which calls may not \
         reach; to allow it add `base_url: http://127.0.0.1:9/v1` to `tasks` in swaggers.yaml",
    );
    let result = called(&folder);
    has(
        text(&result, "error"),
        "server `tasks`: the document's server `http://127.0.0.1:9/v1` is a private address; to \
         allow it add `base_url: http://127.0.0.1:9/v1` to `tasks` in swaggers.yaml, or set \
         `MCE_TASKS_BASE_URL`",
    );
}

#[test]
fn localhost_in_the_document_is_said_when_compiling() {
    let folder = tasks(CONFIG);
    folder.write("tasks.yaml", &DOCUMENT.replace("127.0.0.1", "localhost"));
    has(
        &compile(&folder),
        "add a `base_url` with `127.0.0.1` in place of `localhost`, or `allow_private_network: true`",
    );
}

#[test]
fn a_private_server_that_the_user_allowed_is_no_matter() {
    let config = format!("{CONFIG}    base_url: http://127.0.0.1:9/v1\n");
    assert!(!compile(&tasks(&config)).contains("private address"));
}

#[test]
fn a_missing_credential_is_said_when_compiling() {
    has(
        &compile(&tasks(CONFIG)),
        "the document wants `key` (apiKey, header X-Api-Key); the config has no `auth`, so calls \
         will be refused by the API unless MCE_TASKS_API_KEY is set",
    );
    // What the document does not declare is not among what it wants.
    let folder = tasks(CONFIG);
    let undeclared = DOCUMENT.replace("[{key: []}]", "[{a: [], b: [], c: [], d: [], key: []}]");
    folder.write("tasks.yaml", &undeclared);
    has(
        &compile(&folder),
        "the document wants `key` (apiKey, header X-Api-Key); the config has no `auth`, so calls",
    );
    let wrong = format!("{CONFIG}    auth: {{type: jwt, token: \"${{T}}\"}}\n");
    has(
        &compile(&tasks(&wrong)),
        "the config has `auth` of the type `jwt`",
    );
    // A log-in without `token_field` gives cookies.
    let session = "    auth: {type: session, login_url: 'https://id.example/l', username: u, \
                   password: \"${P}\"}\n";
    let folder = tasks(&format!("{CONFIG}{session}"));
    let bearer = DOCUMENT.replace(
        "{type: apiKey, in: header, name: X-Api-Key}",
        "{type: http, scheme: bearer}",
    );
    folder.write("tasks.yaml", &bearer);
    has(
        &compile(&folder),
        "the config has `auth` of the type `session`",
    );
    for right in [
        "    auth: {type: api_key, value: \"${K}\"}\n",
        "    auth: {type: api_key, value: \"${K}\", in: header, name: x-api-key}\n",
        "    extra_headers: {X-Api-Key: \"${K}\"}\n",
    ] {
        let summary = compile(&tasks(&format!("{CONFIG}{right}")));
        assert!(!summary.contains("the document wants"), "{summary}");
    }
}

#[test]
fn an_api_that_does_not_run_is_named_with_where_it_was_looked_for() {
    let config = format!("{CONFIG}    base_url: http://127.0.0.1:9/v1\n");
    let result = called(&compiled(&config));
    has(
        text(&result, "error"),
        "server `tasks` could not be reached: ",
    );
    has(
        text(&result, "error"),
        "`MCE_TASKS_BASE_URL` or `base_url` says where it is",
    );
}

/// A folder that holds nothing.
fn wrong_folder() -> Folder {
    Folder::new(&[]).logging()
}

#[test]
fn in_the_wrong_folder_serving_is_an_error_that_says_where_it_looked() {
    let folder = wrong_folder();
    let done = folder.command(&["serve"]).output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    let wanted = format!(
        "error: nothing to serve: no config here (looked for ./swaggers.yaml, \
         ./config/swaggers.yaml) and nothing compiled in {}/compiled",
        fs::canonicalize(folder.path()).unwrap().display()
    );
    has(&one_line(&done.stderr), &wanted);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn in_the_wrong_folder_a_call_says_so_and_leaves_nothing_behind() {
    let folder = wrong_folder();
    let done = folder
        .command(&["call", "tasks.get_task"])
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(1));
    has(
        &one_line(&done.stderr),
        "error: there is no server `tasks`: no config here (looked for ./swaggers.yaml, \
         ./config/swaggers.yaml) and nothing compiled in ",
    );
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn in_the_wrong_folder_code_that_imports_a_server_is_told_why_there_is_none() {
    let folder = wrong_folder();
    folder.write("code.py", "from tasks.functions import get_task\n");
    let done = folder.command(&["exec", "code.py"]).output().unwrap();
    has(text(&result(&done), "hint"), "no config here");
    // Other code goes on to the sandbox.
    folder.write("code.py", "result = 6 * 7\n");
    let done = folder.command(&["exec", "code.py"]).output().unwrap();
    assert_eq!(result(&done)["data"], 42);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn compiled_output_that_is_elsewhere_is_named_whole() {
    let folder = compiled(CONFIG);
    fs::create_dir(folder.path().join("other")).unwrap();
    let done = folder
        .command(&["call", "--config", "../swaggers.yaml", "tasks.get_task"])
        .current_dir(folder.path().join("other"))
        .output()
        .unwrap();
    let result = result(&done);
    let wanted = format!(
        "`{}/other/compiled/tasks/manifest.json` is missing; run `mce compile`",
        fs::canonicalize(folder.path()).unwrap().display()
    );
    has(text(&result, "error"), &wanted);
    has(text(&result, "hint"), "set `MCE_COMPILED_OUTPUT_DIR`");
}

#[test]
fn a_client_is_configured_with_paths_that_hold_no_dots() {
    let folder = tasks(CONFIG);
    fs::create_dir(folder.path().join("other")).unwrap();
    let done = folder
        .command(&["compile", "--config", "../swaggers.yaml"])
        .current_dir(folder.path().join("other"))
        .output()
        .unwrap();
    let summary = one_line(&done.stdout);
    let client = &summary[summary.find("mcpServers").unwrap()..];
    assert!(!client.contains("/.."), "{client}");
}

const WITH_KEY: &str = "\
servers:
  - name: tasks
    swagger_url: tasks.yaml
    base_url: http://127.0.0.1:9/v1
    auth: {type: api_key, value: \"${TASKS_KEY}\"}
";

#[test]
fn an_empty_variable_is_named_once_with_what_to_do() {
    let folder = compiled(WITH_KEY);
    let mut call = folder.command(&["call", "tasks.get_task", "task_id=1"]);
    let done = call.env("TASKS_KEY", "").output().unwrap();
    assert_eq!(one_line(&done.stderr), "");
    let result = result(&done);
    has(text(&result, "error"), "the variable `TASKS_KEY` is empty");
    assert!(!text(&result, "error").contains("hint"), "{result}");
    has(
        text(&result, "hint"),
        "fill `TASKS_KEY` in: under `env` of the client's configuration",
    );
}

#[test]
fn an_unset_secret_is_not_advised_to_have_a_default() {
    let result = called(&compiled(WITH_KEY));
    has(
        text(&result, "error"),
        "the variable `TASKS_KEY` is not set",
    );
    assert!(!result.to_string().contains(":-"), "{result}");
}

#[test]
fn an_empty_variable_does_not_hide_the_env_file() {
    let folder = compiled(WITH_KEY);
    folder.write(".env", "TASKS_KEY=0123456789abcdef\n");
    let mut call = folder.command(&["call", "tasks.get_task", "task_id=1"]);
    let done = call.env("TASKS_KEY", "").output().unwrap();
    has(text(&result(&done), "error"), "could not be reached");
}

#[test]
fn without_an_engine_code_runs_in_a_worker_and_that_is_said() {
    let folder = compiled(CONFIG);
    folder.write("code.py", "result = sum(x for x in range(4))\n");
    let done = folder.command(&["exec", "code.py"]).output().unwrap();
    let found = result(&done);
    assert_eq!(
        (&found["data"], text(&found, "sandbox")),
        (&6.into(), "embedded")
    );
    folder.write("code.py", "import decimal\n");
    let done = folder.command(&["exec", "code.py"]).output().unwrap();
    let found = result(&done);
    assert_eq!(text(&found, "error_type"), "unsupported");
    has(
        text(&found, "error"),
        "line 1: the module `decimal` needs the docker sandbox",
    );
}

#[test]
fn arguments_that_are_wrong_are_put_right() {
    let config = format!("{CONFIG}    base_url: http://127.0.0.1:9/v1\n");
    let folder = compiled(&config);
    let call = |arguments: &[&str]| {
        let arguments = [&["call"], arguments].concat();
        result(&folder.command(&arguments).output().unwrap())
    };
    has(
        text(&call(&["tasks.get_task", "taskId=1"]), "error"),
        "got an unexpected keyword argument 'taskId'; did you mean 'task_id'?",
    );
    has(
        text(&call(&["tasks.add_task", "body={\"title\":"]), "hint"),
        "`body` is not valid JSON, so it was taken as text",
    );
}

#[test]
fn operations_that_were_left_out_are_counted_where_one_is_missed() {
    let folder = compiled(&format!("{CONFIG}    is_read_only: true\n"));
    let done = folder
        .command(&["call", "tasks.delete_task", "task_id=1"])
        .output()
        .unwrap();
    has(
        text(&result(&done), "hint"),
        "`tasks` is read-only: operations that may change something were left out (2)",
    );
}

#[test]
fn frequent_slips_in_yaml_are_worded_for_people() {
    for (config, wanted) in [
        (
            "servers:\n\t- name: a\n",
            "indent with spaces, not with tabs",
        ),
        (
            "servers:\n  - {name: a, swagger_url: ${U}}\n",
            "quote variables: `\"${NAME}\"`",
        ),
    ] {
        let folder = tasks(config);
        let done = folder.command(&["compile"]).output().unwrap();
        has(&one_line(&done.stderr), wanted);
    }
}

#[test]
fn a_file_that_cannot_be_read_is_a_matter_of_usage_everywhere() {
    let folder = compiled(CONFIG);
    for arguments in [
        &["exec", "nowhere.py"][..],
        &["guard", "nowhere.py"],
        &["call", "tasks.add_task", "body=@nowhere.json"],
    ] {
        let done = folder.command(arguments).output().unwrap();
        assert_eq!(done.status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn a_server_says_what_it_serves_and_that_it_waits() {
    let folder = compiled(CONFIG);
    let mut serve = folder
        .command(&["serve"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(serve.stderr.take().unwrap()).lines();
    let announced = lines
        .map_while(Result::ok)
        .find(|line| line.contains("serving"));
    has(
        &announced.unwrap(),
        "serving 1 server, 3 functions; waiting for a client on stdin",
    );
    drop(serve.stdin.take());
    assert!(serve.wait().unwrap().success());
}

/// The walk-through of the README, as far as it needs no engine.
#[test]
fn the_demo_serves_its_api_for_calls_of_ones_own() {
    let mut demo = Command::cargo_bin("mce").unwrap();
    let mut demo = demo
        .args(["demo", "--serve"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(demo.stdout.take().unwrap()).lines();
    let mut variables = Vec::new();
    for line in lines.by_ref().map_while(Result::ok) {
        if let Some((name, value)) = line
            .trim()
            .strip_prefix("export ")
            .and_then(|it| it.split_once('='))
        {
            variables.push((name.to_owned(), value.to_owned()));
        }
        if line.contains("What it receives") {
            break;
        }
    }
    let state = TempDir::new().unwrap();
    let done = Command::cargo_bin("mce")
        .unwrap()
        .args(["call", "bookshop.list_books", "genre=mystery"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_clear()
        .env("MCE_AUDIT_DB_PATH", state.path().join("audit.db"))
        .env("MCE_CACHE_DB_PATH", state.path().join("cache.db"))
        .envs(variables)
        .output()
        .unwrap();
    assert_eq!(result(&done)["data"][0]["title"], "The Locked Lighthouse");
    assert_eq!(
        lines.next().unwrap().unwrap(),
        "  GET /books?genre=mystery (with the key)"
    );
    demo.kill().unwrap();
    demo.wait().unwrap();
}
