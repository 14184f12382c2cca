total = 0
def g(xs):
    global total
    for x in xs:
        total += x
        yield total
print(list(g([1, 2, 3])), total)
