//! Where references of a file may lead: the folders of the document and of the config.

use std::time::{Duration, Instant};

use mce::openapi;
use serde_json::json;
use wiremock::MockServer;

use crate::project::{
    CANARY, Project, answer_of, api_with, read, reason_of, referring_to, request,
};

#[test]
fn references_out_of_the_folders_are_refused() {
    let outside = "the folders of the document and of the config";
    for (reference, reason) in [
        ("../../outside.json", outside),
        ("parts/../../../outside.json", outside),
        ("%2e%2e/%2e%2e/outside.json", outside),
        ("/etc/passwd", outside),
        ("../../missing.json", outside),
        (".env", outside),
        ("parts/.secret.json", outside),
        ("/proc/self/environ", outside),
        ("file:///etc/passwd", "`file:` is refused"),
        ("FILE:api.json", "`FILE:` is refused"),
        ("file:part.json", "`file:` is refused"),
        ("ftp://example.com/x", "`ftp:` is refused"),
        ("data:application/json,{}", "`data:` is refused"),
        ("c:\\x.json", "`c:` is refused"),
        ("\\\\host\\x.json", "names of machines"),
        ("//host/x.json", "names of machines"),
        ("part.json\u{0}", "a control character"),
        ("part%00.json", "a control character"),
        ("http://169.254.169.254/latest/meta-data", "metadata"),
        ("http://[fd00:ec2::254]/latest", "metadata"),
        ("http://2852039166/latest", "metadata"),
        ("https://metadata.google.internal/x", "metadata"),
    ] {
        let project = Project::new(&[("api.json", &referring_to(reference)), ("part.json", "{}")]);
        let message = project.refusal();
        assert!(message.contains(reason), "{reference}: {message}");
        assert!(
            message.contains("at `#/paths/~1a/get/responses/200/content/application~1json/schema`"),
            "{message}"
        );
    }
}

#[test]
fn an_absolute_path_outside_is_refused_where_it_exists() {
    let project = Project::new(&[]);
    let outside = project.path("outside.json");
    let text = referring_to(outside.to_str().unwrap());
    project.write("home/specs/api.json", &text);
    let reason = project.load().unwrap_err().reason;
    assert!(reason.contains("the folders of"), "{reason}");
    assert!(!reason.contains(CANARY), "{reason}");
}

#[cfg(unix)]
#[test]
fn links_out_of_the_folders_are_refused() {
    use std::os::unix::fs::symlink;

    let project = Project::new(&[("api.json", &referring_to("part.json"))]);
    symlink("../../outside.json", project.path("home/specs/part.json")).unwrap();
    let message = project.refusal();
    assert!(
        message.contains("`part.json`, which it refers to: it leads out"),
        "{message}"
    );

    let project = Project::new(&[("api.json", &referring_to("sub/outside.json"))]);
    symlink("../..", project.path("home/specs/sub")).unwrap();
    let message = project.refusal();
    assert!(
        message.contains("`sub/outside.json`, which it refers to: it leads out"),
        "{message}"
    );
}

#[cfg(unix)]
#[test]
fn devices_pipes_and_process_files_are_refused_at_once() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    use std::os::unix::fs::symlink;

    let begun = Instant::now();
    for target in ["/dev/zero", "/proc/self/environ", "/sys/kernel/notes"] {
        let project = Project::new(&[("api.json", &referring_to("part.json"))]);
        symlink(target, project.path("home/specs/part.json")).unwrap();
        project.refusal();
    }
    let project = Project::new(&[("api.json", &referring_to("part.json"))]);
    let pipe = project.path("home/specs/part.json");
    mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR, 0).unwrap();
    assert!(project.refusal().ends_with("it is no regular file"));
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[cfg(unix)]
#[test]
fn links_within_the_folders_are_followed_and_a_file_is_read_once() {
    use std::os::unix::fs::symlink;

    let schema = json!({"anyOf": [{"$ref": "one.json#/A"}, {"$ref": "two.json#/A"}]});
    let project = Project::new(&[
        ("api.json", &api_with(&schema).to_string()),
        ("one.json", r#"{"A": {"type": "string"}}"#),
    ]);
    symlink("one.json", project.path("home/specs/two.json")).unwrap();
    let loaded = project.load().unwrap();
    assert_eq!(loaded.files.keys().collect::<Vec<_>>(), ["one.json"]);
    assert_eq!(
        answer_of(&read(loaded)),
        &json!({"anyOf": [{"$ref": "one.json#/A"}, {"$ref": "one.json#/A"}]})
    );
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_costs_no_operation() {
    // A loop of links is what nobody can read, whoever runs the tests.
    let project = Project::new(&[("api.json", &referring_to("part.yaml"))]);
    std::os::unix::fs::symlink("part.yaml", project.path("home/specs/part.yaml")).unwrap();
    assert!(
        project
            .refusal()
            .contains("`part.yaml`, which it refers to: ")
    );
}

#[tokio::test]
async fn nothing_is_fetched_on_the_word_of_a_file() {
    let server = MockServer::start().await;
    let project = Project::new(&[(
        "api.json",
        &referring_to(&format!("{}/x.yaml", server.uri())),
    )]);
    let request = request("specs/api.json", project.path("home"));
    let api = read(openapi::load(&request).await.unwrap());
    assert!(reason_of(&api).contains("nothing is fetched"));
    assert!(server.received_requests().await.unwrap().is_empty());
}
