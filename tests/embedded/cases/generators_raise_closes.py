def g():
    try:
        yield 1
        yield 2
    finally:
        print("closed")
try:
    for x in g():
        raise ValueError("in loop")
except ValueError as e:
    print("caught", e)
