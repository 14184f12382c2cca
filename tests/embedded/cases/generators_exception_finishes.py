def g():
    yield 1
    raise ValueError("x")
h = g()
print(next(h))
try:
    next(h)
except ValueError as e:
    print(e)
print(next(h, "done"))
