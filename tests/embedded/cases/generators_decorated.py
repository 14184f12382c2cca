def twice(f):
    def w(*a):
        for _ in range(2):
            yield from f(*a)
    return w
@twice
def g(n):
    for i in range(n):
        yield i
print(list(g(2)))
