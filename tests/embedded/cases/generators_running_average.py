def average():
    total = 0
    count = 0
    value = None
    while True:
        x = yield value
        total += x
        count += 1
        value = total / count
a = average()
next(a)
print([a.send(x) for x in [10, 20, 60]])
