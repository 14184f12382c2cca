def g(xs):
    total = 0
    def add(x):
        nonlocal total
        total += x
        return total
    for x in xs:
        yield add(x)
print(list(g([1, 2, 3])))
