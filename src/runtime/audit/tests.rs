//! What is written of an execution.

use std::path::Path;

use rusqlite::Connection;

use super::*;
use crate::config::{Environment, Settings};

fn subject() -> Subject {
    Subject {
        execution_id: "e1".to_owned(),
        principal: "ada".to_owned(),
    }
}

fn record(function: &str, status: Option<u16>, refusal: Option<&str>) -> CallRecord {
    CallRecord {
        execution_id: "e1".to_owned(),
        principal: "ada".to_owned(),
        server: "pets".to_owned(),
        function: function.to_owned(),
        status,
        error: refusal.map(|_| "egress".to_owned()),
        refusal: refusal.map(str::to_owned),
        elapsed: Duration::from_millis(7),
    }
}

fn open_with(folder: &Path, more: &[(&str, &str)]) -> Audit {
    let database = folder.join("audit.db");
    let mut pairs = vec![
        ("MCE_AUDIT_DB_PATH", database.to_str().unwrap()),
        ("MCE_AUDIT_MAX_ROWS", "100"),
    ];
    pairs.extend(more);
    let environment = Environment::from_pairs(pairs);
    let (settings, _) = Settings::from_environment(&environment).unwrap();
    Audit::open(&settings).unwrap()
}

fn open(folder: &tempfile::TempDir) -> Audit {
    open_with(folder.path(), &[])
}

async fn rows(audit: &Audit, query: &'static str) -> Vec<String> {
    audit
        .database
        .run(move |connection| {
            let mut statement = connection.prepare(query)?;
            let columns = statement.column_count();
            let rows = statement.query_map([], |row| {
                let mut texts = Vec::new();
                for column in 0..columns {
                    texts.push(match row.get::<_, rusqlite::types::Value>(column)? {
                        rusqlite::types::Value::Text(text) => text,
                        rusqlite::types::Value::Integer(number) => number.to_string(),
                        other => format!("{other:?}"),
                    });
                }
                Ok(texts.join(" "))
            })?;
            rows.collect()
        })
        .await
        .unwrap()
}

#[tokio::test]
async fn an_execution_its_calls_and_refusals_leave_rows() {
    let folder = tempfile::tempdir().unwrap();
    let audit = open(&folder);
    audit.begin(&subject(), Origin::Code);
    audit.verdict(&subject(), "abc".to_owned(), vec![]);
    assert_eq!(
        rows(&audit, "SELECT id, outcome FROM executions").await,
        ["e1 running"]
    );
    audit.record(record("get_pet", Some(200), None));
    audit.record(record("drop_pet", None, Some("not compiled")));
    let calls = audit.end(
        &subject(),
        Some(ErrorType::Egress),
        Duration::from_millis(40),
    );
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0].status, Some(200));
    assert_eq!(calls[1].error.as_deref(), Some("egress"));
    assert_eq!(
        rows(
            &audit,
            "SELECT id, principal, origin, code_sha256, verdict, outcome, ms FROM executions"
        )
        .await,
        ["e1 ada code abc passed egress 40"]
    );
    assert_eq!(
        rows(
            &audit,
            "SELECT execution_id, server, function, status, error, ms FROM calls"
        )
        .await,
        [
            "e1 pets get_pet 200 Null 7",
            "e1 pets drop_pet Null egress 7"
        ]
    );
    assert_eq!(
        rows(
            &audit,
            "SELECT layer, server, function, reason FROM refusals"
        )
        .await,
        ["broker pets drop_pet not compiled"]
    );
}

#[tokio::test]
async fn broken_rules_are_named_with_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let audit = open(&folder);
    audit.begin(&subject(), Origin::Cached);
    let broken = vec![("import-blocked".to_owned(), 3)];
    audit.verdict(&subject(), "abc".to_owned(), broken);
    audit.end(&subject(), Some(ErrorType::Security), Duration::ZERO);
    assert_eq!(
        rows(&audit, "SELECT verdict, outcome, origin FROM executions").await,
        ["refused security cached"]
    );
    assert_eq!(
        rows(&audit, "SELECT layer, reason FROM refusals").await,
        ["guard import-blocked at line 3"]
    );
}

/// A call that ends after its execution did (the sandbox was killed) is audited, but must not
/// leave a list behind that nobody will ever collect.
#[tokio::test]
async fn a_late_call_is_written_and_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let audit = open(&folder);
    audit.begin(&subject(), Origin::Code);
    audit.end(&subject(), None, Duration::ZERO);
    audit.record(record("get_pet", Some(200), None));
    assert!(audit.running().is_empty());
    assert_eq!(
        rows(&audit, "SELECT function FROM calls").await,
        ["get_pet"]
    );
}

#[tokio::test]
async fn names_that_code_chose_are_capped() {
    let folder = tempfile::tempdir().unwrap();
    let audit = open(&folder);
    audit.record(record(&"x".repeat(10_000), None, Some(&"y".repeat(10_000))));
    assert_eq!(
        rows(&audit, "SELECT length(function) FROM calls").await,
        ["300"]
    );
    assert_eq!(
        rows(&audit, "SELECT length(reason) FROM refusals").await,
        ["300"]
    );
}

/// It grew for as long as there was a disk.
#[tokio::test]
async fn the_oldest_rows_go_when_opened_and_now_and_then() {
    let folder = tempfile::tempdir().unwrap();
    let audit = open(&folder);
    for n in 0..TRIM_EVERY + 50 {
        audit.record(record(&format!("f{n}"), Some(200), None));
    }
    let count = "SELECT count(*), min(id) FROM calls";
    assert_eq!(rows(&audit, count).await, ["150 901"]);
    drop(audit);
    let audit = open(&folder);
    assert_eq!(rows(&audit, count).await, ["100 951"]);
}

fn lines(path: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

#[tokio::test]
async fn where_it_is_asked_for_every_event_is_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let audit = open_with(folder.path(), &[("MCE_AUDIT_LOG", path.to_str().unwrap())]);
    audit.begin(&subject(), Origin::Code);
    audit.verdict(&subject(), "abc".to_owned(), vec![]);
    audit.record(record("get_pet", Some(200), None));
    audit.record(record("drop\u{202e}_pet", None, Some("not\ncompiled")));
    audit.end(
        &subject(),
        Some(ErrorType::Egress),
        Duration::from_millis(40),
    );
    audit.flush().await;
    let mut lines = lines(&path);
    for line in &mut lines {
        let line = line.as_object_mut().unwrap();
        let time = line.shift_remove("time").unwrap();
        assert!(time.as_str().unwrap().ends_with('Z'), "{time}");
        assert_eq!(line.shift_remove("execution_id").unwrap(), "e1");
        assert_eq!(line.shift_remove("principal").unwrap(), "ada");
    }
    let expected = serde_json::json!([
        {"event": "began", "origin": "code"},
        {"event": "judged", "code_sha256": "abc", "verdict": "passed"},
        {"event": "called", "server": "pets", "function": "get_pet", "status": 200, "ms": 7},
        {"event": "called", "server": "pets", "function": "drop\u{202e}_pet", "error": "egress", "ms": 7},
        {"event": "refused", "layer": "broker", "server": "pets", "function": "drop\u{202e}_pet", "reason": "not\ncompiled"},
        {"event": "ended", "outcome": "egress", "ms": 40, "code_sha256": "abc", "verdict": "passed", "calls": 2, "refusals": 1},
    ]);
    assert_eq!(serde_json::Value::from(lines), expected);
    // What nobody would see is spelt out.
    assert!(
        std::fs::read_to_string(&path)
            .unwrap()
            .contains(r"drop\u202e_pet")
    );
    #[cfg(unix)]
    for file in [&path, &folder.path().join("audit.db")] {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }
}

#[tokio::test]
async fn rows_that_are_too_old_go() {
    let folder = tempfile::tempdir().unwrap();
    let audit = open(&folder);
    audit.record(record("new", Some(200), None));
    let old = |connection: &mut Connection| {
        connection.execute_batch(
            "INSERT INTO calls (execution_id, time_ms, principal, server, function, ms)
             VALUES ('e0', unixepoch() * 1000 - 3 * 86400000, 'ada', 'pets', 'old', 1)",
        )
    };
    audit.database.run(old).await.unwrap();
    drop(audit);
    let names = "SELECT function FROM calls ORDER BY id";
    let audit = open_with(folder.path(), &[("MCE_AUDIT_MAX_AGE_DAYS", "4")]);
    assert_eq!(rows(&audit, names).await, ["new", "old"]);
    drop(audit);
    let audit = open_with(folder.path(), &[("MCE_AUDIT_MAX_AGE_DAYS", "2")]);
    assert_eq!(rows(&audit, names).await, ["new"]);
}

/// A failed row was logged, each of them, and counted nowhere.
#[tokio::test]
async fn rows_that_the_disk_refuses_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let audit = open(&folder);
    audit.flush().await;
    let full = |connection: &mut Connection| connection.execute_batch("PRAGMA max_page_count = 1");
    audit.database.run(full).await.unwrap();
    for n in 0..500 {
        audit.record(record(&format!("{n}").repeat(100), Some(200), None));
    }
    audit.flush().await;
    assert!(audit.lost() > 0, "{}", audit.lost());
    assert!(audit.lost() < 500, "{}", audit.lost());
}

#[tokio::test]
async fn executions_are_found_while_they_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let audit = open(&folder);
    let begin = |id: &str, principal: &str| {
        let subject = Subject {
            execution_id: id.to_owned(),
            principal: principal.to_owned(),
        };
        audit.begin(&subject, Origin::Code);
        subject
    };
    audit.end(&begin("a1", "ada"), None, Duration::ZERO);
    let refused = begin("e1", "ada");
    audit.record(record("get_pet", Some(200), None));
    audit.record(record("drop_pet", None, Some("not compiled")));
    audit.end(&refused, Some(ErrorType::Egress), Duration::ZERO);
    begin("b1", "bob");
    audit.flush().await;

    let reader = AuditReader::open(&folder.path().join("audit.db")).unwrap();
    let all = AuditFilter {
        limit: 10,
        ..AuditFilter::default()
    };
    let found = |filter: AuditFilter| -> Vec<String> {
        let found = reader.executions(&filter).unwrap();
        found.into_iter().map(|it| it.id).collect()
    };
    let some = |text: &str| Some(text.to_owned());
    let with = |change: fn(&mut AuditFilter)| {
        let mut filter = all.clone();
        change(&mut filter);
        found(filter)
    };
    assert_eq!(found(all.clone()), ["b1", "e1", "a1"]);
    assert_eq!(with(|it| it.limit = 1), ["b1"]);
    assert_eq!(with(|it| it.refused = true), ["e1"]);
    assert_eq!(
        with(|it| it.since = Some(SystemTime::now() + Duration::from_mins(1))),
        [""; 0]
    );
    for (filter, ids) in [
        (
            AuditFilter {
                principal: some("ada"),
                ..all.clone()
            },
            vec!["e1", "a1"],
        ),
        (
            AuditFilter {
                outcome: some("running"),
                ..all.clone()
            },
            vec!["b1"],
        ),
        (
            AuditFilter {
                server: some("pets"),
                ..all.clone()
            },
            vec!["e1"],
        ),
        (
            AuditFilter {
                function: some("drop_pet"),
                ..all.clone()
            },
            vec!["e1"],
        ),
        (
            AuditFilter {
                server: some("shop"),
                function: some("drop_pet"),
                ..all.clone()
            },
            vec![],
        ),
        (
            AuditFilter {
                principal: some("' OR 1 --"),
                ..all.clone()
            },
            vec![],
        ),
    ] {
        assert_eq!(found(filter.clone()), ids, "{filter:?}");
    }
    let detail = reader.details("e").unwrap().remove(0);
    assert_eq!((detail.execution.calls, detail.execution.refusals), (2, 1));
    assert_eq!(detail.calls[0].status, Some(200));
    assert_eq!(detail.refusals[0].reason, "not compiled");
    assert!(reader.details("%").unwrap().is_empty());
}

#[test]
fn what_is_not_there_or_no_audit_is_told_and_nothing_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none.db");
    let error = AuditReader::open(&missing).unwrap_err().to_string();
    assert!(error.contains("none.db"), "{error}");
    assert!(!missing.exists());
    let other = folder.path().join("other.db");
    Connection::open(&other)
        .unwrap()
        .execute_batch("CREATE TABLE t (x)")
        .unwrap();
    let error = AuditReader::open(&other).unwrap_err().to_string();
    assert!(error.contains("did not make for this"), "{error}");
}
