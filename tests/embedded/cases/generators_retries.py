def attempts(n):
    for i in range(n):
        try:
            yield i
        except ValueError as e:
            print("failed", i, e)
        else:
            return
g = attempts(3)
print(next(g))
print(g.throw(ValueError("a")))
print(next(g, "end"))
