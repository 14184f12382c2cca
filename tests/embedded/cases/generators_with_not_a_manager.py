def g():
    with 3 as x:
        yield x
try:
    list(g())
except TypeError as e:
    print(type(e).__name__)
