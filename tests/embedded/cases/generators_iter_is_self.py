def g():
    yield 1
h = g()
print(iter(h) is h, type(h).__name__, h == h, bool(h))
try:
    h[0]
except TypeError as e:
    print(e)
try:
    len(h)
except TypeError as e:
    print(e)
