import json, time, datetime, decimal, contextlib, io, collections, operator, string, uuid, itertools
from contextlib import contextmanager, asynccontextmanager, redirect_stdout
from string import Template
from types import SimpleNamespace
from abc import ABC, abstractmethod, ABCMeta
decimal.getcontext().prec = 28
try:
    import orjson
except ImportError:
    orjson = None
if orjson is not None:
    data = orjson.loads(b"{}")
else:
    data = json.loads("{}")
class Base(ABC):
    registry = {}
    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        cls.registry[cls.__name__] = cls
    @abstractmethod
    def run(self): ...
class Meta2(metaclass=ABCMeta):
    pass
class Child(Base):
    __slots__ = ("a", "_b")
    def run(self): return self._b
class Enc(json.JSONEncoder):
    def default(self, o):
        if isinstance(o, datetime.datetime):
            return o.isoformat()
        return super().default(o)
class Singleton:
    _instance = None
    def __new__(cls, *a):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance
@contextmanager
def timer(label):
    t0 = time.perf_counter()
    try:
        yield
    finally:
        print(label, time.perf_counter() - t0)
buf = io.StringIO()
with redirect_stdout(buf):
    print("x")
print(buf.getvalue())
ns = SimpleNamespace(a=1, b=2)
print(Template("$a").substitute(a=1), ns.a)
ops = {"+": operator.add, "max": max, "sum": sum}
get = operator.itemgetter("a", "b")
f = getattr(ns, "a", None)
for key in ("a", "b"):
    print(key)
dir = "up"
vars = {"a": 1}
input = [1, 2]
print(dir, vars["a"], input)
def compile(x): return x
print(compile(1))
def process(open, close, input=None, vars=(), dir="x"):
    return open - close
for open in [1, 2]:
    print(open)
id = uuid.uuid4()
print(str(id), id.hex)
class Node:
    def __init__(self): self.obj = None; self.gen = 1; self.modules = []
n = Node(); n.obj = 5; print(n.obj, n.gen, n.modules)
names = [n for n in string.ascii_lowercase]
_, *rest = [1, 2, 3]
for _ in range(3): pass
a = b = 0
x: "list[int]" = []
print(f"{x!r:>{10}} {ns.a:,.2f} {data.get('os', '')}")
result = {"ok": True, **{k: v for k, v in zip("ab", [1, 2])}}
def gen():
    received = yield 1
    yield from [1, 2]
assert isinstance(1, (int, float)), "no"
lam = lambda *a, k=1, **kw: (a, k, kw)
with contextlib.suppress(KeyError), timer("t") as tm:
    pass
del a
print(datetime.date.today().isoformat(), datetime.datetime.now(datetime.timezone.utc))
nums = collections.defaultdict(list)
nums["a"].append(1)
class V:
    def __init__(self, x, y, z): self.x = x; self.y = y; self.z = z
    def __add__(self, o): return type(self)(self.x + o.x, self.y + o.y, self.z + o.z)
    def __eq__(self, o): return isinstance(o, V) and self.__class__ is o.__class__
    def __repr__(self): return f"{self.__class__.__name__}({self.x})"
class Fmt:
    def __init__(self, t): self.t = t
    def format(self, x): return self.t + x
print(Fmt("a").format("b"))
fm = Fmt("q")
print(fm.format("c"))
def outer():
    count = 0
    def inc():
        nonlocal count
        count += 1
    inc()
    return count
COUNTER = 0
def bump():
    global COUNTER
    COUNTER += 1
type Alias[T] = list[T]
def first[T](xs: list[T]) -> T: return xs[0]
class Stack[T]:
    items: list[T]
print(int.from_bytes(b"a"), dict.fromkeys("ab"), str.upper("a"), list(map(str.strip, ["a "])))
print("%s %d" % ("a", 1), "a" "b", b"x", 1_000, 0x1f, 1e3, 3j)
try:
    raise ValueError("x")
except* ValueError as eg:
    print(eg.exceptions)
print(*[1], sep="")
while (line := next(iter([]), None)) is not None:
    print(line)
