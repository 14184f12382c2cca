//! One test per rule: a text and what it becomes.

use std::collections::BTreeSet;

use super::{Known, Names, Subset, Unsupported, lower, lower_library, subset};

fn names(modules: &[(&str, &[&str])]) -> Names {
    modules
        .iter()
        .map(|(module, names)| {
            let names: BTreeSet<String> = names.iter().map(|it| (*it).to_owned()).collect();
            ((*module).to_owned(), names)
        })
        .collect()
}

fn lowered(source: &str) -> Result<Subset, Unsupported> {
    with_known(|known| subset(source, known))
}

fn with_known<T>(run: impl FnOnce(&Known<'_>) -> T) -> T {
    run(&Known {
        servers: &names(&[("pets", &["get_pet", "list_pets", "watch_pets"])]),
        streams: &names(&[("pets", &["watch_pets"])]),
        types: &names(&[("pets", &["Pet"])]),
        bridged: &names(&[
            ("asyncio", &["gather", "run"]),
            ("itertools", &["chain", "count"]),
            ("statistics", &["mean"]),
            ("urllib.parse", &["quote"]),
        ]),
        native: &names(&[
            ("asyncio", &["run"]),
            ("dataclasses", &["dataclass"]),
            ("datetime", &["date"]),
            ("datetime.date", &["today"]),
            ("json", &["dumps", "loads"]),
            ("math", &["pi"]),
            ("typing", &["Any", "Optional", "TYPE_CHECKING", "Protocol"]),
        ]),
    })
}

#[track_caller]
fn becomes(source: &str, code: &str) {
    assert_eq!(lowered(source).unwrap().code, code);
}

#[track_caller]
fn same(source: &str) {
    becomes(source, source);
}

#[track_caller]
fn refused(source: &str, feature: &str, line: u32) {
    let feature = feature.to_owned();
    assert_eq!(lowered(source), Err(Unsupported { feature, line }));
}

#[test]
fn functions_of_a_server_are_bound_on_the_line_of_the_import() {
    becomes(
        "from pets.functions import get_pet as g, ApiError, Pet; x = 1",
        "g = _mce_function(\"pets\", \"get_pet\"); ApiError = _mce_ApiError; \
         Pet = _mce_typed_dict; x = 1",
    );
    becomes("import pets.functions as p", "p = _mce_functions(\"pets\")");
    becomes(
        "from pets import functions",
        "functions = _mce_functions(\"pets\")",
    );
    becomes(
        "import pets.functions",
        "pets = _mce_module_object({\"functions\": _mce_functions(\"pets\")})",
    );
    refused(
        "from pets.functions import feed",
        "`pets.functions.feed`",
        1,
    );
    becomes(
        "import pets.functions as p\ntry:\n    p.list_pets()\nexcept p.ApiError: pass",
        "p = _mce_functions(\"pets\")\ntry:\n    p.list_pets()\nexcept _mce_ApiError: pass",
    );
    refused(
        "import pets.functions as p\np.feed()",
        "`pets.functions.feed`",
        2,
    );
    refused("from pets.functions import *", "`import *`", 1);
    refused("import pets", "the module `pets`", 1);
}

#[test]
fn bridged_modules_are_made_by_their_factories() {
    let mean = "_mce_module(\"statistics\", _mce_module_statistics)";
    becomes(
        "import statistics as st",
        &format!("st = _mce_module_object({mean})"),
    );
    becomes(
        "from statistics import mean as m",
        &format!("m = {mean}[\"mean\"]"),
    );
    becomes(
        "import urllib.parse, json",
        "urllib = _mce_module_object({\"parse\": _mce_module_object(\
         _mce_module(\"urllib.parse\", _mce_module_urllib_parse))}); import json",
    );
    let modules = lowered("import statistics, json").unwrap().modules;
    assert_eq!(modules, BTreeSet::from(["statistics".to_owned()]));
    refused("import itertools\nx = itertools.foo", "`itertools.foo`", 2);
    refused("import json\njson.dump(1)", "`json.dump`", 2);
    refused(
        "from datetime import date\nx = date.min",
        "`datetime.date.min`",
        2,
    );
    refused("x = 1\nimport numpy", "the module `numpy`", 2);
}

#[test]
fn imports_keep_their_lines() {
    let source = "from statistics import (\n    mean,\n)\nx\n";
    let lowered = lowered(source).unwrap();
    assert_eq!(
        lowered.code,
        "(\n\n); mean = _mce_module(\"statistics\", _mce_module_statistics)[\"mean\"]\nx\n"
    );
    assert_eq!(lowered.lines, [1, 2, 3, 4, 5]);
}

#[test]
fn what_is_native_stays() {
    same(
        "import json, math as m\nfrom typing import Any\nfor x in m.pi, json.loads('1'): print(x)\n",
    );
    becomes("from __future__ import annotations\n", "pass\n");
    becomes(
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import numpy\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    pass\n",
    );
}

#[test]
fn names_of_helpers_are_refused() {
    refused("x = 1\n_mce_y = 2", "the name `_mce_y`", 2);
    refused("f'{x._mce_y}'", "the name `_mce_y`", 1);
    same("x = '_mce_'");
}

#[test]
fn generator_expressions_that_are_taken_as_a_whole_stay() {
    same("x = list(y for y in z), ', '.join(str(y) for y in z), {*(y for y in z)}");
    becomes("sum(y for y in z)", "_mce_sum(y for y in z)");
}

#[test]
fn other_generator_expressions_become_functions() {
    becomes(
        "g = (f(x) for x in y if x)",
        "g = _mce_lazy(lambda _mce_item_1: [(f(x)) for x in [_mce_item_1] if (x)], _mce_iter(y))",
    );
    becomes(
        "any(x > 1 for x in y)",
        "_mce_any_of(lambda _mce_item_1: [(x > 1) for x in [_mce_item_1]], (y))",
    );
    becomes(
        "next((x for x in y), None)",
        "_mce_first_of(lambda _mce_item_1: [(x) for x in [_mce_item_1]], (y), None)",
    );
    assert!(lowered("g = (x for x in y)").unwrap().drives);
    assert!(!lowered("any(x for x in y)").unwrap().drives);
    refused(
        "x = (\n await y for y in z)",
        "`await` in a generator expression",
        2,
    );
    refused(
        "any((w := y) for y in z)",
        "`:=` in a generator expression",
        1,
    );
}

#[test]
fn iterators_of_builtins_are_lazy_where_that_can_be_seen() {
    becomes(
        "for x in map(f, y): pass",
        "for x in _mce_lazy_map(f, y): pass",
    );
    becomes("list(map(f, y))", "list(_mce_map_list(f, y))");
    same("list(map(str, y))");
    same("for i, x in enumerate([1, 2]): print(i)");
    becomes(
        "for i, x in enumerate(y): y.pop()",
        "for i, x in _mce_lazy_enumerate(y): y.pop()",
    );
}

#[test]
fn builtins_that_are_missing() {
    becomes("callable(x)", "_mce_callable(x)");
    becomes("map(issubclass, x)", "_mce_lazy_map(_mce_issubclass, x)");
    same("def callable(x): return x\ncallable(1)");
    refused("\nbytearray(3)", "`bytearray`", 2);
    same("bytearray = list\nbytearray(3)");
    refused(
        "class A:\n    vars = 1\n    def f(self): return vars(self)",
        "`vars`",
        3,
    );
}

#[test]
fn deletion() {
    becomes(
        "del x[k], y[1:2]",
        "_mce_delete_item((x), (k)); _mce_delete_item((y), _mce_slice((1), (2), None))",
    );
    let unbind = "try: raise _mce_Deleted\n    except _mce_Deleted as x: pass";
    becomes(
        "x = 1\nif a:\n    b; del x; c\n",
        &format!("x = 1\nif a:\n    b\n    x\n    {unbind}\n    c\n"),
    );
    becomes(
        "x = 1\nif a: del x\n",
        &format!("x = 1\nif a:\n    x\n    {unbind}\n"),
    );
    let lines = lowered("x = 1\nif a: del x\nb\n").unwrap().lines;
    assert_eq!(lines, [1, 2, 2, 2, 2, 3, 4]);
    refused("del x", "`del` of `x`, which the code does not bind", 1);
    refused("del x.y", "`del` of an attribute", 1);
}

#[test]
fn operators() {
    becomes("a % b % c", "_mce_percent(_mce_percent(a , b) , c)");
    becomes("(a) %(b)", "_mce_percent((a) ,(b))");
    same("7 % 3, 'a' + b, x is y");
    becomes("return_ = not x%2", "return_ = not _mce_percent(x,2)");
    becomes("x |= {}", "x = _mce_or_in_place(x, ({}))");
    becomes("x.y %= 1, 2", "x.y = _mce_percent(x.y, (1, 2))");
    becomes(
        "f()[k] |= y",
        "_mce_container_1 = (f()); _mce_key_2 = (k); \
         _mce_container_1[_mce_key_2] = _mce_or_in_place(_mce_container_1[_mce_key_2], (y))",
    );
    same("i = 0\nfor j in range(3):\n    i += j - 1\n");
    becomes("def f(a): return a + 1", "def f(a): return _mce_add(a , 1)");
    becomes("x.n += a == b", "x.n += _mce_number((a == b))");
    becomes("set(a) <= b", "_mce_less_equal(set(a) , b)");
    becomes(
        "isinstance(x, int | None)",
        "isinstance(x, (int, _mce_type(None)))",
    );
    refused("1j", "complex numbers", 1);
    refused("f'{a % b=}'", "`=` in an f-string after this expression", 1);
}

#[test]
fn assertions_say_what_python_says() {
    becomes("assert x == 1, 'no'", "(x == 1) or _mce_assertion('no')");
    becomes("assert(x); y", "((x)) or _mce_assertion(); y");
}

#[test]
fn types_as_values() {
    becomes(
        "X = dict[str, int]\ndef f(x: X): pass\n",
        "X = None\ndef f(x: X): pass\n",
    );
    refused("X = dict[str, int]\nprint(X)\n", "`dict[…]` as a value", 1);
    becomes("type X = int\n", "pass\n");
    refused(
        "def f(x: A): pass\nclass A: pass",
        "the name `A` in an annotation before it is defined",
        1,
    );
    same("def f(x: 'A', y: int | None = None) -> list[int]: pass");
}

#[test]
fn cases_become_branches_on_their_lines() {
    becomes(
        "match x:\n    case 1 | 2: pass\n    case [a, *b] if b:\n        a\n    case _:\n        c\n",
        "if [_mce_subject_1 := (x)]:\n    \
         if (_mce_subject_1 == (1) or _mce_subject_1 == (2)): pass\n    \
         elif (_mce_sequence_2 := _mce_sequence(_mce_subject_1)) is not None and \
         _mce_len(_mce_sequence_2) >= 1 and [_mce_part_3 := _mce_sequence_2[0]] and \
         [_mce_part_4 := [*_mce_sequence_2[1:]]] and [a := _mce_part_3, b := _mce_part_4] \
         and (b):\n        a\n    else:\n        c\n",
    );
    refused(
        "match x:\n    case range(1): pass",
        "a class pattern with positions of this class",
        2,
    );
}

#[test]
fn fields_of_errors_are_looked_up_where_a_server_is_imported() {
    let import = "from pets.functions import ApiError\n";
    let code = lowered(&format!("{import}x.status, type(x).__name__, x.other"))
        .unwrap()
        .code;
    let (_, last) = code.split_once('\n').unwrap();
    assert_eq!(
        last,
        "_mce_error_field(x, \"status\"), _mce_type_name((x)), x.other"
    );
    same("x.status");
    refused(
        "try: pass\nexcept E as e: e.pos",
        "`.pos` of an exception",
        2,
    );
}

#[test]
fn methods_as_values() {
    becomes(
        "f(key=d.get)",
        "f(key=_mce_bound(d, \"get\", lambda _mce_self: lambda *_mce_args, **_mce_options: \
         (_mce_self.get(*_mce_args, **_mce_options) if _mce_options else _mce_self.get(*_mce_args))))",
    );
    same("d.get(x)\nd.other\n");
    becomes("x.bit_length()", "_mce_method_bit_length(x)");
    becomes(
        "m.start(1), m.start()",
        "_mce_method_start(m, 1), m.start()",
    );
}

#[test]
fn classes() {
    becomes("class A(object):\n    pass\n", "class A:\n    pass\n");
    refused("class A(B): pass", "inheritance of classes", 1);
    refused(
        "class A:\n    def __len__(self): pass",
        "the method `__len__` of a class",
        2,
    );
    refused(
        "class A:\n    @property\n    def x(self): pass",
        "the decorator `property` of a method",
        2,
    );
    becomes(
        "from typing import TypedDict\nclass A(TypedDict):\n    x: int\n",
        "TypedDict = None\n(\n); A = _mce_typed_dict\n",
    );
    refused("def f(): pass\nf.x = 1", "an attribute of a function", 2);
    refused(
        "raise ValueError(1, 2)",
        "an exception with several arguments",
        1,
    );
}

#[test]
fn targets() {
    becomes(
        "a[i], b = b, a[i]",
        "[_mce_target_1, _mce_target_2] = (b, a[i]); a[i] = _mce_target_1; b = _mce_target_2",
    );
    becomes(
        "x[1:2] = y",
        "_mce_value_1 = (y); _mce_set_item((x), _mce_slice((1), (2), None), _mce_value_1)",
    );
    becomes(
        "for a.b in x:\n    c\n",
        "for _mce_target_1 in x:\n    a.b = _mce_target_1; c\n",
    );
}

#[test]
fn asynchronous_statements() {
    becomes(
        "async def f():\n    async with x as y:\n        z\n",
        "async def f():\n    _mce_manager_1 = (x); _mce_value_2 = await _mce_enter(_mce_manager_1); \
         _mce_failed_3 = False\n    try:\n        y = _mce_value_2; z\n    \
         except BaseException as _mce_error_4:\n        _mce_failed_3 = True\n        \
         if not await _mce_manager_1.__aexit__(_mce_type(_mce_error_4), _mce_error_4, None): raise\n    \
         finally:\n        if not _mce_failed_3: await _mce_manager_1.__aexit__(None, None, None)\n",
    );
    let lowered = lowered("async def f():\n    async for x in y:\n        z\n").unwrap();
    assert_eq!(
        lowered.code,
        "async def f():\n    _mce_iterator_1 = _mce_aiter((y))\n    \
         while _mce_type(_mce_item_2 := await _mce_anext(_mce_iterator_1)) is not _mce_Return:\n        \
         x = _mce_item_2; z\n"
    );
    assert_eq!(lowered.lines, [1, 2, 2, 3, 4]);
}

#[test]
fn code_without_anything_special_is_left_alone() {
    let source = "def f(x):\n    # a comment\n    return x\n\nprint(f(1), [2])\n";
    let lowered = lowered(source).unwrap();
    assert_eq!((lowered.code.as_str(), lowered.drives), (source, false));
}

#[test]
fn lines_are_those_of_the_source_after_both_passes() {
    let source =
        "# first\ndef f(n):\n    for i in range(n):\n        yield i\nprint(list(f(3)))\nx = y\n";
    let lowered = with_known(|known| lower(source, known)).unwrap();
    let line_of = |text: &str| {
        let at = lowered.code.lines().position(|line| line.contains(text));
        lowered.lines[at.unwrap()]
    };
    assert!(!lowered.code.contains("yield"), "{}", lowered.code);
    assert_eq!(line_of("x = y"), 6);
    assert_eq!(line_of("print("), 5);
    assert_eq!(lowered.lines.len(), lowered.code.lines().count());
}

#[test]
fn the_library_may_yield() {
    let lowered = lower_library("def _mce_f():\n    yield 1\n", true).unwrap();
    assert!(!lowered.contains("yield"), "{lowered}");
    assert!(lowered.contains("_mce_f"), "{lowered}");
}

#[test]
fn pages_and_streams_are_those_of_functions_alone() {
    becomes(
        "from pets.functions import list_pets\nfor p in list_pets.items(limit=2): pass",
        "list_pets = _mce_function(\"pets\", \"list_pets\")\n\
         for p in _mce_pages(list_pets, \"items\", limit=2): pass",
    );
    becomes(
        "import pets.functions as p\nx = p.list_pets.pages()\ny = {}.items()",
        "p = _mce_functions(\"pets\")\nx = _mce_pages(p.list_pets, \"pages\")\ny = {}.items()",
    );
    becomes(
        "from pets.functions import list_pets as f\nx = f.items.aio(**y)",
        "f = _mce_function(\"pets\", \"list_pets\")\nx = _mce_pages_aio(f, \"items\", **y)",
    );
    becomes(
        "from pets.functions import watch_pets as f, list_pets as g\nx, y, z = f(a=1), f.aio(), g()",
        "f = _mce_function(\"pets\", \"watch_pets\"); g = _mce_function(\"pets\", \"list_pets\")\n\
         x, y, z = _mce_stream(f, a=1), _mce_stream_aio(f), g()",
    );
}

#[test]
fn times_in_f_strings() {
    becomes(
        "f'{t:%H:%M} {x:.1%} {(d):%Y}'",
        "f'{_mce_format(t, \"%H:%M\")} {x:.1%} {_mce_format((d), \"%Y\")}'",
    );
    same("f'{x:>{n}}' f'{x!r:%H}'");
}

#[test]
fn the_library_means_builtins_whatever_code_calls_so() {
    let lowered = |source| lower_library(source, false).unwrap();
    assert_eq!(
        lowered(
            "def _mce_f(type, x=len('')):\n    return type(x), list(x), [str(int) for int in x]\n"
        ),
        "def _mce_f(type, x=_mce_builtin_len('')):\n    return type(x), _mce_builtin_list(x), \
         [_mce_builtin_str(int) for int in x]\n"
    );
    assert_eq!(
        lowered(
            "class _mce_C:\n    def list(self):\n        raise ValueError(list, f'{max(1, 2)}')\n"
        ),
        "class _mce_C:\n    def list(self):\n        \
         raise ValueError(_mce_builtin_list, f'{_mce_builtin_max(1, 2)}')\n"
    );
    assert!(super::keep_builtins().contains("_mce_builtin_list = list\n"));
}
