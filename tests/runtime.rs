//! Compiler, load check, guard, broker and runtime together. Only the sandbox is played: it makes
//! the calls that hostile code would make, by name and arguments.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot set up its world should stop loudly"
)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use mce::compile;
use mce::config::{Config, Environment, Settings};
use mce::runtime::{
    CachedRequest, CallRequest, ErrorType, ExecuteRequest, ExecutionResult, FunctionAnswer,
    FunctionName, Runtime, SandboxProvider,
};
use mce::sandbox::{Host, Job, Outcome, Sandbox};
use mce::wire::Arguments;
use serde_json::{Value, json};
use tempfile::TempDir;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

const TOKEN: &str = "tok-4f9c2e71b8";

fn arguments_of(arguments: Value) -> Arguments {
    let Value::Object(arguments) = arguments else {
        panic!("arguments are an object");
    };
    arguments
        .into_iter()
        .map(|(name, value)| (name, value.into()))
        .collect()
}

/// Calls these functions of the host one after the other and returns what each gave, as text.
struct Calls(Mutex<Vec<(&'static str, &'static str, Value)>>);

#[async_trait]
impl Sandbox for Calls {
    fn name(&self) -> &'static str {
        "docker"
    }

    async fn run(&self, _job: Job, host: Arc<dyn Host>) -> Outcome {
        let calls = std::mem::take(&mut *self.0.lock().unwrap());
        let mut answers = Vec::new();
        for (server, function, arguments) in calls {
            let arguments = arguments_of(arguments);
            answers.push(match host.call(server, function, arguments).await {
                Ok(value) => value.into_json(),
                Err(error) => json!(format!("{}: {error}", error.kind())),
            });
        }
        Outcome {
            result: Ok(Value::Array(answers)),
            prints: String::new(),
            stderr: String::new(),
            truncated: false,
            elapsed: Duration::ZERO,
        }
    }
}

struct World {
    folder: TempDir,
    api: MockServer,
    environment: Arc<Environment>,
    settings: Arc<Settings>,
    config: Config,
}

impl World {
    /// Two servers compiled from one document: `pets`, read-only, and `shelter`, read-write.
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let api = MockServer::start().await;
        Mock::given(any())
            .respond_with(ResponseTemplate::new(200).set_body_json(json!({"id": 7, "name": TOKEN})))
            .mount(&api)
            .await;
        let document = include_str!("runtime/pets.json");
        std::fs::write(folder.path().join("pets.json"), document).unwrap();
        let path = folder.path().join("swaggers.yaml");
        let base = api.uri();
        let text = format!(
            "servers:
  - name: pets
    swagger_url: pets.json
    base_url: {base}
    is_read_only: true
    auth: {{type: jwt, token: '${{PETS_TOKEN}}'}}
  - name: shelter
    swagger_url: pets.json
    base_url: {base}
    auth: {{type: jwt, token: '${{PETS_TOKEN}}'}}
"
        );
        std::fs::write(&path, text).unwrap();
        let file = |name: &str| folder.path().join(name).display().to_string();
        let environment = Arc::new(Environment::from_pairs([
            ("PETS_TOKEN", TOKEN.to_owned()),
            ("MCE_SWAGGER_CONFIG_FILE", file("swaggers.yaml")),
            ("MCE_COMPILED_OUTPUT_DIR", file("compiled")),
            ("MCE_CACHE_DB_PATH", file("cache.db")),
            ("MCE_AUDIT_DB_PATH", file("audit.db")),
        ]));
        let (settings, _) = Settings::from_environment(&environment).unwrap();
        let config = Config::load(&path).unwrap();
        let world = Self {
            folder,
            api,
            environment,
            settings: Arc::new(settings),
            config,
        };
        world.compile().await;
        world
    }

    async fn compile(&self) {
        let options = compile::Options {
            output: self.settings.compiled_output_dir.clone(),
            ..compile::Options::default()
        };
        let report = compile::run(&self.config, &self.environment, &options).await;
        assert!(report.error.is_none(), "{report:?}");
    }

    fn runtime(&self, calls: Vec<(&'static str, &'static str, Value)>) -> Arc<Runtime> {
        let sandbox = Arc::new(Calls(Mutex::new(calls)));
        Runtime::open(
            Arc::clone(&self.settings),
            Some(&self.config),
            &self.environment,
            SandboxProvider::ready(sandbox),
        )
        .unwrap()
    }

    async fn requests(&self) -> Vec<String> {
        let received = self.api.received_requests().await.unwrap();
        received
            .iter()
            .map(|request| format!("{} {}", request.method, request.url.path()))
            .collect()
    }

    fn rows(&self, query: &str) -> Vec<String> {
        let connection = rusqlite::Connection::open(self.folder.path().join("audit.db")).unwrap();
        let mut statement = connection.prepare(query).unwrap();
        let rows = statement.query_map([], |row| row.get::<_, String>(0));
        rows.unwrap().map(Result::unwrap).collect()
    }
}

async fn run(runtime: &Runtime, code: &str) -> ExecutionResult {
    runtime
        .execute(ExecuteRequest {
            code: code.to_owned(),
            description: "test".to_owned(),
            principal: "ada".to_owned(),
            ..ExecuteRequest::default()
        })
        .await
}

/// Counts the jobs it gets.
struct Counting(Mutex<usize>);

#[async_trait]
impl Sandbox for Counting {
    fn name(&self) -> &'static str {
        "docker"
    }

    async fn run(&self, job: Job, _host: Arc<dyn Host>) -> Outcome {
        *self.0.lock().unwrap() += 1;
        Outcome {
            result: Ok(json!(job.code.len())),
            prints: String::new(),
            stderr: String::new(),
            truncated: false,
            elapsed: Duration::ZERO,
        }
    }
}

/// The methods of the runtime that answer with the result of an execution, from its sources.
fn ways_to_run() -> Vec<String> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/runtime");
    let mut ways = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let text = std::fs::read_to_string(path).unwrap();
        for signature in text.split("pub async fn ").skip(1) {
            let signature = signature.split('{').next().unwrap();
            if signature.contains("-> ExecutionResult") {
                ways.push(signature.split('(').next().unwrap().to_owned());
            }
        }
    }
    ways.sort();
    ways
}

/// Each way to run code, tried with code that the guard refuses. A new way has to be added here.
#[tokio::test]
async fn every_way_to_run_code_meets_the_guard() {
    // `call` takes no code.
    assert_eq!(ways_to_run(), ["call", "execute", "run_cached"]);

    let world = World::new().await;
    let sandbox = Arc::new(Counting(Mutex::new(0)));
    let open = |settings: &Arc<Settings>| {
        Runtime::open(
            Arc::clone(settings),
            Some(&world.config),
            &world.environment,
            SandboxProvider::ready(Arc::clone(&sandbox) as Arc<dyn Sandbox>),
        )
        .unwrap()
    };
    let runtime = open(&world.settings);
    let refused = run(&runtime, "import os\nresult = 1\n").await;
    assert_eq!(refused.error_type, Some(ErrorType::Security));
    assert_eq!(refused.violations[0].rule, "import-blocked");
    assert_eq!(*sandbox.0.lock().unwrap(), 0);

    // Code that was kept is judged again, here by a policy that has become stricter.
    let kept = run(&runtime, "import random\nresult = random.random()\n").await;
    assert!(kept.success, "{kept:?}");
    assert_eq!(*sandbox.0.lock().unwrap(), 1);
    let policy = world.folder.path().join("policy.toml");
    let text = "extends = \"built-in\"\n[blocked_modules]\nrandom = \"no chance\"\n";
    std::fs::write(&policy, text).unwrap();
    let stricter = Settings {
        guard_policy: Some(policy),
        ..(*world.settings).clone()
    };
    let runtime = open(&Arc::new(stricter));
    let again = runtime
        .run_cached(CachedRequest {
            cache_id: kept.cache_id.unwrap(),
            principal: "ada".to_owned(),
            ..CachedRequest::default()
        })
        .await;
    assert_eq!(again.error_type, Some(ErrorType::Security), "{again:?}");
    assert_eq!(again.violations[0].hint.as_deref(), Some("no chance"));
    assert_eq!(*sandbox.0.lock().unwrap(), 1);
}

#[tokio::test]
async fn imported_functions_are_called_with_the_credential_and_nothing_else_is() {
    let world = World::new().await;
    let id = json!({"pet_id": 7});
    let runtime = world.runtime(vec![
        ("pets", "get_pet", id.clone()),
        ("pets", "delete_pet", id.clone()),
        ("shelter", "delete_pet", id.clone()),
        (
            "pets",
            "get_pet",
            json!({"pet_id": 7, "url": "http://evil"}),
        ),
        ("pets", "__init__", json!({})),
    ]);
    let result = run(
        &runtime,
        "from pets.functions import get_pet\nget_pet(pet_id=7)\n",
    )
    .await;
    let answers = result.data.unwrap();
    assert_eq!(answers[0], json!({"id": 7, "name": "[redacted]"}));
    let kinds: Vec<_> = answers.as_array().unwrap()[1..]
        .iter()
        .map(|answer| answer.as_str().unwrap().split(':').next().unwrap())
        .collect();
    assert_eq!(kinds, ["egress", "egress", "argument", "egress"]);
    assert_eq!(world.requests().await, ["GET /pets/7"]);
    let received = world.api.received_requests().await.unwrap();
    assert_eq!(
        received[0].headers["authorization"],
        format!("Bearer {TOKEN}")
    );
    assert_eq!(result.calls.len(), 5);
    assert_eq!(result.calls[0].status, Some(200));

    runtime.shutdown().await;
    let refusals = world.rows("SELECT server || '.' || function FROM refusals ORDER BY id");
    assert_eq!(
        refusals,
        ["pets.delete_pet", "shelter.delete_pet", "pets.__init__"]
    );
    for file in ["audit.db", "audit.db-wal", "cache.db", "cache.db-wal"] {
        let bytes = std::fs::read(world.folder.path().join(file)).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(TOKEN), "{file}");
        assert!(
            !file.starts_with("audit") || !text.contains("evil"),
            "{file}"
        );
    }
}

#[tokio::test]
async fn a_read_write_server_writes_when_it_is_imported() {
    let world = World::new().await;
    let runtime = world.runtime(vec![("shelter", "delete_pet", json!({"pet_id": 3}))]);
    let code = "from shelter.functions import delete_pet\ndelete_pet(pet_id=3)\n";
    assert!(run(&runtime, code).await.success);
    assert_eq!(world.requests().await, ["DELETE /pets/3"]);
}

#[tokio::test]
async fn the_guard_knows_the_compiled_functions() {
    let world = World::new().await;
    let runtime = world.runtime(vec![]);
    let result = run(&runtime, "from pets.functions import delete_pet\n").await;
    assert_eq!(result.error_type, Some(ErrorType::Security));
    assert!(result.error.unwrap().contains("delete_pet"));
    let result = run(&runtime, "from cats.functions import get_cat\n").await;
    assert_eq!(result.error_type, Some(ErrorType::Security));
    assert_eq!(world.requests().await, Vec::<String>::new());
}

#[tokio::test]
async fn compiled_functions_are_shown_with_every_type_they_need() {
    let world = World::new().await;
    let runtime = world.runtime(vec![]);
    let page = runtime.list_servers(None).await.unwrap();
    let servers: Vec<_> = page
        .servers
        .iter()
        .map(|server| {
            (
                server.name.as_str(),
                server.read_only,
                server.function_count,
            )
        })
        .collect();
    assert_eq!(servers, [("pets", true, 1), ("shelter", false, 2)]);
    let names = [FunctionName::Dotted("pets.get_pet".to_owned())];
    let answer = runtime.get_functions(&names, &[]).await;
    let FunctionAnswer::Found(detail) = &answer.functions[0] else {
        panic!("{answer:?}");
    };
    let at = |text: &str| {
        detail
            .source
            .find(text)
            .unwrap_or_else(|| panic!("{}", detail.source))
    };
    assert!(at("class Owner(") < at("class Pet("));
    assert!(at("class Pet(") < at("def get_pet("));
    assert!(detail.source.contains("Gives one pet"));
    assert!(detail.source.contains("get_pet(pet_id="), "an example");
    assert!(!detail.source.contains("_api.operation"));
}

/// The config of today holds over what was compiled yesterday.
#[tokio::test]
async fn a_server_made_read_only_after_compiling_is_refused_until_compiled_again() {
    let mut world = World::new().await;
    world.config.servers[1].is_read_only = true;
    let runtime = world.runtime(vec![]);
    let result = run(&runtime, "from shelter.functions import get_pet\n").await;
    assert_eq!(result.error_type, Some(ErrorType::Security));
    assert!(result.error.unwrap().contains("read-only"));
    world.compile().await;
    assert!(
        run(
            &runtime,
            "from shelter.functions import get_pet\nresult = 1\n"
        )
        .await
        .success
    );
}

#[tokio::test]
async fn a_single_call_takes_the_same_path() {
    let world = World::new().await;
    let runtime = world.runtime(vec![]);
    let call = |server: &str, function: &str, arguments: Value| CallRequest {
        server: server.to_owned(),
        function: function.to_owned(),
        arguments: arguments_of(arguments),
        principal: "ada".to_owned(),
        ..CallRequest::default()
    };
    let result = runtime
        .call(call("pets", "get_pet", json!({"pet_id": 9})))
        .await;
    assert_eq!(result.data, Some(json!({"id": 7, "name": "[redacted]"})));
    let result = runtime
        .call(call("pets", "delete_pet", json!({"pet_id": 9})))
        .await;
    assert_eq!(result.error_type, Some(ErrorType::Validation));
    let result = runtime
        .call(call("pets", "get_pet", json!({"pet_id": "x"})))
        .await;
    assert_eq!(result.error_type, Some(ErrorType::Validation));
    assert!(result.error.unwrap().contains("pet_id"));
    assert_eq!(world.requests().await, ["GET /pets/9"]);
}

#[cfg(feature = "test-hooks")]
mod hooks {
    use super::*;
    use mce::runtime::Hooks;

    impl World {
        fn runtime_without(
            &self,
            hooks: Hooks,
            calls: Vec<(&'static str, &'static str, Value)>,
        ) -> Arc<Runtime> {
            Runtime::open_with_hooks(
                Arc::clone(&self.settings),
                Some(&self.config),
                &self.environment,
                SandboxProvider::ready(Arc::new(Calls(Mutex::new(calls)))),
                hooks,
            )
            .unwrap()
        }
    }

    const READS_PETS: &str = "import os\nfrom pets.functions import get_pet\n";

    /// Without the guard's verdict, its facts still bound what the host does.
    #[tokio::test]
    async fn the_broker_holds_without_the_guard() {
        let world = World::new().await;
        let hooks = Hooks {
            no_guard: true,
            ..Hooks::default()
        };
        let id = json!({"pet_id": 1});
        let calls = vec![
            ("pets", "get_pet", id.clone()),
            ("pets", "delete_pet", id.clone()),
            ("shelter", "get_pet", id),
        ];
        let result = run(&world.runtime_without(hooks, calls), READS_PETS).await;
        assert!(result.success, "{result:?}");
        assert_eq!(world.requests().await, ["GET /pets/1"]);
    }

    #[tokio::test]
    async fn without_the_import_rule_other_compiled_servers_can_be_called() {
        let world = World::new().await;
        let hooks = Hooks {
            no_import_rule: true,
            ..Hooks::default()
        };
        let id = json!({"pet_id": 1});
        let calls = vec![
            ("shelter", "get_pet", id.clone()),
            ("pets", "delete_pet", id),
        ];
        run(&world.runtime_without(hooks, calls), "result = 1").await;
        assert_eq!(world.requests().await, ["GET /pets/1"]);
    }

    /// A read-only server whose manifest was given a mutating function: the load check refuses it,
    /// and without the load check the broker does.
    #[tokio::test]
    async fn a_manifest_that_grew_a_mutating_function_stops_at_two_layers() {
        let mut world = World::new().await;
        world.config.servers[1].is_read_only = true;
        let calls = || vec![("shelter", "delete_pet", json!({"pet_id": 1}))];
        let code = "from shelter.functions import delete_pet\nresult = 1\n";

        let refused = run(&world.runtime_without(Hooks::default(), calls()), code).await;
        assert_eq!(refused.error_type, Some(ErrorType::Security));

        let no_load_check = Hooks {
            no_load_check: true,
            ..Hooks::default()
        };
        let result = run(&world.runtime_without(no_load_check, calls()), code).await;
        let answer = result.data.unwrap()[0].to_string();
        assert!(answer.contains("egress"), "{answer}");
        assert_eq!(world.requests().await, Vec::<String>::new());

        let neither = Hooks {
            no_broker_rule: true,
            ..no_load_check
        };
        run(&world.runtime_without(neither, calls()), code).await;
        assert_eq!(world.requests().await, ["DELETE /pets/1"]);
    }
}
