def g():
    try:
        yield 1
        yield 2
    finally:
        print("closed")
def f():
    for x in g():
        return x
print(f())
