def inner():
    yield 1
def outer():
    try:
        yield from inner()
    except KeyError as e:
        yield f"outer {e}"
g = outer()
print(next(g), g.throw(KeyError("k")))
