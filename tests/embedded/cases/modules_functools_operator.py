import operator
from functools import cache, cmp_to_key, lru_cache, partial, reduce, wraps
from operator import attrgetter, itemgetter

calls = []


@lru_cache(maxsize=2)
def square(x):
    calls.append(x)
    return x * x


print(square(2), square(2), square(3), square(4), square(2), square(4), calls)


@cache
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(90))


@lru_cache
def f(*args, **kwargs):
    calls.append((args, kwargs))
    return len(calls)


calls.clear()
print(f(1), f(1.0), f(True), f("1"), f(1, 2), f(1.0, 2), f(a=1), f(a=1), f(1, a=2), f(a=1, b=2), f(b=2, a=1), f((1, 2)), f())


@lru_cache(maxsize=None, typed=True)
def g(x):
    calls.append(x)
    return x


calls.clear()
print(g(1), g(1.0), g(1), g("a"), g(x=1), g(x=1.0), calls)


@lru_cache(maxsize=0)
def h(x):
    calls.append(x)
    return x


h(1)
h(1)
print(calls)
try:
    f([1])
except TypeError as e:
    print(e)
try:
    lru_cache("a")
except TypeError as e:
    print(e)


def logged(function):
    @wraps(function)
    def wrapper(*args, **kwargs):
        print("call", args, kwargs)
        return function(*args, **kwargs)

    return wrapper


@logged
def add(a, b=1):
    return a + b


print(add(1), add(1, b=5), reduce(lambda a, b: a * b, [1, 2, 3, 4]), reduce(operator.add, [], 7), partial(add, 5)(b=6))


def by_length(a, b):
    return (len(a) > len(b)) - (len(a) < len(b))


words = ["pear", "fig", "apple", "kiwi", "date", "nut"]
print(sorted(words, key=cmp_to_key(by_length)), sorted(words, key=cmp_to_key(by_length), reverse=True), max(words, key=cmp_to_key(by_length)), min(words, key=cmp_to_key(by_length)))
words.sort(key=cmp_to_key(lambda a, b: -1 if a < b else int(a > b)))
print(words, sorted([5, 2, 9, 1, 7, 3], key=cmp_to_key(lambda a, b: b - a)), max([], key=cmp_to_key(by_length), default=0))
rows = [{"n": 2, "m": "b"}, {"n": 1, "m": "c"}]
print(sorted(rows, key=itemgetter("n")), list(map(itemgetter("n", "m"), rows)), itemgetter(1)([5, 6]), itemgetter(-1, 0)("abc"), itemgetter(slice(1, 3))("abcd"))


class Point:
    def __init__(self, x, inner=None):
        self.x = x
        self.inner = inner


p = Point(3, Point(4))
print(attrgetter("x")(p), attrgetter("inner.x")(p), attrgetter("x", "inner.x")(p))
print([getattr(operator, n)(7, 2) for n in "add sub mul truediv floordiv mod pow lshift rshift and_ or_ xor eq ne lt le gt ge is_ is_not".split()])
print(operator.neg(5), operator.pos(-5), operator.not_(0), operator.truth([]), operator.invert(5), operator.inv(1), operator.index(True), operator.abs(-3))
print(operator.contains([1, 2], 2), operator.getitem({"a": 1}, "a"), operator.concat([1], [2]), operator.countOf([1, 2, 1], 1), operator.indexOf("abc", "c"), operator.call(max, 1, 2))
d = {"a": 1, "b": 2}
operator.setitem(d, "c", 3)
operator.delitem(d, "a")
print(d, operator.le({1}, {1, 2}), operator.or_({"a": 1}, {"b": 2}), operator.mod("%d!", 5), operator.truediv(2**80, 3))
for k in [lambda: operator.indexOf([1], 2), lambda: operator.index(1.5), lambda: attrgetter(5), lambda: itemgetter("x")({}), lambda: operator.concat(5, 6), lambda: operator.add(1, "a")]:
    try:
        print(k())
    except (ValueError, TypeError, KeyError) as e:
        print(type(e).__name__, e)
