def make(start):
    def gen(n):
        nonlocal start
        for _ in range(n):
            yield start
            start += 1
    return gen
g = make(5)
print(list(g(2)), list(g(3)))
