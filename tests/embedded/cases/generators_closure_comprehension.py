def g(n):
    fs = [lambda: (j, n) for j in range(n)]
    yield [f() for f in fs]
    n += 1
    yield [f() for f in fs]
print(list(g(2)))
