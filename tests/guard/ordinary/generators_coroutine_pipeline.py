from functools import wraps
from collections.abc import Generator, Iterable


def coroutine(fn):
    @wraps(fn)
    def start(*a, **k):
        g = fn(*a, **k); next(g)
        return g
    return start


@coroutine
def grep(pattern: str, target: Generator) -> Generator[None, str, None]:
    try:
        while True:
            line = yield
            if pattern in line: target.send(line)
    except GeneratorExit:
        target.close()


@coroutine
def collect(out: list):
    try:
        while True: out.append((yield))
    finally:
        out.append("END")


out: list[str] = []
g = grep("py", collect(out))
for line in ("python", "java", "pypy"): g.send(line)
g.close(); print(out)


def windowed(xs: Iterable, n: int):
    from collections import deque
    d = deque(maxlen=n)
    for x in xs:
        d.append(x)
        if len(d) == n: yield tuple(d)
def fib():
    a, b = 0, 1
    while True: yield a; a, b = b, a + b
from itertools import islice, takewhile
print(list(windowed("abcd", 2)), list(islice(fib(), 8)), sum(takewhile(lambda x: x < 50, fib())), [*(x for x in range(5) if x % 2)], dict((k, v) for k, v in zip("ab", fib())))
def with_return():
    r = yield from inner(); yield f"got {r}"
def inner(): yield 1; return "inner-result"
print(list(with_return()))
