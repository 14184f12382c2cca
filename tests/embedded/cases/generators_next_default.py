def g():
    yield 1
h = g()
print(next(h, 0), next(h, 0), next(h, None))
try:
    next(h)
except StopIteration:
    print("stop")
