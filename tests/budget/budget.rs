//! Counts the tokens (`o200k_base`) of what a model reads of a server: the list of tools with the
//! instructions, every page of servers, searches, and functions.
//!
//!     cargo run --release --example budget -- MCE [FILE]
//!
//! `MCE` is started as `MCE serve` with this process's environment and folder. `FILE` has a query a
//! line; without it the summaries of every tenth function are searched for. Prints JSON.
//!
//!     cargo run --release --example budget -- --count < TEXT
//!
//! counts the tokens of a text.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a measurement may stop anywhere"
)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tiktoken_rs::{CoreBPE, o200k_base};

/// An MCP client of a server that this process starts.
struct Client {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl Client {
    fn start(mce: &str) -> Self {
        let mut process = Command::new(mce)
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        Self {
            input: process.stdin.take().expect("it has a stdin"),
            output: BufReader::new(process.stdout.take().expect("it has a stdout")),
            process,
            last: 0,
        }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").expect("the server reads");
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line);
            assert!(read.expect("the server writes") > 0, "the server ended");
            let mut message: Value = serde_json::from_str(&line).expect("it writes JSON");
            if message["id"] == json!(id) {
                assert!(message["error"].is_null(), "{message}");
                return message["result"].take();
            }
        }
    }

    /// The text of a tool's answer, and the answer itself.
    fn call(&mut self, tool: &str, arguments: &Value) -> (String, Value) {
        let params = json!({"name": tool, "arguments": arguments});
        let mut result = self.request("tools/call", &params);
        let text = result["content"][0]["text"].as_str();
        (
            text.expect("an answer has text").to_owned(),
            result["structuredContent"].take(),
        )
    }
}

/// Counts of several answers.
struct Counts(Vec<(usize, String)>);

impl Counts {
    fn summary(mut self) -> Value {
        self.0.sort();
        let at = |part: usize| self.0.get((self.0.len().saturating_sub(1)) * part / 100);
        let tokens = |part| at(part).map(|(tokens, _)| *tokens);
        json!({
            "answers": self.0.len(),
            "median": tokens(50),
            "p95": tokens(95),
            "most": tokens(100),
            "of": at(100).map(|(_, name)| name),
        })
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mce = arguments.next().expect("the path of mce");
    let encoding = o200k_base().expect("the crate carries the table");
    if mce == "--count" {
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .expect("a text on stdin");
        println!("{}", encoding.encode_ordinary(&text).len());
        return;
    }
    let queries = arguments.next().map(|path| {
        let text = std::fs::read_to_string(path).expect("the file of queries");
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    });
    let measured = measure(&mce, queries, &encoding);
    println!(
        "{}",
        serde_json::to_string_pretty(&measured).expect("it is JSON")
    );
}

fn measure(mce: &str, queries: Option<Vec<String>>, encoding: &CoreBPE) -> Value {
    let count = |text: &str| encoding.encode_ordinary(text).len();
    let mut client = Client::start(mce);
    let hello = client.request(
        "initialize",
        &json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "budget", "version": "1"}
        }),
    );
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let tools = client.request("tools/list", &json!({}));
    let (mut text, mut page) = client.call("list_servers", &json!({}));
    let instructions = hello["instructions"].as_str().unwrap_or_default();
    let start = count(&tools["tools"].to_string()) + count(instructions);

    let mut servers = Vec::new();
    let mut pages = Vec::new();
    loop {
        pages.push((count(&text), format!("page {}", pages.len() + 1)));
        let listed = page["servers"].as_array().cloned().unwrap_or_default();
        servers.extend(
            listed
                .iter()
                .filter_map(|it| it["name"].as_str().map(str::to_owned)),
        );
        if page["next_cursor"].is_null() {
            break;
        }
        let next = json!({"cursor": page["next_cursor"]});
        (text, page) = client.call("list_servers", &next);
    }

    let functions = functions(&servers);
    let queries = queries.unwrap_or_else(|| {
        let summaries = functions.iter().step_by(10);
        summaries.map(|(_, summary)| summary.clone()).collect()
    });
    let mut searches = Vec::new();
    for query in queries {
        let (text, _) = client.call("search_functions", &json!({"query": query}));
        searches.push((count(&text), query));
    }
    let mut shown = Vec::new();
    for (name, _) in &functions {
        let (text, _) = client.call("get_functions", &json!({"functions": [name]}));
        shown.push((count(&text), name.clone()));
    }
    drop(client.input);
    client.process.wait().expect("the server ends");
    json!({
        "servers": servers.len(),
        "functions": functions.len(),
        "tools_and_instructions": start,
        "list_servers": Counts(pages).summary(),
        "search_functions": Counts(searches).summary(),
        "get_functions": Counts(shown).summary(),
    })
}

/// Every function as `server.function`, with its summary.
fn functions(servers: &[String]) -> Vec<(String, String)> {
    let folder = std::env::var("MCE_COMPILED_OUTPUT_DIR").unwrap_or_else(|_| "compiled".to_owned());
    let mut functions = Vec::new();
    for server in servers {
        let path = format!("{folder}/{server}/manifest.json");
        let text = std::fs::read_to_string(path).expect("a listed server has a manifest");
        let manifest: Value = serde_json::from_str(&text).expect("a manifest is JSON");
        for function in manifest["functions"].as_array().into_iter().flatten() {
            let member = |name: &str| function[name].as_str().unwrap_or_default();
            functions.push((
                format!("{server}.{}", member("name")),
                member("summary").to_owned(),
            ));
        }
    }
    functions
}
