//! The server as a client sees it: lines of JSON-RPC.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf,
};
use tokio::io::{WriteHalf, split};
use tokio::task::JoinHandle;

use crate::runtime::Runtime;
use crate::runtime::fixture::{Fixture, returned};

pub(super) struct Client {
    pub(super) output: Lines<BufReader<ReadHalf<DuplexStream>>>,
    input: WriteHalf<DuplexStream>,
    serving: JoinHandle<Result<(), super::Error>>,
}

impl Client {
    pub(super) fn connect(runtime: Arc<Runtime>) -> Self {
        let (near, far) = tokio::io::duplex(1 << 20);
        let (input, output) = split(far);
        let serving =
            tokio::spawn(async move { super::serve(runtime, "ada", input, output).await });
        let (output, input) = split(near);
        Self {
            output: BufReader::new(output).lines(),
            input,
            serving,
        }
    }

    pub(super) async fn begin(runtime: Arc<Runtime>) -> Self {
        let mut client = Self::connect(runtime);
        let answer = client
            .ask(
                "0",
                "initialize",
                json!({
                    "protocolVersion": "2025-11-25", "capabilities": {},
                    "clientInfo": {"name": "test", "version": "1"}
                }),
            )
            .await;
        assert_eq!(answer["result"]["serverInfo"]["name"], "mce");
        client
            .send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
            .await;
        client
    }

    pub(super) async fn send(&mut self, line: &str) {
        let line = format!("{line}\n");
        self.input.write_all(line.as_bytes()).await.unwrap();
    }

    pub(super) async fn line(&mut self) -> String {
        let next = tokio::time::timeout(Duration::from_secs(10), self.output.next_line());
        next.await
            .expect("an answer in time")
            .unwrap()
            .expect("a line")
    }

    /// Sends a request whose id is spelt `id` and gives the answer.
    pub(super) async fn ask(&mut self, id: &str, method: &str, params: Value) -> Value {
        let line =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        self.send(&line).await;
        let line = self.line().await;
        assert!(line.contains(&format!("\"id\":{id}")), "{line}");
        serde_json::from_str(&line).unwrap()
    }

    pub(super) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        let answer = self.ask("1", "tools/call", params).await;
        answer["result"].clone()
    }

    /// Ends the server's input; half a split stream does not close by being dropped.
    async fn close(&mut self) {
        self.input.shutdown().await.unwrap();
    }

    pub(super) async fn end(mut self) {
        self.close().await;
        tokio::time::timeout(Duration::from_secs(10), self.serving)
            .await
            .expect("the server ends when its input does")
            .unwrap()
            .unwrap();
    }
}

pub(super) fn simple() -> (Fixture, Arc<Runtime>) {
    let fixture = Fixture::new();
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!({"n": 1})) });
    (fixture, runtime)
}

#[tokio::test]
async fn functions_are_found_by_what_they_do() {
    let (_fixture, runtime) = simple();
    let mut client = Client::begin(runtime).await;
    let found = client
        .call(
            "search_functions",
            json!({"query": "find pets", "detail": true}),
        )
        .await;
    let first = &found["structuredContent"]["functions"][0];
    assert_eq!(first["server"], json!("pets"));
    assert_eq!(first["name"], json!("find_pets"));
    assert_eq!(
        first["signature"],
        json!("def find_pets(*, pet_id: int) -> Pet")
    );
    let nothing = client
        .call("search_functions", json!({"query": "quarterly tax return"}))
        .await;
    assert_eq!(nothing["structuredContent"]["functions"], json!([]));
    let elsewhere = client
        .call(
            "search_functions",
            json!({"query": "pets", "server": "pet"}),
        )
        .await;
    assert_eq!(
        elsewhere["structuredContent"]["error"],
        json!("there is no server `pet`; did you mean `pets`?")
    );
    let many = client
        .call("search_functions", json!({"query": "pets", "limit": 21}))
        .await;
    assert_eq!(
        many["structuredContent"]["error"],
        json!("`limit` is 21, expected 1 to 20")
    );
    client.end().await;
}

#[tokio::test]
async fn tools_are_few_small_and_strict() {
    let (_fixture, runtime) = simple();
    let mut client = Client::begin(runtime).await;
    let answer = client.ask("7", "tools/list", json!({})).await;
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "list_servers",
            "search_functions",
            "get_functions",
            "execute_code",
            "run_cached_code",
            "end_session"
        ]
    );
    for tool in tools {
        assert_eq!(
            tool["inputSchema"]["additionalProperties"],
            json!(false),
            "{tool}"
        );
    }
    assert_eq!(tools[0]["annotations"]["readOnlyHint"], json!(true));
    assert_eq!(tools[3]["annotations"]["readOnlyHint"], json!(false));
    client.end().await;
}

#[tokio::test]
async fn the_workflow_from_discovery_to_the_cache() {
    let (_fixture, runtime) = simple();
    let mut client = Client::begin(runtime).await;
    let listed = client.call("list_servers", json!({})).await;
    assert_eq!(listed["structuredContent"]["servers"][0]["name"], "pets");
    let functions = client
        .call("get_functions", json!({"functions": ["pets.get_pet"]}))
        .await;
    let detail = &functions["structuredContent"]["functions"][0];
    assert_eq!(detail["import"], "from pets.functions import get_pet");

    let code = "from pets.functions import get_pet\nID = 7\nresult = get_pet(pet_id=ID)\n";
    let ran = client
        .call(
            "execute_code",
            json!({"code": code, "description": "gets a pet"}),
        )
        .await;
    assert_eq!(ran["isError"], json!(false));
    assert_eq!(ran["structuredContent"]["data"], json!({"n": 1}));
    let text: Value = serde_json::from_str(ran["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, ran["structuredContent"]);

    let id = &ran["structuredContent"]["cache_id"];
    let again = client
        .call(
            "run_cached_code",
            json!({"cache_id": id, "params": {"ID": 8}}),
        )
        .await;
    assert_eq!(again["structuredContent"]["success"], json!(true));
    client.end().await;
}

#[tokio::test]
async fn a_session_goes_from_one_call_to_the_next_until_it_is_ended() {
    let (_fixture, runtime) = simple();
    let mut client = Client::begin(runtime).await;
    let run = |id: &Value| json!({"code": "x = 1", "description": "d", "session_id": id});
    let first = client.call("execute_code", run(&json!("new"))).await;
    let id = first["structuredContent"]["session_id"].clone();
    assert_eq!(id.as_str().map(str::len), Some(32));
    let second = client.call("execute_code", run(&id)).await;
    assert_eq!(second["structuredContent"]["session_id"], id);
    let ended = client.call("end_session", json!({"session_id": id})).await;
    assert_eq!(ended["structuredContent"], json!({"ended": true}));
    let third = client.call("execute_code", run(&id)).await;
    assert_eq!(third["structuredContent"]["error_type"], "validation");
    client.end().await;
}

#[tokio::test]
async fn wrong_arguments_are_told_to_the_model_and_unknown_tools_to_the_client() {
    let (_fixture, runtime) = simple();
    let mut client = Client::begin(runtime).await;
    let wrong = client.call("execute_code", json!({"code": "1"})).await;
    assert_eq!(wrong["isError"], json!(true));
    assert_eq!(wrong["structuredContent"]["error_type"], "validation");
    let params = json!({"name": "drop_table", "arguments": {}});
    let unknown = client.ask("2", "tools/call", params).await;
    assert_eq!(unknown["error"]["code"], json!(-32602));
    client.end().await;
}

/// `serde_json` keeps numbers as text here, which libraries that guess types trip over.
#[tokio::test]
async fn numbers_survive_as_ids_tokens_and_arguments() {
    let (_fixture, runtime) = simple();
    let mut client = Client::begin(runtime).await;
    for id in ["9007199254740993", "0", "\"a-string\""] {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"execute_code",
            "_meta":{{"progressToken":42}},
            "arguments":{{"code":"1","description":"d","timeout":2.5}}}}}}"#
        );
        client.send(&line.replace('\n', " ")).await;
        let mut answer = client.line().await;
        while answer.contains("notifications/progress") {
            assert!(answer.contains(r#""progressToken":42,"#), "{answer}");
            answer = client.line().await;
        }
        assert!(answer.contains(&format!("\"id\":{id}")), "{answer}");
        assert!(answer.contains(r#""data":{"n":1}"#), "{answer}");
    }
    client.end().await;
}

#[tokio::test]
async fn a_cancelled_request_drops_its_execution_and_the_next_one_runs() {
    let fixture = Fixture::new();
    let (started, mut starting) = tokio::sync::mpsc::unbounded_channel();
    let (runtime, _) = fixture.runtime(move |job, _| {
        let started = started.clone();
        async move {
            if job.code.contains("forever") {
                started.send(()).unwrap();
                std::future::pending::<()>().await;
            }
            returned(json!(2))
        }
    });
    let mut client = Client::begin(Arc::clone(&runtime)).await;
    let params = json!({
        "name": "execute_code",
        "arguments": {"code": "'forever'", "description": "d"}
    });
    client
        .send(&format!(
            r#"{{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{params}}}"#
        ))
        .await;
    starting.recv().await.unwrap();
    client
        .send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#)
        .await;
    let next = client
        .call("execute_code", json!({"code": "2", "description": "d"}))
        .await;
    assert_eq!(next["structuredContent"]["data"], json!(2));
    client.end().await;
    let audit = crate::runtime::fixture::rows(
        &fixture.path("audit.db"),
        "SELECT outcome FROM executions ORDER BY outcome",
    );
    assert_eq!(audit, ["cancelled", "success"]);
}

#[tokio::test]
async fn what_is_nearly_answered_when_the_input_ends_is_answered() {
    let fixture = Fixture::new();
    let (runtime, _) = fixture.runtime(|_, _| async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        returned(json!(3))
    });
    let mut client = Client::begin(runtime).await;
    let params = json!({"name": "execute_code", "arguments": {"code": "3", "description": "d"}});
    client
        .send(&format!(
            r#"{{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{params}}}"#
        ))
        .await;
    client.close().await;
    let line = client.line().await;
    assert!(line.contains(r#""data":3"#), "{line}");
    client.end().await;
}

#[tokio::test]
async fn a_client_that_leaves_at_once_is_no_error() {
    let (_fixture, runtime) = simple();
    Client::connect(runtime).end().await;
}

#[tokio::test]
async fn initialize_is_answered_before_there_is_a_sandbox() {
    let fixture = Fixture::new();
    let provider = crate::runtime::SandboxProvider::new(std::future::pending);
    let runtime = fixture.runtime_with(provider, crate::runtime::Switches::default());
    let mut client = Client::begin(runtime).await;
    let listed = client.call("list_servers", json!({})).await;
    assert_eq!(listed["structuredContent"]["servers"][0]["name"], "pets");
    client.end().await;
}

#[tokio::test]
async fn a_panic_answers_its_request_and_no_other_suffers() {
    let fixture = Fixture::new();
    let (runtime, _) = fixture.runtime(|job, _| async move {
        assert!(!job.code.contains("fall"), "on purpose");
        returned(json!(4))
    });
    let mut client = Client::begin(runtime).await;
    let fell = client
        .call(
            "execute_code",
            json!({"code": "'fall'", "description": "d"}),
        )
        .await;
    assert_eq!(fell["structuredContent"]["error_type"], "internal");
    let next = client
        .call("execute_code", json!({"code": "4", "description": "d"}))
        .await;
    assert_eq!(next["structuredContent"]["data"], json!(4));
    client.end().await;
}

/// The SDK ended the conversation where a notification came first.
#[tokio::test]
async fn what_nobody_can_have_asked_for_yet_is_passed_over() {
    let (_fixture, runtime) = simple();
    let mut client = Client::connect(runtime);
    for early in [
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
        "{no json",
    ] {
        client.send(early).await;
    }
    let pong = client.ask("1", "ping", json!({})).await;
    assert_eq!(pong["result"], json!({}));
    client
        .send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#)
        .await;
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}
    });
    let answer = client.ask("2", "initialize", hello).await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    client.end().await;
}

/// Of 2026-07-28; the SDK waited for subscriptions to end by themselves.
#[tokio::test]
async fn without_a_beginning_requests_are_answered_and_a_subscription_ends_with_the_input() {
    let (_fixture, runtime) = simple();
    let mut client = Client::connect(Arc::clone(&runtime));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}
    });
    let found = client
        .ask("1", "server/discover", json!({"_meta": meta}))
        .await;
    assert_eq!(found["result"]["resultType"], "complete");
    let params = json!({"_meta": meta, "name": "list_servers", "arguments": {}});
    let listed = client.ask("2", "tools/call", params).await;
    let servers = &listed["result"]["structuredContent"]["servers"];
    assert_eq!(servers[0]["name"], "pets", "{listed}");
    assert_eq!(listed["result"]["resultType"], "complete");

    let params = json!({"_meta": meta, "notifications": {"toolsListChanged": true}});
    let params =
        format!(r#"{{"jsonrpc":"2.0","id":3,"method":"subscriptions/listen","params":{params}}}"#);
    client.send(&params).await;
    let acknowledged = client.line().await;
    assert!(
        acknowledged.contains("subscriptions/acknowledged"),
        "{acknowledged}"
    );
    runtime.catalogue_changed();
    let told = client.line().await;
    assert!(told.contains("notifications/tools/list_changed"), "{told}");
    let begun = std::time::Instant::now();
    client.end().await;
    assert!(
        begun.elapsed() < Duration::from_secs(3),
        "{:?}",
        begun.elapsed()
    );
}

#[tokio::test]
async fn changes_of_tools_and_resources_are_told() {
    let (_fixture, runtime) = simple();
    let mut client = Client::begin(Arc::clone(&runtime)).await;
    // The server follows changes a moment after the handshake.
    let changing = tokio::spawn({
        let runtime = Arc::clone(&runtime);
        async move {
            tokio::time::sleep(Duration::from_millis(200)).await;
            runtime.catalogue_changed();
        }
    });
    for list in ["tools", "resources"] {
        let told = client.line().await;
        let expected = format!("notifications/{list}/list_changed");
        assert!(told.contains(&expected), "{told}");
    }
    changing.await.unwrap();
    let pong = client.ask("2", "ping", json!({})).await;
    assert_eq!(pong["result"], json!({}), "nothing came before it");
    client.end().await;
}
