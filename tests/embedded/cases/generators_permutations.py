def perms(xs):
    if not xs:
        yield []
    for i in range(len(xs)):
        for p in perms(xs[:i] + xs[i + 1:]):
            yield [xs[i]] + p
print(list(perms([1, 2, 3])))
