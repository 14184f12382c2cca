def g():
    while True:
        try:
            yield 1
        except GeneratorExit:
            print("no")
            yield 2
            break
h = g()
next(h)
try:
    h.close()
except RuntimeError as e:
    print(e)
h.close()
