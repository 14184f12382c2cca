class M:
    def __enter__(self):
        return "m"
    def __exit__(self, kind, value, tb):
        print("exit", kind is not None)
def g():
    with M() as m:
        yield m
        yield 2
h = g()
print(next(h))
h.close()
for x in g():
    break
print("end")
