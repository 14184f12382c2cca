def g():
    total = 0
    while True:
        x = yield total
        total += x
def feed(gen, xs):
    next(gen)
    for x in xs:
        r = gen.send(x)
    return r
print(feed(g(), [1, 2, 3]))
