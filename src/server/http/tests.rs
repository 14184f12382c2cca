//! The transport as clients and attackers see it: over sockets.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::{Error, Metrics, Principal, Transport};
use crate::runtime::Runtime;
use crate::runtime::fixture::{Fixture, returned};
use crate::server::Server;

mod attacks;
mod bodies;
mod clients;
mod serving;
mod tokens;

/// A transport that runs, over a runtime.
struct Running {
    address: SocketAddr,
    runtime: Arc<Runtime>,
    stop: Option<oneshot::Sender<()>>,
    done: JoinHandle<()>,
    http: reqwest::Client,
}

/// What came of a request.
#[derive(Debug)]
struct Answer {
    status: u16,
    session: Option<String>,
    text: String,
}

impl Answer {
    /// The message in it, whether it is JSON or the last event of a stream.
    fn message(&self) -> Value {
        let last = self
            .text
            .lines()
            .rev()
            .find_map(|line| line.strip_prefix("data: "));
        let text = last.unwrap_or(&self.text);
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

async fn bind(
    fixture: &Fixture,
    runtime: &Arc<Runtime>,
    address: &str,
) -> Result<Transport<Server>, Error> {
    let for_handlers = Arc::clone(runtime);
    let make = move |principal: &Principal, client| {
        let runtime = for_handlers.seen_by(client, principal.servers.as_ref());
        Server::new(&runtime, principal.name.clone())
    };
    let metrics = Metrics::new(Some(Arc::clone(runtime)));
    let settings = &fixture.settings().http;
    Transport::bind_with(address.parse().unwrap(), settings, Arc::new(make), metrics).await
}

async fn run(fixture: &Fixture, runtime: Arc<Runtime>) -> Running {
    let transport = bind(fixture, &runtime, "127.0.0.1:0").await.unwrap();
    let address = transport.address();
    let (stop, stopped) = oneshot::channel();
    let done = tokio::spawn(transport.run(async {
        let _ = stopped.await;
    }));
    Running {
        address,
        runtime,
        stop: Some(stop),
        done,
        http: reqwest::Client::builder().no_proxy().build().unwrap(),
    }
}

fn fixture(pairs: &[(&str, &str)]) -> Fixture {
    let mut fixture = Fixture::new();
    let pairs = pairs.iter();
    let pairs = pairs.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    fixture.variables.extend(pairs);
    fixture
}

/// With code that ends well at once.
async fn simple(pairs: &[(&str, &str)]) -> (Fixture, Running) {
    let fixture = fixture(pairs);
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!({"n": 1})) });
    let running = run(&fixture, runtime).await;
    (fixture, running)
}

impl Running {
    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    fn post(&self) -> reqwest::RequestBuilder {
        self.http
            .post(self.url("/mcp"))
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
    }

    /// A message of the era with sessions.
    async fn send(&self, token: &str, session: Option<&str>, message: Value) -> Answer {
        let mut request = self.post().body(message.to_string());
        if !token.is_empty() {
            request = request.bearer_auth(token);
        }
        if let Some(session) = session {
            request = request
                .header("mcp-session-id", session)
                .header("mcp-protocol-version", "2025-11-25");
        }
        answered(request).await
    }

    /// Begins a session and gives its id.
    async fn begin(&self, token: &str) -> String {
        let hello = self.send(token, None, hello()).await;
        assert_eq!(hello.status, 200, "{hello:?}");
        assert_eq!(hello.message()["result"]["protocolVersion"], "2025-11-25");
        let session = hello.session.unwrap();
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(self.send(token, Some(&session), ready).await.status, 202);
        session
    }

    async fn call(&self, token: &str, session: &str, tool: &str, arguments: Value) -> Value {
        let answer = self.send(token, Some(session), call(tool, arguments)).await;
        answer.message()["result"]["structuredContent"].clone()
    }

    /// A request of 2026-07-28, which needs no session.
    fn modern(&self, token: &str, method: &str, mut params: Value) -> reqwest::RequestBuilder {
        let name = params["name"].as_str().map(str::to_owned);
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"}
        });
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut request = self
            .post()
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", method)
            .body(message.to_string());
        if let Some(name) = name {
            request = request.header("mcp-name", name);
        }
        if !token.is_empty() {
            request = request.bearer_auth(token);
        }
        request
    }

    /// Sends bytes and gives what comes until the connection is closed.
    async fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        let mut text = Vec::new();
        let reading = stream.read_to_end(&mut text);
        let ended = tokio::time::timeout(Duration::from_secs(10), reading).await;
        // A connection that is cut while bytes are on their way is reset.
        let _ = ended.expect("the server closes the connection");
        String::from_utf8(text).unwrap()
    }

    async fn end(mut self) {
        drop(self.stop.take());
        tokio::time::timeout(Duration::from_secs(20), self.done)
            .await
            .expect("it ends")
            .unwrap();
        self.runtime.shutdown().await;
    }
}

fn hello() -> Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}
    }})
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "`json!` as an argument reads better"
)]
fn call(tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
           "params": {"name": tool, "arguments": arguments}})
}

fn execute(code: &str) -> Value {
    json!({"code": code, "description": "d"})
}

async fn answered(request: reqwest::RequestBuilder) -> Answer {
    let answer = request.send().await.unwrap();
    let session = answer.headers().get("mcp-session-id");
    Answer {
        status: answer.status().as_u16(),
        session: session.map(|it| it.to_str().unwrap().to_owned()),
        text: answer.text().await.unwrap(),
    }
}

async fn soon<T>(what: &str, waiting: impl Future<Output = T>) -> T {
    let waiting = tokio::time::timeout(Duration::from_secs(10), waiting);
    waiting
        .await
        .unwrap_or_else(|_| panic!("{what} does not happen"))
}
