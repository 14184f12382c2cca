//! Documents in folders, and what became of them.

use std::fs;
use std::path::PathBuf;

use mce::api::Api;
use mce::compile::{self, Options};
use mce::config::{Config, Environment};
use mce::openapi::{self, LoadError, Loaded};
use serde_json::{Value, json};
use tempfile::TempDir;

pub const CANARY: &str = "CANARY_OUTSIDE";

/// A folder with a document in `specs/`, beside something that is none of its business.
pub struct Project(pub TempDir);

impl Project {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let project = Self(TempDir::new().unwrap());
        project.write(
            "outside.json",
            &json!({"type": "string", "enum": [CANARY]}).to_string(),
        );
        for (name, text) in files {
            project.write(&format!("home/specs/{name}"), text);
        }
        project
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Loads `specs/api.json` for a config beside `specs`.
    pub fn load(&self) -> Result<Loaded, LoadError> {
        load(&request("specs/api.json", self.path("home")))
    }

    /// Compiles `specs/api.json` and reads the manifest.
    pub fn compile(&self) -> Value {
        self.write(
            "home/swaggers.yaml",
            "servers:\n  - name: pets\n    swagger_url: specs/api.json\n",
        );
        let config = Config::load(&self.path("home/swaggers.yaml")).unwrap();
        let options = Options {
            output: self.path("compiled"),
            ..Options::default()
        };
        let environment = Environment::from_pairs::<&str, &str>([]);
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let report = runtime.block_on(compile::run(&config, &environment, &options));
        assert!(!report.failed(), "{report:?}");
        let text = fs::read_to_string(self.path("compiled/pets/manifest.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    pub fn api(&self) -> Api {
        read(self.load().unwrap())
    }

    pub fn refusal(&self) -> String {
        let reason = self.load().unwrap_err().to_string();
        let base = self.0.path().to_str().unwrap();
        assert!(
            !reason.contains(CANARY) && !reason.contains(base),
            "{reason}"
        );
        reason
    }
}

pub fn request(source: &str, folder: PathBuf) -> openapi::Request {
    openapi::Request {
        source: source.to_owned(),
        shown: "the document".to_owned(),
        folder,
        headers: Vec::new(),
        certificates: None,
        limit: openapi::TIMEOUT,
    }
}

pub fn load(request: &openapi::Request) -> Result<Loaded, LoadError> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(openapi::load(request))
}

pub fn read(loaded: Loaded) -> Api {
    let location = loaded.location.as_ref();
    loaded.document.read(&loaded.bytes, location).unwrap()
}

/// A document with `GET /control`, which refers to nothing, and `GET /a`, which answers `schema`.
pub fn api_with(schema: &Value) -> Value {
    let answer = |schema: &Value| json!({"200": {"description": "", "content": {"application/json": {"schema": schema}}}});
    json!({
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "servers": [{"url": "https://api.example.com/v1"}],
        "paths": {
            "/control": {"get": {"operationId": "getControl", "responses": answer(&json!({"type": "object"}))}},
            "/a": {"get": {"operationId": "a", "responses": answer(schema)}},
        },
    })
}

pub fn referring_to(reference: &str) -> String {
    api_with(&json!({"$ref": reference})).to_string()
}

pub fn paths_of(api: &Api) -> Vec<&str> {
    api.operations.iter().map(|it| it.path.as_str()).collect()
}

/// Why `GET /a` was skipped; the other operation must be there.
pub fn reason_of(api: &Api) -> &str {
    assert_eq!(paths_of(api), ["/control"]);
    match api.skipped.as_slice() {
        [skipped] if skipped.path == "/a" => &skipped.reason,
        other => panic!("{other:?}"),
    }
}

/// The schema that `GET /a` answers, references followed once.
pub fn answer_of(api: &Api) -> &Value {
    let operation = api.operations.iter().find(|it| it.path == "/a").unwrap();
    let schema = &operation.responses[0].schema;
    match schema.get("$ref").and_then(Value::as_str) {
        Some(pointer) => &api.schemas[pointer],
        None => schema,
    }
}

/// A document of 3.2 that calls itself so and refers to a schema of its own by this text.
pub fn called(own: &str, reference: &str) -> String {
    let mut document = api_with(&json!({"$ref": reference}));
    document["openapi"] = json!("3.2.0");
    document["$self"] = json!(own);
    document["components"] = json!({"schemas": {"Own": {"type": "integer"}}});
    document.to_string()
}
