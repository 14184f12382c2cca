def g():
    d = {}
    d["a"] = yield 1
    d["b"] = yield 2
    yield d
h = g()
next(h)
h.send("x")
print(h.send(2))
