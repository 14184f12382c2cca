from collections.abc import Callable
def memoize(fn: Callable) -> Callable:
    cache: dict = {}
    hits = 0
    def inner(*args, **kw):
        nonlocal hits
        key = (args, frozenset(kw.items()))
        if key in cache: hits += 1
        else: cache[key] = fn(*args, **kw)
        return cache[key]
    inner.stats = lambda: {"size": len(cache), "hits": hits}
    inner.clear = cache.clear
    inner.__name__ = fn.__name__
    inner.__doc__ = fn.__doc__
    return inner
@memoize
def slow(n, *, k=1):
    """Slow."""
    return n * k
slow(1); slow(1); slow(1, k=2); print(slow.stats(), slow.__name__, slow.__doc__); slow.clear(); print(slow.stats())
def throttle(n):
    calls = 0
    def deco(f):
        def g(*a):
            nonlocal calls
            calls += 1
            return f(*a) if calls % n == 0 else None
        return g
    return deco
@throttle(2)
def ping(x): return x
print([ping(i) for i in range(4)], [(lambda i=i: i * i)() for i in range(3)], [f() for f in [lambda: i for i in range(2)]])
