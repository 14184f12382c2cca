//! Programs that workers run, and what `CPython` prints for each.

#![expect(
    clippy::unwrap_used,
    reason = "the lint does not see that the functions beside the tests are of them"
)]

mod sandbox_support;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mce::runtime::runtime_module;
use mce::sandbox::embedded::EmbeddedSandbox;
use mce::sandbox::{Job, Sandbox};
use sandbox_support::{FakeHost, job, module, settings_with};

/// The compiled module that programs import from.
const SHOP: &str = include_str!("executions/shop.py");
/// Stands in the place of a line that `record.py` gives `CPython`.
const HELPERS: &str = "from shop.functions import echo; ext = lambda x: echo(a=x)['a'] * 10\n";

/// What is found to need another sandbox before anything runs.
const REFUSED: [(&str, &str); 6] = [
    (
        "generators_close_generator_exit",
        "line 5: `GeneratorExit` ",
    ),
    ("generators_close_ignored", "line 6: `GeneratorExit` "),
    (
        "generators_host_break",
        "line 8: `rows`, a generator with cleanup ",
    ),
    (
        "generators_round_robin_tasks",
        "line 15: `.value` of an exception ",
    ),
    (
        "generators_state_machine_send",
        "line 18: `.value` of an exception ",
    ),
    (
        "generators_stop_value",
        "line 10: `.value` of an exception ",
    ),
];

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/embedded/cases");
    let entries = std::fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut programs: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|it| it == "py"))
        .collect();
    programs.sort();
    programs
}

/// What is printed otherwise than it should be: the first line that differs.
fn difference(expected: &str, found: &str) -> Option<String> {
    if expected == found {
        return None;
    }
    let (mut left, mut right) = (expected.lines(), found.lines());
    for number in 1.. {
        match (left.next(), right.next()) {
            (None, None) => break,
            (expected, found) if expected != found => {
                return Some(format!("line {number}: {expected:?}, found {found:?}"));
            }
            _ => {}
        }
    }
    Some("the ends of lines differ".to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_print_what_cpython_prints() {
    let settings = settings_with(&[("MCE_SANDBOX_MODE", "warm")]);
    let sandbox = EmbeddedSandbox::new(&settings, Path::new(env!("CARGO_BIN_EXE_mce"))).unwrap();
    let programs = cases();
    assert!(programs.len() > 150, "{}", programs.len());
    let mut faults = Vec::new();
    for path in programs {
        let expected = std::fs::read_to_string(path.with_extension("expected")).unwrap();
        let code = HELPERS.to_owned() + &std::fs::read_to_string(&path).unwrap();
        let job = Job {
            modules: vec![runtime_module(), module("shop.functions", SHOP)],
            ..job(&code)
        };
        let outcome = sandbox.run(job, Arc::new(FakeHost::default())).await;
        let name = path.file_stem().unwrap().display().to_string();
        match &outcome.result {
            Err(failure) => {
                let mut refused = REFUSED.iter().filter(|(refused, _)| *refused == name);
                if !refused.any(|(_, text)| failure.message.starts_with(text)) {
                    faults.push(format!("{name}: {failure:?}"));
                }
            }
            Ok(_) if REFUSED.iter().any(|(refused, _)| *refused == name) => {
                faults.push(format!("{name} is not refused any more"));
            }
            Ok(_) => faults.extend(
                difference(&expected, &outcome.prints).map(|found| format!("{name}: {found}")),
            ),
        }
    }
    sandbox.shutdown().await;
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
