def g():
    try:
        yield 1
    finally:
        print("once")
h = g()
next(h)
h.close()
h.close()
print("ok")
