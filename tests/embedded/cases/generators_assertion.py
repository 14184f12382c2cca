def g(x):
    assert (yield 1) == x
    yield "ok"
h = g(3)
next(h)
print(h.send(3))
h = g(3)
next(h)
try:
    h.send(4)
except AssertionError:
    print("wrong")
