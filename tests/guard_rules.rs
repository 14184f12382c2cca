//! `docs/guard-rules.md` is what the table of rules and the built-in policy say, and the examples of
//! the table are true.

#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use mce::guard::{CompiledNames, Example, RULES, check};
use toml::{Table, Value};

#[path = "support/page.rs"]
mod page;

const INTRODUCTION: &str = include_str!("guard_rules.md");

fn names() -> CompiledNames {
    let functions = ["list_books", "get_stock"].map(str::to_owned);
    CompiledNames::from([("bookshop".to_owned(), BTreeSet::from(functions))])
}

#[test]
fn examples_are_refused_by_their_rule_and_accepted_when_rewritten() {
    for rule in RULES {
        let report = check(&rule.refused.code(), &names());
        assert!(
            report.violations.iter().any(|it| it.rule == rule.id),
            "{}: {:?}",
            rule.id,
            report.violations
        );
        let report = check(rule.accepted, &names());
        assert!(report.is_ok(), "{}: {:?}", rule.id, report.violations);
    }
}

#[test]
fn ids_stand_for_one_rule_each() {
    let ids: BTreeSet<_> = RULES.iter().map(|rule| rule.id).collect();
    assert_eq!(ids.len(), RULES.len());
}

#[test]
fn the_page_about_the_guard_is_current() {
    page::assert_is_current("guard-rules.md", &page(), "--test guard_rules");
}

/// The example file of the page is valid, and does what the page says.
#[test]
fn the_example_of_a_policy_is_valid() {
    let (_, rest) = INTRODUCTION.split_once("```toml\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let guard = mce::guard::Guard::of_policy(example).unwrap();
    let code = "import numpy as np\nnp.mean([1])\nimport httpx\nfrom random import seed\n";
    let report = guard.check(code, &CompiledNames::new());
    let found: Vec<_> = report
        .violations
        .iter()
        .map(|it| (it.rule.as_str(), it.line))
        .collect();
    assert_eq!(found, [("import-blocked", 3), ("module-name", 4)]);
}

/// The page, from the table and the policy.
fn page() -> String {
    let policy: Table = include_str!("../config/guard.toml").parse().unwrap();
    let mut page = INTRODUCTION.to_owned();
    page.push_str("\n## Rules\n");
    for rule in RULES {
        let refused = match rule.refused {
            Example::Code(code) => block(code),
            Example::Described { words, .. } => format!("{}.\n", capital(words)),
        };
        let _ = write!(
            page,
            "\n### `{}`\n\n{}\n\nRefused:\n\n{refused}\nAccepted:\n\n{}",
            rule.id,
            rule.meaning.trim(),
            block(rule.accepted)
        );
    }
    page.push_str("\n## Modules that may be imported\n\nAnd what may be taken from each.\n\n");
    for (module, rules) in sorted(table(&policy, "modules")) {
        let names = quoted(rules.get("names"));
        let _ = writeln!(page, "- **`{module}`**: {names}");
    }
    page.push_str(
        "\n## Modules with advice\n\nEvery module that is not allowed is refused; of these the \
         guard says what to do.\n\n| module | advice |\n| --- | --- |\n",
    );
    rows(&mut page, &policy, "blocked_modules");
    page.push_str("\n## Built-ins that may not be used\n\n| name | advice |\n| --- | --- |\n");
    rows(&mut page, &policy, "denied_names");
    page.push_str(
        "\n## Decorators that may not be used\n\n| decorator | advice |\n| --- | --- |\n",
    );
    rows(&mut page, &policy, "denied_decorators");
    page.push_str("\n## Classes that may not be extended\n\n| class | advice |\n| --- | --- |\n");
    rows(&mut page, &policy, "denied_bases");
    page.push_str("\n## Attributes\n\nOf objects that are no modules.\n\n");
    let attributes = table(&policy, "attributes");
    for (list, meaning) in [
        ("denied", "Refused, unless the code's own classes define it"),
        (
            "modules",
            "Refused as names of modules, unless the code's own classes define it",
        ),
        ("internals", "Refused whoever defines it"),
        (
            "internal_prefixes",
            "Refused where a name begins so, unless the code defines it",
        ),
        ("private_readable", "Readable though it begins with `_`"),
        ("dunder_readable", "Dunder names that may be read"),
        ("dunder_assignable", "Dunder names that may be assigned"),
        (
            "dunder_keywords",
            "Dunder names that may be keywords of calls",
        ),
        ("class_hooks", "Dunder names that a class may define"),
        (
            "operators",
            "Those that methods may call of their own object",
        ),
        (
            "of_event_loops",
            "Where `asyncio` is imported, refused of all objects but those of the code's own classes",
        ),
    ] {
        let _ = writeln!(
            page,
            "- {meaning} (`{list}`): {}",
            quoted(attributes.get(list))
        );
    }
    page.push_str("\n## Names\n\n");
    let names = table(&policy, "names");
    for (list, meaning) in [
        ("readable", "Dunder names that may be read"),
        (
            "assignable",
            "Dunder names that may be assigned outside a class",
        ),
    ] {
        let _ = writeln!(page, "- {meaning} (`{list}`): {}", quoted(names.get(list)));
    }
    page.push_str(
        "\n## Keywords of calls\n\nWhere the code imports the module, these keywords may have these \
         values only.\n\n| module | keyword | values |\n| --- | --- | --- |\n",
    );
    for (module, keywords) in sorted(table(&policy, "call_keywords")) {
        for (keyword, values) in sorted(keywords.as_table().unwrap()) {
            let values = quoted(Some(values));
            let _ = writeln!(page, "| `{module}` | `{keyword}` | {values} |");
        }
    }
    page
}

fn rows(page: &mut String, policy: &Table, name: &str) {
    for (name, advice) in sorted(table(policy, name)) {
        let advice = advice.as_str().unwrap().replace('|', "\\|");
        let _ = writeln!(page, "| `{name}` | {advice} |");
    }
}

fn block(code: &str) -> String {
    format!("```python\n{code}```\n")
}

fn capital(words: &str) -> String {
    let (first, rest) = words.split_at(1);
    format!("{}{rest}", first.to_uppercase())
}

fn table<'p>(policy: &'p Table, name: &str) -> &'p Table {
    policy[name].as_table().unwrap()
}

/// By name, upper and lower case together.
fn sorted(table: &Table) -> Vec<(&str, &Value)> {
    let sorted: BTreeMap<_, _> = table
        .iter()
        .map(|(name, value)| ((name.to_lowercase(), name.as_str()), value))
        .collect();
    let items = sorted.into_iter();
    items.map(|((_, name), value)| (name, value)).collect()
}

fn quoted(list: Option<&Value>) -> String {
    let items = list.unwrap().as_array().unwrap().iter();
    let quoted: Vec<String> = items
        .map(|item| format!("`{}`", item.as_str().unwrap()))
        .collect();
    quoted.join(", ")
}
