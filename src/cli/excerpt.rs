//! A violation of the guard as people read it: with the code around it. The code may be anybody's,
//! so nothing of it reaches the terminal but what can be seen.

use std::fmt::Write as _;

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report,
};

use super::output::printable;
use crate::guard::Violation;
use crate::invisible::visible;

/// The longest line that is shown, in characters as they are shown.
const LONGEST_LINE: usize = 400;

/// Where lines of prose are broken.
const WIDTH: usize = 100;

/// The violation with its line of code and the ones beside it; without them where `code` is `None`
/// or these lines are too long to be read.
pub(super) fn render(
    file: &str,
    code: Option<&str>,
    violation: &Violation,
    colours: bool,
) -> String {
    code.and_then(|code| graphical(file, code, violation, colours))
        .unwrap_or_else(|| plain(file, violation))
}

fn graphical(file: &str, code: &str, violation: &Violation, colours: bool) -> Option<String> {
    let (before, after) = code.split_at_checked(offset_of(code, violation)?)?;
    let (before, after) = (shown(before), shown(after));
    let start = before.len();
    let marked = violation.text.trim_end_matches('…');
    let length = if after.starts_with(marked) {
        marked.len()
    } else {
        0
    };
    let source = before + &after;
    let first = violation.line.saturating_sub(2);
    let mut beside = source
        .split('\n')
        .skip(first)
        .take(violation.line + 1 - first);
    if beside.any(|line| line.chars().count() > LONGEST_LINE) {
        return None;
    }

    let mut diagnostic = MietteDiagnostic::new(printable(&violation.message))
        .with_code(&violation.rule)
        .with_label(LabeledSpan::underline(start..start + length));
    if let Some(hint) = &violation.hint {
        diagnostic = diagnostic.with_help(printable(hint));
    }
    let report = Report::new(diagnostic).with_source_code(NamedSource::new(visible(file), source));
    let theme = if colours {
        GraphicalTheme::unicode()
    } else {
        GraphicalTheme::unicode_nocolor()
    };
    let mut text = String::new();
    GraphicalReportHandler::new_themed(theme)
        .with_width(WIDTH)
        .with_links(false)
        .render_report(&mut text, report.as_ref())
        .ok()?;
    Some(with_column(text, &visible(file), violation))
}

/// The heading with the column in characters, as everywhere else; `miette` counts bytes.
fn with_column(text: String, file: &str, violation: &Violation) -> String {
    let heading = format!("{file}:");
    let Some(start) = text.find(&heading).map(|at| at + heading.len()) else {
        return text;
    };
    let rest = text.get(start..).unwrap_or_default();
    let length = rest
        .find(|character: char| !(character.is_ascii_digit() || character == ':'))
        .unwrap_or(rest.len());
    let after = rest.get(length..).unwrap_or_default();
    let before = text.get(..start).unwrap_or_default();
    format!("{before}{}:{}{after}", violation.line, violation.column)
}

fn plain(file: &str, violation: &Violation) -> String {
    let mut text = format!(
        "{}:{}:{}: {}: {}\n",
        visible(file),
        violation.line,
        violation.column,
        violation.rule,
        printable(&violation.message)
    );
    if let Some(hint) = &violation.hint {
        let _ = writeln!(text, "  hint: {}", printable(hint));
    }
    text
}

/// Code as it is shown. What is shown of two parts is what is shown of the whole.
fn shown(code: &str) -> String {
    printable(&code.replace("\r\n", "\n").replace('\t', "    "))
}

/// The byte offset of a violation's line and column.
fn offset_of(code: &str, violation: &Violation) -> Option<usize> {
    let line_start: usize = code
        .split_inclusive('\n')
        .take(violation.line.checked_sub(1)?)
        .map(str::len)
        .sum();
    let line = code.get(line_start..)?;
    let column = line
        .char_indices()
        .nth(violation.column.checked_sub(1)?)
        .map_or(line.len(), |(index, _)| index);
    Some(line_start + column)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::guard::{CompiledNames, check};
    use crate::invisible::is_invisible;

    fn rendered(code: &str) -> String {
        let violations = check(code, &CompiledNames::new()).violations;
        violations
            .iter()
            .map(|violation| render("snippet.py", Some(code), violation, false))
            .collect()
    }

    #[test]
    fn a_violation_is_shown_with_its_line_and_what_to_do() {
        insta::assert_snapshot!(rendered("x = 1\nprint(ｅｖａｌ('1'))\n"), @r"
        name-blocked

          × the built-in `eval` may not be used
           ╭─[snippet.py:2:7]
         1 │ x = 1
         2 │ print(ｅｖａｌ('1'))
           ·       ────────
           ╰────
          help: parse data with `json.loads`, or compute the value directly
        ");
    }

    #[test]
    fn the_heading_counts_characters_as_the_json_does() {
        let text = rendered("s = '日本語'; import os\n");
        assert!(text.contains("[snippet.py:1:19]"), "{text}");
    }

    #[test]
    fn code_cannot_steer_the_terminal() {
        let text = rendered("\tx = 1\nimport os # \x1b[2J\u{202e}\u{ad}\u{e0041}\r\n");
        assert!(
            text.contains(r"import os # \u{1b}[2J\u{202e}\u{ad}\u{e0041}"),
            "{text}"
        );
        assert!(
            !text.chars().any(|it| it != '\n' && is_invisible(it)),
            "{text}"
        );
    }

    #[test]
    fn the_label_stands_below_its_text_behind_tabs_and_escapes() {
        let text = rendered("if 1:\n\tx = '\u{200b}'; import os\n");
        let lines: Vec<&str> = text.lines().collect();
        let at = |line: &str, needle: &str| {
            let (before, _) = line.split_once(needle).unwrap();
            before.chars().count()
        };
        let number = lines
            .iter()
            .position(|it| it.contains("import os"))
            .unwrap();
        assert_eq!(
            at(lines[number], "os"),
            at(lines[number + 1], "─"),
            "{text}"
        );
    }

    #[test]
    fn a_line_that_nobody_can_read_is_left_out() {
        let code = format!("import os # {}", "x".repeat(50_000));
        let text = rendered(&code);
        assert!(text.len() < 400, "{text}");
        assert!(
            text.starts_with("snippet.py:1:8: import-blocked: "),
            "{text}"
        );
    }

    #[test]
    fn colours_come_only_when_asked_for() {
        let code = "import os\n";
        let violations = check(code, &CompiledNames::new()).violations;
        let coloured = render("a.py", Some(code), &violations[0], true);
        assert!(coloured.contains("\x1b["), "{coloured}");
        assert!(!rendered(code).contains('\x1b'));
    }

    proptest! {
        #[test]
        fn whatever_the_code_nothing_invisible_is_written(code in any::<String>()) {
            let text = rendered(&code);
            prop_assert!(!text.chars().any(|it| it != '\n' && is_invisible(it)), "{text:?}");
        }
    }
}
