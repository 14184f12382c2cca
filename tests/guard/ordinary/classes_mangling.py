class Counter:
    __total = 0
    def __init__(self): self.__n = 0; Counter.__total += 1
    def inc(self): self.__n += 1; return self
    @property
    def n(self): return self.__n
    @classmethod
    def total(cls): return cls.__total
    def __secret(self): return 42
    def reveal(self): return self.__secret()
    def __eq__(self, other): return isinstance(other, Counter) and self.__n == other.__n
c = Counter().inc(); print(c.n, Counter.total(), c.reveal(), c == Counter(), [k for k in ("__x", "_y") if k.startswith("__")])
