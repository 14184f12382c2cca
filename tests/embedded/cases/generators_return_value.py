def inner():
    yield 1
    return "result"
def outer():
    r = yield from inner()
    print("r", r)
    return r * 2
def top():
    print((yield from outer()))
print(list(top()))
