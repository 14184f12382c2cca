//! Policies of one's own: what they change of a verdict.

#![expect(clippy::unwrap_used, reason = "a test may fail anywhere")]

use std::time::{Duration, Instant};

use mce::guard::{CompiledNames, Guard};

fn extending(text: &str) -> Guard {
    Guard::of_policy(&format!("extends = \"built-in\"\n{text}")).unwrap()
}

/// `rule line:column` of every violation.
fn verdict(guard: &Guard, code: &str) -> Vec<String> {
    let report = guard.check(code, &CompiledNames::new());
    let found = report.violations.iter();
    found
        .map(|it| format!("{} {}:{}", it.rule, it.line, it.column))
        .collect()
}

#[test]
fn a_module_may_be_allowed_by_names_or_but_for_some() {
    let guard = extending("[modules.numpy]\nnames = [\"array\"]\n");
    assert!(verdict(&guard, "import numpy as np\nnp.array([1])\n").is_empty());
    assert_eq!(
        verdict(&guard, "import numpy as np\nnp.load('x')\n"),
        ["module-name 2:4"]
    );
    let guard = extending("[modules.numpy]\ndenied = [\"load\"]\n");
    let code = "import numpy as np\nnp.linalg.norm([1])\nnp.load('x')\nnp._core\nnp.os\nnp.popen\n";
    assert_eq!(
        verdict(&guard, code),
        [
            "module-name 3:4",
            "module-name 4:4",
            "module-name 5:4",
            "module-name 6:4"
        ]
    );
    assert_eq!(
        verdict(&guard, "from numpy import *\nimport numpy.linalg\n"),
        ["import-star 1:19", "import-blocked 2:8"]
    );
    assert!(verdict(&Guard::built_in(), "import numpy\n") == ["import-blocked 1:8"]);
}

#[test]
fn an_allowed_module_may_be_blocked_with_a_reason() {
    let guard = extending("blocked_modules.httpx = \"nothing is built here\"\n");
    let report = guard.check("import httpx\nimport random\n", &CompiledNames::new());
    assert_eq!(report.violations.len(), 1);
    assert_eq!(
        report.violations[0].hint.as_deref(),
        Some("nothing is built here")
    );
}

#[test]
fn names_of_modules_builtins_and_attributes_may_be_denied() {
    let guard = extending(
        "denied_names.sorted = \"no order\"\nattributes.denied = [\"to_bytes\", \"_asdict\"]\n\
         [modules.random]\ndenied = [\"seed\"]\n",
    );
    let code = "import random\nfrom random import seed\nrandom.seed(1)\nrandom.random()\n\
                sorted([])\n(1).to_bytes()\nx = [1]\nx[0]._asdict()\n";
    assert_eq!(
        verdict(&guard, code),
        [
            "module-name 2:20",
            "module-name 3:8",
            "name-blocked 5:1",
            "attribute-blocked 6:5",
            "attribute-private 8:6"
        ]
    );
    let report = guard.check("from random import seed\n", &CompiledNames::new());
    assert_eq!(
        report.violations[0].hint.as_deref(),
        Some("the policy denies it; use what else `random` has")
    );
}

/// `getattr` and the like have a rule of their own, which went before that of denied names.
#[test]
fn builtins_that_name_attributes_may_be_denied_too() {
    let guard = extending("denied_names.getattr = \"no\"\ndenied_names.object = \"no\"\n");
    let code = "getattr(1, 'real')\nclass A:\n    def f(self):\n        object.__setattr__(self, 'x', 1)\n";
    assert_eq!(
        verdict(&guard, code),
        ["name-blocked 1:1", "name-blocked 4:9"]
    );
}

#[test]
fn what_the_built_in_policy_denies_may_be_allowed() {
    let guard = extending("names.allowed = [\"vars\"]\nattributes.allowed = [\"gen\", \"ssl\"]\n");
    assert!(verdict(&guard, "x = 1\nvars()\nx.gen\nx.ssl\n").is_empty());
    assert_eq!(
        verdict(&guard, "dir()\n(1).sys\n"),
        ["name-blocked 1:1", "attribute-blocked 2:5"]
    );
}

#[test]
fn keywords_of_calls_may_be_bounded() {
    let guard = extending("[call_keywords.csv]\ndialect = [\"'excel'\"]\n");
    let code = "import csv\ncsv.reader([], dialect='excel')\ncsv.reader([], dialect='unix')\n";
    assert_eq!(verdict(&guard, code), ["argument-blocked 3:16"]);
}

#[test]
fn a_denied_decorator_is_found_however_it_is_spelt() {
    let guard = extending(
        "[denied_decorators]\n\"functools.singledispatch\" = \"write one function\"\n\
         \"flask.Flask.route\" = \"nothing is served\"\nproperty = \"write a method\"\n",
    );
    for (code, expected) in [
        (
            "from functools import singledispatch as s\n@s\ndef f(): ...\n",
            "2:2",
        ),
        (
            "import functools\n@functools.singledispatch\ndef f(): ...\n",
            "2:2",
        ),
        (
            "import functools as t\n@t.singledispatch()\nasync def f(): ...\n",
            "2:2",
        ),
        (
            "import functools\nd = functools.singledispatch\n@d\nclass C: ...\n",
            "3:2",
        ),
        (
            "from functools import singledispatch\nd = e = singledispatch\n@e\ndef f(): ...\n",
            "3:2",
        ),
        (
            "from functools import singledispatch\n@(d := singledispatch)\ndef f(): ...\n",
            "2:3",
        ),
        ("class C:\n    @property\n    def f(self): ...\n", "2:6"),
        (
            "class C:\n    if 0:\n        property = 1\n    @property\n    def f(self): ...\n",
            "4:6",
        ),
    ] {
        assert_eq!(
            verdict(&guard, code),
            [format!("decorator-blocked {expected}")],
            "{code}"
        );
    }
    let code = "from flask import Flask\napp = Flask('a')\n@app.route('/')\ndef f(): ...\n";
    assert_eq!(
        verdict(&guard, code),
        ["import-blocked 1:6", "decorator-blocked 3:2"]
    );
    for code in [
        "from functools import wraps\ndef d(f):\n    @wraps(f)\n    def g(): ...\n    return g\n@d\ndef f(): ...\n",
        "def singledispatch(f):\n    return f\n@singledispatch\ndef f(): ...\n",
        "def property(f):\n    return f\n@property\ndef f(): ...\n",
        "handlers = [print]\n@handlers[0]\ndef f(): ...\n",
        "@(lambda f: f)\ndef f(): ...\n",
    ] {
        assert!(verdict(&guard, code).is_empty(), "{code}");
    }
}

#[test]
fn ordinary_decorators_pass_the_built_in_policy() {
    let code = "\
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from enum import unique
from functools import cache, cached_property, lru_cache, singledispatch, total_ordering, wraps
from typing import final, overload, runtime_checkable

from pydantic import BaseModel, field_validator, validate_call


@dataclass(frozen=True)
class Row:
    name: str

    @property
    def short(self): return self.name[:3]

    @short.setter
    def short(self, value): ...

    @staticmethod
    def one(): return 1

    @cached_property
    def two(self): return 2


class Model(BaseModel):
    name: str

    @field_validator('name')
    @classmethod
    def check(cls, value): return value


@lru_cache(maxsize=None)
def f(): ...


@singledispatch
def g(value): ...


@g.register
def _(value: int): ...
";
    assert_eq!(verdict(&Guard::built_in(), code), [""; 0]);
}

#[test]
fn a_text_that_a_keyword_may_have_stands_in_either_quotes() {
    let guard = extending("call_keywords.csv.dialect = [\"'excel'\"]\n");
    for quote in ["'", "\""] {
        let code = format!("import csv\ncsv.reader([], dialect={quote}excel{quote})\n");
        assert!(verdict(&guard, &code).is_empty(), "{code}");
    }
    let code = "import csv\ncsv.reader([], dialect='unix')\n";
    let report = guard.check(code, &CompiledNames::new());
    let hint = report.violations[0].hint.as_deref();
    assert_eq!(hint, Some("leave it out; it may be `'excel'`"));
}

/// Chains of aliases and attributes must not multiply.
#[test]
fn many_decorators_take_no_time() {
    let aliases: Vec<_> = (1..400).map(|n| format!("a{n} = a{}.x\n", n - 1)).collect();
    let aliases = aliases.concat();
    let uses = "@a399.y.z(1)(2)\ndef f(): ...\n".repeat(400);
    let chain = format!("import atexit as a0\n{aliases}{uses}");
    // And names of a library's own length are not put together once a use.
    let long = "n".repeat(30_000);
    let uses = "@d\ndef f(): 0\n@e\ndef f(): 0\n".repeat(1000);
    let names = format!("from {long} import x as d\ne = d.{long}\n{uses}");
    for code in [chain, names] {
        let started = Instant::now();
        let _ = Guard::built_in().check(&code, &CompiledNames::new());
        let time = started.elapsed();
        assert!(time < Duration::from_secs(2), "{time:?}");
    }
}
