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

/// The document of an API that is there, and wants one credential.
fn at(url: &str) -> String {
    DOCUMENT
        .replace("https://tasks.example/v1", url)
        .replace("security: [{login: []}], ", "")
}

/// It was left a comment, so that the first call was refused.
#[test]
fn an_address_of_this_machine_is_permitted_and_told_of() {
    for (url, keys, line) in [
        (
            "http://127.0.0.1:8000",
            "`base_url`",
            "    base_url: http://127.0.0.1:8000\n",
        ),
        (
            "http://localhost:8000",
            "`base_url` and `allow_private_network`",
            "    base_url: http://localhost:8000\n    allow_private_network: true\n",
        ),
    ] {
        let document = at(url);
        let folder = Folder::new(&[("openapi.yaml", &document)]);
        let seen = folder.mce(&["init", "openapi.yaml"]);
        assert_eq!(seen.code, 0, "{}", seen.stderr);
        let told = format!(
            "calls may go to `{url}`, which is not of the internet, by {keys} in swaggers.yaml"
        );
        has(&seen.stdout, &told);
        has(&folder.read("swaggers.yaml"), line);
        let mut doctor = folder.command(&["doctor", "--no-engine"]);
        let seen = doctor
            .env("TASK_API_KEY", "canary-canary")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&seen.stdout);
        has(&text, "nothing is wrong");
        has(&text, "base URL     calls of 1 server go to 1 origin");
        let seen = folder.mce(&["compile", "--check"]);
        assert_eq!(seen.code, 0, "{}{}", seen.stdout, seen.stderr);
    }
}

#[test]
fn a_private_address_of_elsewhere_is_left_to_the_user() {
    let document = at("http://10.0.0.5/v1");
    let folder = Folder::new(&[("openapi.yaml", &document)]);
    let seen = folder.mce(&["init", "openapi.yaml"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    has(
        &seen.stdout,
        "  warning: the document's server `http://10.0.0.5/v1` is a private address",
    );
    has(
        &seen.stdout,
        "1. if calls may go to `http://10.0.0.5/v1`, which is not of the internet: take the `#` off \
         `base_url` in swaggers.yaml, then `mce compile`",
    );
    let config = folder.read("swaggers.yaml");
    has(&config, "    # base_url: http://10.0.0.5/v1\n");
    folder.write("swaggers.yaml", &config.replace("# base_url", "base_url"));
    assert_eq!(folder.mce(&["compile"]).code, 0);
    let mut doctor = folder.command(&["doctor", "--no-engine"]);
    let seen = doctor
        .env("TASK_API_KEY", "canary-canary")
        .output()
        .unwrap();
    has(&String::from_utf8_lossy(&seen.stdout), "nothing is wrong");
}

/// They were lost, and the first call told what compiling knew.
#[test]
fn what_compiling_warns_of_is_said() {
    let document = DOCUMENT.replace("  /me:", "  bad: {}\n  /me:");
    let folder = Folder::new(&[("openapi.yaml", &document)]);
    let seen = folder.mce(&["init", "openapi.yaml"]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    has(&seen.stdout, "compiled: 3 functions\n  warning: ");
    let document = DOCUMENT.replace("Task API", "MCP Tasks");
    let folder = Folder::new(&[("openapi.yaml", &document)]);
    let seen = folder.mce(&["init", "openapi.yaml"]);
    has(&seen.stdout, "with the server `api_mcp_tasks`");
}

/// The second answer could be another document than the one that the config was made for.
#[test]
fn a_document_is_fetched_once() {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let serving = std::thread::spawn(move || {
        let mut served = 0;
        loop {
            let (mut stream, _) = listener.accept().unwrap();
            let mut head = [0; 4096];
            let length = stream.read(&mut head).unwrap();
            if head[..length].starts_with(b"GET /end") {
                return served;
            }
            served += 1;
            // No server: it is where the document is from.
            let body = DOCUMENT
                .replace("servers: [{url: https://tasks.example/v1}]\n", "")
                .replace("Task API", &format!("Task {}", ["One", "Two"][served - 1]));
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            );
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    let folder = Folder::new(&[]);
    let seen = folder.mce(&["init", &format!("http://{address}/openapi.yaml")]);
    assert_eq!(seen.code, 0, "{}", seen.stderr);
    std::net::TcpStream::connect(address)
        .unwrap()
        .write_all(b"GET /end HTTP/1.1\r\n\r\n")
        .unwrap();
    assert_eq!(serving.join().unwrap(), 1);
    has(&seen.stdout, "with the server `task_one`");
    let config = folder.read("swaggers.yaml");
    has(&config, &format!("    base_url: http://{address}\n"));
    has(
        &folder.read("compiled/task_one/manifest.json"),
        "\"Task One\"",
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
