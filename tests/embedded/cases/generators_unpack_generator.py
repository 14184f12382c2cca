def g(n):
    for i in range(n):
        yield i
a, b, c = g(3)
d, *e = g(4)
print(a, b, c, d, e, *g(3), [*g(2), 9], (lambda *p: p)(*g(3)))
try:
    a, b = g(3)
except ValueError as err:
    print(err)
