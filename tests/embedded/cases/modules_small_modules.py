# lower: compare
import collections
import colorsys
import contextvars
import dataclasses
import graphlib
import numbers
import random
import typing
from collections import abc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from http import HTTPStatus
from typing import Any, NewType, Optional, TypedDict, TypeVar, cast

r = random.Random(8)
for _ in range(100):
    x, y, z = r.random(), r.random(), r.random()
    print(colorsys.rgb_to_hsv(x, y, z), colorsys.hsv_to_rgb(x, y, z), colorsys.rgb_to_hls(x, y, z), colorsys.hls_to_rgb(x, y, z), colorsys.rgb_to_yiq(x, y, z), colorsys.yiq_to_rgb(x, y, z))
print(colorsys.rgb_to_hsv(0.5, 0.5, 0.5), colorsys.hls_to_rgb(0.1, 0.2, 0.0), colorsys.hsv_to_rgb(1.0, 1.0, 1.0), colorsys.rgb_to_hls(1, 0, 0))
print(list(graphlib.TopologicalSorter({"D": ["B", "C"], "B": ["A"], "C": ["A"]}).static_order()))
ts = graphlib.TopologicalSorter()
ts.add("x", "y", "z")
ts.add("z")
ts.prepare()
while ts.is_active():
    ready = ts.get_ready()
    print(sorted(ready))
    ts.done(*ready)
for graph in [{"a": ["b"], "b": ["a"]}, {1: [2], 2: [3], 3: [1], 4: [1]}, {"s": ["s"]}]:
    try:
        list(graphlib.TopologicalSorter(graph).static_order())
    except graphlib.CycleError as e:
        print(e)
for _ in range(30):
    n = r.randrange(1, 8)
    g = {i: [j for j in range(n) if r.random() < 0.2] for i in range(n)}
    try:
        print(list(graphlib.TopologicalSorter(g).static_order()))
    except ValueError as e:
        print(e)
try:
    ts.done("x")
except ValueError as e:
    print(e)
values = [1, 1.5, True, "s", b"b", None, [1], (1,), {1: 2}, {1}, frozenset(), range(3), iter([1]), iter("a"), len, lambda: 1, int, collections.deque(), collections.Counter(), collections.defaultdict(list), {}.keys(), {}.items(), {}.values(), map(str, []) if False else iter(())]
for name in ["Iterable", "Iterator", "Reversible", "Sized", "Container", "Collection", "Callable", "Sequence", "MutableSequence", "Set", "MutableSet", "Mapping", "MutableMapping", "MappingView", "KeysView", "ItemsView", "ValuesView"]:
    print(name, [isinstance(v, getattr(abc, name)) for v in values])
for kind in [numbers.Number, numbers.Real, numbers.Integral, numbers.Complex, typing.List, typing.Dict, typing.Mapping, typing.Sequence, typing.Iterable, typing.Callable]:
    print(kind, [isinstance(v, kind) for v in values])


class Box:
    def __init__(self):
        self.items = [1]

    def __iter__(self):
        return iter(self.items)

    def __contains__(self, x):
        return x in self.items


print(isinstance(Box(), Iterable), isinstance(Box(), Iterator), isinstance(Box(), abc.Container), isinstance(Box(), Mapping), isinstance(5, (str, Sequence, numbers.Integral)), isinstance([], (Mapping, str)), Mapping, typing.List, typing.Sequence)
print(callable(len), callable(5), callable(Box), callable(lambda: 1), callable("x"), issubclass(bool, int), issubclass(int, object), issubclass(KeyError, LookupError), issubclass(KeyError, (ValueError, Exception)), issubclass(Box, object), issubclass(Box, int), issubclass(int, str), issubclass(FileNotFoundError, OSError))
print(isinstance(3, int | str), isinstance("a", int | None), isinstance(None, int | None), int | str, (int | str) | None, (int | str) == (str | int), isinstance(2.5, int | str), dict | None, isinstance(int, type), isinstance(5, type))
for f in [lambda: issubclass(5, int), lambda: issubclass(int, 5), lambda: isinstance(5, 5), lambda: 5 | "a", lambda: {} | 5]:
    try:
        print(f())
    except TypeError as e:
        print(e)
print({1: "a", 2: "b"} | {2: "c", 3: "d"}, {1} | {2}, 5 | 2, True | False)
d = {"a": 1}
e = d
d |= {"b": 2}
print(d, e is d, e)
x = 6
x |= 1
print(x, {1, 2} <= {1, 2, 3}, {1} < {1}, {1, 2} >= {2}, {1, 2} > {1, 2}, frozenset({1}) <= {1}, 3 < 5, "a" <= "b", [1] > [0])
T = TypeVar("T")
UserId = NewType("UserId", int)
print(T, UserId(5), cast(str, 5), typing.TYPE_CHECKING, typing.assert_type(5, int))
try:
    typing.assert_never("x")
except AssertionError as e:
    print(e)


@typing.final
class Final:
    def __repr__(self):
        return "Final()"


print(Final())


def annotated(x: Optional[int], *, y: "typing.Any" = None) -> Callable[[int], str]:
    return lambda v: str(v)


print(annotated(1)(5))


@dataclass
class Inner:
    a: int
    b: list


@dataclass
class Outer:
    x: Inner
    y: tuple
    z: dict
    w: str = "w"


o = Outer(Inner(1, [2, 3]), (Inner(4, []), 5), {"k": Inner(6, [])})
print(asdict(o), astuple(o), replace(o, w="new", y=()), asdict(o)["x"]["b"] is not o.x.b, dataclasses.is_dataclass(o))
for f in [lambda: asdict(5), lambda: asdict(Outer), lambda: replace(o, nope=1)]:
    try:
        print(f())
    except TypeError as e:
        print(str(e).replace("Outer.", ""))
print(HTTPStatus.OK, repr(HTTPStatus.NOT_FOUND), HTTPStatus(404).phrase, HTTPStatus.OK == 200, 200 == HTTPStatus.OK, HTTPStatus.CREATED.value, HTTPStatus.IM_A_TEAPOT.name, HTTPStatus.BAD_REQUEST.description, f"{HTTPStatus.OK}", {HTTPStatus.OK: 1}[200], HTTPStatus(503).is_server_error, HTTPStatus.OK.is_success, 404 in [HTTPStatus.NOT_FOUND], HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.OK != 201)
try:
    HTTPStatus(999)
except ValueError as e:
    print(e)
var = contextvars.ContextVar("var", default=1)
token = var.set(5)
print(var.get(), var.name)
var.reset(token)
print(var.get(), token.old_value is contextvars.Token.MISSING, contextvars.ContextVar("n").get("fallback"))
try:
    contextvars.ContextVar("m").get()
except LookupError:
    print("no value")
import asyncio


async def child(n):
    var.set(n)
    await asyncio.sleep(0)
    return var.get()


async def main():
    var.set("main")
    print(await asyncio.gather(child(1), child(2)), var.get())
    await child(9)
    print(var.get())


asyncio.run(main())
print(var.get())
