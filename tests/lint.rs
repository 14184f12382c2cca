//! The lint gate with the real ruff: which code it refuses, and which not.
//!
//! Ruff is the one beside the Python of `MCE_TEST_PYTHON`, which `scripts/test` sets up, else that
//! on `PATH`; without either these tests fail.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot set up its world should stop loudly"
)]

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use mce::config::{Environment, Settings};
use mce::runtime::{
    ErrorType, ExecuteRequest, ExecutionResult, Finding, LINT_RULES, Runtime, SandboxProvider,
};

#[path = "support/page.rs"]
mod page;

/// A runtime that lints, with nothing compiled.
struct World {
    _folder: tempfile::TempDir,
    runtime: Arc<Runtime>,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name).display().to_string();
        let mut path = std::env::var("PATH").unwrap_or_default();
        if let Ok(python) = std::env::var("MCE_TEST_PYTHON") {
            let beside = Path::new(&python).parent().unwrap();
            path = format!("{}:{path}", beside.display());
        }
        let environment = Arc::new(Environment::from_pairs([
            ("PATH", path),
            ("MCE_LINT_ENABLED", "true".to_owned()),
            ("MCE_COMPILED_OUTPUT_DIR", file("compiled")),
            ("MCE_CACHE_DB_PATH", file("cache.db")),
            ("MCE_AUDIT_DB_PATH", file("audit.db")),
        ]));
        assert!(
            environment.program("ruff").is_some(),
            "no ruff: set MCE_TEST_PYTHON to what `scripts/python-env scripts/requirements-test.txt` \
             prints, or install ruff"
        );
        let (settings, warnings) = Settings::from_environment(&environment).unwrap();
        assert_eq!(warnings, [""; 0]);
        let sandbox = SandboxProvider::new(|| {
            std::future::ready(Err(Finding {
                message: "none here".to_owned(),
                hint: None,
            }))
        });
        let runtime = Runtime::open(Arc::new(settings), None, &environment, sandbox).unwrap();
        Self {
            _folder: folder,
            runtime,
        }
    }

    /// What a dry run says.
    async fn judge(&self, code: &str) -> ExecutionResult {
        let request = ExecuteRequest {
            code: code.to_owned(),
            principal: "ada".to_owned(),
            dry_run: true,
            ..ExecuteRequest::default()
        };
        self.runtime.execute(request).await
    }

    async fn passes(&self, code: &str) {
        let result = self.judge(code).await;
        assert!(result.success, "{code}\n{result:#?}");
    }
}

/// Ruff knows all of them, too: it takes no list with a code that it does not know.
#[tokio::test]
async fn every_rule_refuses_its_example_which_the_guard_lets_through() {
    let world = World::new();
    let mut faults = Vec::new();
    for rule in LINT_RULES {
        let result = world.judge(rule.example).await;
        let output = result.lint_output.clone().unwrap_or_default();
        let codes: Vec<_> = output
            .lines()
            .filter_map(|line| line.split(' ').nth(1))
            .collect();
        if codes != [rule.code] {
            faults.push(format!("{}: {result:#?}", rule.code));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[tokio::test]
async fn an_undefined_name_is_told_by_line_and_column() {
    let world = World::new();
    let code = "def main():\n    é = 'é'; return é + totl + totl\n";
    let result = world.judge(code).await;
    assert_eq!(result.error_type, Some(ErrorType::Lint));
    assert_eq!(
        result.error.as_deref(),
        Some("line 2: Undefined name `totl` (F821; 2 findings in all)")
    );
    assert_eq!(
        result.lint_output.as_deref(),
        Some("2:25: F821 Undefined name `totl`\n2:32: F821 Undefined name `totl`\n")
    );
}

#[tokio::test]
async fn a_fix_that_ruff_has_is_told() {
    let result = World::new().judge("x = 'a'\nresult = x is 'a'\n").await;
    let output = result.lint_output.unwrap();
    assert!(output.starts_with("2:10: F632 "), "{output}");
    assert!(
        output.contains(" (fix: Replace `is` with `==`)"),
        "{output}"
    );
}

#[tokio::test]
async fn style_is_nobodys_business() {
    let world = World::new();
    for code in [
        // No end of line, unused imports and variables, order and names.
        "import re\nimport csv, json\ndef Main( ):\n  unused = 1;  l = lambda: 0\n  return l()\nresult = Main()",
        "import json\nimport json\nresult = json.dumps(1)\n",
        "def f(items=[]):\n    items.append(1)\n    return items\nresult = f() == None\n",
        &format!("result = '{}'\n", "x".repeat(500)),
        "d = {'a': 1, 'a': 1}\nresult = '%(a)s' % {'a': 1, 'b': 2}\n",
        "result = '{}'.format(1, 2)\n",
        "try:\n    result = 1\nexcept:\n    pass\n",
        "x = 1\nx\n'last'\n",
    ] {
        world.passes(code).await;
    }
}

#[tokio::test]
async fn what_the_sandbox_allows_is_no_mistake() {
    let world = World::new();
    for code in [
        "import asyncio\nawait asyncio.sleep(0)\nresult = [i async for i in aiter([])]\n",
        "async def items():\n    yield 1\nasync for item in items():\n    print(item)\n",
        "result = _params.get('CITY', 'Rome')\n",
        "if __name__ == '__main__':\n    result = __name__\n",
        "from __future__ import annotations\ndef main(a: Any = 1) -> Frame:\n    return a\n",
        "def main() -> 'Frame':\n    rows: Frame = []\n    return rows\n",
        "from typing import cast\nresult = cast('Frame', 1)\n",
        "def set_it():\n    global total\n    total = 1\nset_it()\nresult = total\n",
        "try:\n    total\nexcept NameError:\n    total = 0\nresult = total\n",
        "from datetime import date\nresult = '{:%Y-%m-%d}'.format(date(2024, 1, 2))\n",
        "result = b'%b' % b'x', '%s' % {'a': 1}, '%d' % 1.5, '%s %s' % (*[1], 2)\n",
        "n = 1\nresult = -(-n), - -n, [1, 2][-1], n is None, n is True\n",
        "result = '{a} {b[0]}'.format(a=1, b=[1]), '{:>{w}}'.format(1, w=3)\n",
        "result = {k: v for k in 'ab' for v in 'cd'}, {f'{k}': 1 for k in 'ab'}\n",
        "match {'a': 1}:\n    case {'a': found, **rest}:\n        result = found, rest\n",
        "class Base:\n    pass\nclass A(Base):\n    def __init__(self):\n        return super().__init__()\n",
        "def first[T](items: list[T]) -> T:\n    return items[0]\nresult = first([1])\n",
    ] {
        world.passes(code).await;
    }
}

#[tokio::test]
async fn authors_may_say_that_a_line_is_right() {
    let world = World::new();
    world.passes("result = totl  # noqa: F821\n").await;
    let result = world.judge("result = totl  # noqa: F401\n").await;
    assert_eq!(result.error_type, Some(ErrorType::Lint));
}

/// The page about the rules, from the table.
fn page() -> String {
    let mut page = String::from(
        "# Lint\n\n\
         With `MCE_LINT_ENABLED=true`, code that passed the guard is read by [ruff] before it takes a\n\
         sandbox: `execute_code`, dry runs too, `run_cached_code` and `mce exec`. Code in which ruff finds\n\
         one of the mistakes below is refused with the `error_type` `lint`; `lint_output` has a line for\n\
         each, `line:column: CODE message`, 20 at most. Style is never refused. `mce guard` does not lint.\n\n\
         [ruff]: https://docs.astral.sh/ruff/\n\n\
         `ruff` is looked for in the absolute folders of `PATH`, once. Where there is none, or it does not\n\
         work, that is logged once and code runs unlinted. It reads no configuration, gets no variables, and\n\
         is killed after 5 seconds. A ruff that fails refuses nothing; the log has why. The tests use ruff 0.17;\n\
         since 0.9 it has all these rules.\n\n\
         A line that is right as it is may end with `# noqa: CODE`: the gate helps whoever writes the code\n\
         and is no layer of security.\n\n\
         ## Rules\n\n\
         A rule is here where Python raises whenever it comes to the place, or where what it does there\n\
         cannot be what was meant; the guard refuses errors of syntax itself. Names in annotations that\n\
         Python 3.13 does not evaluate, and in texts, may be undefined. `_params` is defined. This table is\n\
         generated from the one in `src/runtime/lint/rules.rs`; after a change run\n\
         `MCE_UPDATE_DOCS=1 cargo test --test lint page`.\n\n\
         | rule | mistake |\n| --- | --- |\n",
    );
    for rule in LINT_RULES {
        let _ = writeln!(page, "| `{}` | {} |", rule.code, rule.meaning);
    }
    page
}

#[test]
fn the_page_about_the_rules_is_current() {
    page::assert_is_current("lint.md", &page(), "--test lint page");
}
