//! A report for people: text with the code around each violation, and the JSON of one file.

use std::fmt::Write;

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource};
use serde::Serialize;

use super::{Report, Violation};

/// The verdict on one file, as `mce guard --format json` prints it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileReport {
    /// The file as it was named.
    pub file: String,
    /// Whether the code may run.
    pub ok: bool,
    /// Everything that stops it, in the order of the text.
    pub violations: Vec<Violation>,
}

impl FileReport {
    /// The verdict on a file.
    #[must_use]
    pub fn new(file: &str, report: Report) -> Self {
        Self {
            file: file.to_owned(),
            ok: report.is_ok(),
            violations: report.violations,
        }
    }
}

/// The report as text for a terminal, without colours: each violation with its line of code. Empty
/// where there are none.
#[must_use]
pub fn render_text(file: &str, code: &str, report: &Report) -> String {
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
    let mut text = String::new();
    for violation in &report.violations {
        let offset = offset_of(code, violation);
        let length = code
            .get(offset..)
            .filter(|rest| rest.starts_with(violation.text.as_str()))
            .map_or(0, |_| violation.text.len());
        let mut diagnostic = MietteDiagnostic::new(&violation.message)
            .with_code(&violation.rule)
            .with_label(LabeledSpan::underline(offset..offset + length));
        if let Some(hint) = &violation.hint {
            diagnostic = diagnostic.with_help(hint);
        }
        let report = miette::Report::new(diagnostic)
            .with_source_code(NamedSource::new(file, code.to_owned()).with_language("Python"));
        if handler.render_report(&mut text, report.as_ref()).is_err() {
            // Writing to a `String` does not fail.
            let _ = writeln!(
                text,
                "{file}:{}:{}: {}",
                violation.line, violation.column, violation.message
            );
        }
    }
    text
}

/// The byte offset of a violation's line and column.
fn offset_of(code: &str, violation: &Violation) -> usize {
    let line_start: usize = code
        .split_inclusive('\n')
        .take(violation.line.saturating_sub(1))
        .map(str::len)
        .sum();
    let line = code.get(line_start..).unwrap_or_default();
    let column = line
        .char_indices()
        .nth(violation.column.saturating_sub(1))
        .map_or(line.len(), |(index, _)| index);
    line_start + column
}
