def g():
    yield 1, 2
    yield (3,)
    yield *[4, 5], 6
    a, b = yield
    print(a, b)
h = g()
print(next(h), next(h), next(h), next(h))
try:
    h.send((7, 8))
except StopIteration:
    print("stop")
