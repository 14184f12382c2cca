class Up:
    def __init__(self, n):
        self.n = n
        self.i = 0
    def __iter__(self):
        return self
    def __next__(self):
        self.i += 1
        if self.i > self.n:
            raise StopIteration
        return self.i
def g():
    yield from Up(3)
    for x in Up(2):
        yield -x
print(list(g()))
