first, *rest = range(5); *init, last = "abc"; (a, b), [c, *d] = (1, 2), [3, 4, 5]
merged = {**{"a": 1}, "b": 2, **dict(c=3)}
def f(a, b=2, /, c=3, *args, d, e=5, **kw): return (a, b, c, args, d, e, kw)
print(first, rest, init, last, a, b, c, d, merged, f(1, d=4), f(*[1, 2], *(3, 4), **{"d": 1}, z=9))
x = y = z = 0; x, y = y + 1, x + 2; z += (lambda: 5)()
print(x, y, z, [*range(2), *"ab"], {*[1, 1], 2}, (*[], 1), 1 if x else 2, not x, x < y <= 2 != z, ~x, x << 2, -7 // 2, -7 % 3, 2 ** -1)
xs = list(range(10)); xs[2:5] = [0]; del xs[::3], xs[0]; xs[-1:] = [7, 8]
print(xs, xs[::-1], xs[slice(1, 3)], "abc"[-2:], [i for i in range(20) if i % 2 if i % 3], [[r * c for c in range(3)] for r in range(2)], {k: v for k, v in zip("ab", (1, 2), strict=True)})
while (n := len(xs)) > 2: xs.pop()
else: print("emptied", n)
for i in range(5):
    if i == 1: continue
    if i == 3: break
    pass
else: print("no break")
print(any((hit := w).startswith("b") for w in ["a", "bc"]) and hit, sorted("bAc", key=str.lower, reverse=True), max([3, 1], default=0), min("b", "a"), sum([[1], [2]], []), list(zip(*[(1, 2), (3, 4)])), list(reversed([1, 2])), abs(-1), round(2.675, 2), bin(5), oct(8), chr(97), all([]), id(x) == id(x), isinstance(True, int), issubclass(bool, int), callable(len), hash("a") == hash("a"), repr("a"), list(map(lambda p: p[0], [(1,)])), iter([]), slice(1), frozenset("a"), complex(1, 2), bytes(2), type(None), NotImplemented, Ellipsis)
del x
try: x
except NameError as e: print(e.name)
