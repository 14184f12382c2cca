class Bag:
    def __init__(self, xs):
        self.xs = xs
    def __iter__(self):
        for x in self.xs:
            yield x
    def pairs(self, sep="-"):
        for i, x in enumerate(self):
            yield f"{i}{sep}{x}"
b = Bag("abc")
print(list(b), list(b.pairs()), list(b.pairs(sep="+")), [x for x in b], "b" in b)
