def g():
    try:
        yield 1
    finally:
        print("never")
h = g()
h.close()
print(list(h))
