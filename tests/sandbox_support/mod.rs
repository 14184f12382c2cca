//! A sandbox on a real engine, and a host that plays an API.

#![allow(dead_code, reason = "each test binary uses its part")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "tests may fail in the middle; the lints do not see that this is one"
)]

pub mod private_engine;
pub mod wheels;
pub mod workshop;

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Once};
use std::time::Duration;

use async_trait::async_trait;
use indexmap::IndexMap;
use mce::config::{Environment, Settings};
use mce::sandbox::docker::DockerSandbox;
use mce::sandbox::{
    Call, CallError, Failure, FailureKind, Host, Job, Module, Outcome, Reply, Sandbox, Stream,
};
use mce::wire::{Arguments, Streamed, Value};

/// Makes the engine answer and the image exist. Tests that need them run; they never skip.
pub fn engine() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/engine");
        let status = Command::new(script).status().expect("scripts/engine runs");
        assert!(status.success(), "scripts/engine failed");
    });
}

/// Where the tests' engine is, if it is not in one of the usual places.
fn engine_address() -> Option<String> {
    let named = ["MCE_DOCKER_HOST", "DOCKER_HOST"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|it| !it.is_empty()))?;
    let is_path = named.starts_with('/');
    Some(if is_path {
        format!("unix://{named}")
    } else {
        named
    })
}

/// The settings of a sandbox that holds nothing ready.
pub fn settings() -> Settings {
    settings_with(&[("MCE_SANDBOX_MODE", "cold")])
}

/// The settings of these variables, on the tests' engine.
pub fn settings_with(pairs: &[(&str, &str)]) -> Settings {
    let address = engine_address();
    let engine = address.iter().map(|it| ("MCE_DOCKER_HOST", it.as_str()));
    let image = std::env::var("MCE_DOCKER_IMAGE").ok();
    let image = image
        .iter()
        .map(|image| ("MCE_DOCKER_IMAGE", image.as_str()));
    let pairs = engine.chain(image).chain(pairs.iter().copied());
    let environment = Environment::from_pairs(pairs);
    Settings::from_environment(&environment).unwrap().0
}

/// Docker's client, on the tests' engine. Podman answers it as well.
pub fn docker(arguments: &[&str]) -> Command {
    let mut command = Command::new("docker");
    command.args(arguments).env("DOCKER_BUILDKIT", "0");
    if let Some(address) = engine_address() {
        command.env("DOCKER_HOST", address);
    }
    command
}

/// A sandbox and the folder of its lock.
pub struct Place {
    pub sandbox: DockerSandbox,
    pub state: tempfile::TempDir,
}

pub async fn place() -> Place {
    place_with(&settings()).await
}

pub async fn place_with(settings: &Settings) -> Place {
    engine();
    let state = tempfile::tempdir().unwrap();
    let sandbox = DockerSandbox::connect(settings, state.path())
        .await
        .unwrap();
    Place { sandbox, state }
}

/// A sandbox whose containers have imported these modules before any code comes.
pub async fn place_knowing(modules: Vec<Module>) -> Place {
    engine();
    let state = tempfile::tempdir().unwrap();
    let sandbox = DockerSandbox::connect_with(&settings(), state.path(), modules)
        .await
        .unwrap();
    Place { sandbox, state }
}

impl Place {
    pub async fn run(&self, code: &str) -> Outcome {
        self.run_job(job(code)).await
    }

    pub async fn run_job(&self, job: Job) -> Outcome {
        self.sandbox.run(job, Arc::new(FakeHost::default())).await
    }

    /// Removes what is left and checks that nothing is.
    pub async fn close(self) {
        self.sandbox.shutdown().await.unwrap();
    }
}

pub fn job(code: &str) -> Job {
    Job {
        execution_id: "test".to_owned(),
        code: code.to_owned(),
        modules: Vec::new(),
        timeout: Duration::from_secs(30),
        max_output_bytes: 1 << 20,
    }
}

pub fn module(name: &str, source: &str) -> Module {
    Module {
        name: name.to_owned(),
        source: source.to_owned(),
    }
}

pub fn value(outcome: &Outcome) -> &serde_json::Value {
    outcome
        .result
        .as_ref()
        .unwrap_or_else(|failure| panic!("{failure:#?}\n{outcome:#?}"))
}

pub fn failure(outcome: &Outcome) -> &Failure {
    outcome.result.as_ref().expect_err("the code fails")
}

pub fn kind(outcome: &Outcome) -> FailureKind {
    failure(outcome).kind
}

/// Answers calls by the function's name and counts how many are on their way at once.
#[derive(Default)]
pub struct FakeHost {
    pub calls: AtomicUsize,
    now: AtomicUsize,
    pub most_at_once: AtomicUsize,
    /// Calls that were dropped before they had an answer.
    pub cut_off: AtomicUsize,
}

/// Counts what is dropped in the middle. The record of a call is written in the same way.
struct CutOff<'a>(&'a AtomicUsize);

impl Drop for CutOff<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl Host for FakeHost {
    async fn perform(&self, call: Call) -> Result<Reply, CallError> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_at_once.fetch_max(now, Ordering::SeqCst);
        let is_watched = call.function == "watch";
        let is_cut = call.arguments.get("cut") == Some(&Value::Bool(true));
        let answer = self
            .answer(&call.server, &call.function, call.arguments)
            .await;
        self.now.fetch_sub(1, Ordering::SeqCst);
        let mut reply = answer.map(Reply::from)?;
        if is_watched {
            reply.stream = Some(Stream {
                kind: Streamed::Events,
                cut: is_cut.then(|| CallError::Egress {
                    message: "there would have been more".to_owned(),
                }),
            });
        }
        Ok(reply)
    }
}

impl FakeHost {
    async fn answer(
        &self,
        server: &str,
        function: &str,
        arguments: Arguments,
    ) -> Result<Value, CallError> {
        match function {
            "echo" => Ok(Value::Object(arguments)),
            "server" => Ok(Value::String(server.to_owned())),
            "never" => {
                let _cut_off = CutOff(&self.cut_off);
                std::future::pending().await
            }
            "slower" => {
                tokio::time::sleep(Duration::from_secs(2)).await;
                Ok(Value::Null)
            }
            "slow" => {
                tokio::time::sleep(Duration::from_millis(400)).await;
                Ok(arguments.get("n").cloned().unwrap_or_default())
            }
            "blob" => {
                let Some(Value::Number(size)) = arguments.get("size") else {
                    return Err(CallError::Argument {
                        message: "blob() needs size".to_owned(),
                    });
                };
                let size = usize::try_from(size.as_u64().unwrap()).unwrap();
                let blob: Vec<u8> = (0..size).map(|index| (index % 251) as u8).collect();
                Ok(Value::Bytes(blob.into()))
            }
            "api" => Err(CallError::Api {
                status: 404,
                message: "404 no such pet".to_owned(),
                body: Value::Object(IndexMap::from([(
                    "code".to_owned(),
                    Value::Number(7.into()),
                )])),
                headers: IndexMap::from([("etag".to_owned(), "x".to_owned())]),
            }),
            "egress" => Err(CallError::Egress {
                message: "not imported".to_owned(),
            }),
            "things" => Ok(Value::from(match arguments.get("cursor") {
                None => serde_json::json!({"things": [1, 2], "next": "b"}),
                Some(Value::String(cursor)) if cursor == "b" => {
                    serde_json::json!({"things": [3], "next": null})
                }
                Some(_) => serde_json::json!({"things": "none", "next": null}),
            })),
            "watch" => Ok(Value::from(serde_json::json!([
                {"data": {"n": 1}}, {"data": "two", "event": "note", "id": "7"},
            ]))),
            "panics" => panic!("a fault of the host"),
            _ => Err(CallError::Argument {
                message: format!("{function}() is unknown"),
            }),
        }
    }
}

/// Containers with this id's label, running or not, as the docker client sees them.
pub fn containers(filter: &str) -> Vec<String> {
    let format = "{{.ID}} {{.State}}";
    let list = ["ps", "--all", "--no-trunc", "--format", format];
    let output = docker(&list).args(["--filter", filter]).output().unwrap();
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}
