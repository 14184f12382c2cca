//! How long a call takes beyond the request that it makes, and whether many at once stay apart.
//! `scripts/benchmark-broker` runs it and writes what it prints into `docs/benchmarks.md`.
//!
//! `broker serve` is the API, in a process of its own; without arguments the figures are printed as
//! JSON.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::needless_pass_by_value,
    reason = "a tool for developers: what goes wrong ends it"
)]

#[expect(dead_code, reason = "the tests need more of it")]
mod fixture;
mod load;

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use mce::broker::Limits;
use mce::sandbox::Host;
use mce::wire::{Arguments, Value};
use reqwest::Client;
use serde_json::json;
use tokio::net::TcpListener;

/// That of the product.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Calls of each kind before any is timed.
const WARM_UP: usize = 300;
/// Executions at the same time, and calls of each.
const EXECUTIONS: usize = 64;
const CALLS: usize = 50;
/// Bytes of the largest answers among them.
const LARGEST: usize = 50_000;
/// Rounds of them; memory is looked at after each.
const ROUNDS: usize = 30;

/// The API's process, which ends with this one.
struct Api(Child);

impl Drop for Api {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::main]
async fn main() {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("http://{}", listener.local_addr().unwrap());
        std::io::stdout().flush().unwrap();
        load::serve(listener).await;
        return;
    }
    let program = std::env::current_exe().unwrap();
    let mut child = Command::new(program)
        .arg("serve")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut address = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut address).unwrap();
    let _api = Api(child);
    let address = address.trim();

    let limits = Limits {
        max_calls: usize::MAX / 4,
        ..Limits::default()
    };
    let shop = load::shop(address, limits);
    let client = Client::builder().no_proxy().build().unwrap();
    let sides = Sides {
        host: shop.broker.host(fixture::scope(&["shop"])),
        client,
        address: address.to_owned(),
    };
    let sides = Arc::new(sides);
    sides.times(1, WARM_UP, 1_000).await;
    let figures = json!({
        "alone": sides.times(1, 4_000, 1_000).await,
        "together": sides.times(8, 1_000, 1_000).await,
        "large": sides.times(1, 300, load::LARGE).await,
        "memory": memory(&shop).await,
    });
    println!("{figures}");
}

/// A broker's call and the same request without it.
struct Sides {
    host: Arc<dyn Host>,
    client: Client,
    address: String,
}

impl Sides {
    /// Medians of both, each in turn, with so many tasks that each make so many of both.
    async fn times(self: &Arc<Self>, tasks: usize, each: usize, size: usize) -> serde_json::Value {
        let running: Vec<_> = (0..tasks)
            .map(|task| {
                let sides = Arc::clone(self);
                tokio::spawn(async move {
                    let (mut broker, mut direct) = (Vec::new(), Vec::new());
                    for number in 0..each {
                        let mark = task * each + number;
                        if number % 2 == 0 {
                            broker.push(sides.broker(mark, size).await);
                            direct.push(sides.direct(mark, size).await);
                        } else {
                            direct.push(sides.direct(mark, size).await);
                            broker.push(sides.broker(mark, size).await);
                        }
                    }
                    (broker, direct)
                })
            })
            .collect();
        let (mut broker, mut direct) = (Vec::new(), Vec::new());
        for task in running {
            let (more_broker, more_direct) = task.await.unwrap();
            broker.extend(more_broker);
            direct.extend(more_direct);
        }
        broker.sort_by(f64::total_cmp);
        direct.sort_by(f64::total_cmp);
        json!({
            "calls": broker.len(),
            "broker": {"p50": share(&broker, 50), "p99": share(&broker, 99)},
            "direct": {"p50": share(&direct, 50), "p99": share(&direct, 99)},
        })
    }

    /// Milliseconds of a call by way of the broker.
    async fn broker(&self, number: usize, size: usize) -> f64 {
        let call = load::call(timed(number, size).0);
        let arguments = call.arguments.clone();
        let begun = Instant::now();
        let reply = self.host.perform(call).await.unwrap();
        let took = begun.elapsed();
        assert!(is_answer_to(&reply.value, &arguments), "{reply:?}");
        took.as_secs_f64() * 1e3
    }

    /// Milliseconds of the same request by `reqwest`, with its bytes read but not parsed.
    async fn direct(&self, number: usize, size: usize) -> f64 {
        let url = format!("{}{}", self.address, timed(number, size).1);
        let begun = Instant::now();
        let answer = self.client.get(url).bearer_auth(load::TOKEN).send().await;
        let answer = answer.unwrap().error_for_status().unwrap();
        let bytes = answer.bytes().await.unwrap();
        let took = begun.elapsed();
        assert!(bytes.len() > size / 2, "{}", bytes.len());
        took.as_secs_f64() * 1e3
    }
}

/// Rounds of many executions at once, and the resident memory after each in MB.
async fn memory(shop: &fixture::Shop) -> serde_json::Value {
    let before = resident("VmRSS:");
    let mut after = Vec::new();
    let mut right = 0;
    let begun = Instant::now();
    for _ in 0..ROUNDS {
        right += load::storm(&shop.broker, EXECUTIONS, CALLS, LARGEST).await;
        // What is kept of each call is the recorder's.
        assert!(shop.records.take().len() >= EXECUTIONS * CALLS);
        after.push(resident("VmRSS:"));
    }
    assert_eq!(right, ROUNDS * EXECUTIONS * CALLS);
    json!({
        "executions": EXECUTIONS, "calls": CALLS, "rounds": ROUNDS, "right": right,
        "seconds": begun.elapsed().as_secs_f64(), "before": before, "after": after, "peak": resident("VmHWM:"),
    })
}

/// A line of this process's status, in MB.
fn resident(line: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let found = status.lines().find_map(|it| it.strip_prefix(line)).unwrap();
    let kilobytes: f64 = found.trim().trim_end_matches(" kB").parse().unwrap();
    kilobytes / 1024.0
}

/// The value below which so many percent of the sorted ones lie.
fn share(sorted: &[f64], percent: usize) -> f64 {
    sorted[(sorted.len() - 1) * percent / 100]
}

/// Arguments of the calls that are timed.
fn timed(number: usize, size: usize) -> (serde_json::Value, String) {
    let token = format!("token {number}");
    let label = format!("label {number}");
    let url = format!("/v1/groups/main/items/token%20{number}?label=label%20{number}&size={size}");
    let arguments = json!({"group": "main", "token": token, "label": label, "size": size});
    (arguments, url)
}

/// Whether an answer is that of the call with these arguments.
fn is_answer_to(value: &Value, arguments: &Arguments) -> bool {
    let Value::Object(members) = value else {
        return false;
    };
    ["group", "token", "label"]
        .iter()
        .all(|name| members.get(*name) == arguments.get(*name))
}
