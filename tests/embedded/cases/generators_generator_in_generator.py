def outer(n):
    def inner(k):
        for i in range(k):
            yield i * n
    for k in range(n):
        yield list(inner(k))
print(list(outer(4)))
