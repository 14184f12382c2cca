def pairs(it):
    it = iter(it)
    while True:
        try:
            yield next(it), next(it)
        except StopIteration:
            return
print(list(pairs(range(6))))
