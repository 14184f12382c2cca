//! However a document shares things, the time to compile and to check it grows with its size and not
//! with the square of it; so do output and memory.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod documents;
mod measured;

use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use documents::{COPIED, Case, SHARED};
use measured::{Run, run};
use tempfile::TempDir;

/// How much larger the second document of a case is.
const FACTOR: usize = 4;
/// How much more time it may take: between four times as much and sixteen times.
const MOST_GROWTH: u32 = 6;
/// How much more time a check may take, which compiles and then reads and compares both.
const MOST_CHECK: u32 = 4;
/// Time that does not count, for what is no part of the work.
const SLACK: Duration = Duration::from_millis(150);
/// Bytes of output for each byte of a document, and for each document: a stub with its line of the
/// manifest says much that the document only implies.
const MOST_OUTPUT: usize = 16;
const LEAST_OUTPUT: usize = 16 << 10;
/// Bytes of memory for each byte of document and output, and for each run.
const MOST_MEMORY: usize = 30;
const LEAST_MEMORY: usize = 96 << 20;

/// What came of one document.
struct Measured {
    document: usize,
    output: usize,
    functions: usize,
    compile: Run,
    check: Run,
}

fn measure(case: &Case, size: usize) -> Measured {
    let folder = TempDir::new().unwrap();
    let files = (case.files)(size);
    for (name, text) in &files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let (root, _) = files.first().unwrap();
    let config = format!("servers: [{{name: made, swagger_url: {root}}}]\n");
    fs::write(folder.path().join("swaggers.yaml"), config).unwrap();
    let compile = run(folder.path(), &["compile"]);
    // Compiles again and compares, which is what `diff` does too.
    let check = run(folder.path(), &["compile", "--check"]);
    let read = |name: &str| {
        let file = folder.path().join("compiled/made").join(name);
        fs::read_to_string(file).unwrap_or_default()
    };
    let functions = read("functions.py");
    Measured {
        document: files.iter().map(|(_, text)| text.len()).sum(),
        output: functions.len() + read("manifest.json").len(),
        functions: functions.matches("\n@_api.operation(").count(),
        compile,
        check,
    }
}

/// Looks at every case on all processors; gathers what `judge` says of them.
fn each_case(cases: &[Case], judge: impl Fn(&Case) -> String + Sync) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let said = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let text = judge(case);
                    said.lock().unwrap().push(text);
                }
            });
        }
    });
    said.into_inner().unwrap()
}

/// What is wrong with the documents of a case, the smaller one of this size.
fn faults(case: &Case, size: usize) -> Vec<String> {
    let name = case.name;
    let (small, large) = (measure(case, size), measure(case, size * FACTOR));
    let mut faults = Vec::new();
    for (size, found) in [(size, &small), (size * FACTOR, &large)] {
        if !found.compile.is_success || !found.check.is_success {
            let said: String = found.compile.said.chars().take(500).collect();
            faults.push(format!("{name} {size}: {said}"));
        }
        let expected = (case.functions)(size);
        if found.functions != expected {
            faults.push(format!("{name} {size}: {} functions", found.functions));
        }
        let output = found.document * MOST_OUTPUT + LEAST_OUTPUT;
        if found.output > output {
            faults.push(format!(
                "{name} {size}: {} bytes of output for {}",
                found.output, found.document
            ));
        }
        let memory = (found.document + found.output) * MOST_MEMORY + LEAST_MEMORY;
        let taken = found.compile.memory.max(found.check.memory);
        if taken > memory {
            faults.push(format!("{name} {size}: {} MiB of memory", taken >> 20));
        }
    }
    let grown = large.compile.time > small.compile.time * MOST_GROWTH + SLACK;
    if grown || large.check.time > large.compile.time * MOST_CHECK + SLACK {
        faults.push(format!(
            "{name}: {size} takes {:?}, {FACTOR} times as much {:?} and a check {:?}",
            small.compile.time, large.compile.time, large.check.time
        ));
    }
    faults
}

#[test]
fn time_output_and_memory_grow_with_what_is_shared() {
    let faults = each_case(SHARED, |case| faults(case, case.size).join("\n"));
    let faults: Vec<String> = faults.into_iter().filter(|it| !it.is_empty()).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The table of docs/soak.md.
#[test]
#[ignore = "takes minutes: scripts/soak runs it"]
fn large_documents() {
    const SCALE: usize = 10;
    let of = |cases: &'static [Case], scale: usize| {
        each_case(cases, |case| {
            let size = case.size * scale;
            let found = measure(case, size);
            format!(
                "| {} | {size} | {} | {} | {} | {} | {} | {} |",
                case.name.replace('_', " "),
                found.document >> 10,
                found.output >> 10,
                found.functions,
                found.compile.time.as_millis(),
                found.check.time.as_millis(),
                found.compile.memory >> 20,
            )
        })
    };
    let mut rows = of(SHARED, SCALE);
    rows.extend(of(COPIED, FACTOR));
    rows.sort();
    println!(
        "| shared | size | document, KiB | output, KiB | functions | compile, ms | check, ms | memory, MiB |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    println!("{}", rows.join("\n"));
}
