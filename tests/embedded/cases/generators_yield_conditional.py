def g(c):
    x = (yield "yes") if c else (yield "no")
    yield x
for c in [True, False]:
    h = g(c)
    print(next(h), h.send(5))
