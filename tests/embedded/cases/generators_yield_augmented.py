def g():
    x = 1
    d = {"k": 10}
    x += yield x
    d["k"] += yield x
    yield x, d
h = g()
print(next(h), h.send(5), h.send(7))
