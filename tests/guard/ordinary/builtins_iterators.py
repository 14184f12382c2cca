class Countdown:
    def __init__(self, n): self.n = n
    def __iter__(self): return self
    def __next__(self):
        if self.n <= 0: raise StopIteration
        self.n -= 1; return self.n + 1
    def __length_hint__(self): return self.n
class Seq:
    def __getitem__(self, i):
        if i > 2: raise IndexError(i)
        return i * i
    def __len__(self): return 3
class Grid:
    def __init__(self): self.d = {}
    def __getitem__(self, k): return self.d.get(k, 0)
    def __setitem__(self, k, v): self.d[k] = v
    def __delitem__(self, k): self.d.pop(k, None)
    def __missing__(self, k): return None
g = Grid(); g[1, 2] = 5; g["a":"b"] = 6; g[..., 0] = 7; del g[1, 2]
print(list(Countdown(3)), list(Seq()), 4 in Seq(), list(reversed(Seq())), g[..., 0], g[1, 2], [*zip(Countdown(2), Seq())], max(Countdown(4)), dict(enumerate(Seq())), iter(Seq()) is not None, list(iter([1, 0, 2].pop, 0)), next(filter(lambda x: x > 1, Seq())), sum(Countdown(4)), "".join(map(str, Countdown(3))))
a, *b = Countdown(3); print(a, b, sorted(Seq(), reverse=True), *map(lambda x, y: x + y, Seq(), Countdown(3)))
