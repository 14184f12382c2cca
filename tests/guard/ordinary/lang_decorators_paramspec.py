import functools
import time
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

P = ParamSpec("P"); R = TypeVar("R"); F = TypeVar("F", bound=Callable[..., Any])
CALLS: dict[str, int] = {}


def counted(fn: Callable[P, R]) -> Callable[P, R]:
    @functools.wraps(fn)
    def inner(*args: P.args, **kwargs: P.kwargs) -> R:
        CALLS[fn.__qualname__] = CALLS.get(fn.__qualname__, 0) + 1
        inner.calls += 1
        return fn(*args, **kwargs)
    inner.calls = 0
    return inner


def with_prefix(prefix: str) -> Callable[[Callable[Concatenate[str, P], R]], Callable[P, R]]:
    def deco(fn): return functools.wraps(fn)(lambda *a, **k: fn(prefix, *a, **k))
    return deco


class timed:
    def __init__(self, fn): functools.update_wrapper(self, fn); self.fn = fn; self.elapsed = 0.0
    def __call__(self, *a, **k):
        t0 = time.perf_counter()
        try: return self.fn(*a, **k)
        finally: self.elapsed += time.perf_counter() - t0


@counted
def add(a: int, b: int = 2) -> int:
    """Add."""
    return a + b


@with_prefix("> ")
def say(prefix: str, text: str) -> str: return prefix + text


@timed
def slow(n): return sum(range(n))


print(add(1), add(1, b=3), add.calls, add.__name__, add.__doc__, CALLS, say("hi"), slow(10), slow.elapsed >= 0, cast(F, add) is add)
