def inner():
    x = yield "first"
    while x is not None:
        x = yield f"inner {x}"
    return "done"
def outer():
    r = yield from inner()
    yield r
g = outer()
print(next(g), g.send(1), g.send(2), g.send(None))
