def g():
    class P:
        kind = "p"
        def __init__(self, v):
            self.v = v
        def twice(self):
            for _ in range(2):
                yield self.v
    for v in [1, 2]:
        yield list(P(v).twice()), P.kind
print(list(g()))
