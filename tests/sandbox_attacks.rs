//! Attack programs: each reaches its goal in a container without one protection, and none does with
//! all in place. The guard has no part in it.
//!
//! A program is a file of `tests/sandbox_attacks/`. Its head names the missing protection
//! (`weakness`), the `goal`, what is seen when it is `reached` (JSON), and a part of what is seen when
//! it is `refused`; further, `as`: whom the code runs as in both cases, `machine`: the only one that
//! has it, `judged: other`: what is seen of the other execution counts, and `gvisor`: why reaching it
//! there does no harm. That other execution stands before the program itself and runs `beside` it or to
//! its end before (`after`). The part that is judged never holds the secret.
//!
//! `scripts/gvisor` runs the tests `in_place` on gVisor: `MCE_DOCKER_HOST` and `MCE_DOCKER_RUNTIME` say
//! where.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the lints do not see that the functions beside the tests are of them"
)]

#[path = "sandbox_attacks/calls.rs"]
mod calls;
#[path = "sandbox_attacks/programs.rs"]
mod programs;
mod sandbox_support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use calls::{CALL_EACH, refused, refused_calls};
use futures::StreamExt as _;
use mce::config::Settings;
use mce::sandbox::docker::{DockerSandbox, Weakness};
use mce::sandbox::{Call, CallError, Host, Job, Outcome, Reply, Sandbox as _};
use mce::wire::Value;
use programs::{Program, Relation, programs};
use sandbox_support::{engine, job, module};
use serde_json::json;
use tokio::sync::{Notify, OnceCell};

/// Programs that run at once.
const AT_ONCE: usize = 4;
/// What the programs with the weakness `time` have, and what all others have.
const SHORT: Duration = Duration::from_secs(2);
const LONG: Duration = Duration::from_secs(90);

// --- what there is to attack -------------------------------------------------------------------

/// The host's side: a secret and the places that hold it.
struct Target {
    secret: String,
    image: String,
    folder: tempfile::TempDir,
    port: u16,
    process: Child,
    disk: String,
    _listeners: (std::net::TcpListener, UnixListener),
}

fn output(program: &str, arguments: &[&str]) -> String {
    let done = Command::new(program).args(arguments).output().unwrap();
    assert!(done.status.success(), "{program} {arguments:?}: {done:?}");
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

/// The docker client, for the engine that the sandbox uses.
fn docker() -> Command {
    let mut command = Command::new("docker");
    command.env("DOCKER_BUILDKIT", "0");
    if let Ok(address) = std::env::var("MCE_DOCKER_HOST") {
        command.env("DOCKER_HOST", address);
    }
    command
}

impl Target {
    fn new() -> Self {
        engine();
        let secret: String = tempfile::tempdir()
            .unwrap()
            .path()
            .to_string_lossy()
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .collect();
        let secret = format!("{secret:a>32}").split_off(secret.len().max(32) - 32);
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        fs::write(folder.path().join("secret"), &secret).unwrap();
        let disk_file = folder.path().join("disk");
        fs::write(&disk_file, secret.as_bytes().repeat(1 << 15)).unwrap();
        let disk = output(
            "losetup",
            &["--find", "--show", disk_file.to_str().unwrap()],
        );
        let tcp = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let name = SocketAddr::from_abstract_name(format!("mce-{secret}")).unwrap();
        let process = Command::new("python3")
            .args([
                "-c",
                "import time; time.sleep(600)",
                "mce-attacked",
                &secret,
            ])
            .spawn()
            .unwrap();
        Self {
            image: build_image(&secret),
            port: tcp.local_addr().unwrap().port(),
            _listeners: (tcp, UnixListener::bind_addr(&name).unwrap()),
            secret,
            folder,
            process,
            disk,
        }
    }

    /// What a program is expected to find, with the facts of this host in their places.
    fn filled(&self, text: &str) -> String {
        let read = |path: &str| {
            fs::read_to_string(path)
                .unwrap_or_default()
                .trim()
                .to_owned()
        };
        let mut names: Vec<_> = fs::read_dir("/sys/class/net")
            .unwrap()
            .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
            .collect();
        names.sort();
        let interfaces: Vec<String> = names
            .iter()
            .map(|name| format!("{name}={}", read(&format!("/sys/class/net/{name}/address"))))
            .collect();
        text.replace("$SECRET", &self.secret)
            .replace("$INTERFACES", &json!(interfaces).to_string())
            .replace("$HOST_NAME", &read("/proc/sys/kernel/hostname"))
            .replace("$MEMORY_MAP", &read("/sys/firmware/memmap/0/end"))
    }

    fn weakness(&self, name: &str) -> Option<Weakness> {
        let (kind, rest) = name.split_once(' ').unwrap_or((name, ""));
        Some(match (name, kind) {
            ("time", _) => return None,
            ("seccomp", _) => Weakness::Seccomp,
            ("host network", _) => Weakness::HostNetwork,
            ("host processes", _) => Weakness::HostProcesses,
            ("host ipc", _) => Weakness::HostIpc,
            ("host name", _) => Weakness::HostName,
            ("writable root", _) => Weakness::WritableRoot,
            ("root user", _) => Weakness::RootUser,
            ("root group", _) => Weakness::RootGroup,
            ("new privileges", _) => Weakness::NewPrivileges,
            ("masked paths", _) => Weakness::MaskedPaths,
            ("read-only paths", _) => Weakness::ReadOnlyPaths,
            ("memory", _) => Weakness::Memory,
            ("processes", _) => Weakness::Processes,
            ("processor", _) => Weakness::Processor,
            ("open files", _) => Weakness::OpenFiles,
            ("runnable folders", _) => Weakness::RunnableFolders,
            ("boundless folders", _) => Weakness::BoundlessFolders,
            ("shared memory", _) => Weakness::SharedMemory,
            ("message queues", _) => Weakness::MessageQueues,
            ("open supervisor", _) => Weakness::OpenSupervisor,
            ("kept descriptors", _) => Weakness::KeptDescriptors,
            ("any frame", _) => Weakness::AnyFrame,
            ("environment", _) => Weakness::Environment(format!("TOKEN={}", self.secret)),
            ("device", _) => Weakness::Device(self.disk.clone()),
            ("mount", _) => Weakness::Mount(self.folder.path().to_str().unwrap().to_owned()),
            (_, "mount") => Weakness::Mount(rest.to_owned()),
            (_, "capability") => Weakness::Capability(rest.to_owned()),
            _ => panic!("no weakness is called `{name}`"),
        })
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = Command::new("losetup")
            .args(["--detach", &self.disk])
            .output();
        let _ = docker().args(["image", "rm", &self.image]).output();
    }
}

/// The sandbox's image with files and programs that are worth an attack.
fn build_image(secret: &str) -> String {
    let image = format!("mce-sandbox:attacks-{secret}");
    let recipe = format!(
        "FROM {}
USER 0:0
RUN mkdir /attack && cd /attack && \
    printf %s {secret} > root && cp root group && cp root other && \
    chmod 600 root other && chmod 640 group && chown 1000:1000 other && \
    cp /bin/cat setuid && cp /bin/cat setgid && chmod 4755 setuid && chmod 2755 setgid
USER 65534:65534
",
        sandbox_support::settings().docker_image
    );
    let mut build = docker()
        .args([
            "build",
            "--quiet",
            "--network",
            "none",
            "--tag",
            &image,
            "-",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = build.stdin.take().unwrap();
    input.write_all(recipe.as_bytes()).unwrap();
    drop(input);
    assert!(build.wait().unwrap().success());
    image
}

// --- sandboxes ----------------------------------------------------------------------------------

struct Place {
    sandbox: DockerSandbox,
    _state: tempfile::TempDir,
}

/// A sandbox of the engine and runtime that the environment names.
async fn place(target: &Target, user: &str, weakness: Option<Weakness>) -> Place {
    let mut settings: Settings = sandbox_support::settings();
    settings.docker_host = std::env::var("MCE_DOCKER_HOST").ok();
    settings.docker_runtime = std::env::var("MCE_DOCKER_RUNTIME").ok();
    settings.docker_image.clone_from(&target.image);
    user.clone_into(&mut settings.sandbox_user);
    let state = tempfile::tempdir().unwrap();
    let sandbox = DockerSandbox::connect(&settings, state.path())
        .await
        .unwrap();
    if let Some(weakness) = weakness {
        sandbox.weaken(weakness);
    }
    Place {
        sandbox,
        _state: state,
    }
}

/// Says when the other execution is `ready`, and lets it `wait` until the attack is `done`. Whether what
/// was found is the host's is answered too (`is_known`).
struct Meeting {
    ready: Notify,
    done: Notify,
    known: [serde_json::Value; 2],
}

impl Meeting {
    fn new(target: &Target) -> Arc<Self> {
        Arc::new(Self {
            ready: Notify::new(),
            done: Notify::new(),
            known: [json!(target.port), json!(target.secret)],
        })
    }
}

#[async_trait]
impl Host for Meeting {
    async fn perform(&self, call: Call) -> Result<Reply, CallError> {
        match call.function.as_str() {
            "ready" => self.ready.notify_one(),
            "wait" => self.done.notified().await,
            "done" => self.done.notify_one(),
            _ => {
                let found = call.arguments.get("found").cloned().unwrap_or_default();
                let found = found.into_json();
                let mut found = found.as_array().unwrap().iter();
                let is_known = found.any(|found| self.known.contains(found));
                return Ok(Reply::from(Value::Bool(is_known)));
            }
        }
        Ok(Reply::from(Value::Null))
    }
}

/// What is seen of an execution from outside.
fn seen(outcome: &Outcome) -> serde_json::Value {
    let result = match &outcome.result {
        Ok(value) => value.clone(),
        Err(failure) => json!({ "error": failure.message }),
    };
    if outcome.prints.is_empty() {
        result
    } else {
        json!([result, outcome.prints])
    }
}

/// Runs a program, and what is to run beside or before it.
async fn attack(
    place: &Place,
    target: &Target,
    program: &Program,
    limit: Duration,
) -> serde_json::Value {
    let host = Meeting::new(target);
    let run = |code: &str, is_judged: bool| {
        let code = if is_judged {
            code.to_owned()
        } else {
            target.filled(code)
        };
        let job = Job {
            modules: vec![module("attack", include_str!("sandbox_attacks/attack.py"))],
            timeout: limit,
            ..job(&code)
        };
        place.sandbox.run(job, host.clone())
    };
    let is_other_judged = program.is_other_judged();
    match program.relation {
        Relation::Alone => seen(&run(&program.code, true).await),
        Relation::After => {
            run(&program.other, false).await;
            seen(&run(&program.code, true).await)
        }
        Relation::Beside => {
            // One that ends early, or does not get so far, holds up nobody.
            let other = async {
                let outcome = run(&program.other, is_other_judged).await;
                host.ready.notify_one();
                outcome
            };
            let attacker = async {
                host.ready.notified().await;
                let outcome = run(&program.code, !is_other_judged).await;
                host.done.notify_one();
                outcome
            };
            let outcome = if is_other_judged {
                first(other, attacker).await
            } else {
                first(attacker, other).await
            };
            seen(&outcome)
        }
    }
}

/// The outcome of the execution that is judged. The one beside it goes on until then.
async fn first(
    judged: impl Future<Output = Outcome>,
    beside: impl Future<Output = Outcome>,
) -> Outcome {
    let beside = async {
        beside.await;
        std::future::pending::<()>().await;
    };
    tokio::select! {
        outcome = judged => outcome,
        () = beside => unreachable!("it waits for ever"),
    }
}

/// One run of a program: whom it runs as, and the protection that is missing.
struct Run {
    program: Arc<Program>,
    user: String,
    weakness: Option<String>,
}

impl Run {
    /// Each program without the protection that it names.
    fn weakened() -> Vec<Self> {
        let programs = programs().into_iter().map(Arc::new).enumerate();
        let runs = programs.map(|(index, program)| Self {
            user: program.user(index),
            weakness: Some(program.weakness().to_owned()),
            program,
        });
        runs.collect()
    }

    /// Each program with all protections. One that runs as root also with all others than that it does
    /// not: it is not the user alone that stops it.
    fn in_place() -> Vec<Self> {
        let mut runs = Vec::new();
        for program in programs().into_iter().map(Arc::new) {
            if let Some(user) = program.head.get("as") {
                runs.push(Self {
                    user: user.clone(),
                    weakness: Some("root user".to_owned()),
                    program: Arc::clone(&program),
                });
            }
            runs.push(Self {
                user: "65534:65534".to_owned(),
                weakness: None,
                program,
            });
        }
        runs
    }

    /// The sandbox that it shares with others.
    fn place(&self) -> (String, Option<String>) {
        (self.user.clone(), self.weakness.clone())
    }

    fn limit(&self) -> Duration {
        if self.program.weakness() == "time" && self.weakness.is_none() {
            SHORT
        } else {
            LONG
        }
    }

    fn name(&self) -> String {
        format!("{} as {}", self.program.name, self.user)
    }
}

/// What is seen of each run.
async fn attack_all(target: &Target, runs: Vec<Run>) -> Vec<(Run, serde_json::Value)> {
    let mut places: BTreeMap<_, OnceCell<Place>> = BTreeMap::new();
    for run in &runs {
        places.entry(run.place()).or_default();
    }
    let places = &places;
    let attacks = runs.into_iter().map(|run| async move {
        let weakness = run
            .weakness
            .as_deref()
            .and_then(|name| target.weakness(name));
        let place = places[&run.place()].get_or_init(|| place(target, &run.user, weakness));
        let seen = attack(place.await, target, &run.program, run.limit()).await;
        (run, seen)
    });
    let attacks: Vec<_> = attacks.collect();
    let seen = futures::stream::iter(attacks).buffer_unordered(AT_ONCE);
    let seen = seen.collect().await;
    for place in places.values().filter_map(OnceCell::get) {
        place.sandbox.shutdown().await.unwrap();
    }
    seen
}

/// What is seen when a program has reached its goal.
fn goal(target: &Target, program: &Program) -> serde_json::Value {
    serde_json::from_str(&target.filled(program.says("reached"))).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn without_one_protection_each_program_reaches_its_goal() {
    let target = Target::new();
    let all = attack_all(&target, Run::weakened()).await;
    let failed: Vec<String> = all
        .iter()
        .filter(|(run, seen)| *seen != goal(&target, &run.program))
        .map(|(run, seen)| format!("{}: {seen}", run.name()))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(all.len() >= 50, "{}", all.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn in_place_no_program_reaches_its_goal() {
    let target = Target::new();
    let is_gvisor = std::env::var("MCE_DOCKER_RUNTIME").is_ok_and(|name| name == "runsc");
    let all = attack_all(&target, Run::in_place()).await;
    let failed: Vec<String> = all
        .iter()
        .filter(|(run, seen)| {
            let program = &run.program;
            let is_reached = *seen == goal(&target, program);
            if is_gvisor {
                // How it refuses is its own.
                return is_reached && !program.head.contains_key("gvisor");
            }
            let is_first = run.weakness.is_some() || !program.head.contains_key("as");
            is_reached || is_first && !seen.to_string().contains(program.says("refused"))
        })
        .map(|(run, seen)| format!("{}: {seen}", run.name()))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(all.len() >= 50, "{}", all.len());
    // The sandbox still stands.
    let place = place(&target, "65534:65534", None).await;
    let outcome = place.sandbox.run(job("1 + 1"), Meeting::new(&target));
    assert_eq!(seen(&outcome.await), json!(2));
    place.sandbox.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn in_place_every_other_system_call_is_refused() {
    let calls = refused_calls(&refused());
    let target = Target::new();
    let place = place(&target, "65534:65534", None).await;
    let all: Vec<_> = calls.iter().collect();
    let ends = all.chunks(150).map(|calls| {
        let calls: BTreeMap<_, _> = calls.iter().copied().collect();
        let text = serde_json::to_string(&calls).unwrap();
        let job = Job {
            timeout: Duration::from_secs(100),
            ..job(&format!("{CALL_EACH}result = call_each({text:?})"))
        };
        place.sandbox.run(job, Meeting::new(&target))
    });
    let ends: Vec<_> = ends.collect();
    let ends: Vec<Outcome> = futures::stream::iter(ends)
        .buffer_unordered(AT_ONCE)
        .collect()
        .await;
    let ends = ends.iter().map(|outcome| outcome.result.as_ref().unwrap());
    let found: BTreeMap<&String, &serde_json::Value> =
        ends.flat_map(|end| end.as_object().unwrap()).collect();
    assert_eq!(found.len(), calls.len());
    // EPERM or ENOSYS; for another instruction set than the profile's also the end (SIGSYS).
    let passed: Vec<_> = found
        .iter()
        .filter(|(name, end)| {
            // The kernel lets no filter see the calls of its own probes; made from anywhere else
            // than the probe's own code they fail (ENXIO) or end the process (SIGILL).
            let is_probe = name.as_str() == "uprobe" && **end == 6
                || name.as_str() == "uretprobe" && **end == -4;
            let is_killed = name.starts_with("x32 ") && **end == -31;
            **end != 1 && **end != 38 && !is_killed && !is_probe
        })
        .collect();
    assert!(passed.is_empty(), "{passed:?}");
    place.sandbox.shutdown().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn in_place_the_container_is_proven() {
    let target = Target::new();
    let place = place(&target, "65534:65534", None).await;
    let status = place.sandbox.status().await.unwrap();
    assert_eq!(status.proof.failures(), []);
    assert!(status.proof.findings.len() > 30, "{status:#?}");
    place.sandbox.shutdown().await.unwrap();
}

/// What the proof finds of each protection that is missing. Of the rest, what the runner does is its
/// own matter, and what it measures shows nothing of them.
#[tokio::test(flavor = "multi_thread")]
async fn the_proof_finds_the_protection_that_is_missing() {
    let target = Target::new();
    let names: BTreeSet<String> = programs()
        .iter()
        .map(|program| program.weakness().to_owned())
        .filter(|name| name != "time")
        .collect();
    let findings = names.into_iter().map(|name| {
        let target = &target;
        async move {
            let place = place(target, "65534:65534", target.weakness(&name)).await;
            let status = place.sandbox.status().await.unwrap();
            place.sandbox.shutdown().await.unwrap();
            let failures = status.proof.failures().into_iter();
            (
                name,
                failures.map(|finding| finding.check).collect::<Vec<_>>(),
            )
        }
    });
    let findings: Vec<_> = findings.collect();
    let found: BTreeMap<String, Vec<String>> = futures::stream::iter(findings)
        .buffer_unordered(AT_ONCE)
        .collect()
        .await;
    insta::assert_json_snapshot!(found);
}
