def g():
    yield 1
h = g()
print(list(h), list(h), next(h, "x"))
