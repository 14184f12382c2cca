//! External references: what they lead to, where they may not lead, and what it costs when they
//! lead nowhere.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use mce::api::Api;
use mce::compile::{self, Options};
use mce::config::{Config, Environment};
use mce::openapi::{self, LoadError, Loaded};
use serde_json::{Value, json};
use tempfile::TempDir;
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

const CANARY: &str = "CANARY_OUTSIDE";

/// A folder with a document in `specs/`, beside something that is none of its business.
struct Project(TempDir);

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
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

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Loads `specs/api.json` for a config beside `specs`.
    fn load(&self) -> Result<Loaded, LoadError> {
        load(&request("specs/api.json", self.path("home")))
    }

    /// Compiles `specs/api.json` and reads the manifest.
    fn compile(&self) -> Value {
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

    fn api(&self) -> Api {
        read(self.load().unwrap())
    }

    fn refusal(&self) -> String {
        let reason = self.load().unwrap_err().to_string();
        let base = self.0.path().to_str().unwrap();
        assert!(
            !reason.contains(CANARY) && !reason.contains(base),
            "{reason}"
        );
        reason
    }
}

fn request(source: &str, folder: PathBuf) -> openapi::Request {
    openapi::Request {
        source: source.to_owned(),
        shown: "the document".to_owned(),
        folder,
        headers: Vec::new(),
        certificates: None,
        limit: openapi::TIMEOUT,
    }
}

fn load(request: &openapi::Request) -> Result<Loaded, LoadError> {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(openapi::load(request))
}

fn read(loaded: Loaded) -> Api {
    let location = loaded.location.as_ref();
    loaded.document.read(&loaded.bytes, location).unwrap()
}

/// A document with `GET /control`, which refers to nothing, and `GET /a`, which answers `schema`.
fn api_with(schema: &Value) -> Value {
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

fn referring_to(reference: &str) -> String {
    api_with(&json!({"$ref": reference})).to_string()
}

fn paths_of(api: &Api) -> Vec<&str> {
    api.operations.iter().map(|it| it.path.as_str()).collect()
}

/// Why `GET /a` was skipped; the other operation must be there.
fn reason_of(api: &Api) -> &str {
    assert_eq!(paths_of(api), ["/control"]);
    match api.skipped.as_slice() {
        [skipped] if skipped.path == "/a" => &skipped.reason,
        other => panic!("{other:?}"),
    }
}

/// The schema that `GET /a` answers, references followed once.
fn answer_of(api: &Api) -> &Value {
    let operation = api.operations.iter().find(|it| it.path == "/a").unwrap();
    let schema = &operation.responses[0].schema;
    match schema.get("$ref").and_then(Value::as_str) {
        Some(pointer) => &api.schemas[pointer],
        None => schema,
    }
}

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

#[test]
fn what_cannot_be_resolved_costs_its_operation_alone() {
    for (reference, reason) in [
        (
            "missing.yaml#/A",
            "reference `missing.yaml#/A` cannot be resolved: there is no such file",
        ),
        (
            "part.yaml#/B",
            "reference `part.yaml#/B` cannot be resolved: there is nothing of that name in it",
        ),
        (
            "part.yaml#name",
            "reference `part.yaml#name` cannot be resolved: there is nothing of that name in it",
        ),
        (
            "broken.yaml",
            "reference `broken.yaml` cannot be resolved: line 1, column ",
        ),
        ("page.html", "looks like an HTML page"),
        ("double.json", "duplicate key `a`"),
        ("folder", "it is a folder"),
        ("..\\part.yaml", "separates no folders"),
        (
            "https://u:p@example.com/x.yaml?key=1#/A",
            "reference `https://example.com/x.yaml#/A` cannot be resolved: nothing is fetched",
        ),
    ] {
        let project = Project::new(&[
            ("api.json", &referring_to(reference)),
            ("part.yaml", "A: {type: string}"),
            ("broken.yaml", "a: [}"),
            ("page.html", "<!DOCTYPE html><html></html>"),
            ("double.json", r#"{"a": 1, "a": 2}"#),
            ("folder/x.yaml", ""),
        ]);
        let api = project.api();
        let found = reason_of(&api);
        assert!(found.starts_with("unsupported: "), "{found}");
        assert!(found.contains(reason), "{reference}: {found}");
    }
}

#[test]
fn every_kind_of_part_is_found_relative_to_the_file_it_is_named_in() {
    let root = json!({
        "openapi": "3.0.3",
        "info": {"title": "T", "version": "1"},
        "paths": {
            "/item": {"$ref": "parts/item.yaml"},
            "/operation": {"post": {"$ref": "parts/more.yaml#/operations/send"}},
            "/again": {"get": {"responses": {"200": {"$ref": "./parts/../parts/more.yaml#/responses/Fine"}}}},
        },
        "components": {"schemas": {"Name": {"type": "string", "maxLength": 9}}},
    });
    let item = "
        parameters:
        - $ref: more.yaml#/parameters/Limit
        get:
          operationId: item
          responses:
            '200': {$ref: 'more.yaml#/responses/Fine'}
    ";
    let more = "
        parameters:
          Limit: {name: limit, in: query, schema: {$ref: 'models/whole%20number.yaml'}}
        bodies:
          Pet: {content: {application/json: {schema: {$ref: ../../shared/pet.yaml#/Pet}}}}
        operations:
          send:
            requestBody: {$ref: '#/bodies/Pet'}
            responses: {default: {description: ''}}
        responses:
          Fine:
            description: ''
            content: {application/json: {schema: {$ref: '../api.json#/components/schemas/Name'}}}
    ";
    let project = Project::new(&[
        ("api.json", &root.to_string()),
        ("parts/item.yaml", item),
        ("parts/more.yaml", more),
        ("parts/models/whole number.yaml", "type: integer"),
    ]);
    project.write(
        "home/shared/pet.yaml",
        "Pet: {type: object, properties: {tag: {$ref: '#/Tag'}}}\nTag: {type: string}\n",
    );
    let loaded = project.load().unwrap();
    assert_eq!(
        loaded.files.keys().collect::<Vec<_>>(),
        [
            "../shared/pet.yaml",
            "parts/item.yaml",
            "parts/models/whole number.yaml",
            "parts/more.yaml",
        ]
    );
    let api = read(loaded);
    assert!(api.skipped.is_empty(), "{:?}", api.skipped);
    let [item, operation, again] = api.operations.as_slice() else {
        panic!("{:?}", api.operations);
    };
    let name = json!({"$ref": "#/components/schemas/Name"});
    assert_eq!(item.responses[0].schema, name);
    assert_eq!(again.responses[0].schema, name);
    assert_eq!(
        api.schemas[item.parameters[0].schema["$ref"].as_str().unwrap()],
        json!({"type": "integer"})
    );
    let body = operation.body.as_ref().unwrap();
    assert_eq!(body.schema, json!({"$ref": "../shared/pet.yaml#/Pet"}));
    assert_eq!(
        api.schemas["../shared/pet.yaml#/Pet"],
        json!({"type": "object", "properties": {"tag": {"$ref": "../shared/pet.yaml#/Tag"}}})
    );
}

#[test]
fn all_paths_may_be_kept_in_a_file_of_their_own() {
    let mut root = api_with(&json!(true));
    let paths = std::mem::replace(&mut root["paths"], json!({"$ref": "paths.json"}));
    let project = Project::new(&[
        ("api.json", &root.to_string()),
        ("paths.json", &paths.to_string()),
    ]);
    assert_eq!(paths_of(&project.api()), ["/control", "/a"]);
}

#[test]
fn a_pointer_goes_on_where_a_reference_in_its_way_leads() {
    let mut root = api_with(&json!({"$ref": "#/components/schemas/Foo/properties/bar"}));
    root["components"] = json!({"schemas": {"Foo": {"$ref": "models/Foo.yaml"}}});
    let project = Project::new(&[
        ("api.json", &root.to_string()),
        (
            "models/Foo.yaml",
            "properties: {bar: {$ref: 'Bar.yaml#/deep/0'}}",
        ),
        ("models/Bar.yaml", "deep: [{type: integer}]"),
    ]);
    assert_eq!(answer_of(&project.api()), &json!({"type": "integer"}));

    // And goes round in circles no longer than it has to.
    let mut root = api_with(&json!({"$ref": "#/components/schemas/A/x"}));
    root["components"] = json!({"schemas": {"A": {"$ref": "#/components/schemas/A/y"}}});
    for name in ["api.json#", ""] {
        let root = root.to_string().replace(
            "\"#/components/schemas/A/x",
            &format!("\"{name}#/components/schemas/A/x").replace("##", "#"),
        );
        let project = Project::new(&[("api.json", &root)]);
        assert!(reason_of(&project.api()).contains("loop"));
    }
}

#[test]
fn files_that_refer_to_each_other_are_read_once_and_give_one_type() {
    let mut root = api_with(&json!({"$ref": "part.yaml#/Node"}));
    root["components"] = json!({"schemas": {"Leaf": {"type": "string"}}});
    let part = "
        Node:
          properties:
            leaf: {$ref: 'api.json#/components/schemas/Leaf'}
            again: {$ref: 'part.yaml#/Node'}
            self: {$ref: '#/Node'}
            other: {$ref: 'whole.yaml'}
    ";
    let project = Project::new(&[
        ("api.json", &root.to_string()),
        ("part.yaml", part),
        (
            "whole.yaml",
            "properties: {me: {$ref: '#'}, node: {$ref: part.yaml#/Node}}",
        ),
    ]);
    let loaded = project.load().unwrap();
    assert_eq!(loaded.files.len(), 2);
    let api = read(loaded);
    assert_eq!(
        api.schemas
            .keys()
            .map(String::as_str)
            .collect::<std::collections::BTreeSet<_>>(),
        [
            "#/components/schemas/Leaf",
            "part.yaml#/Node",
            "whole.yaml#"
        ]
        .into()
    );
}

#[test]
fn what_only_looks_like_a_reference_is_data() {
    let evil = json!({"$ref": "file:///etc/passwd"});
    let schema = json!({
        "type": "object",
        "default": evil, "example": evil, "examples": [evil], "enum": [evil], "const": evil,
        "x-note": evil,
        "properties": {"$ref": {"type": "string"}, "b": {"$ref": "part.yaml"}},
    });
    let mut root = api_with(&schema);
    let media = &mut root["paths"]["/a"]["get"]["responses"]["200"]["content"]["application/json"];
    media["example"] = evil.clone();
    media["examples"] = json!({"e": {"value": evil}, "f": {"externalValue": "file:///etc/passwd"}});
    root["paths"]["/a"]["get"]["x-data"] = evil.clone();
    root["paths"]["/a"]["get"]["callbacks"] = json!({"c": {"url": evil}});
    root["webhooks"] = json!({"w": evil});
    root["x-data"] = evil;
    let project = Project::new(&[
        ("api.json", &root.to_string()),
        ("part.yaml", "type: integer"),
    ]);
    let api = project.api();
    let properties = &answer_of(&api)["properties"];
    assert_eq!(properties["$ref"], json!({"type": "string"}));
    assert_eq!(properties["b"], json!({"$ref": "part.yaml#"}));
}

#[test]
fn names_of_files_cannot_be_mistaken_for_pointers() {
    let project = Project::new(&[
        ("api.json", &referring_to("a%23b%25.yaml#/x%2525/~1")),
        ("a#b%.yaml", "x%25: {/: {type: integer}}"),
    ]);
    assert_eq!(answer_of(&project.api()), &json!({"type": "integer"}));
}

#[test]
fn anchors_and_schemas_with_names_of_their_own_are_found() {
    let mut root = api_with(&json!({"allOf": [
        {"$ref": "#tree"},
        {"$ref": "part.yaml#leaf"},
        {"$ref": "https://schemas.example/named"},
        {"$ref": "#twice"},
    ]}));
    root["components"] = json!({"schemas": {
        "Tree": {"$anchor": "tree", "$dynamicAnchor": "node", "properties": {"down": {"$dynamicRef": "#node"}}},
        "Named": {"$id": "https://schemas.example/named", "$defs": {"In": {"type": "null"}}, "$ref": "#/$defs/In"},
        "A": {"$anchor": "twice"}, "B": {"$anchor": "twice"},
    }});
    let part = "x: {$anchor: leaf, type: string}";
    let project = Project::new(&[("api.json", &root.to_string()), ("part.yaml", part)]);
    let is_told = |warning: &String| warning.contains("`#twice` leads nowhere");
    assert!(project.api().warnings.iter().any(is_told));

    root["components"]["schemas"]["B"] = json!({});
    project.write("home/specs/api.json", &root.to_string());
    let api = project.api();
    assert_eq!(
        answer_of(&api)["allOf"],
        json!([
            {"$ref": "#/components/schemas/Tree"},
            {"$ref": "part.yaml#/x"},
            {"$ref": "#/components/schemas/Named"},
            {"$ref": "#/components/schemas/A"},
        ])
    );
    assert_eq!(
        api.schemas["#/components/schemas/Named"]["$ref"],
        "#/components/schemas/Named/$defs/In"
    );
    assert_eq!(
        api.schemas["#/components/schemas/Tree"]["properties"]["down"],
        json!({"$ref": "#/components/schemas/Tree"})
    );
}

#[test]
fn an_id_moves_no_reference_to_another_place() {
    for id in [
        "file:///etc/",
        "http://169.254.169.254/",
        "https://schemas.example/x/",
    ] {
        let schema =
            json!({"$id": id, "properties": {"x": {"$ref": "passwd"}, "y": {"$ref": "part.yaml"}}});
        let project = Project::new(&[
            ("api.json", &api_with(&schema).to_string()),
            ("part.yaml", "{}"),
        ]);
        let api = project.api();
        assert!(reason_of(&api).contains("`passwd` cannot be resolved: there is no such file"));
    }
}

#[test]
fn more_than_2000_files_are_refused_unread() {
    let parts = |count: usize| {
        let properties: serde_json::Map<String, Value> = (0..count)
            .map(|index| {
                (
                    format!("p{index}"),
                    json!({"$ref": format!("part{index}.json")}),
                )
            })
            .collect();
        api_with(&json!({"type": "object", "properties": properties})).to_string()
    };
    let project = Project::new(&[("api.json", &parts(2_001))]);
    let reason = project.load().unwrap_err().reason;
    assert_eq!(reason, "it refers to more than 2000 other files");
    project.write("home/specs/api.json", &parts(2_000));
    assert!(project.load().is_ok());
}

#[test]
fn references_are_counted_over_all_files() {
    let mut many = String::from("{\"properties\": {");
    for index in 0..200_000 {
        let _ = write!(
            many,
            "{}\"p{index}\":{{\"$ref\":\"#\"}}",
            if index == 0 { "" } else { "," }
        );
    }
    many.push_str("}}");
    let project = Project::new(&[
        ("api.json", &referring_to("part.json")),
        ("part.json", &many),
    ]);
    let reason = project.load().unwrap_err().reason;
    assert!(reason.contains("more than 200000 references"), "{reason}");
}

#[test]
fn all_files_together_are_bounded() {
    let schema = json!({"anyOf": [{"$ref": "one.yaml"}, {"$ref": "two.yaml"}]});
    let project = Project::new(&[("api.json", &api_with(&schema).to_string())]);
    for name in ["one.yaml", "two.yaml"] {
        let file = fs::File::create(project.path("home/specs").join(name)).unwrap();
        file.set_len(40 << 20).unwrap();
    }
    let reason = project.load().unwrap_err().reason;
    assert_eq!(
        reason,
        "`two.yaml`, which it refers to: it is larger than 64 MiB with all that it refers to"
    );
}

#[test]
fn the_manifest_lists_all_files_and_a_change_of_any_changes_its_fingerprint() {
    let schema = json!({"properties": {
        "a": {"$ref": "models/pet-owner.yaml"}, "b": {"$ref": "other/Pet.yaml#/definitions/Pet"},
        "c": {"$ref": "models/Pet.yaml"}, "d": {"$ref": "gone.yaml"},
    }});
    let mut root = api_with(&schema);
    root["paths"]["/b"] = json!({"get": {"responses": {"200": {"description": "", "content": {"application/json": {
        "schema": {"$ref": "models/pet-owner.yaml"}}}}}}});
    let project = Project::new(&[
        ("api.json", &root.to_string()),
        (
            "models/pet-owner.yaml",
            "type: object\nproperties: {pet: {$ref: '../other/Pet.yaml#/definitions/Pet'}}",
        ),
        ("models/Pet.yaml", "type: object"),
        (
            "other/Pet.yaml",
            "definitions: {Pet: {type: object, properties: {name: {type: string}}}}",
        ),
    ]);
    let before = project.compile();
    let files = before["spec"]["files"].as_object().unwrap();
    assert_eq!(
        files.keys().collect::<Vec<_>>(),
        ["models/Pet.yaml", "models/pet-owner.yaml", "other/Pet.yaml"]
    );
    // SHA-256 of `type: object`.
    assert_eq!(
        files["models/Pet.yaml"],
        "85a3959ba1d81623b26c7acc955d7380fccfdafc895c92c84c21231fe5f9bcbd"
    );
    let types: Vec<&String> = before["types"].as_object().unwrap().keys().collect();
    assert_eq!(types, ["Pet", "PetOwner"]);
    assert!(
        !before
            .to_string()
            .contains(project.0.path().to_str().unwrap())
    );

    project.write("home/specs/models/Pet.yaml", "type: object # changed");
    let after = project.compile();
    assert_ne!(before["fingerprint"], after["fingerprint"]);
    assert_eq!(before["functions"], after["functions"]);
}

#[test]
fn a_part_that_only_a_dynamic_reference_leads_to_ends_what_is_up_to_date() {
    let root = api_with(&json!({"$dynamicRef": "part.yaml"})).to_string();
    let part = "type: object\nproperties: {old: {type: string}}";
    let project = Project::new(&[("api.json", &root), ("part.yaml", part)]);
    let before = project.compile();
    assert!(before["spec"]["files"].get("part.yaml").is_some());
    project.write(
        "home/specs/part.yaml",
        "type: object\nproperties: {new: {type: string}}",
    );
    let after = project.compile();
    assert_ne!(before["spec"]["files"], after["spec"]["files"]);
    let types = after["types"].to_string() + &after["functions"].to_string();
    assert!(types.contains("new") && !types.contains("old"), "{types}");
}

#[test]
fn dynamic_references_count_towards_the_limit_of_references() {
    let many = vec![json!({"$dynamicRef": "#/components/schemas/A"}); 200_001];
    let project = Project::new(&[(
        "api.json",
        &api_with(&json!({"prefixItems": many})).to_string(),
    )]);
    assert!(project.refusal().contains("more than 200000 references"));
}

#[test]
fn another_reason_why_a_part_is_absent_ends_what_is_up_to_date() {
    let project = Project::new(&[("api.json", &referring_to("part.yaml"))]);
    let before = project.compile();
    assert!(
        before["skipped"]
            .to_string()
            .contains("there is no such file")
    );
    fs::create_dir(project.path("home/specs/part.yaml")).unwrap();
    let after = project.compile();
    assert!(
        after["skipped"].to_string().contains("it is a folder"),
        "{after}"
    );
}

#[test]
fn a_version_that_is_written_as_a_number_has_anchors_as_well() {
    let mut root = api_with(&json!({"$ref": "#pet"}));
    root["components"] = json!({"schemas": {"Pet": {"$anchor": "pet", "type": "object",
        "properties": {"name": {"type": "string"}}}}});
    for version in [json!("3.1.0"), json!(3.1), json!(3.2)] {
        root["openapi"] = version;
        let project = Project::new(&[("api.json", &root.to_string())]);
        let api = project.api();
        assert!(api.skipped.is_empty(), "{:?}", api.skipped);
    }
    root["openapi"] = json!("3.0.0");
    let project = Project::new(&[("api.json", &root.to_string())]);
    reason_of(&project.api());
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

/// Serves texts by path; `delay` may differ from one to the next.
async fn serve(server: &MockServer, name: &str, text: &str, delay: Duration) {
    let answer = ResponseTemplate::new(200)
        .set_body_string(text)
        .set_delay(delay);
    Mock::given(method("GET"))
        .and(path(name))
        .respond_with(answer)
        .mount(server)
        .await;
}

const NOW: Duration = Duration::ZERO;

#[tokio::test]
async fn parts_of_a_remote_document_are_fetched_with_its_headers() {
    let server = MockServer::start().await;
    let root = referring_to("parts/one.yaml?v=2#/A");
    for (name, text) in [
        ("/v1/api.json", root.as_str()),
        (
            "/v1/parts/one.yaml",
            "A: {properties: {x: {$ref: '../two.yaml'}, y: {$ref: /three.yaml}}}",
        ),
        ("/v1/two.yaml", "type: string"),
        ("/three.yaml", "type: string"),
    ] {
        Mock::given(path(name))
            .and(header("authorization", "Bearer of documents"))
            .respond_with(ResponseTemplate::new(200).set_body_string(text))
            .expect(1)
            .mount(&server)
            .await;
    }
    let uri = server.uri();
    let mut request = request(&format!("{uri}/v1/api.json?key=secret"), PathBuf::new());
    request.headers = vec![("Authorization".to_owned(), "Bearer of documents".to_owned())];
    let loaded = openapi::load(&request).await.unwrap();
    assert_eq!(
        loaded.files.keys().cloned().collect::<Vec<_>>(),
        ["three.yaml", "v1/parts/one.yaml", "v1/two.yaml"].map(|name| format!("{uri}/{name}"))
    );
    assert!(read(loaded).skipped.is_empty());
    let queries: Vec<Option<String>> = server
        .received_requests()
        .await
        .unwrap()
        .iter()
        .map(|request| request.url.query().map(str::to_owned))
        .collect();
    assert_eq!(
        queries[..2],
        [Some("key=secret".to_owned()), Some("v=2".to_owned())]
    );
    assert_eq!(queries[2..], [None, None]);

    // Where a variable says where the document is, that is written nowhere.
    request.shown = "${DOCUMENT}".to_owned();
    server.reset().await;
    serve(&server, "/v1/api.json", &root, NOW).await;
    serve(&server, "/v1/parts/one.yaml", "A: {}", NOW).await;
    let loaded = openapi::load(&request).await.unwrap();
    assert_eq!(loaded.files.keys().collect::<Vec<_>>(), ["parts/one.yaml"]);
}

#[tokio::test]
async fn references_of_a_remote_document_to_other_origins_are_refused() {
    let other = MockServer::start().await;
    let server = MockServer::start().await;
    let elsewhere = other.uri();
    let host = other.address().to_string();
    for reference in [
        format!("{elsewhere}/x.yaml"),
        format!("//{host}/x.yaml"),
        format!("\\\\{host}\\x.yaml"),
        format!("{}@{host}/x.yaml", server.uri()),
        "file:///etc/passwd".to_owned(),
        "http://169.254.169.254/x".to_owned(),
        "https://metadata.google.internal/x".to_owned(),
    ] {
        server.reset().await;
        serve(&server, "/api.json", &referring_to(&reference), NOW).await;
        let request = request(&format!("{}/api.json", server.uri()), "/".into());
        let error = openapi::load(&request).await.unwrap_err();
        assert!(
            error.reason.contains("is refused: "),
            "{reference}: {error}"
        );
        assert_eq!(server.received_requests().await.unwrap().len(), 1);
    }
    assert!(other.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_remote_document_reads_no_file_of_this_machine() {
    let server = MockServer::start().await;
    serve(
        &server,
        "/a/api.json",
        &referring_to("../../../etc/passwd"),
        NOW,
    )
    .await;
    let request = request(&format!("{}/a/api.json", server.uri()), "/".into());
    let api = read(openapi::load(&request).await.unwrap());
    assert!(reason_of(&api).contains("/etc/passwd` cannot be resolved: the server answered 404"));
    let asked = server.received_requests().await.unwrap();
    assert_eq!(asked[1].url.path(), "/etc/passwd");
}

#[tokio::test]
async fn redirects_of_parts_stay_on_the_origin() {
    let other = MockServer::start().await;
    let server = MockServer::start().await;
    for target in [
        format!("{}/x.yaml", other.uri()),
        "http://169.254.169.254/latest".to_owned(),
        "file:///etc/passwd".to_owned(),
    ] {
        server.reset().await;
        serve(&server, "/api.json", &referring_to("part.yaml"), NOW).await;
        let answer = ResponseTemplate::new(302).insert_header("location", target.as_str());
        Mock::given(path("/part.yaml"))
            .respond_with(answer)
            .mount(&server)
            .await;
        let request = request(&format!("{}/api.json", server.uri()), PathBuf::new());
        let error = openapi::load(&request).await.unwrap_err();
        assert!(
            error.reason.contains("redirects to another origin"),
            "{error}"
        );
    }
    assert!(other.received_requests().await.unwrap().is_empty());

    // On its origin, what it leads to is the base of further references.
    server.reset().await;
    serve(&server, "/api.json", &referring_to("part.yaml"), NOW).await;
    let answer = ResponseTemplate::new(302).insert_header("location", "/moved/part.yaml");
    Mock::given(path("/part.yaml"))
        .respond_with(answer)
        .mount(&server)
        .await;
    serve(
        &server,
        "/moved/part.yaml",
        "properties: {x: {$ref: x.yaml}}",
        NOW,
    )
    .await;
    serve(&server, "/moved/x.yaml", "type: string", NOW).await;
    let request = request(&format!("{}/api.json", server.uri()), PathBuf::new());
    assert!(
        read(openapi::load(&request).await.unwrap())
            .skipped
            .is_empty()
    );
}

#[tokio::test]
async fn a_server_that_fails_today_costs_no_operation_that_was_there_yesterday() {
    let server = MockServer::start().await;
    for (status, is_error) in [
        (404, false),
        (410, false),
        (400, true),
        (401, true),
        (403, true),
        (407, true),
        (421, true),
        (423, true),
        (425, true),
        (429, true),
        (503, true),
    ] {
        server.reset().await;
        serve(&server, "/api.json", &referring_to("part.yaml"), NOW).await;
        let answer = ResponseTemplate::new(status);
        Mock::given(path("/part.yaml"))
            .respond_with(answer)
            .mount(&server)
            .await;
        let request = request(&format!("{}/api.json", server.uri()), PathBuf::new());
        match openapi::load(&request).await {
            Ok(loaded) => {
                assert!(!is_error, "{status}");
                assert!(reason_of(&read(loaded)).contains(&status.to_string()));
            }
            Err(error) => {
                assert!(is_error, "{status}");
                assert!(
                    error.reason.contains("part.yaml`, which it refers to: "),
                    "{error}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_slow_server_ends_at_the_limit_for_all_parts_together() {
    let server = MockServer::start().await;
    let delay = Duration::from_millis(400);
    serve(&server, "/api.json", &referring_to("0.yaml"), delay).await;
    for index in 0..4 {
        let text = format!("properties: {{x: {{$ref: {}.yaml}}}}", index + 1);
        serve(&server, &format!("/{index}.yaml"), &text, delay).await;
    }
    let mut request = request(&format!("{}/api.json", server.uri()), PathBuf::new());
    request.limit = Duration::from_secs(1);
    let begun = Instant::now();
    let error = openapi::load(&request).await.unwrap_err();
    assert_eq!(error.reason, "it was not all there within 1s");
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn parts_are_fetched_at_once_and_their_order_of_arrival_does_not_matter() {
    let server = MockServer::start().await;
    let mut outcomes = Vec::new();
    for is_reversed in [false, true] {
        server.reset().await;
        let parts: Vec<Value> = (0..8)
            .map(|it| json!({"$ref": format!("p{it}.yaml#/A")}))
            .collect();
        serve(
            &server,
            "/api.json",
            &api_with(&json!({"anyOf": parts})).to_string(),
            NOW,
        )
        .await;
        for index in 0..8_u32 {
            let turn = if is_reversed { 8 - index } else { index };
            let text = format!(
                "A: {{properties: {{x: {{$ref: 'p{}.yaml#/A'}}}}}}",
                (index + 3) % 9
            );
            serve(
                &server,
                &format!("/p{index}.yaml"),
                &text,
                Duration::from_millis(200) + turn * Duration::from_millis(20),
            )
            .await;
        }
        serve(&server, "/p8.yaml", "A: {type: string}", NOW).await;
        let request = request(&format!("{}/api.json", server.uri()), PathBuf::new());
        let begun = Instant::now();
        let loaded = openapi::load(&request).await.unwrap();
        assert!(
            begun.elapsed() < Duration::from_millis(1_500),
            "{:?}",
            begun.elapsed()
        );
        let files = loaded.files.clone();
        outcomes.push((format!("{:?}", read(loaded)), files));
    }
    assert!(outcomes[0] == outcomes[1]);
}

/// A document of 3.2 that calls itself so and refers to a schema of its own by this text.
fn called(own: &str, reference: &str) -> String {
    let mut document = api_with(&json!({"$ref": reference}));
    document["openapi"] = json!("3.2.0");
    document["$self"] = json!(own);
    document["components"] = json!({"schemas": {"Own": {"type": "integer"}}});
    document.to_string()
}

#[test]
fn references_that_spell_what_the_document_calls_itself_stay_in_it() {
    let own = "https://a.example/api/openapi.yaml";
    for reference in [
        "https://a.example/api/openapi.yaml#/components/schemas/Own",
        "openapi.yaml#/components/schemas/Own",
        "/api/openapi.yaml#/components/schemas/Own",
        "#/components/schemas/Own",
    ] {
        let project = Project::new(&[("api.json", &called(own, reference))]);
        let api = project.api();
        assert_eq!(answer_of(&api), &json!({"type": "integer"}), "{reference}");
        assert!(api.schemas.contains_key("#/components/schemas/Own"));
    }
    // Parts name the whole the same way; all else lies beside the file, as ever.
    let part = json!({"$ref": "https://a.example/api/openapi.yaml#/components/schemas/Own"});
    let project = Project::new(&[
        ("api.json", &called(own, "part.json")),
        ("part.json", &part.to_string()),
    ]);
    assert_eq!(answer_of(&project.api()), &json!({"type": "integer"}));
    let other = "https://a.example/api/other.yaml#/components/schemas/Own";
    let project = Project::new(&[("api.json", &called(own, other))]);
    let api = project.api();
    let reason = reason_of(&api);
    assert!(
        reason.contains("nothing is fetched for a document that is a file"),
        "{reason}"
    );
}

#[tokio::test]
async fn what_a_document_calls_itself_opens_no_other_origin() {
    let server = MockServer::start().await;
    let schema = json!({"type": "string"}).to_string();
    serve(&server, "/api/part.json", &schema, Duration::ZERO).await;
    serve(
        &server,
        "/files/part.json",
        &json!({"type": "null"}).to_string(),
        Duration::ZERO,
    )
    .await;
    let other = MockServer::start().await;
    serve(&other, "/api/part.json", &schema, Duration::ZERO).await;
    for (own, expected) in [
        (
            format!("{}/api/openapi.json", server.uri()),
            json!({"type": "string"}),
        ),
        (
            format!("{}/api/openapi.json", other.uri()),
            json!({"type": "null"}),
        ),
    ] {
        let text = called(&own, "part.json");
        serve(&server, "/files/api.json", &text, Duration::ZERO).await;
        let source = format!("{}/files/api.json", server.uri());
        let loaded = openapi::load(&request(&source, PathBuf::new()))
            .await
            .unwrap();
        let api = read(loaded);
        let found = api.schemas.values().next();
        assert_eq!(found, Some(&expected), "{own}");
        server.reset().await;
        serve(
            &server,
            "/files/part.json",
            &json!({"type": "null"}).to_string(),
            Duration::ZERO,
        )
        .await;
    }
    assert!(other.received_requests().await.unwrap().is_empty());
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
