def g():
    try:
        try:
            yield 1
        finally:
            print("inner")
    finally:
        print("outer")
h = g()
next(h)
h.close()
