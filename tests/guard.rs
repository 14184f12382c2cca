//! The guard's verdicts: what it refuses, at which place, and code that must pass.
//!
//! The cases are files. Below each line stand the violations that the guard finds in it:
//!
//! ```text
//! import json, os.path
//!              ^^^^^^^ import-blocked
//! ```
//!
//! `MCE_UPDATE_CASES=1 cargo test --test guard` writes them anew; read the difference.

#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use mce::guard::{CompiledNames, MainFunction, Violation, check};

/// Parts one case from the next one.
const BETWEEN: &str = "----\n";

fn names() -> CompiledNames {
    let functions = ["get_forecast", "get_current", "list_cities"].map(str::to_owned);
    CompiledNames::from([("weather".to_owned(), BTreeSet::from(functions))])
}

/// The code of a case, without its violations.
fn code_of(case: &str) -> String {
    let lines = case.split_inclusive('\n').filter(|line| !is_mark(line));
    lines.collect()
}

/// Whether a line is spaces, carets and the id of a rule.
fn is_mark(line: &str) -> bool {
    let marks = line.trim_start_matches(' ');
    let rule = marks.trim_start_matches('^');
    let id = rule.trim_end().strip_prefix(' ');
    let is_id = |id: &str| {
        id.bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    };
    rule.len() < marks.len() && id.is_some_and(is_id)
}

/// The code with the violations below the lines that they begin in.
fn marked(code: &str, violations: &[Violation]) -> String {
    let mut text = String::new();
    for (index, line) in code.split_inclusive('\n').enumerate() {
        text.push_str(line);
        for violation in violations.iter().filter(|it| it.line == index + 1) {
            let before = " ".repeat(violation.column - 1);
            let marks = "^".repeat(violation.text.chars().count().max(1));
            let _ = writeln!(text, "{before}{marks} {}", violation.rule);
        }
    }
    text
}

/// Compares all cases of a file with what the guard says of them.
fn judge(path: &Path) {
    let text = std::fs::read_to_string(path).unwrap();
    let judged: Vec<String> = text
        .split(BETWEEN)
        .map(|case| {
            let code = code_of(case);
            marked(&code, &check(&code, &names()).violations)
        })
        .collect();
    let judged = judged.join(BETWEEN);
    if std::env::var_os("MCE_UPDATE_CASES").is_some() {
        std::fs::write(path, judged).unwrap();
        return;
    }
    let first = text.lines().zip(judged.lines()).position(|(a, b)| a != b);
    let at = first.map_or(0, |line| line + 1);
    assert!(
        text == judged,
        "{}:{at}: expected\n{}\nfound\n{}",
        path.display(),
        text.lines()
            .nth(first.unwrap_or_default())
            .unwrap_or_default(),
        judged
            .lines()
            .nth(first.unwrap_or_default())
            .unwrap_or_default(),
    );
}

#[test]
fn each_case_has_the_violations_that_are_marked_and_no_others() {
    insta::glob!("guard/cases/**/*.txt", judge);
}

#[test]
fn every_attack_is_refused() {
    insta::glob!("guard/cases/attacks/*.txt", |path| {
        for case in std::fs::read_to_string(path).unwrap().split(BETWEEN) {
            assert!(case.lines().any(is_mark), "{}:\n{case}", path.display());
        }
    });
}

#[test]
fn integers_are_as_long_as_python_reads_them() {
    let nines = |count: usize| format!("x = {}", "9".repeat(count));
    let refused = check(&nines(4301), &names()).violations;
    assert_eq!((refused[0].rule.as_str(), refused[0].column), ("syntax", 5));
    assert!(check(&nines(4300), &names()).is_ok());
    assert!(check(&format!("x = 0x{}", "f".repeat(9000)), &names()).is_ok());
}

#[test]
fn what_is_done_with_a_module_that_was_refused_is_not_told_again() {
    let code = "import logging\nlog = logging.getLogger()\nprint(logging)\n";
    let violations = check(code, &names()).violations;
    assert_eq!(violations.len(), 1, "{violations:?}");
    assert_eq!(violations[0].rule, "import-blocked");
}

#[test]
fn a_function_taken_from_its_package_is_told_where_it_is() {
    for code in [
        "import weather\nweather.get_current()\n",
        "from weather import get_current\n",
    ] {
        let violations = check(code, &names()).violations;
        let hint = violations[0].hint.as_deref();
        assert_eq!(
            hint,
            Some("write `from weather.functions import get_current`"),
            "{code}"
        );
    }
}

#[test]
fn unknown_names_have_hints_with_the_nearest_known_ones() {
    let violations = check("from weather.functions import get_forcast", &names()).violations;
    let hint = violations[0].hint.as_deref().unwrap();
    assert!(hint.starts_with("did you mean `get_forecast`"), "{hint}");
    let violations = check("import wether.functions", &names()).violations;
    assert_eq!(
        violations[0].hint.as_deref(),
        Some("did you mean `weather.functions`?")
    );
}

#[test]
fn ordinary_programs_pass() {
    insta::glob!("guard/ordinary/*.py", |path| {
        let code = std::fs::read_to_string(path).unwrap();
        let report = check(&code, &names());
        assert!(
            report.is_ok(),
            "{}: {:?}",
            path.display(),
            report.violations
        );
    });
}

#[test]
fn facts_come_from_the_tree_and_not_from_text() {
    let code = "\
# from crm.functions import x
import weather.functions as w
note = 'from crm.functions import x'
city: str = 'Berlin'
a, (b), c = 1, -2.5, [None, {'k': (True,)}]
twice = 1
twice = 2
loop = [i for i in range(3)]
_hidden = 1
async def main():
    return await w.get_current.aio(city=city)
";
    let facts = check(code, &names()).facts;
    assert_eq!(facts.servers, BTreeSet::from(["weather".to_owned()]));
    let function = ("weather".to_owned(), "get_current".to_owned());
    assert_eq!(facts.functions, BTreeSet::from([function]));
    let parameters: Vec<(&str, &str)> = facts
        .parameters
        .iter()
        .map(|parameter| (parameter.name.as_str(), &code[parameter.span.clone()]))
        .collect();
    let expected = [
        ("note", "'from crm.functions import x'"),
        ("city", "'Berlin'"),
        ("a", "1"),
        ("b", "-2.5"),
        ("c", "[None, {'k': (True,)}]"),
    ];
    assert_eq!(parameters, expected);
    assert_eq!(facts.main, Some(MainFunction::Async));
    assert!(!facts.assigns_result && !facts.top_level_await && !facts.reads_params);
}

#[test]
fn await_counts_only_outside_functions() {
    let awaits = |code: &str| check(code, &names()).facts.top_level_await;
    assert!(awaits("import asyncio\nresult = await asyncio.sleep(0)"));
    assert!(awaits("if x:\n    async with y: pass"));
    assert!(awaits("rows = [r async for r in x]"));
    assert!(!awaits(
        "async def f():\n    await x\n    [r async for r in x]"
    ));
    assert!(check("result: int = 1", &names()).facts.assigns_result);
}

#[test]
fn where_no_name_is_similar_some_are_told() {
    let report = check("from weather.functions import zzzzzz", &names());
    let hint = report.violations[0].hint.as_deref();
    assert_eq!(
        hint,
        Some("it has `get_current`, `get_forecast`, `list_cities`")
    );
}
