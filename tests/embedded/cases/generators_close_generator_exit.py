def g():
    try:
        yield 1
    except GeneratorExit:
        print("closing")
        raise
h = g()
next(h)
h.close()
print("closed")
