def g():
    print("started")
    yield 1
h = g()
print("made")
print(next(h))
