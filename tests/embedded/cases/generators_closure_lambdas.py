def g():
    for i in range(3):
        yield lambda: i
fs = list(g())
print([f() for f in fs])
