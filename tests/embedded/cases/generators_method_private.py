class Tree:
    def __init__(self, v, kids=()):
        self.__v = v
        self.__kids = list(kids)
    def __walk(self, d):
        yield d, self.__v
        for k in self.__kids:
            yield from k.__walk(d + 1)
    def lines(self):
        for d, v in self.__walk(0):
            yield "  " * d + v
for l in Tree("a", [Tree("b", [Tree("c")]), Tree("d")]).lines():
    print(l)
