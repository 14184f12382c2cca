def g():
    yield
    x = yield
    print(x)
print(list(g()))
