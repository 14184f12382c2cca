//! The guard's verdicts: one row per way to something forbidden, and code that must pass.

use std::collections::BTreeSet;

use mce::guard::{CompiledNames, MainFunction, check};

fn names() -> CompiledNames {
    let functions = ["get_forecast", "get_current", "list_cities"].map(str::to_owned);
    CompiledNames::from([("weather".to_owned(), BTreeSet::from(functions))])
}

/// Rule, line and column of the first violation.
fn first(code: &str) -> Option<(String, usize, usize)> {
    let violation = check(code, &names()).violations.into_iter().next()?;
    Some((violation.rule, violation.line, violation.column))
}

#[track_caller]
fn refused(rows: &[(&str, &str, usize, usize)]) {
    for (code, rule, line, column) in rows {
        let expected = Some(((*rule).to_owned(), *line, *column));
        assert_eq!(first(code), expected, "{code}");
    }
}

#[track_caller]
fn accepted(rows: &[&str]) {
    for code in rows {
        let violations = check(code, &names()).violations;
        assert!(violations.is_empty(), "{code}: {violations:?}");
    }
}

#[test]
fn imports_are_denied_unless_listed() {
    refused(&[
        ("import json, os.path as p", "import-blocked", 1, 14),
        (
            "def f():\n    from subprocess import run",
            "import-blocked",
            2,
            10,
        ),
        ("import http.client", "import-blocked", 1, 8),
        ("import urllib", "import-blocked", 1, 8),
        ("import urllib.parse\nurllib.request", "module-name", 2, 8),
        ("import \\\n  _thread", "import-blocked", 2, 3),
        ("from . import x", "import-relative", 1, 1),
        ("from json import *", "import-star", 1, 18),
        ("from json import codecs", "module-name", 1, 18),
        ("from asyncio import subprocess as s", "module-name", 1, 21),
        ("import collections.abc as c\nc.sys", "module-name", 2, 3),
        ("import json.tool", "import-blocked", 1, 8),
        ("from mce_runtime import Api", "module-name", 1, 25),
        ("import ºs", "import-blocked", 1, 8),
        ("import json as __spec__", "name-private", 1, 16),
    ]);
    accepted(&[
        "import datetime as dt, collections.abc\ndt.datetime.now(), collections.Counter()",
        "from http import HTTPStatus\nfrom urllib.parse import quote\nfrom mce_runtime import NULL",
        "from mce_runtime import ApiError, EgressError, Event, EventStream, ItemStream",
        "try:\n    import orjson as j\nexcept ImportError:\n    import json as j\nj.loads('1')",
        "try:\n    import orjson\nexcept ImportError:\n    orjson = None\nif orjson is not None: pass",
        "import json\nimport math\nif json and not math: pass\nlib = json\nlib.dumps(1)",
    ]);
}

#[test]
fn modules_do_not_travel() {
    refused(&[
        (
            "import uuid\ndef f(m): return m\nf(uuid)",
            "module-value",
            3,
            3,
        ),
        ("import re\n[re][0]", "module-value", 2, 2),
        ("import re\nm = re if 1 else 2", "module-value", 2, 5),
        ("import re\nm = re\nm.enum", "module-name", 3, 3),
        ("import re\nm = re\n(lambda: m)", "module-value", 3, 10),
        ("import re\nre.compile = len", "module-write", 2, 1),
        ("import re\ndel re.compile", "module-write", 2, 5),
        ("import httpx\nhttpx.codes['OK'] = 1", "module-write", 2, 1),
        (
            "from json import JSONEncoder\nJSONEncoder.default = len",
            "module-write",
            2,
            1,
        ),
        (
            "from weather.functions import get_forecast as g\nsetattr(g, 'aio', 1)",
            "module-write",
            2,
            1,
        ),
        ("def f(m): return m.sys", "attribute-blocked", 1, 20),
        (
            "import typing\nmatch 1:\n    case object(sys=s): pass",
            "attribute-blocked",
            3,
            17,
        ),
    ]);
}

#[test]
fn a_name_of_a_blocked_module_is_not_advised_to_be_looked_up_there() {
    let report = check("import os\nos.environ", &names());
    let hints: Vec<_> = report.violations.iter().map(|it| &it.hint).collect();
    assert_eq!(hints.len(), 2);
    assert_eq!(hints[0], hints[1]);
}

#[test]
fn compiled_servers_have_their_functions_and_nothing_else() {
    refused(&[
        (
            "from weather.functions import get_forcast",
            "unknown-function",
            1,
            31,
        ),
        (
            "from weather.functions import list_cities, os",
            "unknown-function",
            1,
            44,
        ),
        (
            "import weather.functions as w\nw.API_KEY",
            "unknown-function",
            2,
            3,
        ),
        (
            "from weather import functions\nfunctions.httpx",
            "unknown-function",
            2,
            11,
        ),
        ("import weather.helpers", "import-blocked", 1, 8),
        ("from weather import helpers", "module-name", 1, 21),
        (
            "from wether.functions import get_forecast",
            "import-blocked",
            1,
            6,
        ),
    ]);
    let violations = check("from weather.functions import get_forcast", &names()).violations;
    let hint = violations[0].hint.as_deref().unwrap();
    assert!(hint.starts_with("did you mean `get_forecast`"), "{hint}");
    let violations = check("import wether.functions", &names()).violations;
    assert_eq!(
        violations[0].hint.as_deref(),
        Some("did you mean `weather.functions`?")
    );
    accepted(&["from weather.functions import ApiError, get_current\nget_current.aio(city='x')"]);
}

#[test]
fn denied_built_ins_are_found_by_reference() {
    refused(&[
        ("(lambda f=eval: f)('1')", "name-blocked", 1, 11),
        ("x = [e for e in (exec,)]", "name-blocked", 1, 18),
        ("print(f'{open(\"a\")!r:>{vars()}}')", "name-blocked", 1, 10),
        ("print(f'{1:>{vars()}}')", "name-blocked", 1, 14),
        ("if 0:\n    eval = 1\neval('1')", "name-blocked", 3, 1),
        ("eval = len\ndel eval\neval('1')", "name-blocked", 3, 1),
        ("for open in []: pass\nopen('a')", "name-blocked", 2, 1),
        (
            "try: pass\nexcept ValueError as eval: pass\neval('1')",
            "name-blocked",
            3,
            1,
        ),
        ("eval: int\neval('1')", "name-blocked", 2, 1),
        ("class A:\n    eval = eval", "name-blocked", 2, 12),
        (
            "def f(): return eval\ndef eval(x): pass",
            "name-blocked",
            1,
            17,
        ),
        ("def f[T: (int, eval('1'))](): pass", "name-blocked", 1, 16),
        ("type A[T = eval('1')] = int", "name-blocked", 1, 12),
        (
            "class A[T](metaclass=len, x=eval): pass",
            "metaclass",
            1,
            12,
        ),
        ("ｅｖａｌ('1')", "name-blocked", 1, 1),
        ("__builtins__", "name-private", 1, 1),
        ("_hidden", "name-private", 1, 1),
        ("raise ValueError from exec", "name-blocked", 1, 23),
        ("with x as eval.y: pass", "name-blocked", 1, 11),
        ("@exec\ndef f(): pass", "name-blocked", 1, 2),
        ("match 1:\n    case 1 if eval: pass", "name-blocked", 2, 15),
        ("match 1:\n    case eval.x: pass", "name-blocked", 2, 10),
    ]);
    accepted(&[
        "def f(open, vars=1): return open - vars",
        "dir = 'up'\nprint(dir)\ndef f(): return dir",
        "class A:\n    def open(self): return self.open\nA().open()",
        "def compile(x): return x\ncompile(1)",
        "for input in [1]:\n    print(input)",
        "rows = [open for open in [1] if open]",
        "__name__ == '__main__'",
        "def f():\n    n = 0\n    def g():\n        nonlocal n\n        n += 1\n    return g",
    ]);
}

#[test]
fn attributes_do_not_lead_out() {
    refused(&[
        ("().__class__", "attribute-dunder", 1, 4),
        ("x.__class__ = int", "attribute-dunder", 1, 3),
        ("for f.__code__ in []: pass", "attribute-dunder", 1, 7),
        ("del f.__len__", "attribute-dunder", 1, 7),
        ("f.__defaults__ += ()", "attribute-dunder", 1, 3),
        ("().__cl\u{ff41}ss__", "attribute-dunder", 1, 4),
        ("g.gi_frame", "attribute-internal", 1, 3),
        ("class A:\n    tb_frame = 1", "attribute-internal", 2, 5),
        ("g.gi_anything", "attribute-blocked", 1, 3),
        ("x._private", "attribute-private", 1, 3),
        ("int.mro()", "attribute-blocked", 1, 5),
        (
            "class A: obj = 1\ntry: pass\nexcept AttributeError as e: e.obj",
            "attribute-blocked",
            3,
            31,
        ),
        (
            "class A: obj = 1\nmatch 1:\n    case AttributeError(obj=o): pass",
            "attribute-blocked",
            3,
            25,
        ),
        ("getattr(x, '__class__')", "attribute-dunder", 1, 12),
        ("getattr(x, 'a' + 'b')", "attribute-dynamic", 1, 1),
        ("getattr(x, *['a'])", "attribute-dynamic", 1, 1),
        ("list(map(getattr, [1], ['a']))", "attribute-dynamic", 1, 10),
        (
            "n = 'a'\nn = '_' + 'os'\ngetattr(x, n)",
            "attribute-dynamic",
            3,
            1,
        ),
        (
            "import random\ngetattr(random, '_os')",
            "module-name",
            2,
            17,
        ),
        (
            "from operator import attrgetter\nattrgetter('a.__class__')",
            "attribute-dunder",
            2,
            12,
        ),
        (
            "from operator import attrgetter as g\nmap(g, [])",
            "attribute-dynamic",
            2,
            5,
        ),
        (
            "import operator\noperator.methodcaller('format', 1)",
            "format-template",
            2,
            23,
        ),
        (
            "from functools import wraps\nwraps(f, assigned=('__globals__',))",
            "argument-blocked",
            2,
            6,
        ),
        (
            "object.__setattr__(x, '__class__', 1)",
            "attribute-dunder",
            1,
            23,
        ),
        (
            "from pydantic import Field\nField(alias='__globals__')",
            "attribute-dunder",
            2,
            13,
        ),
    ]);
    accepted(&[
        "type(x).__name__, x.__class__.__name__",
        "class A:\n    def __eq__(self, o): return self.__class__ is o.__class__\n    \
         def copy(self): return self.__class__()",
        "class A:\n    def __init__(self): self._x = 1; self.os = 2\nA()._x, A().os",
        "from collections import namedtuple\nP = namedtuple('P', 'x')\nP(1)._replace(x=2)._asdict()",
        "getattr(x, 'name', None), hasattr(x, 'name')",
        "import math\ngetattr(math, 'sqrt')",
        "from operator import attrgetter, itemgetter\nsorted(x, key=attrgetter('a.b'))",
        "class A(dict):\n    def __getattr__(self, name): return self[name]",
        "class A:\n    def __init__(self, x): object.__setattr__(self, 'x', x)",
        "from html.parser import HTMLParser\nclass P(HTMLParser):\n    \
         def __init__(self): HTMLParser.__init__(self)",
    ]);
}

#[test]
fn templates_are_literals_that_read_no_attributes() {
    refused(&[
        ("'{0.x}'.format(1)", "format-template", 1, 1),
        ("'{0:{1.x}}'.format(1, 2)", "format-template", 1, 1),
        ("t = '{0.x}'\nt.format(1)", "format-template", 2, 1),
        (
            "t = '{}'\nt += '{0.x}'\nt.format(1)",
            "format-template",
            3,
            1,
        ),
        (
            "t = ['{}']\nt.append(u)\nt[0].format(1)",
            "format-template",
            3,
            1,
        ),
        (
            "t = {'a': '{}'}\nt['a'] = u\nt['a'].format(1)",
            "format-template",
            3,
            1,
        ),
        ("def f(t='{}'): t.format(1)", "format-template", 1, 16),
        (
            "def f():\n    def g():\n        nonlocal t\n        t = u\n    t = '{}'\n    t.format(1)",
            "format-template",
            6,
            5,
        ),
        ("str.format('{}', 1)", "format-template", 1, 1),
        ("import string\nstring.Formatter()", "module-name", 2, 8),
        ("getattr('', 'format')", "format-template", 1, 13),
    ]);
    accepted(&[
        "'{} {0[a]} {x:.2f} {{y.z}}'.format(1, x=2)",
        "t = '{a}'\ndef f(): return t.format(a=1)",
        "URLS = {'a': '/a/{id}', 'b': '/b'}\nURLS['a'].format(id=1)",
        "class F:\n    def format(self, x): return x\nF().format(1)\nf = F()\nf.format(2)",
        "'%s' % x, f'{x.y}'",
    ]);
}

#[test]
fn classes_do_not_change_python() {
    refused(&[
        ("class M(type): pass", "metaclass", 1, 9),
        ("class A(metaclass=M): pass", "metaclass", 1, 9),
        ("class A(**x): pass", "metaclass", 1, 9),
        ("type('A', (), {})", "metaclass", 1, 1),
        ("type(x)('A', (), {})", "metaclass", 1, 1),
        ("T = type\nclass M(T): pass", "metaclass", 1, 5),
        (
            "class A:\n    def __getattribute__(self, n): pass",
            "class-hook",
            2,
            9,
        ),
        (
            "class A:\n    for __class_getitem__ in []: pass",
            "class-hook",
            2,
            9,
        ),
        ("class A:\n    __module__ = 'os'", "class-hook", 2, 5),
        (
            "class A:\n    __match_args__ = ('_' + 'os',)",
            "attribute-dynamic",
            2,
            23,
        ),
        (
            "class A:\n    __match_args__ = ('__globals__',)",
            "attribute-dunder",
            2,
            23,
        ),
        ("def __getattr__(name): pass", "name-private", 1, 5),
        ("def f(__class__): pass", "name-private", 1, 7),
        (
            "from pydantic import create_model\ncreate_model('M', __module__='os')",
            "argument-blocked",
            2,
            19,
        ),
    ]);
    accepted(&[
        "from abc import ABCMeta\nclass A(metaclass=ABCMeta): pass",
        "class A:\n    def __add__(self, o): return type(self)(self.x, self.y, self.z)",
        "class A:\n    __slots__ = ('x', '_y')\n    __match_args__ = ('x',)",
    ]);
}

#[test]
fn annotations_are_types() {
    refused(&[
        ("def f(x: 'print(1)'): pass", "annotation", 1, 10),
        ("x: print(1)", "annotation", 1, 4),
        ("x: 'a' + 'b'", "annotation", 1, 4),
        (
            "from typing import Optional\nx: Optional['a or b']",
            "annotation",
            2,
            13,
        ),
        ("t = 'pri' + 'nt'\ndef f(x: t): pass", "annotation", 2, 10),
        ("t = 'print(1)'\ndef f(x: t): pass", "annotation", 2, 10),
        ("x: 'list[eval]'", "name-blocked", 1, 4),
        ("import re\nx: 're.enum'", "module-name", 2, 4),
        ("x = list['a()']", "annotation", 1, 10),
        ("type A = 'a()'", "annotation", 1, 10),
        (
            "from pydantic import TypeAdapter\nt = 'a()'\nTypeAdapter(t)",
            "annotation",
            3,
            13,
        ),
        (
            "from typing import TypedDict\nTypedDict('T', {'a': 'b()'})",
            "annotation",
            2,
            22,
        ),
        ("class A[T]: pass\nA['b()']", "annotation", 2, 3),
        (
            "from pydantic import TypeAdapter\nt = ''.join(x)\nTypeAdapter(t)",
            "annotation",
            3,
            13,
        ),
    ]);
    accepted(&[
        "from typing import Annotated, Literal\nx: Annotated[int, 'years, at most'] | Literal['a b']",
        "class Node:\n    next: 'Node | None' = None\n    def f(self) -> 'list[Node]': ...",
        "from pydantic import Field, conint\nfrom typing import Annotated\nx: Annotated[int, Field(gt=0)]\ny: conint(gt=0)",
        "row = {'a b': 1}\nrow['a b']",
        "from typing import Callable\nf: Callable[[int, str], None]",
    ]);
}

#[test]
fn libraries_read_no_files() {
    refused(&[
        (
            "import httpx\nhttpx.Client(cert='a.pem')",
            "argument-blocked",
            2,
            14,
        ),
        (
            "import httpx\nhttpx.get('u', verify=False)",
            "argument-blocked",
            2,
            16,
        ),
        (
            "from httpx import Client as C\nC(**{'cert': 'a'})",
            "argument-blocked",
            2,
            14,
        ),
        (
            "from functools import partial\nimport httpx\npartial(httpx.Client, verify=ctx)",
            "argument-blocked",
            3,
            23,
        ),
        (
            "import httpx\no = {'cert': 'a'}\nhttpx.Client(**o)",
            "argument-blocked",
            2,
            14,
        ),
        ("from httpx import HTTPTransport", "module-name", 1, 19),
        ("from pydantic import FilePath", "module-name", 1, 22),
        ("M.parse_file('a')", "attribute-blocked", 1, 3),
        ("from uuid import uuid1", "module-name", 1, 18),
    ]);
    accepted(&[
        "import httpx\nwith httpx.Client(timeout=5, verify=True) as c: c.get('u', params={'a': 1})",
    ]);
}

#[test]
fn syntax_errors_have_their_place() {
    refused(&[
        ("x = (1,\ny = 2", "syntax", 2, 3),
        ("print 'é' + 1", "syntax", 1, 7),
        ("x = t'{a}'", "syntax", 1, 5),
        ("x = 1\nreturn x", "syntax", 2, 1),
        ("def f():\n    print(x)\n    global x", "syntax", 2, 11),
        ("def f(a, a): pass", "syntax", 1, 10),
        ("def f():\n    nonlocal x\n    x = 1", "syntax", 2, 14),
        ("for x in y:\n    pass\nelse:\n    break", "syntax", 4, 5),
        ("def f():\n    await x", "syntax", 2, 5),
        ("yield 1", "syntax", 1, 1),
        ("def f():\n    [await x for x in y]", "syntax", 2, 6),
        ("class A:\n    await x", "syntax", 2, 5),
    ]);
}

#[test]
fn integers_are_as_long_as_python_reads_them() {
    let nines = |count: usize| format!("x = {}", "9".repeat(count));
    assert_eq!(first(&nines(4301)), Some(("syntax".to_owned(), 1, 5)));
    assert_eq!(first(&nines(4300)), None);
    assert_eq!(first(&format!("x = 0x{}", "f".repeat(9000))), None);
}

#[test]
fn what_python_compiles_is_no_syntax_error() {
    accepted(&[
        "await x\nasync with a as b: pass\nasync for c in d: pass\n[e async for e in f]",
        "def f():\n    return (await x for x in y)",
        "for x in y:\n    if x: continue\n    break\nelse:\n    pass",
        "async def f():\n    yield 1\n    return",
        "def f():\n    global x\n    x = 1\nx = 2",
        "def f():\n    x = 1\n    def g():\n        def h():\n            nonlocal x\n            x = 2",
        "match x:\n    case [a, b] | (a, b): pass\n    case _: pass",
        "f = lambda: (yield)",
        "result = [await x for x in y]",
    ]);
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
fn hints_name_only_tools_that_exist() {
    let report = check("from weather.functions import zzzzzz", &names());
    assert_eq!(
        report.violations[0].hint.as_deref(),
        Some("`list_servers` and `get_functions` tell the names")
    );
}
