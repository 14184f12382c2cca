//! What clients are told unasked, what they ask to be told, and completions, in both eras.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::wire_tests::{Client, simple};
use crate::runtime::fixture::{Fixture, returned};
use crate::runtime::{Event, Runtime};

fn annotated() -> (Fixture, Arc<Runtime>) {
    let fixture = Fixture::new();
    for server in ["pets", "people", "shop"] {
        fixture.compile(server, &[("get_pet", "GET")]);
        fixture.annotate(server, "# Notes\n");
    }
    fixture.compile("petrol", &[("get_it", "GET")]);
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    (fixture, runtime)
}

/// As who may use `pets` only sees it.
fn of_pets(runtime: &Runtime) -> Arc<Runtime> {
    let servers = BTreeSet::from(["pets".to_owned()]);
    runtime.seen_by(crate::runtime::Client::default(), Some(&servers))
}

/// What comes until the answer to a `ping`.
async fn told(client: &mut Client) -> Vec<Value> {
    // What tells clients is another task.
    tokio::time::sleep(Duration::from_millis(200)).await;
    client
        .send(r#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#)
        .await;
    let mut told = Vec::new();
    loop {
        let line: Value = serde_json::from_str(&client.line().await).unwrap();
        if line["id"] == "last" {
            return told;
        }
        told.push(line);
    }
}

/// Each `initialized` began another task, and each of those told every change.
#[tokio::test]
async fn a_client_that_says_often_that_it_is_ready_is_told_once() {
    let (_fixture, runtime) = simple();
    let mut client = Client::begin(Arc::clone(&runtime)).await;
    for _ in 0..20 {
        client
            .send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
            .await;
    }
    assert_eq!(told(&mut client).await, Vec::<Value>::new());
    runtime.catalogue_changed();
    let told = told(&mut client).await;
    let methods: Vec<_> = told.iter().map(|it| it["method"].clone()).collect();
    assert_eq!(
        methods,
        [
            "notifications/tools/list_changed",
            "notifications/resources/list_changed"
        ]
    );
    client.end().await;
}

#[tokio::test]
async fn messages_are_sent_from_the_level_that_was_set_and_none_before() {
    let (_fixture, runtime) = simple();
    let mut client = Client::begin(of_pets(&runtime)).await;
    let happen = || {
        runtime.notify("pets", Event::Changed);
        runtime.notify("pets", Event::Refused("run `mce compile`".to_owned()));
        // Of a server that it may not use.
        runtime.notify("other", Event::Refused("secret".to_owned()));
    };
    assert_eq!(told(&mut client).await, Vec::<Value>::new());
    happen();
    assert_eq!(told(&mut client).await, Vec::<Value>::new());
    for (level, expected) in [
        ("info", vec!["notice", "warning"]),
        ("warning", vec!["warning"]),
        ("emergency", vec![]),
    ] {
        let set = client
            .ask("2", "logging/setLevel", json!({"level": level}))
            .await;
        assert_eq!(set["result"], json!({}));
        happen();
        let told = told(&mut client).await;
        let levels: Vec<_> = told
            .iter()
            .map(|it| it["params"]["level"].clone())
            .collect();
        assert_eq!(levels, expected, "{level}: {told:?}");
        if level == "warning" {
            assert_eq!(told[0]["method"], "notifications/message");
            let data = json!({
                "message": "a compiled server is refused", "server": "pets",
                "reason": "run `mce compile`"
            });
            assert_eq!(told[0]["params"]["data"], data);
        }
    }
    let wrong = client
        .ask("3", "logging/setLevel", json!({"level": "loud"}))
        .await;
    assert!(wrong["error"]["code"].is_i64(), "{wrong}");
    client.end().await;
}

#[tokio::test]
async fn a_server_that_is_compiled_anew_and_broken_is_told_as_it_happens() {
    let (fixture, runtime) = annotated();
    let mut client = Client::begin(runtime).await;
    client
        .ask("2", "logging/setLevel", json!({"level": "debug"}))
        .await;
    for (id, server) in [("3", "pets"), ("4", "shop")] {
        let uri = format!("skills://{server}");
        let followed = client
            .ask(id, "resources/subscribe", json!({"uri": uri}))
            .await;
        assert_eq!(followed["result"], json!({}));
    }
    client
        .ask(
            "5",
            "resources/unsubscribe",
            json!({"uri": "skills://shop"}),
        )
        .await;
    // Longer than between two looks at the folder, so that the first one saw it whole.
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    for server in ["pets", "shop"] {
        fixture.tamper(server, |manifest| manifest["manifest_version"] = json!(2));
    }
    let mut updated = Vec::new();
    let mut messages = Vec::new();
    while messages.len() < 4 {
        let line: Value = serde_json::from_str(&client.line().await).unwrap();
        let params = &line["params"];
        match line["method"].as_str().unwrap() {
            "notifications/resources/updated" => updated.push(params["uri"].clone()),
            "notifications/message" => {
                messages.push((params["level"].clone(), params["data"]["server"].clone()));
            }
            _ => {}
        }
    }
    assert_eq!(updated, ["skills://pets"]);
    let expected = [
        ("notice", "pets"),
        ("warning", "pets"),
        ("notice", "shop"),
        ("warning", "shop"),
    ]
    .map(|(level, server)| (json!(level), json!(server)));
    assert_eq!(messages, expected);
    client.end().await;
}

#[tokio::test]
async fn only_what_is_there_and_changes_can_be_followed() {
    let (_fixture, runtime) = annotated();
    let mut client = Client::begin(runtime).await;
    for uri in [
        "skills://no_such",
        "skills://petrol",
        "mce://cached",
        "mce://result/0123",
        "file:///etc/passwd",
    ] {
        let refused = client
            .ask("2", "resources/subscribe", json!({"uri": uri}))
            .await;
        assert_eq!(refused["error"]["code"], json!(-32002), "{uri}: {refused}");
    }
    client.end().await;
}

#[tokio::test]
async fn servers_with_notes_complete_the_template_and_nothing_else_is_known() {
    let (fixture, runtime) = annotated();
    let mut client = Client::begin(runtime).await;
    let skills = json!({"type": "ref/resource", "uri": "skills://{server}"});
    let prompt = json!({"type": "ref/prompt", "name": "reusable_code_guide"});
    let results = json!({"type": "ref/resource", "uri": "mce://result/{id}{?offset,length}"});
    for (reference, name, value, expected) in [
        (&skills, "server", "pe", json!(["people", "pets"])),
        (&skills, "server", "", json!(["people", "pets", "shop"])),
        (&skills, "server", "petrol", json!([])),
        (&skills, "server", "../", json!([])),
        (&skills, "other", "pe", json!([])),
        (&prompt, "server", "pe", json!([])),
        (&results, "id", "", json!([])),
    ] {
        let params = json!({"ref": reference, "argument": {"name": name, "value": value}});
        let answer = client.ask("2", "completion/complete", params).await;
        let completion = &answer["result"]["completion"];
        assert_eq!(completion["values"], expected, "{name} {value}: {answer}");
        assert_eq!(completion["hasMore"], json!(false));
    }
    client.end().await;

    for number in 0..150 {
        let server = format!("many_{number:03}");
        fixture.compile(&server, &[("get_it", "GET")]);
        std::fs::write(
            fixture.server_folder(&server).join("skills.md"),
            "# Notes\n",
        )
        .unwrap();
    }
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let mut client = Client::begin(runtime).await;
    let params = json!({"ref": skills, "argument": {"name": "server", "value": "many"}});
    let answer = client.ask("2", "completion/complete", params).await;
    let completion = &answer["result"]["completion"];
    assert_eq!(completion["values"].as_array().unwrap().len(), 100);
    assert_eq!(completion["total"], json!(150));
    assert_eq!(completion["hasMore"], json!(true));
    client.end().await;
}

/// The members of a request of 2026-07-28, with more of `_meta`.
fn modern(mut params: Value, more: &Value) -> Value {
    let mut meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}
    });
    for (name, value) in more.as_object().unwrap() {
        meta[name] = value.clone();
    }
    params["_meta"] = meta;
    params
}

#[tokio::test]
async fn in_the_era_without_sessions_each_request_says_what_it_is_told() {
    let fixture = Fixture::new();
    let (started, mut starting) = tokio::sync::mpsc::unbounded_channel();
    let (runtime, _) = fixture.runtime(move |_, _| {
        started.send(()).unwrap();
        async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            returned(json!(1))
        }
    });
    let mut client = Client::connect(of_pets(&runtime));
    let level = |level: &str| json!({"io.modelcontextprotocol/logLevel": level});
    let set = client
        .ask(
            "1",
            "logging/setLevel",
            modern(json!({"level": "debug"}), &json!({})),
        )
        .await;
    assert_eq!(set["error"]["code"], json!(-32601), "{set}");
    for (more, expected) in [
        (json!({}), 0),
        (level("warning"), 1),
        (level("debug"), 2),
        (level("error"), 0),
    ] {
        let params = json!({
            "name": "execute_code", "arguments": {"code": "1", "description": "d"}
        });
        let params = modern(params, &more);
        client
            .send(&format!(
                r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{params}}}"#
            ))
            .await;
        starting.recv().await.unwrap();
        runtime.notify("pets", Event::Changed);
        runtime.notify("pets", Event::Refused("why".to_owned()));
        runtime.notify("other", Event::Refused("why".to_owned()));
        let mut messages = 0;
        loop {
            let line: Value = serde_json::from_str(&client.line().await).unwrap();
            if line["id"] == 2 {
                break;
            }
            assert_eq!(line["method"], "notifications/message");
            messages += 1;
        }
        assert_eq!(messages, expected, "{more}");
    }
    client.end().await;
}

#[tokio::test]
async fn in_the_era_without_sessions_notes_are_followed_and_arguments_completed() {
    let (_fixture, runtime) = annotated();
    let mut client = Client::connect(Arc::clone(&runtime));
    let params = json!({
        "ref": {"type": "ref/resource", "uri": "skills://{server}"},
        "argument": {"name": "server", "value": "pe"}
    });
    let params = modern(params, &json!({}));
    let answer = client.ask("1", "completion/complete", params).await;
    assert_eq!(
        answer["result"]["completion"]["values"],
        json!(["people", "pets"])
    );
    assert_eq!(answer["result"]["resultType"], "complete");

    let wanted = ["skills://pets", "mce://cached"];
    let params = modern(
        json!({"notifications": {"resourceSubscriptions": wanted}}),
        &json!({}),
    );
    client
        .send(&format!(
            r#"{{"jsonrpc":"2.0","id":3,"method":"subscriptions/listen","params":{params}}}"#
        ))
        .await;
    let acknowledged = client.line().await;
    assert!(
        acknowledged.contains(r#"["skills://pets"]"#),
        "{acknowledged}"
    );
    // It follows from a moment after that on.
    tokio::time::sleep(Duration::from_millis(200)).await;
    runtime.notify("shop", Event::Changed);
    runtime.notify("pets", Event::Refused("why".to_owned()));
    runtime.notify("pets", Event::Changed);
    let told: Value = serde_json::from_str(&client.line().await).unwrap();
    assert_eq!(told["method"], "notifications/resources/updated");
    assert_eq!(told["params"]["uri"], "skills://pets");
    client.end().await;
}
