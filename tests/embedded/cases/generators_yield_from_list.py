def g():
    yield from [1, 2]
    yield from (3, 4)
    yield from "ab"
    yield from {"k": 1}
    yield from range(2)
    r = yield from []
    yield r
print(list(g()))
