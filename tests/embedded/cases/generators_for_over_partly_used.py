def g():
    for i in range(5):
        yield i
h = g()
print(next(h))
for x in h:
    if x == 2:
        break
print(list(h))
