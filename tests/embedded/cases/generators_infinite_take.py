def naturals():
    n = 0
    while True:
        yield n
        n += 1
def take(it, n):
    if n <= 0:
        return
    for x in it:
        yield x
        n -= 1
        if n == 0:
            return
print(list(take(naturals(), 5)))
g = naturals()
print(list(take(g, 3)), list(take(g, 2)), next(g))
