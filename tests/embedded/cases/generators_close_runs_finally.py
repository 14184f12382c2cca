def g():
    try:
        yield 1
        yield 2
    finally:
        print("cleanup")
h = g()
print(next(h))
h.close()
print(list(h))
