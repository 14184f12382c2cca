//! Judges code that is changed at random until its time is over: no panic, nothing slow, the same
//! verdict twice, and what is accepted compiles in the sandbox's `CPython`.
//!
//! Run by `scripts/guard-fuzz`. A case is given by the seed and its number alone.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program of its own"
)]

use std::collections::BTreeSet;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser as _;
use mce::guard::{CompiledNames, check};

mod corpus;
mod cpython;
mod generate;
mod pieces;

/// What takes longer is a failure.
const SLOW: Duration = Duration::from_millis(500);
/// After so many failures there is enough to look at.
const ENOUGH: u64 = 20;

#[derive(Debug, clap::Parser)]
struct Arguments {
    /// How long
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only this case
    #[arg(long)]
    case: Option<u64>,
    /// Where code that fails is kept
    #[arg(long)]
    failures: PathBuf,
}

#[derive(Debug, Default)]
struct Counts {
    cases: u64,
    accepted: u64,
    failed: u64,
    slowest: Duration,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("guard-fuzz: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> io::Result<bool> {
    std::fs::create_dir_all(&arguments.failures)?;
    let corpus = corpus::Corpus::read(Path::new(env!("CARGO_MANIFEST_DIR")));
    let functions = ["get_forecast", "get_current", "list_cities"].map(str::to_owned);
    let names = CompiledNames::from([("weather".to_owned(), BTreeSet::from(functions))]);
    let mut python = cpython::Cpython::start()?;
    let mut counts = Counts::default();
    let started = Instant::now();
    let mut number = arguments.case.unwrap_or(0);
    while started.elapsed() < Duration::from_secs(arguments.seconds) {
        let case = arguments.seed.wrapping_mul(1 << 32).wrapping_add(number);
        let code = generate::Generator::new(&corpus, case).next_code();
        counts.cases += 1;
        if let Some(fault) = judge(&code, &names, &mut python, &mut counts)? {
            counts.failed += 1;
            eprintln!("case {number}: {fault}");
            std::fs::write(arguments.failures.join(format!("{number}.py")), &code)?;
        }
        if arguments.case.is_some() || counts.failed >= ENOUGH {
            break;
        }
        number += 1;
    }
    println!("| seconds | cases | accepted | refused | failed | slowest, ms |");
    println!("| --- | --- | --- | --- | --- | --- |");
    println!(
        "| {} | {} | {} | {} | {} | {:.1} |",
        started.elapsed().as_secs(),
        counts.cases,
        counts.accepted,
        counts.cases - counts.accepted,
        counts.failed,
        counts.slowest.as_secs_f64() * 1000.0
    );
    Ok(counts.failed == 0)
}

/// What is wrong with the verdict on a piece of code.
fn judge(
    code: &str,
    names: &CompiledNames,
    python: &mut cpython::Cpython,
    counts: &mut Counts,
) -> io::Result<Option<String>> {
    let begun = Instant::now();
    let Ok(report) = catch_unwind(AssertUnwindSafe(|| check(code, names))) else {
        return Ok(Some("a panic".to_owned()));
    };
    let took = begun.elapsed();
    counts.slowest = counts.slowest.max(took);
    if took > SLOW {
        return Ok(Some(format!("{} ms", took.as_millis())));
    }
    if check(code, names).violations != report.violations {
        return Ok(Some("two verdicts".to_owned()));
    }
    let lines = code.split('\n').count();
    let outside = report
        .violations
        .iter()
        .any(|it| it.line > lines || it.column == 0);
    if outside {
        return Ok(Some("a violation outside the code".to_owned()));
    }
    if !report.is_ok() {
        return Ok(None);
    }
    counts.accepted += 1;
    python.refuses(code)
}
