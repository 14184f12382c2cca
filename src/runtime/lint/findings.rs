//! What ruff found: read from its JSON, and written for whoever wrote the code.

use std::fmt::Write as _;
use std::ops::Range;

use serde::Deserialize;

use super::process::Failure;
use super::rules;
use crate::pysyntax;

/// Findings that a result and the audit list.
pub(super) const LISTED: usize = 20;

/// Findings that are read at all. Where each of them stands is looked for in the code.
const READ: usize = 500;

/// The longest list, in bytes.
const BYTES: usize = 4096;

/// The longest line of it, in characters. Ruff's messages have names of the code in them.
const LINE: usize = 240;

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    /// The code of its rule.
    pub(super) rule: &'static str,
    /// Line, from 1.
    pub(super) line: usize,
    /// Column in characters, from 1.
    pub(super) column: usize,
    /// What is wrong, in ruff's words.
    pub(super) message: String,
    /// What ruff would write instead.
    pub(super) fix: Option<String>,
}

/// A finding in ruff's JSON, as far as it is looked at.
#[derive(Deserialize)]
struct Written {
    /// `null` or `invalid-syntax` for an error of syntax.
    code: Option<String>,
    message: String,
    location: Location,
    fix: Option<Fix>,
}

#[derive(Deserialize)]
struct Location {
    row: usize,
    column: usize,
}

#[derive(Deserialize)]
struct Fix {
    message: Option<String>,
}

/// The findings that refuse code, in the order of the text. Errors of syntax do not: the guard has
/// read the code, and ruff may know another Python.
pub(super) fn read(written: &[u8], code: &str) -> Result<Vec<Finding>, Failure> {
    let written: Vec<Written> = serde_json::from_slice(written).map_err(Failure::Written)?;
    let mut unevaluated: Option<Vec<Range<usize>>> = None;
    let mut findings = Vec::new();
    for it in written.into_iter().take(READ) {
        let Some(rule) = it.code.as_deref().and_then(rules::known) else {
            continue;
        };
        // The key has the same value again, which is what ruff can remove.
        if matches!(rule, "F601" | "F602") && it.fix.is_some() {
            continue;
        }
        if rule == "F821" {
            let ranges = unevaluated.get_or_insert_with(|| pysyntax::unevaluated(code));
            let at = offset(code, &it.location);
            if at.is_some_and(|at| ranges.iter().any(|range| range.contains(&at))) {
                continue;
            }
        }
        findings.push(Finding {
            rule,
            line: it.location.row,
            column: it.location.column,
            message: it.message,
            fix: it.fix.and_then(|fix| fix.message),
        });
    }
    findings.sort_by_key(|finding| (finding.line, finding.column));
    Ok(findings)
}

/// The byte at a line and a column, both from 1.
fn offset(code: &str, location: &Location) -> Option<usize> {
    let mut start = 0;
    for _ in 1..location.row {
        let rest = code.get(start..)?;
        let end = rest.find(['\n', '\r'])?;
        let ends_with_two = rest.get(end..)?.starts_with("\r\n");
        start += end + if ends_with_two { 2 } else { 1 };
    }
    let line = code.get(start..)?;
    let mut columns = line.char_indices().map(|(at, _)| start + at);
    columns.nth(location.column.checked_sub(1)?)
}

/// The first finding and how many there are.
pub(super) fn summary(findings: &[Finding], shown: impl Fn(&str) -> String) -> String {
    let Some(first) = findings.first() else {
        return String::new();
    };
    let Finding { rule, line, .. } = first;
    let message = cut(&shown(&first.message));
    match findings.len() {
        1 => format!("line {line}: {message} ({rule})"),
        count => format!("line {line}: {message} ({rule}; {count} findings in all)"),
    }
}

/// One line a finding: `line:column: CODE message`.
pub(super) fn listed(findings: &[Finding], shown: impl Fn(&str) -> String) -> String {
    // Room for the last line.
    let most = BYTES - 40;
    let mut text = String::new();
    let mut count = 0;
    for finding in findings.iter().take(LISTED) {
        let fix = finding.fix.as_deref();
        let fix = fix.map(|fix| format!(" (fix: {fix})")).unwrap_or_default();
        let Finding {
            rule, line, column, ..
        } = finding;
        let message = shown(&format!("{}{fix}", finding.message));
        let line = format!("{line}:{column}: {rule} {}\n", cut(&message));
        if text.len() + line.len() > most {
            break;
        }
        text.push_str(&line);
        count += 1;
    }
    let rest = findings.len() - count;
    if rest > 0 {
        let _ = writeln!(text, "and {rest} more");
    }
    text
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LINE) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
