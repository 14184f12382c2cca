def interleave(*its):
    its = [iter(i) for i in its]
    while its:
        for it in list(its):
            v = next(it, None)
            if v is None:
                its.remove(it)
            else:
                yield v
def g(a, b):
    while a < b:
        yield a
        a += 1
print(list(interleave(g(1, 4), g(10, 12), "ab")))
