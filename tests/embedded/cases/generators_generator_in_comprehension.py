def sq(n):
    for i in range(n):
        yield i * i
print([a + b for a in sq(3) for b in sq(a + 1)], {x for x in sq(3)}, {x: list(sq(x)) for x in sq(3)})
