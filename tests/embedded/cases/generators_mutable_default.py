def g(x, seen=[]):
    seen.append(x)
    yield list(seen)
print(list(g(1)), list(g(2)))
