gens = {"a": iter([1]), "b": None}
def g(k):
    yield k
    yield k * 2
gens["b"] = g("x")
print(next(gens["b"]), next(gens["b"]), next(gens["b"], "end"))
