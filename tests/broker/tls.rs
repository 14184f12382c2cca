//! TLS is always verified; a server's own authority is trusted for that server alone. And the
//! proxy is the one that MCE was told.

use std::path::Path;

use mce::config::ServerConfig;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;

use crate::authority::Authority;
use crate::capture::{Capture, response};
use crate::fixture::{Setup, function, manifest, template};

fn setup(config: impl FnOnce(&mut ServerConfig)) -> Setup {
    let mut setup = Setup::new(manifest(
        vec![function("f", "GET", "/f", &[], json!([]))],
        &[],
    ));
    config(&mut setup.config);
    setup
}

/// An API over TLS on loopback, and its authority as PEM. Gives its port.
async fn secure(name: &str) -> (u16, String) {
    let authority = Authority::new();
    let port = authority.serve(authority.config(name)).await;
    (port, authority.pem())
}

#[tokio::test]
async fn an_authority_of_the_config_is_trusted_and_no_other() {
    let (port, pem) = secure("127.0.0.1").await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ca.pem"), pem).unwrap();
    let url = format!("https://127.0.0.1:{port}");

    let error = setup(|_| {})
        .at(&url)
        .build()
        .call("f", json!({}))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), "network");
    assert!(error.to_string().contains("certificate"), "{error}");

    let trusting = setup(|config| config.ca_file = Some(template("${CA}")))
        .at(&url)
        .variable("CA", "ca.pem");
    let shop = trusting.build_in(folder.path());
    shop.call("f", json!({})).await.unwrap();
}

/// Plain requests of code have no authority of their own.
#[tokio::test]
async fn a_plain_request_trusts_nobody_but_the_system() {
    let (port, _) = secure("127.0.0.1").await;
    let mut setup = setup(|_| {}).at("https://api.example");
    setup.limits.allowed_domains = Some(vec![format!("127.0.0.1:{port}")]);
    let request = mce::sandbox::HttpRequest {
        method: "GET".into(),
        url: format!("https://127.0.0.1:{port}/"),
        ..mce::sandbox::HttpRequest::default()
    };
    let error = setup.build().host.http(request).await.unwrap_err();
    assert!(error.to_string().contains("certificate"), "{error}");
}

#[tokio::test]
async fn a_certificate_for_another_name_is_not_accepted() {
    let (port, pem) = secure("other.example").await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ca.pem"), pem).unwrap();
    let shop = setup(|config| config.ca_file = Some(template("ca.pem")))
        .at(&format!("https://127.0.0.1:{port}"))
        .build_in(folder.path());
    let error = shop.call("f", json!({})).await.unwrap_err();
    assert_eq!(error.kind(), "network");
}

#[tokio::test]
async fn an_authority_that_cannot_be_read_is_a_problem_of_that_server() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("empty.pem"), "nothing").unwrap();
    // Opening a pipe waited for a writer, with every other call waiting behind it.
    mknodat(
        CWD,
        folder.path().join("pipe"),
        FileType::Fifo,
        Mode::RUSR,
        0,
    )
    .unwrap();
    for (path, expected) in [
        ("pipe", "is no regular file"),
        ("missing.pem", "cannot be read"),
        ("empty.pem", "holds no PEM certificate"),
        (".", "no regular file"),
    ] {
        let shop = setup(|config| config.ca_file = Some(template(path)))
            .at("https://127.0.0.1:9")
            .build_in(folder.path());
        let problems: Vec<_> = shop.broker.problems().collect();
        assert_eq!(problems.len(), 1);
        assert!(problems[0].1.contains(expected), "{problems:?}");
        shop.refused("f", json!({})).await;
    }
    assert!(Path::new(folder.path()).exists());
}

#[tokio::test]
async fn the_configured_proxy_is_asked_for_names_and_never_for_private_addresses() {
    let proxy = Capture::start(|_| response(403, &[], "")).await;
    let with_proxy = |url: &str, trusted: bool| {
        let mut setup = setup(|config| config.allow_private_network = trusted).at(url);
        let url = format!("http://user:canary-proxy@127.0.0.1:{}", proxy.port());
        setup.limits.https_proxy = Some(url.into());
        setup.build()
    };
    let error = with_proxy("https://api.mce.invalid/v1", true)
        .call("f", json!({}))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), "network");
    assert!(!error.to_string().contains("canary"), "{error}");
    let request = proxy.only();
    assert_eq!(request.line, "CONNECT api.mce.invalid:443 HTTP/1.1");
    assert_eq!(
        request.header("proxy-authorization"),
        ["Basic dXNlcjpjYW5hcnktcHJveHk="]
    );

    // A name that leads into the own network is not passed on, and an address is not either.
    with_proxy("https://localhost/v1", false)
        .refused("f", json!({}))
        .await;
    // Nor is one that only the proxy can look up: it may lead into the proxy's network.
    with_proxy("https://other.mce.invalid/v1", false)
        .refused("f", json!({}))
        .await;
    let _ = with_proxy("https://127.0.0.1:9/v1", false)
        .call("f", json!({}))
        .await;
    assert_eq!(proxy.requests().len(), 1);
}

/// A folder with the authority, the client's certificate and its key, and the config that names them.
fn with_client(authority: &Authority) -> (tempfile::TempDir, impl Fn(&mut ServerConfig) + use<>) {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = authority.issue("client.example");
    for (name, text) in [
        ("ca.pem", authority.pem()),
        ("client.pem", certificate.pem()),
        ("key.pem", key.serialize_pem()),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    (folder, |config: &mut ServerConfig| {
        config.ca_file = Some(template("ca.pem"));
        config.client_cert_file = Some(template("client.pem"));
        config.client_key_file = Some(template("${KEY}"));
    })
}

#[tokio::test]
async fn the_client_shows_its_certificate() {
    let authority = Authority::new();
    let port = authority.serve(authority.mutual("127.0.0.1")).await;
    let url = format!("https://127.0.0.1:{port}");
    let (folder, name_files) = with_client(&authority);
    let shop = setup(&name_files)
        .at(&url)
        .variable("KEY", "key.pem")
        .build_in(folder.path());
    shop.call("f", json!({})).await.unwrap();

    let shop = setup(|config| config.ca_file = Some(template("ca.pem")))
        .at(&url)
        .build_in(folder.path());
    let error = shop.call("f", json!({})).await.unwrap_err();
    assert_eq!(error.kind(), "network");
}

#[tokio::test]
async fn a_certificate_that_cannot_be_used_is_a_problem_of_that_server() {
    let authority = Authority::new();
    let (folder, name_files) = with_client(&authority);
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let begin = "-----BEGIN ENCRYPTED PRIVATE KEY-----";
    write("locked.pem", &format!("{begin}\nAAAA\n"));
    write("empty.pem", "");
    for (key, expected) in [
        ("locked.pem", "holds a key with a password"),
        ("empty.pem", "holds no PEM private key"),
        ("missing.pem", "cannot be read"),
        ("client.pem", "holds no PEM private key"),
    ] {
        let shop = setup(&name_files)
            .at("https://127.0.0.1:9")
            .variable("KEY", key)
            .build_in(folder.path());
        let problems: Vec<_> = shop.broker.problems().collect();
        assert!(problems[0].1.contains(expected), "{problems:?}");
        shop.refused("f", json!({})).await;
    }
}

/// Calls of one server share a connection where it speaks HTTP/2.
#[tokio::test]
async fn http_2_is_spoken_where_the_server_does() {
    let authority = Authority::new();
    let served = authority.serve_http_2("127.0.0.1").await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("ca.pem"), authority.pem()).unwrap();
    let shop = setup(|config| config.ca_file = Some(template("ca.pem")))
        .at(&format!("https://127.0.0.1:{}", served.port))
        .build_in(folder.path());
    shop.call("f", json!({})).await.unwrap();
    let calls = (0..20).map(|_| shop.call("f", json!({})));
    for answer in futures::future::join_all(calls).await {
        answer.unwrap();
    }
    assert_eq!(served.count(), (1, 21));
}

/// Runs another test of this file in a process that has proxy variables.
#[test]
fn proxy_variables_of_the_process_are_not_followed() {
    let program = std::env::current_exe().unwrap();
    let mut command = std::process::Command::new(program);
    command.args([
        "--exact",
        "requests::a_json_body_is_sent_with_its_type_and_length",
    ]);
    for name in [
        "HTTP_PROXY",
        "http_proxy",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "all_proxy",
    ] {
        command.env(name, "http://127.0.0.1:1");
    }
    let output = command
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
}
