def g():
    it = iter([1])
    while True:
        yield next(it)
try:
    for x in g():
        print(x)
except RuntimeError as e:
    print(e)
