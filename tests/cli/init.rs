//! `mce init`: from a document to a project.

use crate::folder::{Folder, has};

const DOCUMENT: &str = "\
openapi: 3.0.3
info: {title: 'Task API', version: '1'}
servers: [{url: https://tasks.example/v1}]
security: [{key: []}]
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
    login: {type: http, scheme: basic}
paths:
  /tasks:
    get: {operationId: listTasks, responses: {'204': {description: fine}}}
    post: {operationId: addTask, responses: {'204': {description: fine}}}
  /me:
    get: {operationId: me, security: [{login: []}], responses: {'204': {description: fine}}}
";

#[test]
fn a_document_becomes_a_project_that_says_what_to_set() {
    let folder = Folder::new(&[("api/openapi.yaml", DOCUMENT)]);
    let seen = folder.mce(&["init", "api/openapi.yaml"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    has(
        &seen.stdout,
        "swaggers.yaml: written, with the server `task`",
    );
    has(
        &seen.stdout,
        "TASK_API_KEY (API key, `X-Key` in header; 2 functions)",
    );
    let config = "\
# Task API
# docs/configuration.md says what else can stand here.
servers:
  - name: task
    swagger_url: api/openapi.yaml
    # Leave out every operation that may change something:
    # is_read_only: true
    # Where the API is, if not where the document says:
    # base_url: https://tasks.example/v1
    auth:
      type: api_key
      value: ${TASK_API_KEY}
    # The document also takes: login
";
    assert_eq!(folder.read("swaggers.yaml"), config);
    has(&folder.read(".env.example"), "\nTASK_API_KEY=\n");
    // What it wrote is what compiling writes.
    let seen = folder.mce(&["compile", "--check"]);
    assert_eq!(seen.code, 0, "{}{}", seen.stdout, seen.stderr);
    let seen = folder.mce(&["call", "task"]);
    has(&seen.stdout, "add_task");
}

#[test]
fn nothing_is_overwritten_unless_that_is_asked_for() {
    let folder = Folder::new(&[("openapi.yaml", DOCUMENT), (".env.example", "mine\n")]);
    let before = folder.everything();
    let seen = folder.mce(&["init", "openapi.yaml"]);
    assert_eq!(seen.code, 1);
    has(&seen.stderr, ".env.example is already in");
    assert_eq!(folder.everything(), before);
    let seen = folder.mce(&[
        "init",
        "openapi.yaml",
        "--force",
        "--name",
        "todo",
        "--read-only",
    ]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    has(&folder.read("swaggers.yaml"), "is_read_only: true\n");
    let listed = folder.mce(&["call", "todo"]).stdout;
    assert!(!listed.contains("add_task"), "{listed}");
}

#[test]
fn a_document_that_is_none_leaves_nothing() {
    let folder = Folder::new(&[("notes.txt", "not a document\n")]);
    let before = folder.everything();
    for source in [
        "notes.txt",
        "missing.yaml",
        "http://127.0.0.1:1/openapi.json",
    ] {
        let seen = folder.mce(&["init", source]);
        assert_eq!(seen.code, 1, "{source}: {}", seen.stdout);
        assert_eq!(folder.everything(), before, "{source}");
    }
    let seen = folder.mce(&["init", "https://user:canary@api.example/openapi.json"]);
    assert_eq!(seen.code, 2);
    assert!(!seen.stderr.contains("canary"), "{}", seen.stderr);
    assert_eq!(folder.everything(), before);
}

/// What a document calls itself stands in a comment, and cannot leave it.
#[test]
fn a_hostile_title_stays_within_its_comment() {
    let title = r#"title: "x\nservers: []\n\u202e""#;
    let document = DOCUMENT.replace("title: 'Task API'", title);
    let folder = Folder::new(&[("openapi.yaml", &document)]);
    let seen = folder.mce(&["init", "openapi.yaml"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    let config = folder.read("swaggers.yaml");
    assert_eq!(config.matches("\nservers:").count(), 1, "{config}");
    assert!(!config.contains('\u{202e}'), "{config}");
}

#[test]
fn where_the_api_is_has_to_be_said_where_the_document_does_not() {
    let document = DOCUMENT.replace("servers: [{url: https://tasks.example/v1}]\n", "");
    let folder = Folder::new(&[("openapi.yaml", &document)]);
    let seen = folder.mce(&["init", "openapi.yaml"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    has(&folder.read("swaggers.yaml"), "base_url: ${TASK_URL}\n");
    has(&folder.read(".env.example"), "\nTASK_URL=\n");
}

/// The variables were made of the name as it was given, which is none of a variable.
#[test]
fn a_name_is_put_into_shape_once_for_all_that_is_made_of_it() {
    for (given, server, variable) in [
        ("2captcha", "m_2captcha", "M_2CAPTCHA_API_KEY"),
        ("My  API", "my_api", "MY_API_API_KEY"),
    ] {
        let folder = Folder::new(&[("openapi.yaml", DOCUMENT)]);
        let seen = folder.mce(&["init", "openapi.yaml", "--name", given]);
        assert_eq!(seen.code, 0, "{}", seen.stderr);
        has(&seen.stdout, &format!("with the server `{server}`"));
        has(&seen.stdout, &format!("`mce call {server}`"));
        let config = folder.read("swaggers.yaml");
        has(&config, &format!("name: {server}\n"));
        has(&config, &format!("value: ${{{variable}}}\n"));
        folder.write(".env", &format!("{variable}=canary-key\n"));
        let seen = folder.mce(&["auth", "check"]);
        assert_eq!(seen.code, 0, "{}{}", seen.stdout, seen.stderr);
    }
    let folder = Folder::new(&[("openapi.yaml", DOCUMENT)]);
    let seen = folder.mce(&["init", "openapi.yaml", "--name", "雪"]);
    assert_eq!(seen.code, 2, "{}", seen.stdout);
}

/// A server has one key.
#[test]
fn a_second_key_of_the_same_calls_is_told_of_and_named_by_no_variable() {
    let document = DOCUMENT
        .replace("security: [{key: []}]", "security: [{key: [], app: []}]")
        .replace(
            "    login:",
            "    app: {type: apiKey, in: header, name: X-App}\n    login:",
        );
    let folder = Folder::new(&[("openapi.yaml", &document)]);
    let seen = folder.mce(&["init", "openapi.yaml"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    assert_eq!(folder.read(".env.example").matches("API_KEY=").count(), 1);
    has(
        &folder.read("swaggers.yaml"),
        "as `X-Key` in header: the same key goes there; another one is given under `extra_headers`",
    );
}

/// Whoever interrupts it finds the folder as it was.
#[cfg(unix)]
#[test]
fn an_interrupted_one_leaves_nothing() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/openapi.json", listener.local_addr().unwrap());
    let folder = Folder::new(&[]);
    let before = folder.everything();
    let mut running = folder.command(&["init", &url]).spawn().unwrap();
    // It waits for an answer that never comes.
    let (mut waiting, _) = listener.accept().unwrap();
    assert!(std::io::Read::read(&mut waiting, &mut [0; 16]).unwrap() > 0);
    let process = rustix::process::Pid::from_child(&running);
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    assert_eq!(running.wait().unwrap().code(), Some(130));
    assert_eq!(folder.everything(), before);
}
