def subsets(xs):
    if not xs:
        yield ()
        return
    for s in subsets(xs[1:]):
        yield s
        yield (xs[0],) + s
print(sorted(subsets([1, 2, 3])))
