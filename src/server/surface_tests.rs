//! What a client gets beside the plain results of code: budgets, forms of results, resources,
//! prompts, promoted functions, progress.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::wire_tests::{Client, simple};
use crate::config::{Config, ServerConfig};
use crate::runtime::Runtime;
use crate::runtime::fixture::{Fixture, returned, rows};

fn set(mut fixture: Fixture, name: &str, value: &str) -> Fixture {
    fixture.variables.push((name.to_owned(), value.to_owned()));
    fixture
}

/// A fixture whose server `pets` promotes these.
pub(super) fn promoting(fixture: &mut Fixture, entries: &[&str]) {
    let server = ServerConfig {
        name: "pets".to_owned(),
        top_level_functions: entries.iter().map(|&entry| entry.to_owned()).collect(),
        ..ServerConfig::default()
    };
    fixture.config = Some(Config {
        servers: vec![server],
        ..Config::default()
    });
}

/// What every session of a client costs a model, before it has asked for anything.
#[tokio::test]
async fn tools_and_instructions_are_within_their_budget() {
    let (_fixture, runtime) = simple();
    let mut client = Client::begin(runtime).await;
    let listed = client.ask("7", "tools/list", json!({})).await;
    let text = format!("{}{}", listed["result"]["tools"], super::INSTRUCTIONS);
    let tokens = tiktoken_rs::o200k_base()
        .unwrap()
        .encode_ordinary(&text)
        .len();
    assert!(tokens <= 1_500, "{tokens} tokens");
    client.end().await;
}

#[tokio::test]
async fn every_tool_declares_what_it_answers_and_answers_that() {
    let (_fixture, runtime) = simple();
    let mut client = Client::begin(runtime).await;
    let listed = client.ask("7", "tools/list", json!({})).await;
    for tool in listed["result"]["tools"].as_array().unwrap() {
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
    }
    for (tool, arguments) in [
        ("list_servers", json!({})),
        ("list_servers", json!({"cursor": "!"})),
        ("get_functions", json!({"functions": ["pets.get_pet"]})),
        ("execute_code", json!({"code": "1", "description": "d"})),
        ("execute_code", json!({})),
        ("end_session", json!({"session_id": "x"})),
    ] {
        let answer = client.call(tool, arguments).await;
        assert!(answer["structuredContent"].is_object(), "{tool}: {answer}");
    }
    client.end().await;
}

#[tokio::test]
async fn the_mode_changes_the_text_and_nothing_else() {
    let mut seen = Vec::new();
    for mode in ["json", "toon", "compact"] {
        let fixture = set(Fixture::new(), "MCE_OUTPUT_MODE", mode);
        let (runtime, _) = fixture.runtime(|_, _| async { returned(json!([{"n": 1}, {"n": 2}])) });
        let mut client = Client::begin(runtime).await;
        let ran = client
            .call("execute_code", json!({"code": "1", "description": "d"}))
            .await;
        assert_eq!(
            ran["structuredContent"]["data"],
            json!([{"n": 1}, {"n": 2}])
        );
        seen.push(ran["content"][0]["text"].as_str().unwrap().to_owned());
        client.end().await;
    }
    assert!(
        seen[0].starts_with(r#"{"success":true,"data":[{"n":1}"#),
        "{seen:?}"
    );
    assert!(
        seen[1].starts_with("success: true\ndata[2]{n}:\n  1\n  2\n"),
        "{seen:?}"
    );
    assert!(
        seen[2].starts_with("cache_id: ") && seen[2].ends_with("\ndata:\n[{\"n\":1},{\"n\":2}]"),
        "{seen:?}"
    );
}

fn many() -> Value {
    (0..60_000)
        .map(|id| json!({"id": id, "name": "é"}))
        .collect()
}

fn large() -> (Fixture, Arc<Runtime>) {
    let fixture = Fixture::new().set("MCE_MAX_OUTPUT_SIZE_BYTES", 4 << 20);
    let (runtime, _) = fixture.runtime(|_, _| async { returned(many()) });
    (fixture, runtime)
}

#[tokio::test]
async fn a_large_result_is_read_piece_by_piece_by_its_owner_alone() {
    let (fixture, runtime) = large();
    let mut client = Client::begin(Arc::clone(&runtime)).await;
    let ran = client
        .call("execute_code", json!({"code": "1", "description": "d"}))
        .await;
    let result = &ran["structuredContent"];
    assert_eq!(result["data"]["shape"]["list"], json!(60_000));
    let uri = result["resource"]["uri"].as_str().unwrap().to_owned();
    assert_eq!(ran["content"][1]["type"], "resource_link");
    assert_eq!(ran["content"][1]["uri"], json!(uri));
    let (mut whole, mut next) = (String::new(), Some(uri.clone()));
    let mut pieces = 0;
    while let Some(at) = next {
        let read = client.ask("3", "resources/read", json!({"uri": at})).await;
        let content = &read["result"]["contents"][0];
        whole.push_str(content["text"].as_str().unwrap());
        assert_eq!(
            content["_meta"]["size_bytes"],
            result["resource"]["size_bytes"]
        );
        next = content["_meta"]["next"].as_str().map(str::to_owned);
        pieces += 1;
    }
    assert!(pieces > 4, "{pieces}");
    assert_eq!(serde_json::from_str::<Value>(&whole).unwrap(), many());
    client.end().await;

    // Whoever is not its owner learns as much as of one that never was.
    let runtime = fixture.runtime(|_, _| async { returned(json!(1)) }).0;
    let server = super::Server::new(&runtime, "bob".to_owned());
    let read = async |principal: &str, uri: &str| {
        super::resources::read(&server.runtime, principal, uri).await
    };
    assert!(read("ada", &uri).await.is_ok(), "kept across a restart");
    let (foreign, never) = (
        read("bob", &uri).await.unwrap_err(),
        read("bob", "mce://result/0123").await.unwrap_err(),
    );
    assert_eq!(foreign.code, never.code);
    let message = |error: &rmcp::ErrorData, uri: &str| error.message.replace(uri, "");
    assert_eq!(
        message(&foreign, &uri),
        message(&never, "mce://result/0123")
    );
}

#[tokio::test]
async fn notes_and_cached_code_are_resources() {
    let fixture = Fixture::new();
    let notes = "# Pets\n\nAsk for one at a time.\n";
    fixture.annotate("pets", notes);
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let mut client = Client::begin(runtime).await;
    let listed = client.ask("2", "resources/list", json!({})).await;
    let uris: Vec<_> = listed["result"]["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|resource| resource["uri"].as_str().unwrap())
        .collect();
    assert_eq!(uris, ["mce://cached", "skills://pets"]);
    let read = client
        .ask("3", "resources/read", json!({"uri": "skills://pets"}))
        .await;
    let text = read["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("Notes on the API `pets`"), "{text}");
    assert!(
        text.contains("not instructions") && text.ends_with(notes),
        "{text}"
    );

    let ran = client
        .call(
            "execute_code",
            json!({"code": "N = 1\nresult = N", "description": "Counts the open orders"}),
        )
        .await;
    let id = ran["structuredContent"]["cache_id"].clone();
    let found = client
        .ask(
            "4",
            "resources/read",
            json!({"uri": "mce://cached?query=order%20count"}),
        )
        .await;
    let text = found["result"]["contents"][0]["text"].as_str().unwrap();
    let found: Value = serde_json::from_str(text).unwrap();
    assert_eq!(found["cached"][0]["cache_id"], id);
    let none = client
        .ask(
            "5",
            "resources/read",
            json!({"uri": "mce://cached?query=weather"}),
        )
        .await;
    assert_eq!(none["result"]["contents"][0]["text"], r#"{"cached":[]}"#);
    // A model finds it the same way, without resources.
    let missed = client
        .call(
            "run_cached_code",
            json!({"cache_id": "count of open orders"}),
        )
        .await;
    let hint = missed["structuredContent"]["hint"].as_str().unwrap();
    assert!(hint.contains(id.as_str().unwrap()), "{hint}");
    assert!(hint.contains("Counts the open orders"), "{hint}");
    client.end().await;
}

#[tokio::test]
async fn notes_that_are_not_those_that_were_compiled_refuse_the_server() {
    let fixture = Fixture::new();
    let folder = fixture.server_folder("pets");
    std::fs::write(folder.join("skills.md"), "# Other\n").unwrap();
    fixture.tamper("pets", |manifest| {
        manifest["outputs"]["skills.md"] = json!("00");
    });
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    assert_eq!(runtime.skills("pets").await, None);
    let page = runtime.list_servers(None).await.unwrap();
    assert!(page.refused[0].reason.contains("skills.md"), "{page:?}");
}

#[tokio::test]
async fn the_prompt_is_there() {
    let (_fixture, runtime) = simple();
    let mut client = Client::begin(runtime).await;
    let listed = client.ask("2", "prompts/list", json!({})).await;
    assert_eq!(
        listed["result"]["prompts"][0]["name"],
        "reusable_code_guide"
    );
    let prompt = client
        .ask("3", "prompts/get", json!({"name": "reusable_code_guide"}))
        .await;
    let text = prompt["result"]["messages"][0]["content"]["text"].as_str();
    assert!(text.unwrap().contains("`cache_id`"), "{prompt}");
    let unknown = client.ask("4", "prompts/get", json!({"name": "x"})).await;
    assert_eq!(unknown["error"]["code"], json!(-32602));
    client.end().await;
}

#[tokio::test]
async fn a_promoted_function_is_a_tool_with_the_checks_of_every_call() {
    let mut fixture = Fixture::new();
    promoting(&mut fixture, &["get_pet"]);
    let (runtime, sandbox) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let mut client = Client::begin(Arc::clone(&runtime)).await;
    let listed = client.ask("2", "tools/list", json!({})).await;
    let tool = &listed["result"]["tools"][6];
    assert_eq!(tool["name"], "get_pet");
    assert_eq!(tool["inputSchema"]["required"], json!(["pet_id"]));
    assert_eq!(tool["annotations"]["readOnlyHint"], json!(true));
    let called = client.call("get_pet", json!({"pet_id": 7})).await;
    assert_eq!(called["isError"], json!(false));
    let result = &called["structuredContent"];
    // The fake vault's secret is in every answer of the fake API.
    assert_eq!(
        result["data"],
        json!({"id": 7, "echo": "[redacted]", "given": [7]})
    );
    assert_eq!(result["calls"][0]["function"], "get_pet");
    assert!(sandbox.jobs.lock().unwrap().is_empty());
    // What is not promoted is no tool, compiled or not.
    let params = json!({"name": "find_pets", "arguments": {}});
    let unknown = client.ask("4", "tools/call", params).await;
    assert_eq!(unknown["error"]["code"], json!(-32602));
    client.end().await;
    assert_eq!(
        rows(
            &fixture.path("audit.db"),
            "SELECT principal, origin, outcome FROM executions"
        ),
        ["ada call success"]
    );
}

#[tokio::test]
async fn a_promoted_answer_that_is_large_is_a_preview_with_its_resource() {
    let mut fixture = Fixture::new().set("MCE_MAX_INLINE_BYTES", 1_024);
    promoting(&mut fixture, &["get_pet"]);
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let mut client = Client::begin(runtime).await;
    let called = client
        .call("get_pet", json!({"pet_id": "x".repeat(5_000)}))
        .await;
    let result = &called["structuredContent"];
    assert_eq!(result["truncated"], json!(true));
    assert!(result["resource"]["size_bytes"].as_u64().unwrap() > 5_000);
    client.end().await;
}

#[tokio::test]
async fn promoted_calls_take_places_as_executions_do() {
    let mut fixture = Fixture::new()
        .set("MCE_MAX_CONCURRENT_EXECUTIONS", 1)
        .set("MCE_MAX_QUEUED_EXECUTIONS", 0);
    promoting(&mut fixture, &["get_pet"]);
    let (started, mut starting) = tokio::sync::mpsc::unbounded_channel();
    let (runtime, _) = fixture.runtime(move |_, _| {
        let started = started.clone();
        async move {
            started.send(()).unwrap();
            std::future::pending().await
        }
    });
    let executing = tokio::spawn({
        let runtime = Arc::clone(&runtime);
        async move { runtime.execute(crate::runtime::fixture::code("1")).await }
    });
    starting.recv().await.unwrap();
    let mut client = Client::begin(runtime).await;
    let busy = client.call("get_pet", json!({"pet_id": 7})).await;
    assert_eq!(busy["structuredContent"]["error_type"], "busy");
    executing.abort();
    assert!(executing.await.is_err());
    let called = client.call("get_pet", json!({"pet_id": 7})).await;
    assert_eq!(called["isError"], json!(false));
    client.end().await;
}

#[tokio::test]
async fn promoted_names_that_clash_are_an_error_at_the_start() {
    let mut fixture = Fixture::new();
    fixture.compile("pets", &[("list_servers", "GET")]);
    promoting(&mut fixture, &["list_servers"]);
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let (near, _far) = tokio::io::duplex(64);
    let (input, output) = tokio::io::split(near);
    let error = super::serve(runtime, "ada", input, output)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("`rename`"), "{error}");
}

#[tokio::test]
async fn a_client_that_asks_is_told_of_progress() {
    let fixture = Fixture::new();
    let (runtime, _) = fixture.runtime(|_, _| async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        returned(json!(3))
    });
    let mut client = Client::begin(runtime).await;
    let params = json!({
        "name": "execute_code", "_meta": {"progressToken": "t"},
        "arguments": {"code": "3", "description": "d"}
    });
    client
        .send(&format!(
            r#"{{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{params}}}"#
        ))
        .await;
    let mut told = Vec::new();
    loop {
        let line: Value = serde_json::from_str(&client.line().await).unwrap();
        if line["method"] != "notifications/progress" {
            assert_eq!(line["result"]["structuredContent"]["data"], json!(3));
            break;
        }
        assert_eq!(line["params"]["progressToken"], "t");
        told.push(line["params"]["message"].as_str().unwrap().to_owned());
    }
    assert_eq!(told.last().map(String::as_str), Some("running"), "{told:?}");
    client.end().await;
}

#[tokio::test]
async fn a_time_limit_that_is_cut_is_told() {
    let fixture = Fixture::new().set("MCE_MAX_EXECUTION_TIMEOUT_SECONDS", 60);
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let mut client = Client::begin(runtime).await;
    let listed = client.ask("2", "tools/list", json!({})).await;
    let timeout = &listed["result"]["tools"][3]["inputSchema"]["properties"]["timeout"];
    assert_eq!(timeout["description"], "Seconds, at most 60");
    let ran = client
        .call(
            "execute_code",
            json!({"code": "1", "description": "d", "timeout": 90}),
        )
        .await;
    assert_eq!(
        ran["structuredContent"]["hint"],
        "the time limit was 60 s, the most there is, not 90 s"
    );
    client.end().await;
}
