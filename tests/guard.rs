//! The guard from outside: one test per class of attack and of ordinary code, positions, facts,
//! parameters, and texts that try to break the guard itself.

use std::collections::BTreeSet;

use mce::guard::{CompiledNames, check};

fn names() -> CompiledNames {
    let functions = ["get_forecast", "get_current", "list_cities"].map(str::to_owned);
    CompiledNames::from([("weather".to_owned(), BTreeSet::from(functions))])
}

/// Rule, line and column of each violation.
fn verdict(code: &str) -> Vec<(String, usize, usize)> {
    let report = check(code, &names());
    report
        .violations
        .into_iter()
        .map(|v| (v.rule, v.line, v.column))
        .collect()
}

/// Texts whose trees are as deep as they are long.
fn deep_texts(length: usize) -> Vec<(&'static str, String)> {
    let repeat = |piece: &str| piece.repeat(length / piece.len());
    vec![
        ("parentheses", repeat("(")),
        (
            "closed parentheses",
            format!("{}1{}", "(".repeat(length / 2), ")".repeat(length / 2)),
        ),
        ("brackets", repeat("[")),
        ("braces", repeat("{1:")),
        ("unary minus", format!("x = {}1", repeat("-"))),
        ("not", format!("x = {}1", repeat("not "))),
        ("await", format!("x = {}1", repeat("await "))),
        ("power", format!("x = {}1", repeat("1**"))),
        ("sum", format!("x = {}1", repeat("1+"))),
        ("attributes", format!("x = a{}", repeat(".b"))),
        ("calls", format!("x = a{}", repeat("()"))),
        ("subscripts", format!("x = a{}", repeat("[0]"))),
        ("lambdas", format!("x = {}1", repeat("lambda:"))),
        (
            "lambdas with parameters",
            format!("x = {}1", repeat("lambda a,b:")),
        ),
        (
            "negated lambdas",
            format!("x = {}1", repeat("-lambda a,b:")),
        ),
        ("conditionals", format!("x = {}1", repeat("1 if 1 else "))),
        ("comparisons", format!("x = {}1", repeat("1<"))),
        ("stars", format!("x = {}1", repeat("*"))),
        ("walrus", format!("({}1", repeat("a:="))),
        ("yield", format!("x = {}1", repeat("yield "))),
        ("f-strings", format!("x = {}", repeat("f\"{"))),
        (
            "format specifications",
            format!("x = f\"{{1{}", repeat(":{1")),
        ),
        ("patterns", format!("match x:\n case {}", repeat("A("))),
        (
            "or patterns",
            format!("match x:\n case {}1: pass", repeat("1|")),
        ),
        ("decorators", repeat("@")),
        ("one-line ifs", repeat("if x:")),
        ("types", format!("x: {}int", repeat("a|"))),
        ("blocks", {
            let lines = (0..length / 40).map(|depth| format!("{}if x:\n", " ".repeat(depth)));
            lines.collect()
        }),
        (
            "else ifs",
            format!("if x:\n  pass\n{}", repeat("elif x:\n  pass\n")),
        ),
        ("string annotations", format!("x: '{}'", repeat("list["))),
        ("assignments", format!("{}1", repeat("x="))),
        ("class", repeat("class ")),
        ("match", repeat("match ")),
        ("type", repeat("type ")),
        ("import", repeat("import ")),
        ("del", format!("del {}", repeat("("))),
        ("with", format!("with {}", repeat("("))),
        ("backquotes", repeat("`")),
        ("mixed", repeat("([{-not lambda:f\"{")),
    ]
}

/// Runs a check on a stack of half the size that threads of the runtime have.
fn on_a_small_stack(check: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new()
        .stack_size(1024 * 1024)
        .spawn(check)
        .unwrap();
    thread.join().unwrap();
}

#[test]
fn deep_texts_end_without_overflowing_a_small_stack() {
    on_a_small_stack(|| {
        for (name, text) in deep_texts(64 * 1024) {
            let found = verdict(&text);
            assert!(name == "else ifs" || !found.is_empty(), "{name} passed");
        }
    });
}

#[test]
fn deepest_texts_that_are_parsed_fit_a_small_stack() {
    on_a_small_stack(|| {
        for length in (20..1600).step_by(20) {
            for (_, text) in deep_texts(length) {
                let _ = verdict(&text);
            }
        }
    });
}

#[test]
fn nesting_that_people_write_passes() {
    for depth in [10, 40, 60] {
        let nested = format!("x = {}1{}\n", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(verdict(&nested), [], "{depth} brackets");
        let sum = format!("x = {}1\n", "1 + ".repeat(depth * 2));
        assert_eq!(verdict(&sum), [], "{depth} operands");
        let rows = format!(
            "x = [{}]\n",
            "{'a': -1, 'b': (lambda v: v + 1)}, ".repeat(depth * 20)
        );
        assert_eq!(verdict(&rows), [], "{depth} rows");
    }
}
