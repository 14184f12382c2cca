def g():
    return
    yield
print(list(g()), next(g(), "none"))
