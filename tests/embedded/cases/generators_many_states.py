def g(n):
    yield 1
    yield 2
    if n > 1:
        yield 3
        if n > 2:
            yield 4
        elif n > 1:
            yield 5
        else:
            yield 6
        yield 7
    elif n == 1:
        yield 8
    else:
        for i in range(2):
            yield i
            for j in range(2):
                yield i, j
    yield 9
for n in range(4):
    print(list(g(n)))
