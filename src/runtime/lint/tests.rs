//! The gate around a ruff that the tests play. What the real one finds is in `tests/lint.rs`.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::runtime::fixture::{Fixture, SECRET, code, returned, rows};
use crate::runtime::{CachedRequest, ErrorType, ExecutionResult};

/// Finds `totl` in code.
const FINDS: &str = r#"
case $(cat) in
*totl*) echo '[{"code": "F821", "message": "Undefined name `totl`", "location": {"row": 2, "column": 10},
    "fix": null}]'; exit 1;;
*) echo '[]';;
esac
"#;

/// A folder with a `ruff` that works, and when it is to check code does this.
fn ruff(check: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let script = format!("#!/bin/sh\n[ \"$1\" = check ] || exit 0\n{check}");
    write(&folder.path().join(RUFF), &script);
    folder
}

/// Written by another process: a file that this one holds open for writing, in whichever thread,
/// cannot be run.
fn write(path: &Path, script: &str) {
    let mut shell = Command::new("/bin/sh")
        .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = shell.stdin.take().unwrap();
    stdin.write_all(script.as_bytes()).unwrap();
    drop(stdin);
    assert!(shell.wait().unwrap().success());
}

/// A fixture that lints with what is in a folder.
fn linting(folder: &TempDir) -> Fixture {
    let mut fixture = Fixture::new();
    let path = folder.path().display().to_string();
    fixture.variables.push(("PATH".to_owned(), path));
    let enabled = ("MCE_LINT_ENABLED".to_owned(), "true".to_owned());
    fixture.variables.push(enabled);
    fixture
}

fn linter(folder: &TempDir, patience: Duration) -> Linter {
    let path = folder.path().display().to_string();
    Linter {
        patience,
        ..Linter::new(&Environment::from_pairs([("PATH", path)]))
    }
}

async fn executed(folder: &TempDir, text: &str) -> ExecutionResult {
    let (runtime, _) = linting(folder).runtime(|_, _| async { returned(json!(1)) });
    runtime.execute(code(text)).await
}

/// What is logged on this thread until the guard is dropped.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Log {
    fn begin() -> (Self, tracing::subscriber::DefaultGuard) {
        let log = Self::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_writer(move || writer.clone())
            .finish();
        (log, tracing::subscriber::set_default(subscriber))
    }

    /// The lines about linting.
    fn lines(&self) -> Vec<String> {
        let log = self.0.lock().unwrap();
        let lines = std::str::from_utf8(&log).unwrap().lines();
        lines
            .filter(|line| line.contains(LOG))
            .map(str::to_owned)
            .collect()
    }
}

#[tokio::test]
async fn a_mistake_refuses_code_before_the_sandbox_and_is_audited() {
    let folder = ruff(FINDS);
    let fixture = linting(&folder);
    let (runtime, sandbox) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let result = runtime.execute(code("x = 1\nresult = totl")).await;
    assert!(!result.success);
    assert_eq!(result.error_type, Some(ErrorType::Lint));
    assert_eq!(
        result.error.as_deref(),
        Some("line 2: Undefined name `totl` (F821)")
    );
    assert_eq!(
        result.lint_output.as_deref(),
        Some("2:10: F821 Undefined name `totl`\n")
    );
    assert!(result.hint.unwrap().contains("`# noqa: F821`"));
    assert!(sandbox.jobs.lock().unwrap().is_empty());

    runtime.shutdown().await;
    let audit = fixture.path("audit.db");
    assert_eq!(
        rows(&audit, "SELECT verdict, outcome FROM executions"),
        ["passed lint"]
    );
    assert_eq!(
        rows(&audit, "SELECT layer, reason FROM refusals"),
        ["lint F821 at line 2"]
    );
}

#[tokio::test]
async fn dry_runs_and_cached_code_are_linted_and_refused_code_is_not() {
    let folder = ruff(FINDS);
    let (runtime, sandbox) = linting(&folder).runtime(|_, _| async { returned(json!(1)) });
    let mut planned = code("result = totl");
    planned.dry_run = true;
    let result = runtime.execute(planned).await;
    assert_eq!(result.error_type, Some(ErrorType::Lint));

    let kept = runtime.execute(code("NAME = 'a'\nresult = NAME")).await;
    let again = |name: &str| CachedRequest {
        cache_id: kept.cache_id.clone().unwrap(),
        params: [("NAME".to_owned(), json!(name))].into_iter().collect(),
        principal: "ada".to_owned(),
        ..CachedRequest::default()
    };
    assert!(runtime.run_cached(again("b")).await.success);
    let result = runtime.run_cached(again("totl")).await;
    assert_eq!(result.error_type, Some(ErrorType::Lint));
    assert_eq!(sandbox.jobs.lock().unwrap().len(), 2);

    let result = runtime.execute(code("import os\nresult = totl")).await;
    assert_eq!(result.error_type, Some(ErrorType::Security));
    assert_eq!(result.lint_output, None);
}

#[tokio::test]
async fn nothing_is_linted_unasked() {
    let folder = ruff(FINDS);
    let mut fixture = linting(&folder);
    fixture.variables.pop();
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    assert!(runtime.execute(code("result = totl")).await.success);
}

#[tokio::test]
async fn what_goes_wrong_with_ruff_refuses_nothing_and_is_logged() {
    for (check, told) in [
        ("kill -SEGV $$", "signal: 11"),
        (
            "echo \"unknown rule\x1b[2J s3cr3t-canary\" >&2; exit 2",
            "unknown rule\\u{1b}[2J [redacted]",
        ),
        ("exit 1", "something else than findings"),
        (
            "echo '[{\"code\": \"F821\"}]'; exit 1",
            "something else than findings",
        ),
        ("echo '[{'; exit 1", "something else than findings"),
        ("exec 0<&-; echo no; exit 0", "something else than findings"),
        (
            "w=$(printf '[%01000d' 0); while :; do echo $w; done",
            "more than 4194304 bytes",
        ),
        (
            "w=$(printf '%01000d' 0); while :; do echo $w >&2; done",
            "more than 4194304 bytes",
        ),
    ] {
        let (log, _guard) = Log::begin();
        let result = executed(&ruff(check), "result = totl").await;
        assert!(result.success, "{check}: {result:?}");
        let lines = log.lines();
        assert!(
            lines.len() == 1 && lines[0].contains("WARN") && lines[0].contains(told),
            "{check}: {lines:?}"
        );
        assert!(!lines[0].contains(SECRET), "{lines:?}");
    }
}

#[tokio::test]
async fn without_a_ruff_that_works_code_runs_and_that_is_said_once() {
    let absent = tempfile::tempdir().unwrap();
    let broken = tempfile::tempdir().unwrap();
    let script = "#!/bin/sh\n[ \"$1\" = check ] && echo ran >> \"$0.log\"; exit 3\n";
    write(&broken.path().join(RUFF), script);
    let foreign = tempfile::tempdir().unwrap();
    write(&foreign.path().join(RUFF), "\u{7f}ELF no such machine");
    for (folder, told) in [
        (&absent, "there is no `ruff`"),
        (&broken, "it ended with exit status: 3"),
        (&foreign, "it did not start"),
    ] {
        let (log, _guard) = Log::begin();
        let (runtime, _) = linting(folder).runtime(|_, _| async { returned(json!(1)) });
        runtime.warm_up().await;
        for _ in 0..2 {
            assert!(runtime.execute(code("result = totl")).await.success);
        }
        let lines = log.lines();
        assert!(lines.len() == 1 && lines[0].contains(told), "{lines:?}");
    }
    assert!(!broken.path().join("ruff.log").exists());
}

/// A ruff that starts another process, writes the numbers of both, and does not end.
fn hanging() -> TempDir {
    ruff("sleep 600 &\necho $$ $! > \"$0.new\"\nmv \"$0.new\" \"$0.pids\"\nwait\n")
}

/// Waits until the processes of [`hanging`] are there.
async fn started(folder: &TempDir) {
    while !folder.path().join("ruff.pids").exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Waits until the processes of [`hanging`] are gone, or dead and not yet waited for by anyone.
async fn gone(folder: &TempDir) {
    let pids = std::fs::read_to_string(folder.path().join("ruff.pids")).unwrap();
    let pids: Vec<&str> = pids.split_whitespace().collect();
    assert_eq!(pids.len(), 2);
    let lives = |pid: &&str| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit_once(") ")
            .is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
    };
    let began = Instant::now();
    while pids.iter().any(lives) {
        assert!(began.elapsed() < Duration::from_secs(10), "{pids:?} live");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_ruff_that_hangs_is_killed_with_all_that_it_started() {
    let folder = hanging();
    let linter = linter(&folder, Duration::from_secs(1));
    let began = Instant::now();
    let failure = linter.findings("result = 1").await.unwrap_err();
    assert_eq!(failure.to_string(), "it did not end within 1 seconds");
    assert!(began.elapsed() < Duration::from_secs(5));
    gone(&folder).await;
}

#[tokio::test]
async fn an_execution_that_is_cancelled_kills_its_ruff() {
    let folder = hanging();
    let (runtime, sandbox) = linting(&folder).runtime(|_, _| async { returned(json!(1)) });
    tokio::select! {
        _ = runtime.execute(code("result = 1")) => unreachable!("it hangs"),
        () = started(&folder) => {}
    }
    gone(&folder).await;
    assert!(sandbox.jobs.lock().unwrap().is_empty());
}

#[tokio::test]
async fn those_who_wait_for_a_place_wait_no_longer_than_for_ruff() {
    let folder = hanging();
    let linter = linter(&folder, Duration::from_secs(1));
    let began = Instant::now();
    let all = (0..PLACES * 3).map(|_| linter.findings("result = 1"));
    for outcome in futures::future::join_all(all).await {
        assert!(matches!(outcome, Err(Failure::Time(_))));
    }
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn ruff_gets_no_variable_no_folder_and_no_configuration() {
    let folder = ruff(
        "cat > /dev/null\nsaid=$(pwd; echo \"$@\"; env)\n\
         said=$(echo \"$said\" | tr '\\n\"' '|_')\n\
         echo \"[{\\\"code\\\": \\\"F821\\\", \\\"message\\\": \\\"$said\\\", \
         \\\"location\\\": {\\\"row\\\": 1, \\\"column\\\": 1}}]\"\nexit 1\n",
    );
    assert!(std::env::var_os("PATH").is_some());
    let linter = linter(&folder, PATIENCE);
    let found = linter.findings("result = 1").await.unwrap();
    let mut said = found[0].message.trim_end_matches('|').split('|');
    assert_eq!(said.next(), Some("/"));
    let arguments = said.next().unwrap();
    for wanted in ["--isolated", "--no-cache", "--target-version=py313"] {
        assert!(arguments.contains(wanted), "{arguments}");
    }
    let variables: Vec<_> = said.filter_map(|it| it.split_once('=')).collect();
    // Those that shells set themselves.
    let own = ["PWD", "OLDPWD", "SHLVL", "_"];
    assert!(
        variables.iter().all(|(name, _)| own.contains(name)),
        "{variables:?}"
    );
}

fn finding(line: usize, message: &str) -> Finding {
    Finding {
        rule: "F821",
        line,
        column: 1,
        message: message.to_owned(),
        fix: None,
    }
}

#[test]
fn the_list_is_bounded_in_lines_and_in_bytes() {
    let many: Vec<_> = (1..=500).map(|line| finding(line, "x")).collect();
    let text = findings::listed(&many, str::to_owned);
    assert_eq!(text.lines().count(), 21);
    assert!(text.ends_with("20:1: F821 x\nand 480 more\n"), "{text}");
    assert_eq!(
        findings::summary(&many, str::to_owned),
        "line 1: x (F821; 500 findings in all)"
    );
    let long = vec![finding(1, &"雪".repeat(1_000)); 20];
    let text = findings::listed(&long, str::to_owned);
    assert!((3_000..=4_096).contains(&text.len()), "{}", text.len());
    assert!(text.ends_with("and 15 more\n"), "{text}");
    assert!(findings::summary(&long, str::to_owned).len() < 1_000);
}

#[tokio::test]
async fn names_of_the_code_are_shown_without_secrets_and_hidden_characters() {
    let folder = ruff(
        r#"cat > /dev/null
cat <<'JSON'
[{"code": "F632", "message": "of s3cr3t-canary\u202e", "location": {"row": 1, "column": 3},
    "fix": {"message": "say\nit", "applicability": "safe", "edits": []}}]
JSON
exit 1"#,
    );
    let result = executed(&folder, "result = 1").await;
    assert_eq!(
        result.error.as_deref(),
        Some("line 1: of [redacted]\\u{202e} (F632)")
    );
    assert_eq!(
        result.lint_output.as_deref(),
        Some("1:3: F632 of [redacted]\\u{202e} (fix: say\\u{a}it)\n")
    );
}

/// The JSON of a finding of `F821` at a place.
fn undefined(line: usize, column: usize) -> serde_json::Value {
    json!({"code": "F821", "message": "m", "location": {"row": line, "column": column}})
}

#[test]
fn names_that_python_does_not_look_up_are_no_findings() {
    let code = "a = 'é'; b = 'X'\r\ndef f():\r    y: X = X\n";
    let written = json!([
        undefined(1, 15),
        undefined(3, 8),
        undefined(3, 12),
        undefined(9, 9)
    ]);
    let found = findings::read(written.to_string().as_bytes(), code).unwrap();
    let places: Vec<_> = found.iter().map(|it| (it.line, it.column)).collect();
    assert_eq!(places, [(3, 12), (9, 9)]);
}

#[test]
fn findings_of_other_rules_and_errors_of_syntax_refuse_nothing() {
    let place = json!({"row": 1, "column": 1});
    let written = json!([
        {"code": null, "message": "SyntaxError: no", "location": place},
        {"code": "invalid-syntax", "message": "no", "location": place},
        {"code": "F401", "message": "unused", "location": place},
    ]);
    let found = findings::read(written.to_string().as_bytes(), "x").unwrap();
    assert_eq!(found, []);
}
