//! The same code in every sandbox: one table of cases with what must come of each, and by name what
//! differs in which.

#![expect(
    clippy::unwrap_used,
    reason = "the lint does not see that the functions beside the tests are of them"
)]

#[path = "executions/cases.rs"]
mod cases;
mod sandbox_support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use cases::{CASES, Case, Expected};
use mce::runtime::runtime_module;
use mce::sandbox::embedded::EmbeddedSandbox;
use mce::sandbox::{FailureKind, Job, Outcome, Sandbox};
use sandbox_support::{FakeHost, job, kind, module, place_knowing, settings_with, value};

/// The compiled module that the cases import from.
const SHOP: &str = include_str!("executions/shop.py");

fn shopping(code: &str) -> Job {
    Job {
        modules: vec![runtime_module(), module("shop.functions", SHOP)],
        ..job(code)
    }
}

fn embedded_with(pairs: &[(&str, &str)]) -> EmbeddedSandbox {
    let settings = settings_with(pairs);
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_mce"));
    EmbeddedSandbox::new(&settings, program).unwrap()
}

fn embedded() -> EmbeddedSandbox {
    embedded_with(&[("MCE_SANDBOX_MODE", "cold")])
}

async fn run(sandbox: &dyn Sandbox, job: Job) -> Outcome {
    sandbox.run(job, Arc::new(FakeHost::default())).await
}

/// What is not as the case says; `None` where all is.
fn fault(case: &Case, expected: &Expected, outcome: &Outcome) -> Option<String> {
    let is_as_expected = match (expected, &outcome.result) {
        (Expected::Value(text), Ok(found)) => {
            let expected: serde_json::Value = serde_json::from_str(text).unwrap();
            *found == expected
        }
        (Expected::Prints(text), Ok(_)) => outcome.prints == *text,
        (Expected::Failure(kind, text), Err(found)) => {
            found.kind == *kind && found.message.contains(text)
        }
        _ => false,
    };
    (!is_as_expected).then(|| format!("{}: {:?}\n{outcome:#?}", case.name, case.code))
}

async fn check(sandbox: &dyn Sandbox) {
    let mut faults = Vec::new();
    for case in CASES {
        let outcome = run(sandbox, shopping(case.code)).await;
        let differs = (sandbox.name() == "embedded").then_some(case.embedded.as_ref());
        let expected = differs.flatten().unwrap_or(&case.expected);
        faults.extend(fault(case, expected, &outcome));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn containers_give_what_the_table_says() {
    let place = place_knowing(vec![runtime_module()]).await;
    check(&place.sandbox).await;
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_give_what_the_table_says() {
    let sandbox = embedded();
    check(&sandbox).await;
    sandbox.shutdown().await;
}

#[test]
fn the_table_names_each_case_once_and_each_difference_differs() {
    let mut names: Vec<_> = CASES.iter().map(|case| case.name).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
    for case in CASES {
        assert!(
            case.embedded.as_ref() != Some(&case.expected),
            "{}",
            case.name
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_run_concurrently_and_large_answers_arrive_whole() {
    let sandbox = embedded();
    let code = "import asyncio\nfrom shop.functions import slow, blob\n\
                async def main():\n    \
                return await asyncio.gather(*[slow.aio(n=n) for n in range(8)])\n";
    let begun = Instant::now();
    let outcome = run(&sandbox, shopping(code)).await;
    assert_eq!(
        *value(&outcome),
        serde_json::json!([0, 1, 2, 3, 4, 5, 6, 7])
    );
    assert!(begun.elapsed() < Duration::from_millis(1_500));
    let code =
        "from shop.functions import blob\nb = blob(size=20_000_000)\n[len(b), b[250], b[251]]";
    let outcome = run(&sandbox, shopping(code)).await;
    assert_eq!(*value(&outcome), serde_json::json!([20_000_000, 250, 0]));
    sandbox.shutdown().await;
}

/// Each is told as what it is, and what comes after it knows nothing of it.
#[tokio::test(flavor = "multi_thread")]
async fn faults_are_told_apart_and_end_one_execution() {
    let sandbox = embedded_with(&[("MCE_SANDBOX_MODE", "warm"), ("MCE_SANDBOX_MEMORY", "128m")]);
    let short = |code: &str| Job {
        timeout: Duration::from_secs(3),
        ..job(code)
    };
    let cases: [(&str, FailureKind, &str); 8] = [
        (
            "print('before')\nwhile True: pass",
            FailureKind::Timeout,
            "3 seconds",
        ),
        ("x = [0] * 10_000_000_000", FailureKind::Memory, "memory"),
        (
            "x = []\nwhile True: x.append('a' * 1000)",
            FailureKind::Memory,
            "memory",
        ),
        ("x = 'a' * 200_000_000", FailureKind::Memory, "memory"),
        (
            "def f(): return f()\nf()",
            FailureKind::Execution,
            "RecursionError",
        ),
        ("x = 10 ** 10_000_000_000", FailureKind::Memory, "memory"),
        (
            "raise ValueError('own')",
            FailureKind::Execution,
            "ValueError: own",
        ),
        (
            "open('/etc/passwd')",
            FailureKind::Unsupported,
            "line 1: `open`",
        ),
    ];
    for (code, expected, text) in cases {
        let outcome = run(&sandbox, short(code)).await;
        assert_eq!(kind(&outcome), expected, "{code}: {outcome:#?}");
        let message = &outcome.result.as_ref().unwrap_err().message;
        assert!(message.contains(text), "{code}: {message}");
        if code.starts_with("print") {
            assert_eq!(outcome.prints, "before\n");
        }
        let after = run(&sandbox, short("1 + 1")).await;
        assert_eq!(*value(&after), 2);
    }
    sandbox.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn prints_are_cut_at_the_limit_and_kept() {
    let sandbox = embedded();
    let code = "for i in range(1000): print('x' * 1023)\n'done'";
    let outcome = run(
        &sandbox,
        Job {
            max_output_bytes: 1 << 20,
            ..job(code)
        },
    )
    .await;
    assert_eq!(*value(&outcome), "done");
    assert_eq!(outcome.prints.len(), 1_024_000);
    assert!(!outcome.truncated);
    let outcome = run(
        &sandbox,
        Job {
            max_output_bytes: 10_000,
            ..job(code)
        },
    )
    .await;
    assert!(outcome.truncated);
    assert!(outcome.prints.len() <= 10_000 && outcome.prints.len() > 9_000);
    sandbox.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_regular_expression_without_end_ends() {
    let sandbox = embedded();
    let code = "import re\nre.match('(a+)+$', 'a' * 40 + 'b')";
    let outcome = run(
        &sandbox,
        Job {
            timeout: Duration::from_secs(3),
            ..job(code)
        },
    )
    .await;
    assert!(outcome.elapsed < Duration::from_secs(4));
    let failure = outcome.result.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Execution);
    assert!(
        failure.message.contains("backtracking count exceeded"),
        "{failure:?}"
    );
    assert!(failure.hint.unwrap().contains("nested repetition"));
    let after = run(&sandbox, job("2")).await;
    assert_eq!(*value(&after), 2);
    sandbox.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_keeps_its_state_and_another_has_none_of_it() {
    let sandbox = embedded();
    let mut session = sandbox.open().await.unwrap();
    let mut other = sandbox.open().await.unwrap();
    let host = || Arc::new(FakeHost::default());
    let first = session
        .run(shopping("x = 41\ndef f(): return x + 1"), host())
        .await;
    assert!(first.result.is_ok());
    let second = session.run(shopping("f()"), host()).await;
    assert_eq!(*value(&second), 42);
    let failed = session.run(shopping("1 / 0"), host()).await;
    let traceback = failed.result.unwrap_err().traceback.unwrap();
    assert!(
        traceback.contains("File \"<code 3>\", line 1"),
        "{traceback}"
    );
    assert!(session.is_open());
    assert_eq!(*value(&session.run(shopping("x"), host()).await), 41);
    let none = other.run(shopping("x"), host()).await;
    assert!(none.result.unwrap_err().message.starts_with("NameError"));
    let ends = session
        .run(
            Job {
                timeout: Duration::from_millis(300),
                ..job("while True: pass")
            },
            host(),
        )
        .await;
    assert_eq!(kind(&ends), FailureKind::Timeout);
    assert!(!session.is_open());
    sandbox.shutdown().await;
}

/// Processes of this test whose command line names the worker's subcommand.
fn workers() -> usize {
    let parent = std::process::id().to_string();
    let processes = std::fs::read_dir("/proc").unwrap();
    processes
        .filter_map(|entry| {
            let line = std::fs::read(entry.ok()?.path().join("cmdline")).ok()?;
            let line = String::from_utf8_lossy(&line).into_owned();
            (line.contains("embedded-worker") && line.contains(&format!("--parent={parent}\0")))
                .then_some(())
        })
        .count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_worker_costs_one_execution_and_none_is_left() {
    let sandbox = embedded();
    let running = {
        let sandbox = sandbox.clone();
        tokio::spawn(async move { run(&sandbox, job("print(1)\nwhile True: pass")).await })
    };
    tokio::time::sleep(Duration::from_millis(500)).await;
    let parent = format!("--parent={}", std::process::id());
    let status = std::process::Command::new("pkill")
        .args(["-KILL", "-f", &parent])
        .status()
        .unwrap();
    assert!(status.success());
    let outcome = running.await.unwrap();
    assert_eq!(kind(&outcome), FailureKind::Sandbox, "{outcome:#?}");
    let after = run(&sandbox, job("1")).await;
    assert_eq!(*value(&after), 1);
    let dropped = run(&sandbox, job("while True: pass"));
    assert!(
        tokio::time::timeout(Duration::from_millis(300), dropped)
            .await
            .is_err()
    );
    sandbox.shutdown().await;
    let begun = Instant::now();
    while workers() > 0 {
        assert!(begun.elapsed() < Duration::from_secs(5), "workers are left");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Open descriptors and resident kibibytes of this process.
fn held() -> (usize, u64) {
    let descriptors = std::fs::read_dir("/proc/self/fd").unwrap().count();
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let resident = status.lines().find_map(|line| {
        let kibibytes = line.strip_prefix("VmRSS:")?.split_whitespace().next()?;
        kibibytes.parse().ok()
    });
    (descriptors, resident.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_executions_leave_nothing() {
    let sandbox = embedded_with(&[("MCE_SANDBOX_MODE", "warm")]);
    let mut before = None;
    for number in 0..1_000 {
        let outcome = run(&sandbox, job(&format!("x = [{number}] * 1000\nx[0]"))).await;
        assert_eq!(*value(&outcome), number);
        if number == 100 {
            before = Some(held());
        }
    }
    let (descriptors, resident) = before.unwrap();
    let (descriptors_after, resident_after) = held();
    assert!(
        descriptors_after <= descriptors + 6,
        "{descriptors} descriptors, then {descriptors_after}"
    );
    assert!(
        resident_after <= resident + 16 * 1024,
        "{resident} KiB, then {resident_after}"
    );
    sandbox.shutdown().await;
    let begun = Instant::now();
    while workers() > 0 {
        assert!(begun.elapsed() < Duration::from_secs(5), "workers are left");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
