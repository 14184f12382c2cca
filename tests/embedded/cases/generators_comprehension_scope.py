def g():
    x = "outer"
    yield [x for x in range(3)]
    yield x
    yield {x: y for x, y in zip("ab", [1, 2])}
    yield x
print(list(g()))
