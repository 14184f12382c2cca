//! An engine that is reached as one of another machine is: over TLS and over `ssh`.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the lints do not see that the functions beside the tests are of them"
)]

mod sandbox_support;

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use mce::config::{Environment, Settings};
use mce::sandbox::docker::{DockerSandbox, Error};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use sandbox_support::private_engine::PrivateEngine;
use sandbox_support::{place_with, value};
use serde_json::json;

fn settings_of(pairs: &[(&str, &str)]) -> Settings {
    let environment = Environment::from_pairs(pairs.iter().copied());
    Settings::from_environment(&environment).unwrap().0
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Why no engine answers.
async fn refusal(settings: &Settings) -> String {
    let state = tempfile::tempdir().unwrap();
    match DockerSandbox::connect(settings, state.path()).await {
        Err(Error::Unreachable { places }) => places.first().unwrap().reason.clone(),
        other => panic!("{other:?}"),
    }
}

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority(name: &str) -> Authority {
    let mut parameters = CertificateParams::new(Vec::new()).unwrap();
    parameters.distinguished_name.push(DnType::CommonName, name);
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(parameters, KeyPair::generate().unwrap()).unwrap()
}

/// A folder as `DOCKER_CERT_PATH` names it: whom to believe, and a certificate for these names.
fn certificates(folder: &Path, believed: &Authority, issuer: &Authority, names: &[&str]) {
    fs::create_dir_all(folder).unwrap();
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(names).unwrap();
    let certificate = certificate.signed_by(&key, issuer).unwrap();
    for (name, text) in [
        ("ca.pem", believed.pem()),
        ("cert.pem", certificate.pem()),
        ("key.pem", key.serialize_pem()),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn over_tls_both_sides_must_show_a_certificate_of_the_right_authority() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let text = |name: &str| path(name).display().to_string();
    let (ours, another) = (authority("ours"), authority("another"));
    certificates(&path("engine"), &ours, &ours, &["127.0.0.1"]);
    certificates(&path("client"), &ours, &ours, &["client"]);
    certificates(&path("doubtful"), &another, &ours, &["client"]);
    certificates(&path("foreign"), &ours, &another, &["client"]);
    let port = free_port();
    let host = format!("tcp://127.0.0.1:{port}");
    let option = |name: &str, file: &str| format!("--{name}={}/{file}", text("engine"));
    let options = [
        format!("--host={host}"),
        "--tlsverify".to_owned(),
        option("tlscacert", "ca.pem"),
        option("tlscert", "cert.pem"),
        option("tlskey", "key.pem"),
    ];
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let engine = PrivateEngine::start_with(&options, None);
    engine.forward(port);

    let with = |host: &str, folder: &str| {
        settings_of(&[
            ("DOCKER_HOST", host),
            ("DOCKER_TLS_VERIFY", "1"),
            ("DOCKER_CERT_PATH", &text(folder)),
        ])
    };
    let place = place_with(&with(&host, "client")).await;
    let code = "print('out')\nimport sys\nsys.stdin.read()\n'over TLS'";
    assert_eq!(value(&place.run(code).await), &json!("over TLS"));
    let status = place.sandbox.status().await.unwrap();
    assert_eq!(status.engine.found_by, "`DOCKER_HOST`");
    assert_eq!(status.proof.failures(), []);
    place.close().await;

    for (host, folder, expected) in [
        (&*host, "doubtful", "UnknownIssuer"),
        (&*host, "foreign", "received fatal alert"),
        (
            &format!("tcp://localhost:{port}"),
            "client",
            "not valid for name",
        ),
    ] {
        // Of TLS 1.3 an alert comes when the client thinks that all is well: it may be seen as a
        // connection that is not ready.
        let mut reason = refusal(&with(host, folder)).await;
        for _ in 0..4 {
            if !reason.contains("connection was not ready") {
                break;
            }
            reason = refusal(&with(host, folder)).await;
        }
        assert!(reason.contains(expected), "{folder}: {reason}");
    }
    // No TLS at all: the engine takes nothing else.
    let reason = refusal(&settings_of(&[("DOCKER_HOST", &host)])).await;
    assert!(reason.contains("HTTPS server"), "{reason}");

    // What `docker context create` writes, down to the folder named after the name's hash.
    let config = text("config");
    let created = engine
        .docker(&["--config", &config, "context", "create", "far", "--docker"])
        .arg(format!(
            "host={host},ca={0}/ca.pem,cert={0}/cert.pem,key={0}/key.pem",
            text("client")
        ))
        .output()
        .unwrap();
    assert!(created.status.success(), "{created:?}");
    let settings = settings_of(&[("DOCKER_CONFIG", &config), ("DOCKER_CONTEXT", "far")]);
    let place = place_with(&settings).await;
    let status = place.sandbox.status().await.unwrap();
    assert_eq!(status.engine.address, host);
    assert_eq!(
        status.engine.found_by,
        "Docker's context `far`, chosen by `DOCKER_CONTEXT`"
    );
    assert_eq!(value(&place.run("1").await), &json!(1));
    place.close().await;
}

/// An `ssh` server of the tests' own on loopback, and an `ssh` that knows it.
struct Server {
    folder: tempfile::TempDir,
    port: u16,
    process: Child,
}

impl Server {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = free_port();
        let path = |name: &str| folder.path().join(name).display().to_string();
        for key in ["host", "client"] {
            let made = Command::new("ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-f", &path(key)])
                .status();
            assert!(made.unwrap().success());
        }
        fs::copy(path("client.pub"), path("authorized")).unwrap();
        let host_key = fs::read_to_string(path("host.pub")).unwrap();
        fs::write(path("known"), format!("[127.0.0.1]:{port} {host_key}")).unwrap();
        fs::write(path("nobody"), "").unwrap();
        let server = format!(
            "ListenAddress 127.0.0.1:{port}\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\n\
             StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\n",
            path("host"),
            path("authorized")
        );
        fs::write(path("server"), server).unwrap();
        for (name, known) in [("ssh-known", "known"), ("ssh-unknown", "nobody")] {
            let client = format!(
                "IdentityFile {}\nIdentitiesOnly yes\nUserKnownHostsFile {}\n\
                 GlobalKnownHostsFile /dev/null\n",
                path("client"),
                path(known)
            );
            fs::write(path(&format!("{name}.config")), client).unwrap();
            // `ssh` takes its configuration from the user's folder, whatever `HOME` says.
            fs::create_dir(path(name)).unwrap();
            let program = folder.path().join(name).join("ssh");
            let script = format!(
                "#!/bin/sh\nexec /usr/bin/ssh -F {} \"$@\"\n",
                path(&format!("{name}.config"))
            );
            fs::write(&program, script).unwrap();
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        }
        // Of the package openssh-server. Its unprivileged part lives there, from boot on.
        let _ = fs::create_dir("/run/sshd");
        let mut process = Command::new("/usr/sbin/sshd")
            .args(["-D", "-e", "-f", &path("server")])
            .stderr(fs::File::create(path("log")).unwrap())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let ended = process.try_wait().unwrap();
            assert!(
                ended.is_none(),
                "{}",
                fs::read_to_string(path("log")).unwrap()
            );
            std::thread::sleep(Duration::from_millis(50));
        }
        Self {
            folder,
            port,
            process,
        }
    }

    /// Settings by which the engine behind `socket` is reached with one of the two clients.
    fn settings(&self, client: &str, socket: &Path) -> Settings {
        let user = Command::new("id").arg("--user").arg("--name").output();
        let user = String::from_utf8(user.unwrap().stdout).unwrap();
        let host = format!(
            "ssh://{}@127.0.0.1:{}{}",
            user.trim(),
            self.port,
            socket.display()
        );
        let client = self.folder.path().join(client);
        let path = format!("{}:/usr/bin:/bin", client.display());
        settings_of(&[("MCE_DOCKER_HOST", &host), ("PATH", &path)])
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn over_ssh_only_a_known_machine_is_believed() {
    let engine = PrivateEngine::start();
    let server = Server::start();
    let socket = engine.path("docker.sock");
    let place = place_with(&server.settings("ssh-known", &socket)).await;
    let outcomes = futures::future::join_all((0..3).map(|_| place.run("'over ssh'"))).await;
    for outcome in &outcomes {
        assert_eq!(value(outcome), &json!("over ssh"));
    }
    let mut long = sandbox_support::job("result = 'x' * (5 << 20)");
    long.max_output_bytes = 6 << 20;
    let outcome = place.run_job(long).await;
    assert_eq!(value(&outcome).as_str().unwrap().len(), 5 << 20);
    let status = place.sandbox.status().await.unwrap();
    assert_eq!(status.proof.failures(), []);
    place.close().await;

    let reason = refusal(&server.settings("ssh-unknown", &socket)).await;
    assert!(
        reason.contains("ssh: ") && reason.contains("Host key verification failed"),
        "{reason}"
    );
    let nowhere = PathBuf::from("/nowhere/docker.sock");
    let reason = refusal(&server.settings("ssh-known", &nowhere)).await;
    assert!(reason.contains("/nowhere/docker.sock"), "{reason}");
}
