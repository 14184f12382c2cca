"""Doc."""
from __future__ import annotations
import asyncio
import json
import re
import math
import typing as t
from collections import Counter, defaultdict, namedtuple, deque
from dataclasses import dataclass, field, asdict, fields
from datetime import datetime, timedelta, timezone, date
from enum import Enum, auto
from functools import lru_cache, partial, reduce, wraps
from itertools import chain, islice
from typing import Any, Callable, ClassVar, NamedTuple, Optional, TypedDict, Union, Annotated, Literal, Self, cast, overload, TYPE_CHECKING
from operator import attrgetter, itemgetter
from pydantic import BaseModel, Field, field_validator, model_validator, ConfigDict, TypeAdapter, conint
from weather.functions import get_forecast, get_current
import weather.functions as w
import httpx

if TYPE_CHECKING:
    from collections.abc import Iterator

CITIES = ["Berlin", "Paris"]
LIMIT: int = 3
TEMPLATE = "{name}: {value:.1f}"
_cache: dict[str, float] = {}
Point = namedtuple("Point", "x y")
T = t.TypeVar("T", bound="Animal")


class Color(Enum):
    RED = auto()
    BLUE = auto()

    @classmethod
    def _missing_(cls, value):
        return cls.RED

    def __str__(self):
        return self.name.lower()


class Coord(NamedTuple):
    lat: float
    lon: "float" = 0.0


class Row(TypedDict, total=False):
    id: int
    os: str


@dataclass(frozen=True, order=True)
class Animal:
    name: str
    parent: "Animal | None" = None
    _weight: float = 0.0
    tags: list[str] = field(default_factory=list)
    COUNT: ClassVar[int] = 0

    def __post_init__(self):
        object.__setattr__(self, "name", self.name.title()) if False else None

    @property
    def weight(self) -> float:
        return self._weight

    @classmethod
    def make(cls, **kw: Any) -> Self:
        return cls(**kw)

    def __lt__(self, other: Animal) -> bool:
        return self._weight < other._weight


class User(BaseModel):
    model_config = ConfigDict(extra="ignore")
    id: int
    email: Optional[str] = None
    age: Annotated[int, Field(ge=0, description="the age, in years")] = 0
    kind: Literal["a b", "c"] = "a b"
    n: conint(gt=0) = 1

    @field_validator("email")
    @classmethod
    def _check(cls, v):
        return v


class Matrix:
    def __init__(self, rows, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.__rows = rows
        self._n = len(rows)

    def __iter__(self):
        return iter(self.__rows)

    def __getattr__(self, name):
        return getattr(self.__rows, "index")

    @staticmethod
    def _helper(x): return x


class AppError(Exception):
    def __init__(self, message, code=None):
        super().__init__(message)
        self.code = code


def retry(times: int = 3):
    def deco(fn):
        @wraps(fn)
        async def inner(*args, **kwargs):
            for attempt in range(times):
                try:
                    return await fn(*args, **kwargs)
                except (ValueError, KeyError) as e:
                    last = e
                    await asyncio.sleep(0)
            raise AppError("failed", code=1) from last
        inner.__name__ = fn.__name__
        return inner
    return deco


@retry(times=2)
async def fetch(city: str) -> dict:
    r = await get_forecast.aio(latitude=1.0, longitude=2.0)
    return {"city": city, "r": r}


async def main():
    results = await asyncio.gather(*(fetch(c) for c in CITIES), return_exceptions=True)
    async with asyncio.TaskGroup() as tg:
        tasks = [tg.create_task(fetch(c)) for c in CITIES]
    good = [r for r in results if not isinstance(r, Exception)]
    p = Point(1, 2)
    q = p._replace(x=3)
    print(q._asdict(), Point._fields)
    print(TEMPLATE.format(name="x", value=1.0))
    print("{:>10}|{:<5}".format("a", "b"), "{0} {1}".format(1, 2))
    for row in sorted(good, key=attrgetter("name")):
        print(row)
    print(max(good, key=lambda r: r["r"]["temp"]))
    total = reduce(lambda a, b: a + b, [1, 2], 0)
    x = w.get_current(city="a")
    with httpx.Client(timeout=5, verify=True) as client:
        resp = client.get("https://x", params={"a": 1})
        resp.raise_for_status()
    match x:
        case {"type": "a", "v": int(v)}: pass
        case User(id=1, email=e): pass
        case [1, *rest]: pass
        case Color.RED | Color.BLUE: pass
        case str() as s if s: pass
        case _: pass
    adapter = TypeAdapter(list[User])
    try:
        adapter.validate_python([])
    except Exception as exc:
        print(exc.__class__.__name__, type(exc).__name__, exc.args, exc.__cause__)
    _local = 1
    if _cache.get("a"):
        _cache["b"] = _local
    type_ = type(x)
    return {"total": total, "m": math.pi, "rows": [asdict(Animal("x"))], "f": [f.name for f in fields(Animal)]}

if __name__ == "__main__":
    asyncio.run(main())
result = None
