//! Compiles mutated real documents until its time is over: no panic, no hang, and no module that
//! is outside the closed grammar, that `CPython` refuses, or that the check before use refuses.
//!
//! Run by `scripts/fuzz`. A case is given by the seed and its number alone, so `--case` does one
//! again. What fails is kept with its reason.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program of its own"
)]

use std::fmt::Write as _;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use clap::Parser as _;
use mce::compile::{self, Options};
use mce::config::{Config, Environment};
use proptest::prelude::RngExt;
use proptest::test_runner::{RngAlgorithm, TestRng};
use serde_json::Value;

mod mutate;

/// What takes longer is a failure.
const SLOW: Duration = Duration::from_secs(5);
/// What takes longer will not end: its input is kept and the process ends.
const HANGS: Duration = Duration::from_secs(25);
/// Documents longer than this are only used with few paths, and never byte by byte.
const LARGE: usize = 300_000;
const SERVER: &str = "fuzzed";
/// Failures of these kinds are no refusals of the document.
const INTERNAL: &[&str] = &[
    "internal error",
    "`functions.py`, line",
    "the template of `functions.py`",
    "took longer",
    "took too long",
    "interrupted",
];
const CPYTHON: &str = "
import sys, warnings
warnings.simplefilter('error')
for line in sys.stdin:
    try:
        with open(line.rstrip('\\n'), encoding='utf-8') as file:
            compile(file.read(), 'functions.py', 'exec', dont_inherit=True)
        print('ok', flush=True)
    except BaseException as error:
        print(repr(error)[:300].replace('\\n', ' '), flush=True)
";

#[derive(Debug, clap::Parser)]
struct Arguments {
    /// A folder with API documents, at any depth
    #[arg(long)]
    documents: PathBuf,
    /// How long
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only this case
    #[arg(long)]
    case: Option<u64>,
    /// Where inputs that fail are kept
    #[arg(long)]
    failures: PathBuf,
    /// An interpreter that compiles every fourth module
    #[arg(long, default_value = "python3")]
    python: PathBuf,
}

struct Document {
    name: String,
    bytes: Vec<u8>,
    tree: Value,
}

/// What has to be known of a case where it fails.
struct Input {
    number: u64,
    document: String,
    bytes: Vec<u8>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("fuzz: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> io::Result<bool> {
    std::fs::create_dir_all(&arguments.failures)?;
    let documents = read_documents(&arguments.documents)?;
    if documents.is_empty() {
        return Err(io::Error::other("the folder holds no API document"));
    }
    let work = tempfile::tempdir()?;
    std::fs::write(work.path().join("part.json"), mutate::part().to_string())?;
    let panicked = report_panics();
    let watch = Watch::start(&arguments.failures);
    let mut python = Cpython::start(&arguments.python)?;
    let mut counts = Counts::default();
    let started = Instant::now();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut number = arguments.case.unwrap_or(0);
    let current = arguments.failures.join("current");
    while started.elapsed() < Duration::from_secs(arguments.seconds) {
        let input = case(arguments.seed, number, &documents);
        watch.begin(&input);
        // What is left of a case that ends the process, such as one for which memory is too short.
        std::fs::write(&current, number.to_string())?;
        let begun = Instant::now();
        panicked.store(false, Ordering::SeqCst);
        let outcome = runtime.block_on(compiled(work.path(), number, &input));
        let took = begun.elapsed();
        watch.end();
        counts.cases += 1;
        counts.slowest = counts.slowest.max(took);
        let fault = match outcome {
            _ if panicked.load(Ordering::SeqCst) => Some("a panic".to_owned()),
            _ if took > SLOW => Some(format!("{:.1} s", took.as_secs_f64())),
            Err(fault) => Some(fault),
            Ok(None) => None,
            Ok(Some(module)) => {
                counts.compiled += 1;
                if number.is_multiple_of(4) {
                    python.refuses(&module)?
                } else {
                    None
                }
            }
        };
        if let Some(fault) = fault {
            counts.failed += 1;
            eprintln!("case {number} ({}): {fault}", input.document);
            keep(&arguments.failures, arguments.seed, &input, &fault)?;
        }
        if arguments.case.is_some() || counts.failed >= 50 {
            break;
        }
        number += 1;
    }
    std::fs::remove_file(&current)?;
    println!("| seconds | cases | compiled | refused | failed | slowest, ms |");
    println!("| --- | --- | --- | --- | --- | --- |");
    println!(
        "| {} | {} | {} | {} | {} | {} |",
        started.elapsed().as_secs(),
        counts.cases,
        counts.compiled,
        counts.cases - counts.compiled,
        counts.failed,
        counts.slowest.as_millis()
    );
    Ok(counts.failed == 0)
}

#[derive(Debug, Default)]
struct Counts {
    cases: u64,
    compiled: u64,
    failed: u64,
    slowest: Duration,
}

/// Every file that is an API document by itself, the smallest first.
fn read_documents(folder: &Path) -> io::Result<Vec<Document>> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                waiting.push(path);
                continue;
            }
            let extension = path.extension().and_then(|it| it.to_str()).unwrap_or("");
            if !["json", "yaml", "yml"].contains(&extension) {
                continue;
            }
            let bytes = std::fs::read(&path)?;
            let Ok(tree) = mce::yaml::read_value(&bytes, &mce::yaml::Limits::DOCUMENT) else {
                continue;
            };
            if tree.get("openapi").is_some() || tree.get("swagger").is_some() {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                found.push((
                    path.clone(),
                    Document {
                        name: name.into_owned(),
                        bytes,
                        tree,
                    },
                ));
            }
        }
    }
    // The order of a folder is not the same everywhere, and a case has to be.
    found.sort_by(|one, other| (one.1.bytes.len(), &one.0).cmp(&(other.1.bytes.len(), &other.0)));
    Ok(found.into_iter().map(|(_, document)| document).collect())
}

/// The input of a case.
fn case(seed: u64, number: u64, documents: &[Document]) -> Input {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&number.to_le_bytes());
    let mut rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    // The smaller of two, most often: small ones are as varied, and many more can be done.
    let (one, other) = (
        rng.random_range(0..documents.len()),
        rng.random_range(0..documents.len()),
    );
    let index = if rng.random_range(0..8) == 0 {
        one.max(other)
    } else {
        one.min(other)
    };
    let document = &documents[index];
    let mut text = if rng.random_range(0..4) == 0 && document.bytes.len() < LARGE {
        document.bytes.clone()
    } else {
        let mut tree = document.tree.clone();
        if document.bytes.len() > LARGE / 10 {
            mutate::prune(&mut rng, &mut tree);
        }
        mutate::tree(&mut rng, &mut tree);
        let text = serde_json::to_vec(&tree).unwrap_or_default();
        if rng.random_range(0..10) != 0 {
            return Input {
                number,
                document: document.name.clone(),
                bytes: text,
            };
        }
        text
    };
    mutate::bytes(&mut rng, &mut text);
    Input {
        number,
        document: document.name.clone(),
        bytes: text,
    }
}

/// Compiles a case: the module's path, `None` where the document was refused, or what is wrong.
async fn compiled(work: &Path, number: u64, input: &Input) -> Result<Option<PathBuf>, String> {
    let fail = |error: io::Error| error.to_string();
    std::fs::write(work.join("main.json"), &input.bytes).map_err(fail)?;
    let output = work.join("compiled");
    // Every other case finds what the one before it left: its names are locked.
    if number.is_multiple_of(2) && output.exists() {
        std::fs::remove_dir_all(&output).map_err(fail)?;
    }
    let mut text = format!("servers:\n  - name: {SERVER}\n    swagger_url: main.json\n");
    if !number.is_multiple_of(3) {
        text.push_str("    base_url: http://127.0.0.1:9\n");
    }
    if number.is_multiple_of(5) {
        text.push_str("    is_read_only: true\n");
    }
    let config = Config::parse(&text, &work.join("swaggers.yaml")).map_err(|it| it.to_string())?;
    let environment = Environment::from_pairs(Vec::<(String, String)>::new());
    let options = Options {
        output: output.clone(),
        accept_origin: true,
        ..Options::default()
    };
    let report = compile::run(&config, &environment, &options).await;
    if let Some(error) = report.error {
        return Err(error);
    }
    for server in &report.servers {
        if let Some(error) = &server.error {
            if INTERNAL.iter().any(|internal| error.contains(internal)) {
                return Err(error.clone());
            }
            return Ok(None);
        }
    }
    let verified = compile::verify(&output, SERVER).map_err(|error| error.to_string())?;
    if number.is_multiple_of(5) {
        verified
            .check_read_only(true, std::iter::empty())
            .map_err(|error| error.to_string())?;
    }
    Ok(Some(output.join(SERVER).join("functions.py")))
}

/// Whether a panic happened, caught or not.
fn report_panics() -> Arc<AtomicBool> {
    let panicked = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&panicked);
    std::panic::set_hook(Box::new(move |panic| {
        seen.store(true, Ordering::SeqCst);
        eprintln!("{panic}");
    }));
    panicked
}

/// Keeps an input and why.
fn keep(folder: &Path, seed: u64, input: &Input, fault: &str) -> io::Result<()> {
    let name = format!("case-{seed}-{}", input.number);
    std::fs::write(folder.join(format!("{name}.json")), &input.bytes)?;
    let mut text = String::new();
    let _ = writeln!(text, "{}\n{fault}", input.document);
    std::fs::write(folder.join(format!("{name}.txt")), text)
}

/// When a case began, its seed, and its bytes.
type Case = (Instant, u64, Vec<u8>);

/// Ends the process where a case does not end.
struct Watch {
    current: Arc<Mutex<Option<Case>>>,
}

impl Watch {
    fn start(failures: &Path) -> Self {
        let watch = Self {
            current: Arc::default(),
        };
        let current = Arc::clone(&watch.current);
        let file = failures.join("hangs.json");
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_millis(500));
                let Ok(current) = current.lock() else { return };
                if let Some((begun, number, bytes)) = current.as_ref()
                    && begun.elapsed() > HANGS
                {
                    eprintln!(
                        "case {number} does not end; its input is in {}",
                        file.display()
                    );
                    let _ = std::fs::write(&file, bytes);
                    std::process::exit(3);
                }
            }
        });
        watch
    }

    fn begin(&self, input: &Input) {
        if let Ok(mut current) = self.current.lock() {
            *current = Some((Instant::now(), input.number, input.bytes.clone()));
        }
    }

    fn end(&self) {
        if let Ok(mut current) = self.current.lock() {
            *current = None;
        }
    }
}

/// An interpreter that compiles files, one line a file.
struct Cpython {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Cpython {
    fn start(program: &Path) -> io::Result<Self> {
        let mut process = Command::new(program)
            .args(["-I", "-c", CPYTHON])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(io::Error::other("no pipes"));
        };
        Ok(Self {
            process,
            input,
            output: BufReader::new(output),
        })
    }

    /// Why it does not compile a file.
    fn refuses(&mut self, file: &Path) -> io::Result<Option<String>> {
        writeln!(self.input, "{}", file.display())?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let answer = line.trim_end();
        Ok((answer != "ok").then(|| format!("CPython: {answer}")))
    }
}

impl Drop for Cpython {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
