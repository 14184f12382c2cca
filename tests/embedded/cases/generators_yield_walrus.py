def g():
    while (x := (yield "n")) is not None:
        print("x", x)
    yield "end"
h = g()
next(h)
h.send(1)
h.send(2)
print(h.send(None))
