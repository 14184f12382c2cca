//! How many programs workers run as `CPython` does, and what attacks reach in them without a guard.
//!
//! `embedded_rates MCE benign SNIPPETS EXPECTED` and `embedded_rates MCE attack SNIPPETS`, where
//! `EXPECTED` is a JSON object from the name of a program to what `CPython` prints. See
//! `scripts/embedded-rates`.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a measurement, which ends where something is missing"
)]

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use mce::config::{Environment, Settings};
use mce::sandbox::embedded::EmbeddedSandbox;
use mce::sandbox::{Call, CallError, FailureKind, Host, Job, Module, Outcome, Reply, Sandbox};
use mce::wire::Value;

/// Of the benign programs, as many have to print what they print in `CPython`.
const SAME_AT_LEAST: f64 = 0.60;

/// A Python process that has the functions of the programs.
struct Functions {
    streams: Mutex<(ChildStdin, BufReader<ChildStdout>)>,
    /// Ends with its input.
    _process: Child,
}

impl Functions {
    fn start(folder: &Path) -> Self {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/embedded/host.py");
        let mut command = Command::new("python3");
        command.arg(script).arg(folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("Python starts");
        let (input, output) = (child.stdin.take(), child.stdout.take());
        Self {
            streams: Mutex::new((input.unwrap(), BufReader::new(output.unwrap()))),
            _process: child,
        }
    }

    fn ask(&self, question: &serde_json::Value) -> serde_json::Value {
        let mut streams = self.streams.lock().unwrap();
        writeln!(streams.0, "{question}").unwrap();
        let mut answer = String::new();
        streams.1.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).expect("Python answers")
    }
}

#[async_trait]
impl Host for Functions {
    async fn perform(&self, call: Call) -> Result<Reply, CallError> {
        let arguments = Value::Object(call.arguments).into_json();
        let mut answer = self.ask(&serde_json::json!({
            "server": call.server, "function": call.function, "arguments": arguments,
        }));
        let Some(message) = answer["error"].as_str() else {
            return Ok(Reply::from(Value::from(answer["value"].take())));
        };
        let message = message.to_owned();
        match answer["status"].as_u64() {
            Some(status) => Err(CallError::Api {
                status: u16::try_from(status).unwrap_or_default(),
                message,
                body: Value::Null,
                headers: indexmap::IndexMap::new(),
            }),
            None => Err(CallError::Argument { message }),
        }
    }
}

struct Rates {
    sandbox: EmbeddedSandbox,
    functions: Arc<Functions>,
    modules: Vec<Module>,
}

impl Rates {
    fn new(program: &Path, snippets: &Path) -> Self {
        let pairs = [("MCE_SANDBOX_MODE", "warm")];
        let settings = Settings::from_environment(&Environment::from_pairs(pairs))
            .unwrap()
            .0;
        let stubs = snippets.join("stubs");
        let folders = std::fs::read_dir(&stubs).expect("the functions of the programs");
        let folders = folders.map(|entry| entry.unwrap().path());
        let modules = folders.filter_map(|folder| {
            let source = std::fs::read_to_string(folder.join("functions.py")).ok()?;
            let server = folder.file_name()?.to_str()?.to_owned();
            let name = format!("{server}.functions");
            Some(Module { name, source })
        });
        Self {
            sandbox: EmbeddedSandbox::new(&settings, program).unwrap(),
            functions: Arc::new(Functions::start(&stubs)),
            modules: modules.collect(),
        }
    }

    async fn run(&self, path: &Path) -> Outcome {
        let job = Job {
            execution_id: "rates".to_owned(),
            code: std::fs::read_to_string(path).unwrap(),
            modules: self.modules.clone(),
            timeout: Duration::from_secs(20),
            max_output_bytes: 1 << 20,
        };
        let host: Arc<Functions> = Arc::clone(&self.functions);
        self.sandbox.run(job, host).await
    }
}

fn programs(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("programs");
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut programs: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|it| it == "py"))
        .collect();
    programs.sort();
    programs
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

/// What a program lacks, without the line.
fn feature(message: &str) -> &str {
    let feature = message.split_once(": ").map_or(message, |(_, rest)| rest);
    feature.trim_end_matches(" needs the docker sandbox")
}

#[expect(clippy::cast_precision_loss, reason = "a few hundred programs")]
async fn benign(rates: &Rates, snippets: &Path, expected: &Path) -> bool {
    let expected = std::fs::read_to_string(expected).unwrap();
    let expected: BTreeMap<String, String> = serde_json::from_str(&expected).unwrap();
    let (mut same, mut missing) = (0, BTreeMap::<String, Vec<String>>::new());
    let programs = programs(&snippets.join("benign"));
    for path in &programs {
        let name = name(path);
        let outcome = rates.run(path).await;
        match &outcome.result {
            Err(failure) if failure.kind == FailureKind::Unsupported => {
                let feature = feature(&failure.message).to_owned();
                missing.entry(feature).or_default().push(name);
            }
            Ok(_) if expected.get(&name) == Some(&outcome.prints) => same += 1,
            Ok(_) => {
                let wanted = expected.get(&name).map_or("", String::as_str);
                let lines = wanted.lines().zip(outcome.prints.lines());
                let first = lines.into_iter().find(|(wanted, found)| wanted != found);
                println!("differs  {name}: {first:?}");
            }
            Err(failure) => println!("differs  {name}: {}", failure.message),
        }
    }
    let refused: usize = missing.values().map(Vec::len).sum();
    let mut features: Vec<_> = missing.into_iter().collect();
    features.sort_by_key(|(feature, names)| (std::cmp::Reverse(names.len()), feature.clone()));
    for (feature, names) in features {
        println!(
            "refused  {}  {feature}  ({})",
            names.len(),
            names.join(", ")
        );
    }
    let all = programs.len();
    let share = same as f64 / all as f64;
    println!(
        "{same} of {all} programs print what they print in CPython ({:.1} %), {refused} are refused \
         before they run, {} differ",
        share * 100.0,
        all - same - refused
    );
    share >= SAME_AT_LEAST
}

/// Each attack prints a line that is `REACHED` where it reaches what it is about.
async fn attack(rates: &Rates, snippets: &Path) -> bool {
    let (mut reached, mut ends) = (Vec::new(), BTreeMap::<String, usize>::new());
    let programs = programs(&snippets.join("attack"));
    for path in &programs {
        let outcome = rates.run(path).await;
        if outcome.prints.lines().any(|line| line == "REACHED") {
            reached.push(name(path));
        }
        let end = match &outcome.result {
            Ok(_) => "ran to its end".to_owned(),
            Err(failure) => format!("{:?}", failure.kind),
        };
        if end == "Sandbox" {
            println!("lost its worker: {}", name(path));
        }
        *ends.entry(end).or_default() += 1;
    }
    for (end, count) in ends {
        println!("{count:4}  {end}");
    }
    println!(
        "{} of {} attacks reach something",
        reached.len(),
        programs.len()
    );
    for name in &reached {
        println!("reached: {name}");
    }
    reached.is_empty() && !programs.is_empty()
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let paths: Vec<&Path> = arguments.iter().map(Path::new).collect();
    let is_good = match (paths.as_slice(), arguments.get(1).map(String::as_str)) {
        ([program, _, snippets, expected], Some("benign")) => {
            let rates = Rates::new(program, snippets);
            let is_good = benign(&rates, snippets, expected).await;
            rates.sandbox.shutdown().await;
            is_good
        }
        ([program, _, snippets], Some("attack")) => {
            let rates = Rates::new(program, snippets);
            let is_good = attack(&rates, snippets).await;
            rates.sandbox.shutdown().await;
            is_good
        }
        _ => return ExitCode::from(2),
    };
    if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
