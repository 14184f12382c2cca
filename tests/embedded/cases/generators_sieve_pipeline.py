def count(n):
    while True:
        yield n
        n += 1
def without(it, p):
    for x in it:
        if x % p:
            yield x
def sieve():
    it = count(2)
    while True:
        p = next(it)
        yield p
        it = without(it, p)
g = sieve()
print([next(g) for _ in range(10)])
