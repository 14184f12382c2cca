//! Who gets in with which token, and what is there for whom.

use std::collections::BTreeSet;

use super::*;
use crate::config::entry_of;
use crate::server::surface_tests::promoting;

#[tokio::test]
async fn without_its_token_nobody_gets_in() {
    let (_fixture, running) = simple(&[("MCE_HTTP_TOKEN", "0123456789abcdef")]).await;
    for token in ["", "0123456789abcdeg", "0123456789abcde"] {
        for path in ["/mcp", "/metrics"] {
            let mut request = running.http.get(running.url(path));
            if !token.is_empty() {
                request = request.bearer_auth(token);
            }
            let answer = request.send().await.unwrap();
            assert_eq!(answer.status(), 401, "{path} with `{token}`");
            let challenge = answer.headers()["www-authenticate"].to_str().unwrap();
            assert!(challenge.starts_with("Bearer"), "{challenge}");
        }
        assert_eq!(running.send(token, None, hello()).await.status, 401);
    }
    let health = answered(running.http.get(running.url("/healthz"))).await;
    assert_eq!((health.status, health.text.as_str()), (200, "ok\n"));
    running.begin("0123456789abcdef").await;
    running.end().await;
}

#[tokio::test]
async fn other_machines_are_let_in_with_tokens_only() {
    let plain = fixture(&[]);
    let (runtime, _) = plain.runtime(|_, _| async { returned(json!(1)) });
    for address in ["0.0.0.0:0", "[::]:0"] {
        let refused = bind(&plain, &runtime, address).await.err().unwrap();
        assert!(matches!(refused, Error::NoToken { .. }), "{refused}");
    }
    let closed = fixture(&[("MCE_HTTP_TOKEN", "0123456789abcdef")]);
    assert!(bind(&closed, &runtime, "0.0.0.0:0").await.is_ok());
}

/// Two principals, of whom `bob` may use no server that there is.
pub(super) fn two() -> (tempfile::NamedTempFile, Vec<(String, String)>) {
    let file = tempfile::NamedTempFile::new().unwrap();
    let none = BTreeSet::from(["other".to_owned()]);
    let entries = entry_of("ada", "token-of-ada", None).unwrap()
        + &entry_of("bob", "token-of-bob", Some(&none)).unwrap();
    std::fs::write(file.path(), entries).unwrap();
    let path = file.path().to_str().unwrap().to_owned();
    (file, vec![("MCE_HTTP_TOKENS_FILE".to_owned(), path)])
}

#[tokio::test]
async fn what_belongs_to_one_does_not_exist_for_another() {
    let (_file, variables) = two();
    let mut fixture = Fixture::new();
    fixture.variables.extend(variables);
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!({"n": 1})) });
    let running = run(&fixture, runtime).await;
    let (ada, bob) = (
        running.begin("token-of-ada").await,
        running.begin("token-of-bob").await,
    );

    // A session of the protocol.
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let foreign = running.send("token-of-bob", Some(&ada), ping.clone()).await;
    let unknown = running.send("token-of-bob", Some("0"), ping.clone()).await;
    assert_eq!(foreign.status, 404);
    assert_eq!(
        (foreign.status, &foreign.text),
        (unknown.status, &unknown.text)
    );
    assert_eq!(
        running.send("token-of-ada", Some(&ada), ping).await.status,
        200
    );

    // A session of Python state, and code of the cache.
    let mut arguments = execute("1");
    arguments["session_id"] = json!("new");
    let ran = running
        .call("token-of-ada", &ada, "execute_code", arguments)
        .await;
    let session = ran["session_id"].as_str().unwrap();
    let stolen = running
        .call(
            "token-of-bob",
            &bob,
            "end_session",
            json!({"session_id": session}),
        )
        .await;
    assert_eq!(stolen["error_type"], "validation", "{stolen}");
    let cached = json!({"cache_id": ran["cache_id"]});
    let stolen = running
        .call("token-of-bob", &bob, "run_cached_code", cached.clone())
        .await;
    assert_eq!(stolen["error_type"], "cache_miss", "{stolen}");
    let own = running
        .call("token-of-ada", &ada, "run_cached_code", cached)
        .await;
    assert_eq!(own["success"], true, "{own}");
    running.end().await;
}

#[tokio::test]
async fn servers_that_a_token_may_not_use_do_not_exist_for_it() {
    let (_file, variables) = two();
    let mut fixture = Fixture::new();
    fixture.variables.extend(variables);
    let (runtime, sandbox) = fixture.runtime(|_, _| async { returned(json!({"n": 1})) });
    let running = run(&fixture, runtime).await;
    let (ada, bob) = (
        running.begin("token-of-ada").await,
        running.begin("token-of-bob").await,
    );
    let (ada, bob) = (("token-of-ada", ada), ("token-of-bob", bob));
    let call = async |who: &(&str, String), tool: &str, arguments: Value| {
        running.call(who.0, &who.1, tool, arguments).await
    };

    let seen = call(&ada, "list_servers", json!({})).await;
    assert_eq!(seen["servers"][0]["name"], "pets");
    let seen = call(&bob, "list_servers", json!({})).await;
    assert_eq!(seen["servers"], json!([]));

    let names = json!({"functions": ["pets.get_pet", "get_pet"]});
    let found = call(&ada, "get_functions", names.clone()).await;
    assert_eq!(found["functions"][0]["function"], "get_pet");
    let found = call(&bob, "get_functions", names).await;
    assert_eq!(found["functions"][0]["error"], "there is no such server");
    assert!(!found.to_string().contains("nearest"), "{found}");

    let code = execute("from pets.functions import get_pet\nresult = get_pet(pet_id=1)\n");
    let ran = call(&ada, "execute_code", code.clone()).await;
    assert_eq!(ran["success"], true, "{ran}");
    let jobs = sandbox.jobs.lock().unwrap().len();
    let refused = call(&bob, "execute_code", code).await;
    assert_eq!(refused["error_type"], "security", "{refused}");
    assert_eq!(sandbox.jobs.lock().unwrap().len(), jobs, "it did not run");
    for (token, status) in [("token-of-ada", 200), ("token-of-bob", 403)] {
        let numbers = running.http.get(running.url("/metrics")).bearer_auth(token);
        let answer = answered(numbers).await;
        assert_eq!(answer.status, status, "{answer:?}");
    }
    running.end().await;
}

/// Every other way that leads to a server, or to what was done with it.
#[tokio::test]
async fn no_search_tool_note_result_or_completion_shows_what_a_token_may_not_use() {
    let (_file, variables) = two();
    let mut fixture = Fixture::new().set("MCE_MAX_INLINE_BYTES", 1_024);
    fixture.variables.extend(variables);
    promoting(&mut fixture, &["get_pet"]);
    fixture.annotate("pets", "# Pets\n");
    let large: Value = (0..2_000).collect();
    let (runtime, sandbox) = fixture.runtime(move |_, _| {
        let large = large.clone();
        async move { returned(large) }
    });
    let running = run(&fixture, runtime).await;
    let ada = ("token-of-ada", running.begin("token-of-ada").await);
    let bob = ("token-of-bob", running.begin("token-of-bob").await);
    let ask = async |who: &(&str, String), method: &str, params: Value| {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        running.send(who.0, Some(&who.1), message).await.message()
    };
    let call = async |who: &(&str, String), tool: &str, arguments: Value| {
        running.call(who.0, &who.1, tool, arguments).await
    };
    let silent = |answer: &Value| {
        let text = answer.to_string();
        assert!(
            !text.contains("pets.") && !text.contains("get_pet"),
            "{text}"
        );
    };

    let query = json!({"query": "find pets"});
    let found = call(&ada, "search_functions", query.clone()).await;
    assert_eq!(found["functions"][0]["server"], "pets", "{found}");
    let found = call(&bob, "search_functions", query).await;
    assert_eq!(found["functions"], json!([]), "{found}");
    silent(&found);
    let within = |server: &str| json!({"query": "pets", "server": server});
    let hidden = call(&bob, "search_functions", within("pets")).await;
    let absent = call(&bob, "search_functions", within("pots")).await;
    let replaced = absent.to_string().replace("pots", "pets");
    assert_eq!(hidden.to_string(), replaced);

    let tools = ask(&ada, "tools/list", json!({})).await;
    assert_eq!(tools["result"]["tools"][6]["name"], "get_pet");
    let tools = ask(&bob, "tools/list", json!({})).await;
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 6);
    silent(&tools);
    let promoted = json!({"name": "get_pet", "arguments": {"pet_id": 1}});
    let refused = ask(&bob, "tools/call", promoted.clone()).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let ran = ask(&ada, "tools/call", promoted).await;
    assert_eq!(ran["result"]["isError"], false, "{ran}");

    let code = execute("from pets.functions import get_pet\nresult = get_pet(pet_id=1)\n");
    let ran = call(&ada, "execute_code", code).await;
    let kept = ran["resource"]["uri"].as_str().unwrap().to_owned();
    let jobs = sandbox.jobs.lock().unwrap().len();
    let read = async |who: &(&str, String), uri: &str| {
        ask(who, "resources/read", json!({"uri": uri})).await
    };
    for (uri, unlike) in [
        ("skills://pets", "skills://pots"),
        (kept.as_str(), "mce://result/0123"),
    ] {
        assert!(read(&ada, uri).await["result"].is_object(), "{uri}");
        let (hidden, absent) = (read(&bob, uri).await, read(&bob, unlike).await);
        let replaced = absent.to_string().replace(unlike, uri);
        assert_eq!(hidden.to_string(), replaced);
        let followed = ask(&bob, "resources/subscribe", json!({"uri": uri})).await;
        assert!(followed["error"].is_object(), "{followed}");
    }
    let listed = ask(&ada, "resources/list", json!({})).await;
    assert_eq!(listed["result"]["resources"][1]["uri"], "skills://pets");
    let listed = ask(&bob, "resources/list", json!({})).await;
    assert_eq!(listed["result"]["resources"].as_array().unwrap().len(), 1);
    for (who, is_there) in [(&ada, true), (&bob, false)] {
        let cached = read(who, "mce://cached").await;
        let text = cached["result"]["contents"][0]["text"].as_str().unwrap();
        let cached: Value = serde_json::from_str(text).unwrap();
        assert_eq!(cached["cached"][0].is_object(), is_there, "{cached}");
    }
    for (who, values) in [(&ada, json!(["pets"])), (&bob, json!([]))] {
        let params = json!({
            "ref": {"type": "ref/resource", "uri": "skills://{server}"},
            "argument": {"name": "server", "value": "p"}
        });
        let completed = ask(who, "completion/complete", params).await;
        assert_eq!(completed["result"]["completion"]["values"], values);
    }
    assert_eq!(sandbox.jobs.lock().unwrap().len(), jobs);
    running.end().await;
}

#[tokio::test]
async fn a_token_that_is_taken_out_loses_its_sessions() {
    let (file, variables) = two();
    let mut fixture = Fixture::new();
    fixture.variables.extend(variables);
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let running = run(&fixture, runtime).await;
    let (ada, bob) = (
        running.begin("token-of-ada").await,
        running.begin("token-of-bob").await,
    );
    // Ada may use fewer servers from now on, and bob none.
    let none = BTreeSet::from(["other".to_owned()]);
    std::fs::write(
        file.path(),
        entry_of("ada", "token-of-ada", Some(&none)).unwrap(),
    )
    .unwrap();
    let ping = || json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    soon("the end of bob", async {
        while running
            .send("token-of-bob", Some(&bob), ping())
            .await
            .status
            != 401
        {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    })
    .await;
    assert_eq!(
        running
            .send("token-of-ada", Some(&ada), ping())
            .await
            .status,
        404
    );
    let ada = running.begin("token-of-ada").await;
    let seen = running
        .call("token-of-ada", &ada, "list_servers", json!({}))
        .await;
    assert_eq!(seen["servers"], json!([]));
    running.end().await;
}

/// A token is replaced where somebody else may have it: what that began must end.
#[tokio::test]
async fn a_token_that_is_replaced_takes_its_sessions_along() {
    let (file, variables) = two();
    let mut fixture = Fixture::new();
    fixture.variables.extend(variables);
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let running = run(&fixture, runtime).await;
    let session = running.begin("token-of-ada").await;
    let follow = running
        .http
        .get(running.url("/mcp"))
        .bearer_auth("token-of-ada")
        .header("accept", "text/event-stream")
        .header("mcp-session-id", &session);
    let stream = follow.send().await.unwrap();
    assert_eq!(stream.status(), 200);
    std::fs::write(file.path(), entry_of("ada", "next-of-ada", None).unwrap()).unwrap();
    // Its streams end without another request.
    soon("the end of the stream", stream.bytes())
        .await
        .unwrap_or_default();
    let ping = || json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    for (token, status) in [("token-of-ada", 401), ("next-of-ada", 404)] {
        let answer = running.send(token, Some(&session), ping()).await;
        assert_eq!(answer.status, status, "{token}");
    }
    running.begin("next-of-ada").await;
    running.end().await;
}
