class M:
    def __init__(self, n):
        self.n = n
    def __enter__(self):
        print("enter", self.n)
        return self.n
    def __exit__(self, kind, value, tb):
        print("exit", self.n, kind is None, value)
        return self.n == "swallow"
def g():
    with M("a") as a, M("swallow"):
        yield a
        raise ValueError("v")
    yield "after"
print(list(g()))
