//! Texts that try to break the guard itself: by depth, by size, by being no Python at all.

use std::collections::BTreeSet;

use mce::guard::{CompiledNames, check, python_literal, substitute};
use proptest::prelude::*;
use serde_json::{Map, Value};

#[path = "guard/pieces.rs"]
mod pieces;

use pieces::PIECES;

fn names() -> CompiledNames {
    CompiledNames::from([(
        "weather".to_owned(),
        BTreeSet::from(["get_forecast".to_owned()]),
    )])
}

/// The rules that a text breaks.
fn verdict(code: &str) -> Vec<String> {
    check(code, &names())
        .violations
        .into_iter()
        .map(|violation| violation.rule)
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
        .spawn(check);
    assert!(matches!(
        thread.map(std::thread::JoinHandle::join),
        Ok(Ok(()))
    ));
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
        assert_eq!(verdict(&nested), [] as [&str; 0], "{depth} brackets");
        let sum = format!("x = {}1\n", "1 + ".repeat(depth * 2));
        assert_eq!(verdict(&sum), [] as [&str; 0], "{depth} operands");
        let rows = format!(
            "x = [{}]\n",
            "{'a': -1, 'b': (lambda v: v + 1)}, ".repeat(depth * 20)
        );
        assert_eq!(verdict(&rows), [] as [&str; 0], "{depth} rows");
    }
}

#[test]
fn lists_of_violations_are_bounded() {
    let report = check(&"import os\n".repeat(1000), &names());
    assert_eq!(report.violations.len(), 21);
    let last = &report.violations[20];
    assert_eq!(
        (last.rule.as_str(), last.message.as_str()),
        ("more", "980 more violations follow")
    );

    let long = format!("x.__class__{}", "é".repeat(5000));
    let violations = check(&format!("{long}\nimport {}", "o".repeat(5000)), &names()).violations;
    for violation in violations {
        assert!(violation.text.chars().count() <= 80, "{}", violation.text);
        assert!(
            violation.message.chars().count() <= 401,
            "{}",
            violation.message
        );
    }
}

/// Pieces in any order.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(PIECES);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// Any JSON value of moderate size.
fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..6)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_text_gets_a_verdict(code in any::<String>()) {
        let report = check(&code, &names());
        for violation in &report.violations {
            prop_assert!((1..=code.split('\n').count()).contains(&violation.line));
        }
    }

    #[test]
    fn any_soup_of_tokens_gets_a_verdict(code in soup()) {
        let report = check(&code, &names());
        for violation in &report.violations {
            prop_assert!(violation.line <= code.split('\n').count());
            prop_assert!(violation.column >= 1);
        }
        for parameter in &report.facts.parameters {
            prop_assert!(code.get(parameter.span.clone()).is_some());
        }
    }

    #[test]
    fn values_are_written_as_literals_that_stay_in_their_place(value in json()) {
        let code = "\"\"\"Doc.\"\"\"\nbefore = 1\nvalue: object = [\n    1,\n]  # note\nafter = 2\n";
        let facts = check(code, &names()).facts;
        let params = Map::from_iter([("value".to_owned(), value.clone())]);
        let changed = substitute(code, &facts, &params).unwrap();
        let literal = python_literal(&value);
        prop_assert!(literal.bytes().all(|byte| (b' '..=b'~').contains(&byte)), "{}", literal);
        prop_assert_eq!(&changed, &code.replace("[\n    1,\n]", &literal));
        let report = check(&changed, &names());
        prop_assert!(report.is_ok(), "{:?}", report.violations);
        prop_assert_eq!(report.facts.parameters.len(), 3);
    }
}
