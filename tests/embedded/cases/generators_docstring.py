def g():
    "says"
    yield 1
print(list(g()))
