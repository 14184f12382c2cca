//! A violation before its place is turned into line and column.

use crate::pysyntax::TextRange;

use super::position::{Lines, shorten};
use super::{MAX_VIOLATIONS, Violation, rule};

/// The longest message or hint, in characters.
pub(super) const MAX_TEXT: usize = 400;

/// One reason not to run the code, at a range of it.
#[derive(Debug, Clone)]
pub(super) struct Finding {
    pub(super) rule: &'static str,
    pub(super) range: TextRange,
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

impl Finding {
    pub(super) fn new(
        rule: &'static str,
        range: TextRange,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            rule,
            range,
            message: message.into(),
            hint: Some(hint.into()),
        }
    }
}

/// Orders findings by place, drops repetitions, and bounds their number and length.
pub(super) fn violations(code: &str, mut findings: Vec<Finding>) -> Vec<Violation> {
    if findings.is_empty() {
        return Vec::new();
    }
    findings.sort_by_key(|finding| (finding.range.start(), finding.range.end()));
    findings.dedup_by(|a, b| a.rule == b.rule && a.range == b.range);
    let lines = Lines::of(code);
    let left_out = findings.len().saturating_sub(MAX_VIOLATIONS);
    let mut violations: Vec<Violation> = findings
        .into_iter()
        .take(MAX_VIOLATIONS)
        .map(|finding| {
            let (line, column) = lines.position(finding.range.start().to_usize());
            Violation {
                rule: finding.rule.to_owned(),
                line,
                column,
                text: lines.shown(finding.range),
                message: bounded(&finding.message),
                hint: finding.hint.as_deref().map(bounded),
            }
        })
        .collect();
    if left_out > 0
        && let Some(last) = violations.last()
    {
        violations.push(Violation {
            rule: rule::MORE.to_owned(),
            line: last.line,
            column: last.column,
            text: String::new(),
            message: format!("{left_out} more violations follow"),
            hint: Some("correct these first".to_owned()),
        });
    }
    violations
}

fn bounded(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A name as it is shown in a message.
pub(super) fn quoted(name: &str) -> String {
    format!("`{}`", shorten(name))
}
