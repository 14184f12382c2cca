def raw(n):
    for i in range(n):
        yield ext(i)
def even(it):
    for v in it:
        if v % 20 == 0:
            yield v
def outer():
    yield from even(raw(6))
    for a, b in zip(raw(2), even(raw(9))):
        yield a, b
print(list(outer()))
print({v: [w for w in raw(v // 10)] for v in raw(3)})
print(",".join(str(v) for v in raw(3)), sorted(raw(3), reverse=True), any(v > 10 for v in raw(3)))
