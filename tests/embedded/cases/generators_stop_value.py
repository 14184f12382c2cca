def g():
    yield 1
    return {"total": 3}
h = g()
next(h)
try:
    next(h)
except StopIteration as e:
    print(e.value["total"])
try:
    next(h)
except StopIteration as e:
    print(e.value)
