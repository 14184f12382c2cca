def g(xs):
    big = [y for x in xs if (y := x * 2) > 2]
    yield big, y
print(list(g([1, 2, 3])))
