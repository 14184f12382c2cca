def g():
    yield 1
    raise StopIteration
try:
    print(list(g()))
except RuntimeError as e:
    print(e)
