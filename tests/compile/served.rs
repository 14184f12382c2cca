//! What is refused to be served.

use std::fs;

use crate::project::Project;

#[test]
fn a_tampered_folder_is_refused_with_what_to_do() {
    let tampered = |change: &dyn Fn(&Project)| {
        let project = Project::weather();
        project.compile();
        change(&project);
        let error = project.verify("weather").unwrap_err().to_string();
        assert!(error.contains("mce compile"), "{error}");
        error
    };
    let functions = "compiled/weather/functions.py";
    let manifest = "compiled/weather/manifest.json";
    let replace = |project: &Project, file: &str, from: &str, to: &str| {
        let text = project.read(file);
        assert!(text.contains(from), "{from}");
        project.write(file, &text.replacen(from, to, 1));
    };
    tampered(&|project| replace(project, functions, "Weather", "weather"));
    tampered(&|project| fs::remove_file(project.path(functions)).unwrap());
    tampered(&|project| fs::remove_file(project.path(manifest)).unwrap());
    tampered(&|project| {
        replace(
            project,
            manifest,
            "\"manifest_version\": 1",
            "\"manifest_version\": 2",
        );
    });
    tampered(&|project| {
        replace(
            project,
            manifest,
            "\"runtime_abi\": 1",
            "\"runtime_abi\": 9",
        );
    });
    let error = tampered(&|project| {
        replace(
            project,
            manifest,
            "\"method\": \"DELETE\"",
            "\"method\": \"PUT\"",
        );
    });
    assert!(error.contains("drop_observations"), "{error}");
    // Code in the module is refused even where its hash is made to fit.
    let error = tampered(&|project| rewrite(project, |old| format!("{old}\nimport os\n")));
    assert!(
        error.contains("not allowed") || error.contains("line"),
        "{error}"
    );
}

/// Changes the module and makes the manifest's hash fit.
fn rewrite(project: &Project, change: impl FnOnce(&str) -> String) {
    use sha2::Digest as _;
    let hash = |text: &str| {
        let digest = sha2::Sha256::digest(text.as_bytes());
        digest
            .iter()
            .fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"))
    };
    let old = project.read("compiled/weather/functions.py");
    let new = change(&old);
    assert_ne!(old, new);
    project.write("compiled/weather/functions.py", &new);
    let manifest = project.read("compiled/weather/manifest.json");
    project.write(
        "compiled/weather/manifest.json",
        &manifest.replace(&hash(&old), &hash(&new)),
    );
}

/// Such a header would be a second one, or one that the encoder writes itself.
#[test]
fn a_manifest_whose_parts_have_headers_that_cannot_be_sent_is_refused() {
    let project = Project::weather();
    project.compile();
    let before = project.read("compiled/weather/manifest.json");
    for (name, value) in [
        ("X-Kind", "scan\r\nX-Other: b"),
        ("X-Kind\r\nX-Other", "scan"),
        ("Content-Disposition", "form-data; name=other"),
    ] {
        let encoding = serde_json::json!({"a": {"headers": {name: value}}});
        let further = serde_json::json!({"content_type": "multipart/form-data", "type": "",
            "schema": {}, "encoding": encoding});
        for (member, added) in [("encoding", encoding), ("alternatives", [further].into())] {
            let mut manifest = serde_json::from_str(&before).unwrap();
            of(&mut manifest, "add_observation")["body"][member] = added;
            project.write("compiled/weather/manifest.json", &manifest.to_string());
            let error = project.verify("weather").unwrap_err().to_string();
            let expected = "the body of `add_observation` has parts with the header `";
            assert!(error.contains(expected), "{member}: {error}");
        }
    }
}

/// What is reviewed is the module, so a manifest that says anything else is not served.
#[test]
fn a_manifest_that_sends_elsewhere_than_the_module_says_is_refused() {
    type Change = fn(&mut serde_json::Value);
    let changes: [(&str, Change); 19] = [
        ("base_url", |it| {
            it["base_url"] = "https://evil.example".into();
        }),
        ("base_url", |it| it["base_url"] = serde_json::Value::Null),
        ("base_url_env", |it| {
            it["base_url_env"] = "MCE_EVIL_BASE_URL".into();
        }),
        ("get_forecast", |it| {
            of(it, "get_forecast")["parameters"][0]["wire_name"] = "x".into();
        }),
        ("get_forecast", |it| {
            of(it, "get_forecast")["parameters"][0]["style"] = "label".into();
        }),
        ("get_forecast", |it| {
            of(it, "get_forecast")["parameters"][0]["explode"] = true.into();
        }),
        ("get_forecast", |it| {
            of(it, "get_forecast")["parameters"][0]["in"] = "query".into();
        }),
        ("get_forecast", |it| {
            of(it, "get_forecast")["parameters"][0]["required"] = false.into();
        }),
        ("get_forecast", |it| {
            of(it, "get_forecast")["parameters"][1]["in"] = "header".into();
        }),
        ("get_forecast", |it| {
            of(it, "get_forecast")["parameters"][1]["allow_reserved"] = true.into();
        }),
        ("get_forecast", |it| {
            of(it, "get_forecast")["parameters"][1]["content_type"] = "text/plain".into();
        }),
        ("get_forecast", |it| {
            of(it, "get_forecast")["path"] = "/admin/{stationId}".into();
        }),
        ("get_forecast", |it| {
            of(it, "get_forecast")["security"] = serde_json::json!([]);
        }),
        ("get_forecast", |it| {
            of(it, "get_forecast")["responses"][0]["kind"] = "bytes".into();
        }),
        ("get_forecast", |it| {
            of(it, "get_forecast")["responses"][0]["content_types"][0] = "text/x".into();
        }),
        ("add_observation", |it| {
            of(it, "add_observation")["body"]["content_type"] = "text/plain".into();
        }),
        ("add_observation", |it| {
            of(it, "add_observation")["body"]["name"] = "other".into();
        }),
        ("add_observation", |it| {
            of(it, "add_observation")["body"]["encoding"] =
                serde_json::json!({"a": {"headers": {"X-Kind": "scan"}}});
        }),
        ("add_observation", |it| {
            it["security_schemes"]["other"] =
                serde_json::json!({"type": "apiKey", "scheme": null, "in": "query", "name": "k"});
            of(it, "add_observation")["security"] = serde_json::json!([{"other": []}]);
        }),
    ];
    let project = Project::weather();
    project.compile();
    let before = project.read("compiled/weather/manifest.json");
    for (index, (named, change)) in changes.into_iter().enumerate() {
        let mut manifest = serde_json::from_str(&before).unwrap();
        change(&mut manifest);
        let after = serde_json::to_string_pretty(&manifest).unwrap();
        project.write("compiled/weather/manifest.json", &after);
        let verified = project.verify("weather");
        let error = verified.expect_err(&index.to_string()).to_string();
        assert!(
            error.contains(&format!("disagree on `{named}`")),
            "{index}: {error}"
        );
    }
    // As data alone, and in whatever order, it is the same manifest.
    let whole: serde_json::Value = serde_json::from_str(&before).unwrap();
    project.write("compiled/weather/manifest.json", &whole.to_string());
    assert!(project.verify("weather").is_ok());
}

fn of<'a>(manifest: &'a mut serde_json::Value, name: &str) -> &'a mut serde_json::Value {
    let functions = manifest["functions"].as_array_mut().unwrap();
    functions.iter_mut().find(|it| it["name"] == name).unwrap()
}

/// Neither a method in lower case nor one that nobody knows is taken for a safe one.
#[test]
fn a_method_that_is_unknown_is_not_served_and_counts_as_changing() {
    for method in ["delete", "PURGE", "get", ""] {
        let project = Project::new(
            "  - name: weather\n    swagger_url: weather.yaml\n    is_read_only: true\n",
        );
        project.compile();
        rewrite(&project, |module| {
            module.replace("\"GET\"", &format!("\"{method}\""))
        });
        let manifest = project.read("compiled/weather/manifest.json");
        project.write(
            "compiled/weather/manifest.json",
            &manifest.replace("\"method\": \"GET\"", &format!("\"method\": \"{method}\"")),
        );
        let error = project.verify("weather").unwrap_err().to_string();
        assert!(error.contains(&format!("is `{method}`")), "{error}");
        assert!(mce::api::is_mutating(method), "{method}");
    }
}
