def outer(k):
    def scaled(xs):
        for x in xs:
            yield x * k
    k += 1
    return list(scaled([1, 2]))
print(outer(2))
