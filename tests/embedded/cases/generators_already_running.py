def g():
    try:
        next(h)
    except ValueError as e:
        yield str(e)
h = g()
print(next(h))
