from __future__ import annotations
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar, TypeVarTuple, Unpack, Concatenate, Optional, overload, Self, Protocol
T = TypeVar("T", covariant=True); U = TypeVar("U"); P = ParamSpec("P"); Ts = TypeVarTuple("Ts"); N = TypeVar("N", int, float); B = TypeVar("B", bound="Builder")


class Pipe(Generic[U]):
    def __init__(self, value: U) -> None: self.value = value
    def __or__(self, fn: Callable[[U], Any]) -> Pipe[Any]: return Pipe(fn(self.value))
    def __rshift__(self, name: str) -> dict[str, U]: return {name: self.value}


class Builder:
    def __init__(self) -> None: self.parts: list[str] = []
    def add(self: B, part: str) -> B: self.parts.append(part); return self
    def build(self) -> str: return " ".join(self.parts)
    @classmethod
    def of(cls, *parts: str) -> Self:
        b = cls()
        for p in parts: b.add(p)
        return b


def apply(fn: Callable[[Unpack[Ts]], U], *args: Unpack[Ts]) -> U: return fn(*args)
def logged(fn: Callable[P, U]) -> Callable[P, tuple[str, U]]:
    def inner(*args: P.args, **kwargs: P.kwargs) -> tuple[str, U]: return fn.__name__, fn(*args, **kwargs)
    return inner
class SupportsClose(Protocol):
    def close(self) -> None: ...
def add(a: N, b: N) -> N: return a + b


print((Pipe([3, 1]) | sorted | sum | str).value, Pipe(1) >> "x", Builder.of("a").add("b").build(), apply(add, 1, 2), logged(add)(1, b=2))
