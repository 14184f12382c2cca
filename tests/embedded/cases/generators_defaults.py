def g(a, b=2, *args, c=3, d, **kw):
    yield a, b, args, c, d, sorted(kw.items())
    a += 1
    yield a
print(list(g(1, d=4)), list(g(1, 5, 6, 7, d=8, z=9, y=10)))
