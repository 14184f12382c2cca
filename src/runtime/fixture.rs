//! A runtime around a sandbox and an API that tests play themselves.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{Egress, ExecuteRequest, Runtime, SandboxProvider, Switches, Targets};
use crate::broker::{CallRecord, Recorder, Scope};
use crate::config::{Config, Environment, Settings};
use crate::sandbox::{
    Call, CallError, Failure, FailureKind, Host, Job, Outcome, Reply, Sandbox, Session,
};
use crate::wire;

/// The one secret the fake vault knows.
pub(crate) const SECRET: &str = "s3cr3t-canary";

type Play = dyn Fn(Job, Arc<dyn Host>) -> BoxFuture<'static, Outcome> + Send + Sync;

/// A sandbox that does what the test says, and remembers its jobs.
pub(crate) struct FakeSandbox {
    play: Arc<Play>,
    pub(crate) jobs: Arc<Mutex<Vec<Job>>>,
}

impl FakeSandbox {
    pub(crate) fn new<F, Playing>(play: F) -> Self
    where
        F: Fn(Job, Arc<dyn Host>) -> Playing + Send + Sync + 'static,
        Playing: Future<Output = Outcome> + Send + 'static,
    {
        Self {
            play: Arc::new(move |job, host| Box::pin(play(job, host))),
            jobs: Arc::default(),
        }
    }
}

#[async_trait]
impl Sandbox for FakeSandbox {
    fn name(&self) -> &'static str {
        "docker"
    }

    async fn run(&self, job: Job, host: Arc<dyn Host>) -> Outcome {
        self.jobs.lock().unwrap().push(job.clone());
        (self.play)(job, host).await
    }

    async fn open(&self) -> Result<Box<dyn Session>, Failure> {
        Ok(Box::new(FakeSession {
            play: Arc::clone(&self.play),
            jobs: Arc::clone(&self.jobs),
            open: true,
        }))
    }
}

/// A session that ends with the first job that does not end well.
struct FakeSession {
    play: Arc<Play>,
    jobs: Arc<Mutex<Vec<Job>>>,
    open: bool,
}

#[async_trait]
impl Session for FakeSession {
    async fn run(&mut self, job: Job, host: Arc<dyn Host>) -> Outcome {
        self.jobs.lock().unwrap().push(job.clone());
        self.open = false;
        let outcome = (self.play)(job, host).await;
        self.open = outcome.result.is_ok();
        outcome
    }

    fn is_open(&self) -> bool {
        self.open
    }
}

pub(crate) fn returned(value: Value) -> Outcome {
    Outcome {
        result: Ok(value),
        prints: String::new(),
        stderr: String::new(),
        truncated: false,
        elapsed: Duration::from_millis(5),
    }
}

pub(crate) fn failed(kind: FailureKind, message: &str) -> Outcome {
    Outcome {
        result: Err(Failure {
            kind,
            message: message.to_owned(),
            traceback: None,
            hint: None,
        }),
        ..returned(Value::Null)
    }
}

/// An API that gives every call `{"id": 7}` and the arguments it was given; what is not compiled or not imported it refuses.
struct FakeEgress {
    recorder: Arc<dyn Recorder>,
}

struct FakeHost {
    recorder: Arc<dyn Recorder>,
    targets: Arc<Targets>,
    scope: Scope,
}

#[async_trait]
impl Egress for FakeEgress {
    async fn prepare(&self, _targets: &Arc<Targets>) {}

    async fn host(&self, targets: &Arc<Targets>, scope: Scope) -> Arc<dyn Host> {
        Arc::new(FakeHost {
            recorder: Arc::clone(&self.recorder),
            targets: Arc::clone(targets),
            scope,
        })
    }

    fn redact(&self, text: &str) -> String {
        text.replace(SECRET, "[redacted]")
    }
}

#[async_trait]
impl Host for FakeHost {
    async fn perform(&self, call: Call) -> Result<Reply, CallError> {
        let Call {
            server,
            function,
            arguments,
            ..
        } = call;
        let compiled = self.scope.servers.contains(&server)
            && self
                .targets
                .get(&server)
                .is_some_and(|target| target.manifest.function(&function).is_some());
        self.recorder.record(CallRecord {
            execution_id: self.scope.execution_id.clone(),
            principal: self.scope.principal.clone(),
            server: server.clone(),
            function: function.clone(),
            status: compiled.then_some(200),
            error: (!compiled).then(|| "egress".to_owned()),
            refusal: (!compiled).then(|| "not compiled".to_owned()),
            elapsed: Duration::from_millis(3),
        });
        if compiled {
            let mut answer = json!({"id": 7, "echo": SECRET});
            if !arguments.is_empty() {
                let given = arguments.into_values().map(wire::Value::into_json);
                answer["given"] = given.collect();
            }
            Ok(wire::Value::from(answer).into())
        } else {
            Err(CallError::Egress {
                message: format!("`{server}.{function}` is not compiled"),
            })
        }
    }
}

/// A folder with databases and compiled servers.
pub(crate) struct Fixture {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) variables: Vec<(String, String)>,
    pub(crate) config: Option<Config>,
}

impl Fixture {
    /// One server `pets` with `get_pet` and `find_pets`.
    pub(crate) fn new() -> Self {
        let fixture = Self {
            folder: tempfile::tempdir().unwrap(),
            variables: Vec::new(),
            config: None,
        };
        fixture.compile("pets", &[("get_pet", "GET"), ("find_pets", "GET")]);
        fixture
    }

    pub(crate) fn set(mut self, name: &str, value: usize) -> Self {
        self.variables.push((name.to_owned(), value.to_string()));
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn server_folder(&self, server: &str) -> PathBuf {
        self.path("compiled").join(server)
    }

    /// Writes a server as `mce compile` would.
    pub(crate) fn compile(&self, server: &str, functions: &[(&str, &str)]) {
        let folder = self.server_folder(server);
        std::fs::create_dir_all(&folder).unwrap();
        let source = module(server, functions);
        std::fs::write(folder.join("functions.py"), &source).unwrap();
        let manifest = manifest(server, functions, &source);
        write_json(&folder.join("manifest.json"), &manifest);
    }

    /// Gives a server notes, as `mce compile` would.
    pub(crate) fn annotate(&self, server: &str, notes: &str) {
        std::fs::write(self.server_folder(server).join("skills.md"), notes).unwrap();
        self.tamper(server, |manifest| {
            manifest["outputs"]["skills.md"] = json!(hex::encode(Sha256::digest(notes)));
        });
    }

    /// Changes a server's manifest behind the compiler's back.
    pub(crate) fn tamper(&self, server: &str, change: impl FnOnce(&mut Value)) {
        let path = self.server_folder(server).join("manifest.json");
        let mut manifest = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        change(&mut manifest);
        write_json(&path, &manifest);
    }

    /// The databases and folders of the fixture, and its variables.
    fn environment(&self) -> Environment {
        let path = |name| self.path(name).display().to_string();
        let mut variables = vec![
            ("MCE_COMPILED_OUTPUT_DIR".to_owned(), path("compiled")),
            ("MCE_CACHE_DB_PATH".to_owned(), path("cache.db")),
            ("MCE_AUDIT_DB_PATH".to_owned(), path("audit.db")),
        ];
        variables.extend(self.variables.iter().cloned());
        Environment::from_pairs(variables)
    }

    pub(crate) fn settings(&self) -> Arc<Settings> {
        let environment = self.environment();
        Arc::new(Settings::from_environment(&environment).unwrap().0)
    }

    /// A runtime whose sandbox plays `play`.
    pub(crate) fn runtime<F, Playing>(&self, play: F) -> (Arc<Runtime>, Arc<FakeSandbox>)
    where
        F: Fn(Job, Arc<dyn Host>) -> Playing + Send + Sync + 'static,
        Playing: Future<Output = Outcome> + Send + 'static,
    {
        let sandbox = Arc::new(FakeSandbox::new(play));
        let provider = SandboxProvider::ready(sandbox.clone());
        (self.runtime_with(provider, Switches::default()), sandbox)
    }

    pub(crate) fn runtime_with(
        &self,
        provider: SandboxProvider,
        switches: Switches,
    ) -> Arc<Runtime> {
        let config = self.config.as_ref();
        Runtime::assemble(
            self.settings(),
            config,
            &self.environment(),
            provider,
            switches,
            |_, recorder| Arc::new(FakeEgress { recorder }),
        )
        .unwrap()
    }
}

fn write_json(path: &Path, value: &Value) {
    std::fs::write(path, serde_json::to_vec(value).unwrap()).unwrap();
}

fn module(server: &str, functions: &[(&str, &str)]) -> String {
    let variables = format!("MCE_{}", server.to_ascii_uppercase());
    let mut text = format!(
        r#""""The API of {server}, generated by mce; do not edit."""

from __future__ import annotations

from typing import TypedDict

from mce_runtime import Api

_api = Api(
    "{server}",
    base_url_env="{variables}_BASE_URL",
    auth_env="{variables}_AUTH",
    base_url="https://pets.example",
)


class Pet(TypedDict, total=False):
    """A pet."""

    id: int
"#
    );
    for (function, method) in functions {
        write!(
            text,
            r#"

@_api.operation(
    "{method}",
    "/{function}/{{petId}}",
    path={{"pet_id": ("simple", False, "petId")}},
    accept="application/json",
    responses={{"200": "json"}},
    auth=False,
)
def {function}(*, pet_id: int) -> Pet:
    """Does {function}."""
    ...
"#
        )
        .unwrap();
    }
    text
}

pub(crate) fn manifest(server: &str, functions: &[(&str, &str)], source: &str) -> Value {
    let functions: Vec<Value> = functions
        .iter()
        .map(|(name, method)| {
            json!({
                "name": name, "operation_id": name, "method": method,
                "path": format!("/{name}/{{petId}}"), "tags": [],
                "summary": format!("Does {name}."), "deprecated": false,
                "parameters": [{
                    "name": "pet_id", "wire_name": "petId", "in": "path", "required": true,
                    "type": "int", "style": "simple", "explode": false, "allow_reserved": false,
                    "content_type": null, "nullable": false, "default": null, "enum": null,
                    "description": "", "schema": {"type": "integer"}
                }],
                "body": null, "returns": "Pet",
                "responses": [{"status": "200", "content_types": ["application/json"], "kind": "json",
                    "schema": {"$ref": "#/types/Pet"}}],
                "security": [], "pagination": null
            })
        })
        .collect();
    json!({
        "manifest_version": 1, "runtime_abi": 1, "server": server, "title": "Pets",
        "description": "All about\n pets.",
        "spec": {"version": "3.0.3", "sha256": "0", "source": "pets.json", "files": {}},
        "compiler": "mce", "fingerprint": format!("{server}-1"), "read_only": false,
        "base_url": "https://pets.example", "base_url_env": format!("MCE_{}_BASE_URL", server.to_ascii_uppercase()),
        "security_schemes": {},
        "outputs": {"functions.py": hex::encode(Sha256::digest(source.as_bytes()))},
        "types": {"Pet": {"type": "object", "properties": {"id": {"type": "integer"}}}},
        "functions": functions, "skipped": []
    })
}

/// A request of the principal `ada`.
pub(crate) fn code(code: &str) -> ExecuteRequest {
    ExecuteRequest {
        code: code.to_owned(),
        description: "test".to_owned(),
        principal: "ada".to_owned(),
        ..ExecuteRequest::default()
    }
}

/// What a table holds, one line a row.
pub(crate) fn rows(database: &Path, query: &str) -> Vec<String> {
    let connection = rusqlite::Connection::open(database).unwrap();
    let mut statement = connection.prepare(query).unwrap();
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| {
        let texts = (0..columns).map(|column| match row.get_ref(column).unwrap() {
            rusqlite::types::ValueRef::Null => "-".to_owned(),
            rusqlite::types::ValueRef::Integer(number) => number.to_string(),
            other => other.as_str().unwrap().to_owned(),
        });
        Ok(texts.collect::<Vec<_>>().join(" "))
    });
    rows.unwrap().map(Result::unwrap).collect()
}
