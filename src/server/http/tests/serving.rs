//! Both eras, what clients are told unasked, and the end.

use futures::StreamExt as _;

use super::*;
use crate::runtime::CallRequest;

#[tokio::test]
async fn the_workflow_in_the_era_with_sessions() {
    let (_fixture, running) = simple(&[]).await;
    let session = running.begin("").await;
    let listed = running.call("", &session, "list_servers", json!({})).await;
    assert_eq!(listed["servers"][0]["name"], "pets");
    let ran = running
        .call("", &session, "execute_code", execute("1"))
        .await;
    assert_eq!(ran["data"], json!({"n": 1}), "{ran}");
    // Half a character, which no Rust string can hold.
    let answer = running
        .post()
        .header("mcp-session-id", &session)
        .body(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_code","arguments":{"code":"'\ud83d'","description":"d"}}}"#);
    let ran = answered(answer).await.message();
    assert_eq!(ran["result"]["structuredContent"]["success"], true, "{ran}");

    let ended = running
        .http
        .delete(running.url("/mcp"))
        .header("mcp-session-id", &session);
    assert_eq!(answered(ended).await.status, 204);
    let gone = running
        .send("", Some(&session), call("list_servers", json!({})))
        .await;
    assert_eq!(gone.status, 404);
    running.end().await;
}

#[tokio::test]
async fn the_workflow_without_sessions() {
    let (_fixture, running) = simple(&[]).await;
    let discovered = answered(running.modern("", "server/discover", json!({}))).await;
    assert_eq!((discovered.status, &discovered.session), (200, &None));
    let result = discovered.message()["result"].clone();
    assert!(
        result["supportedVersions"]
            .as_array()
            .unwrap()
            .contains(&json!("2026-07-28")),
        "{result}"
    );
    assert_eq!(result["resultType"], "complete");

    let tools = answered(running.modern("", "tools/list", json!({})))
        .await
        .message();
    assert_eq!(tools["result"]["resultType"], "complete");
    assert!(tools["result"]["ttlMs"].is_u64(), "{tools}");
    assert!(tools["result"]["cacheScope"].is_string(), "{tools}");

    let params = json!({"name": "execute_code", "arguments": execute("1")});
    let ran = answered(running.modern("", "tools/call", params.clone()))
        .await
        .message();
    assert_eq!(
        ran["result"]["structuredContent"]["data"],
        json!({"n": 1}),
        "{ran}"
    );
    assert_eq!(ran["result"]["resultType"], "complete");

    // Headers and body must say the same.
    let wrong = running
        .modern("", "tools/call", params)
        .header("mcp-method", "tools/list");
    let wrong = answered(wrong).await;
    assert_eq!(
        (wrong.status, &wrong.message()["error"]["code"]),
        (400, &json!(-32020))
    );
    running.end().await;
}

/// Reads a stream until a notification of this name is in it.
async fn notified(answer: reqwest::Response, name: &str) {
    let mut pieces = answer.bytes_stream();
    let mut text = String::new();
    soon(name, async {
        while !text.contains(name) {
            let piece = pieces.next().await.expect("the stream goes on").unwrap();
            text.push_str(std::str::from_utf8(&piece).unwrap());
        }
    })
    .await;
}

#[tokio::test]
async fn clients_of_both_eras_are_told_of_changes() {
    let (_fixture, running) = simple(&[]).await;
    let session = running.begin("").await;
    let stream = running
        .http
        .get(running.url("/mcp"))
        .header("accept", "text/event-stream")
        .header("mcp-session-id", &session)
        .send()
        .await
        .unwrap();
    assert_eq!(stream.status(), 200);
    let follow = json!({"notifications": {"toolsListChanged": true}});
    let subscribed = running
        .modern("", "subscriptions/listen", follow)
        .send()
        .await
        .unwrap();
    assert_eq!(subscribed.status(), 200);
    let runtime = Arc::clone(&running.runtime);
    let changing = tokio::spawn(async move {
        loop {
            runtime.catalogue_changed();
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    notified(stream, "notifications/tools/list_changed").await;
    notified(subscribed, "notifications/tools/list_changed").await;
    changing.abort();
    running.end().await;
}

#[tokio::test]
async fn the_end_waits_for_what_runs_but_not_for_streams() {
    let fixture = fixture(&[]);
    let (started, mut starting) = tokio::sync::mpsc::unbounded_channel();
    let (runtime, _) = fixture.runtime(move |_, _| {
        started.send(()).unwrap();
        async {
            tokio::time::sleep(Duration::from_millis(400)).await;
            returned(json!(7))
        }
    });
    let mut running = run(&fixture, runtime).await;
    let session = running.begin("").await;
    let stream = running
        .http
        .get(running.url("/mcp"))
        .header("accept", "text/event-stream")
        .header("mcp-session-id", &session)
        .send()
        .await
        .unwrap();
    let params = json!({"name": "execute_code", "arguments": execute("1")});
    let asked = tokio::spawn(answered(running.modern("", "tools/call", params)));
    starting.recv().await.unwrap();
    drop(running.stop.take());
    let answer = soon("the answer", asked).await.unwrap();
    assert_eq!(answer.message()["result"]["structuredContent"]["data"], 7);
    let begun = std::time::Instant::now();
    running.end().await;
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
    drop(stream);
}

#[tokio::test]
async fn what_does_not_end_in_time_is_killed() {
    let fixture = fixture(&[("MCE_HTTP_SHUTDOWN_SECONDS", "0.2")]);
    let (started, mut starting) = tokio::sync::mpsc::unbounded_channel();
    let (runtime, _) = fixture.runtime(move |_, _| {
        started.send(()).unwrap();
        std::future::pending()
    });
    let running = run(&fixture, runtime).await;
    let session = running.begin("").await;
    let params = json!({"name": "execute_code", "arguments": execute("1")});
    let modern = tokio::spawn(running.modern("", "tools/call", params).send());
    starting.recv().await.unwrap();
    let legacy = running
        .post()
        .header("mcp-session-id", &session)
        .body(call("execute_code", execute("1")).to_string());
    let legacy = tokio::spawn(legacy.send());
    starting.recv().await.unwrap();
    running.end().await;
    let _ = (modern.await, legacy.await);
    let audit =
        crate::runtime::fixture::rows(&fixture.path("audit.db"), "SELECT outcome FROM executions");
    assert_eq!(audit, ["cancelled", "cancelled"]);
}

#[tokio::test]
async fn numbers_are_there_for_who_has_a_token() {
    let (_fixture, running) = simple(&[("MCE_HTTP_TOKEN", "0123456789abcdef")]).await;
    let session = running.begin("0123456789abcdef").await;
    running
        .call("0123456789abcdef", &session, "execute_code", execute("1"))
        .await;
    running
        .call(
            "0123456789abcdef",
            &session,
            "execute_code",
            execute("import os"),
        )
        .await;
    let numbers = running
        .http
        .get(running.url("/metrics"))
        .bearer_auth("0123456789abcdef");
    let text = answered(numbers).await.text;
    for line in [
        "mce_executions_total{outcome=\"success\"} 1",
        "mce_executions_total{outcome=\"security\"} 1",
        "mce_execution_seconds_count 2",
        "mce_executions_in_progress 0",
        "mce_sandbox_up 1",
        "mce_http_sessions 1",
    ] {
        assert!(
            text.lines().any(|it| it == line),
            "{line} is not in\n{text}"
        );
    }
    running.end().await;
}

/// Whoever called learnt where on the host the project is.
#[tokio::test]
async fn why_a_server_is_refused_names_no_folder_of_the_host() {
    let (fixture, running) = simple(&[]).await;
    let session = running.begin("").await;
    let folder = fixture.settings().compiled_output_dir.clone();
    let whole = folder.to_str().unwrap().to_owned();
    assert!(folder.is_absolute());
    let code = "from pets.functions import get_pet\nresult = get_pet(pet_id=1)\n";
    let asking = [
        ("list_servers", json!({})),
        ("get_functions", json!({"functions": ["pets.get_pet"]})),
        ("execute_code", execute(code)),
    ];
    let mut seen = Vec::new();
    fixture.tamper("pets", |manifest| {
        manifest["outputs"]["functions.py"] = json!("00");
    });
    for (tool, arguments) in asking.clone() {
        seen.push(
            running
                .call("", &session, tool, arguments)
                .await
                .to_string(),
        );
    }
    std::fs::remove_file(folder.join("pets/functions.py")).unwrap();
    for (tool, arguments) in asking {
        seen.push(
            running
                .call("", &session, tool, arguments)
                .await
                .to_string(),
        );
    }
    for (number, answer) in seen.iter().enumerate() {
        let wanted = if number < 3 {
            "`pets/functions.py` is not the file that its manifest was compiled with"
        } else {
            "`pets/functions.py` is missing"
        };
        assert!(answer.contains(wanted), "{answer}");
        assert!(!answer.contains(&whole), "{answer}");
    }
    // Who runs it has to know.
    let request = CallRequest {
        server: "pets".to_owned(),
        function: "get_pet".to_owned(),
        ..CallRequest::default()
    };
    let error = running.runtime.call(request).await.error.unwrap();
    assert!(
        error.contains(&format!("`{whole}/pets/functions.py` is missing")),
        "{error}"
    );
    running.end().await;
}
