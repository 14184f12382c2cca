//! A small API's manifest, and a broker over it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex};

use indexmap::IndexMap;
use mce::api::{Function, Manifest};
use mce::broker::{Broker, CallRecord, Limits, Recorder, Scope, Target};
use mce::config::{Auth, Environment, ServerConfig, Template};
use mce::sandbox::{CallError, Host};
use mce::vault::Vault;
use mce::wire::{Arguments, Value};
use serde_json::json;

/// Keeps records.
#[derive(Default)]
pub struct Records(Mutex<Vec<CallRecord>>);

impl Recorder for Records {
    fn record(&self, call: CallRecord) {
        self.0.lock().unwrap().push(call);
    }
}

impl Records {
    pub fn all(&self) -> Vec<CallRecord> {
        self.0.lock().unwrap().clone()
    }

    /// All there are, which are not kept any longer.
    pub fn take(&self) -> Vec<CallRecord> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// A parameter in the manifest's own form.
pub fn parameter(name: &str, location: &str, more: serde_json::Value) -> serde_json::Value {
    let style = match location {
        "path" | "header" => "simple",
        _ => "form",
    };
    let mut parameter = json!({
        "name": name, "wire_name": name, "in": location, "required": location == "path",
        "type": "Any", "style": style, "explode": style == "form", "allow_reserved": false,
        "content_type": null, "nullable": false, "default": null, "enum": null,
        "description": "", "schema": {},
    });
    let members = parameter.as_object_mut().unwrap();
    members.extend(more.as_object().unwrap().clone());
    parameter
}

/// A function with these parameters; JSON comes back.
pub fn function(
    name: &str,
    method: &str,
    path: &str,
    parameters: &[serde_json::Value],
    security: serde_json::Value,
) -> Function {
    serde_json::from_value(json!({
        "name": name, "operation_id": name, "method": method, "path": path, "tags": [],
        "summary": "", "deprecated": false, "parameters": parameters, "body": null,
        "returns": "Any",
        "responses": [
            {"status": "200", "content_types": ["application/json"], "kind": "json"},
        ],
        "security": security, "pagination": null,
    }))
    .unwrap()
}

/// The same with a JSON body.
pub fn with_body(mut function: Function) -> Function {
    function.body = Some(
        serde_json::from_value(json!({
            "name": "body", "content_type": "application/json", "required": true, "type": "Any",
            "alternatives": [], "encoding": {}, "schema": {},
        }))
        .unwrap(),
    );
    function
}

/// A manifest of these functions and of further operations that were not compiled.
pub fn manifest(functions: Vec<Function>, skipped: &[(&str, &str)]) -> Manifest {
    Manifest {
        functions,
        skipped: skipped
            .iter()
            .map(|(method, path)| mce::api::Skipped {
                method: (*method).into(),
                path: (*path).into(),
                reason: "read_only".into(),
                base_url: None,
            })
            .collect(),
        ..serde_json::from_value(json!({
            "manifest_version": 1, "runtime_abi": 1, "server": "shop", "title": "Shop",
            "description": "", "spec": {"version": "3.0.3", "sha256": "", "source": "s.json"},
            "compiler": "mce", "fingerprint": "", "read_only": false, "base_url": null,
            "base_url_env": "MCE_SHOP_BASE_URL", "security_schemes": {}, "outputs": {},
            "types": {}, "functions": [], "skipped": [],
        }))
        .unwrap()
    }
}

pub fn template(text: &str) -> Template {
    Template {
        text: text.into(),
        place: "swaggers.yaml:3:5".into(),
    }
}

pub fn config() -> ServerConfig {
    ServerConfig {
        name: "shop".into(),
        ..ServerConfig::default()
    }
}

/// Everything a broker is made of.
pub struct Setup {
    pub manifest: Manifest,
    pub config: ServerConfig,
    pub variables: Vec<(String, String)>,
    pub limits: Limits,
    pub read_only: bool,
}

impl Setup {
    pub fn new(manifest: Manifest) -> Self {
        Self {
            manifest,
            config: config(),
            variables: Vec::new(),
            limits: Limits::default(),
            read_only: false,
        }
    }

    /// Calls this base URL, as `MCE_SHOP_BASE_URL` says.
    pub fn at(self, url: &str) -> Self {
        self.variable("MCE_SHOP_BASE_URL", url)
    }

    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    pub fn auth(mut self, auth: Auth) -> Self {
        self.config.auth = Some(auth);
        self
    }

    pub fn environment(&self) -> Environment {
        Environment::from_pairs(self.variables.clone())
    }

    pub fn build(self) -> Shop {
        self.build_in(Path::new("."))
    }

    /// With this folder as the config's.
    pub fn build_in(self, folder: &Path) -> Shop {
        let records = Arc::new(Records::default());
        let environment = self.environment();
        let config = Arc::new(self.config);
        let vault = Arc::new(Vault::new(std::slice::from_ref(&config), &environment));
        let target = Target {
            manifest: Arc::new(self.manifest),
            config,
            read_only: self.read_only,
        };
        let broker = Broker::new(
            BTreeMap::from([("shop".to_owned(), target)]),
            vault,
            &environment,
            Arc::clone(&records) as Arc<dyn Recorder>,
            self.limits,
        );
        let broker = Arc::new(broker.with_certificates(folder, &environment));
        let host = broker.host(scope(&["shop"]));
        Shop {
            broker,
            host,
            records,
        }
    }
}

pub fn scope(servers: &[&str]) -> Scope {
    Scope {
        execution_id: "e1".into(),
        principal: "p1".into(),
        servers: servers
            .iter()
            .map(|it| (*it).to_owned())
            .collect::<BTreeSet<_>>(),
    }
}

/// A broker at work, and one execution that imported `shop`.
pub struct Shop {
    pub broker: Arc<Broker>,
    pub host: Arc<dyn Host>,
    pub records: Arc<Records>,
}

impl Shop {
    pub async fn call(
        &self,
        function: &str,
        arguments: serde_json::Value,
    ) -> Result<Value, CallError> {
        self.host.call("shop", function, given(arguments)).await
    }

    /// Calls, and expects a refusal.
    #[track_caller]
    pub fn refused(
        &self,
        function: &str,
        arguments: serde_json::Value,
    ) -> impl Future<Output = String> {
        let function = function.to_owned();
        async move {
            match self.call(&function, arguments.clone()).await {
                Err(CallError::Egress { message }) => message,
                other => panic!("{function}({arguments}) was not refused: {other:?}"),
            }
        }
    }
}

pub fn given(arguments: serde_json::Value) -> Arguments {
    match Value::from(arguments) {
        Value::Object(members) => members,
        Value::Null => IndexMap::new(),
        other => panic!("arguments are an object, not {other:?}"),
    }
}
