def g(n):
    for i in range(n):
        print("make", i)
        yield ext(i)
a, b = g(2)
c, *d = g(3)
[e, f] = g(2)
print(a, b, c, d, e, f)
try:
    a, b = g(9)
except ValueError as err:
    print(err)
try:
    a, b = g(1)
except ValueError as err:
    print(err)
xs = [5]
xs.extend(g(2))
s = {1}
s.update(g(2))
m = {"a": 1}
m.update((k, v) for k, v in zip("bc", g(2)))
m.update({"z": 0})
print(xs, sorted(s), m)
def pair():
    return 1, 2
p, q = pair()
(p, q), r = pair(), 3
print(p, q, r)
def bad():
    yield 1
    raise ValueError("bad")
xs = []
try:
    xs.extend(bad())
except ValueError:
    print(xs)
