import asyncio, csv, io, re, json, random, statistics, hashlib, hmac, base64, secrets, zlib, struct, uuid, html, heapq, bisect, copy, textwrap, difflib, calendar, fnmatch, unicodedata, graphlib, numbers, array, binascii
from collections import ChainMap, OrderedDict, UserDict, deque
from contextvars import ContextVar
from datetime import datetime, date, timedelta, timezone
from decimal import Decimal, ROUND_HALF_UP, getcontext
from enum import Enum, Flag, IntEnum, StrEnum, auto, unique
from fractions import Fraction
from functools import cached_property, singledispatch, singledispatchmethod, total_ordering, cmp_to_key, lru_cache, partial
from html.parser import HTMLParser
from itertools import groupby, islice, chain, product
from typing import Generic, Protocol, TypeVar, Iterator, Any, NewType, TypeAlias, Final, runtime_checkable
from urllib.parse import urlencode, urlsplit, parse_qs, quote, urljoin
from zoneinfo import ZoneInfo
from pydantic import BaseModel, Field, ValidationError, RootModel, computed_field, field_serializer, AliasChoices, model_validator
import httpx
from httpx import AsyncClient, HTTPStatusError

T = TypeVar("T")
K = TypeVar("K", bound="Shape")
UserId = NewType("UserId", int)
Json: TypeAlias = "dict[str, Any]"
MAX: Final = 5
current: ContextVar[str] = ContextVar("current", default="none")

class Perm(Flag):
    R = auto(); W = auto()

@unique
class Status(StrEnum):
    OPEN = "open"; CLOSED = "closed"
    @property
    def label(self): return self.value.title()
    @classmethod
    def parse(cls, text): return cls[text.upper()] if text.upper() in cls.__members__ else cls(text)

class Planet(Enum):
    EARTH = (5.9, 6.3)
    def __init__(self, mass, radius):
        self.mass = mass; self.radius = radius

class Shape(Protocol):
    def area(self) -> float: ...

@total_ordering
class Version:
    def __init__(self, text): self._parts = tuple(int(p) for p in text.split("."))
    def __eq__(self, other): return self._parts == other._parts
    def __lt__(self, other): return self._parts < other._parts
    def __hash__(self): return hash(self._parts)

class Box(Generic[T]):
    def __init__(self, item: T) -> None: self.item: T = item
    def map(self, f): return Box(f(self.item))
print(Box[int](1).item, Box["Version"])

class Parser(HTMLParser):
    def __init__(self):
        HTMLParser.__init__(self)
        super().__init__(convert_charrefs=True)
        self.out = []
    def handle_data(self, data): self.out.append(data)

class Model(BaseModel):
    id: int = Field(alias="_id")
    name: str = Field(validation_alias=AliasChoices("name", "fullName"))
    created: datetime | None = None
    tags: list["Tag"] = []
    @computed_field
    @property
    def label(self) -> str: return f"{self.id}"
    @field_serializer("created")
    def ser(self, v: datetime) -> str: return v.isoformat()
    @model_validator(mode="after")
    def check(self) -> "Model": return self
class Tag(BaseModel):
    value: str
Model.model_rebuild()
class Items(RootModel[list[Model]]):
    def __iter__(self): return iter(self.root)
try:
    Model.model_validate({"_id": 1})
except ValidationError as e:
    print(e.errors()[0]["loc"], e.error_count(), e.json())

@singledispatch
def show(x): return str(x)
@show.register
def _(x: int): return x + 1
@show.register(list)
def _show_list(x): return [show(i) for i in x]

def coro():
    total = 0
    while True:
        x = yield total
        if x is None: return
        total += x
c = coro(); next(c); c.send(1); c.close()

async def worker(queue: asyncio.Queue, results: list):
    while True:
        item = await queue.get()
        try:
            results.append(item)
        except asyncio.CancelledError:
            raise
        finally:
            queue.task_done()

async def main():
    queue = asyncio.Queue(maxsize=3)
    results = []
    tasks = [asyncio.create_task(worker(queue, results), name=f"w{i}") for i in range(2)]
    for i in range(3): await queue.put(i)
    await queue.join()
    for t in tasks: t.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    done, pending = await asyncio.wait([asyncio.create_task(asyncio.sleep(0))], return_when=asyncio.FIRST_COMPLETED)
    for fut in asyncio.as_completed([asyncio.sleep(0, 1)]):
        print(await fut)
    try:
        async with asyncio.timeout(1):
            await asyncio.wait_for(asyncio.sleep(0), timeout=1)
    except TimeoutError:
        pass
    r = await asyncio.to_thread(sum, [1, 2])
    async with AsyncClient(base_url="https://x", headers={"a": "b"}, follow_redirects=True, timeout=httpx.Timeout(5.0)) as client:
        try:
            resp = await client.get("/a", params={"q": 1})
            resp.raise_for_status()
            print(resp.json(), resp.status_code == httpx.codes.OK, resp.headers.get("etag"))
        except HTTPStatusError as exc:
            print(exc.response.status_code, exc.request.url)
        except httpx.HTTPError as exc:
            print(repr(exc))
    return results

rows = list(csv.DictReader(io.StringIO("a,b\n1,2\n")))
w = csv.writer(buf := io.StringIO()); w.writerow([1])
print(buf.getvalue(), rows, statistics.fmean([1]), hashlib.sha256(b"a").hexdigest(), hmac.new(b"k", b"m", hashlib.sha256).hexdigest())
print(datetime.now(tz=ZoneInfo("Europe/Berlin")), timedelta(days=1).total_seconds(), Decimal("1.005").quantize(Decimal("0.01"), rounding=ROUND_HALF_UP))
print(json.dumps({"a": {1}}, default=list, indent=2), json.loads("{}", object_hook=lambda d: d, parse_float=Decimal))
m = re.search(r"(?P<x>\d+)", "a1")
if m: print(m.group("x"), m["x"], m.groupdict(), m.start())
try:
    raise ValueError("x") from None
except ValueError as e:
    e.add_note("n")
    print(e.__notes__, e.args, type(e).__qualname__, e.__class__.__name__)
else:
    pass
data = {"items": [{"id": 1, "obj": {"gen": 2}}]}
print(data["items"][0]["obj"]["gen"], sorted(data, key=str.lower), [*map(str, range(3))], {**data, "x": 1})
for (k, g) in groupby(sorted([1, 2]), key=lambda v: v % 2): print(k, list(g))
x = y = 0
x += 1; del y
print(f"{'a':<10}|{1/3:.2%}|{datetime.now():%Y-%m-%d}|{x=}|{data!r:.20}")
print("{:<10} {:>8,.2f}".format("a", 1.5), "{0} {1} {0}".format("a", "b"), "{k}".format(**{"k": 1}), "{a[items]}".format(a=data))
ROW = "{:<12}{:>8}"
HEADER = ROW.format("name", "n")
fmt = "{}-{}" if x else "{}"
print(fmt.format(1, 2))
if __name__ == "__main__":
    result = asyncio.run(main())
print(issubclass(bool, int), callable(print), list(zip([1], [2])), any([]), all([]), id(1), hash("a"), slice(1), divmod(3, 2), bytes(3), bytearray(b"a"), frozenset(), complex(1), round(1.5), format(1, ".2f"), ascii("é"), chr(1), ord("a"), bin(1), iter([]), reversed([1]), enumerate([]), NotImplemented, Ellipsis)
