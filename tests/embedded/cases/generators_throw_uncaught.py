def g():
    yield 1
    yield 2
h = g()
next(h)
try:
    h.throw(KeyError("k"))
except KeyError as e:
    print("out", e)
print(list(h))
