def inner():
    try:
        yield 1
    except ValueError as e:
        yield f"inner {e}"
def outer():
    yield from inner()
    yield "outer"
g = outer()
print(next(g), g.throw(ValueError("v")), next(g))
