//! What the binary says to somebody who is new to it and got something wrong: the text has to name
//! the thing and what to do.

#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use assert_cmd::cargo::CommandCargoExt as _;
use serde_json::Value;
use tempfile::TempDir;

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

struct Folder(TempDir);

impl Folder {
    /// A folder with a document and this config.
    fn new(config: &str) -> Self {
        let folder = Self(TempDir::new().unwrap());
        folder.write("tasks.yaml", DOCUMENT);
        folder.write("swaggers.yaml", config);
        folder
    }

    /// The same, compiled.
    fn compiled(config: &str) -> Self {
        let folder = Self::new(config);
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
            .env("MCE_DOCKER_HOST", "unix:///nonexistent/engine.sock")
            .stdin(Stdio::null());
        command
    }

    /// What `mce compile` prints, on one line.
    fn compile(&self) -> String {
        let done = self.mce(&["compile"]).output().unwrap();
        assert!(done.status.success(), "{done:?}");
        one_line(&done.stdout)
    }
}

fn one_line(text: &[u8]) -> String {
    let text = std::str::from_utf8(text).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The result that `call` and `exec` print.
fn result(done: &Output) -> Value {
    serde_json::from_slice(&done.stdout).unwrap()
}

fn text<'a>(result: &'a Value, member: &str) -> &'a str {
    result[member].as_str().unwrap_or_default()
}

#[track_caller]
fn assert_says(found: &str, wanted: &str) {
    assert!(found.contains(wanted), "expected: {wanted}\nfound: {found}");
}

#[test]
fn a_private_server_of_the_document_is_said_when_compiling_and_when_calling() {
    let folder = Folder::new(CONFIG);
    assert_says(
        &folder.compile(),
        "the document's server `http://127.0.0.1:9/v1` is a private address, which calls may not \
         reach; to allow it add `base_url: http://127.0.0.1:9/v1` to `tasks` in swaggers.yaml",
    );
    let done = folder.mce(&["call", "tasks.get_task", "task_id=1"]);
    let result = result(&{ done }.output().unwrap());
    assert_says(
        text(&result, "error"),
        "server `tasks`: the document's server `http://127.0.0.1:9/v1` is a private address; to \
         allow it add `base_url: http://127.0.0.1:9/v1` to `tasks` in swaggers.yaml, or set \
         `MCE_TASKS_BASE_URL`",
    );
}

#[test]
fn localhost_in_the_document_is_said_when_compiling() {
    let folder = Folder::new(CONFIG);
    folder.write("tasks.yaml", &DOCUMENT.replace("127.0.0.1", "localhost"));
    assert_says(
        &folder.compile(),
        "add a `base_url` with `127.0.0.1` in place of `localhost`, or `allow_private_network: true`",
    );
}

#[test]
fn a_private_server_that_the_user_allowed_is_no_matter() {
    let config = format!("{CONFIG}    base_url: http://127.0.0.1:9/v1\n");
    assert!(!Folder::new(&config).compile().contains("private address"));
}

#[test]
fn a_missing_credential_is_said_when_compiling() {
    assert_says(
        &Folder::new(CONFIG).compile(),
        "the document wants `key` (apiKey, header X-Api-Key); the config has no `auth`, so calls \
         will be refused by the API unless MCE_TASKS_API_KEY is set",
    );
    let wrong = format!("{CONFIG}    auth: {{type: jwt, token: \"${{T}}\"}}\n");
    assert_says(
        &Folder::new(&wrong).compile(),
        "the config has `auth` of the type `jwt`",
    );
    for right in [
        "    auth: {type: api_key, value: \"${K}\"}\n",
        "    auth: {type: api_key, value: \"${K}\", in: header, name: x-api-key}\n",
        "    extra_headers: {X-Api-Key: \"${K}\"}\n",
    ] {
        let summary = Folder::new(&format!("{CONFIG}{right}")).compile();
        assert!(!summary.contains("the document wants"), "{summary}");
    }
}

#[test]
fn what_this_version_does_not_have_is_said_when_compiling() {
    let config = format!(
        "{CONFIG}    top_level_functions: [get_task]\n    auth:\n      type: oauth2\n      \
         token_url: https://id.example/token\n      client_id: me\n      client_secret: ${{S}}\n"
    );
    let summary = Folder::new(&config).compile();
    assert_says(
        &summary,
        "`auth` of the type `oauth2` or `keycloak` is not in this version",
    );
    assert_says(
        &summary,
        "`top_level_functions` has no effect in this version",
    );
}

#[test]
fn an_api_that_does_not_run_is_named_with_where_it_was_looked_for() {
    let config = format!("{CONFIG}    base_url: http://127.0.0.1:9/v1\n");
    let folder = Folder::compiled(&config);
    let done = folder
        .mce(&["call", "tasks.get_task", "task_id=1"])
        .output()
        .unwrap();
    let result = result(&done);
    assert_says(
        text(&result, "error"),
        "server `tasks` could not be reached: ",
    );
    assert_says(
        text(&result, "error"),
        "`MCE_TASKS_BASE_URL` or `base_url` says where it is",
    );
}
