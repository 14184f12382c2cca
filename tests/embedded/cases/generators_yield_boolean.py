def g(x):
    r = x and (yield "asked") or "default"
    yield r
h = g(1)
print(next(h), h.send(0))
h = g(1)
print(next(h), h.send("v"))
print(list(g(0)))
