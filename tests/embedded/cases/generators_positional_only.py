def g(a, /, b, *, c=0):
    b += 1
    yield a, b, c
print(next(g(1, b=2, c=3)))
