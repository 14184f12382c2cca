def windows(xs, n):
    w = []
    for x in xs:
        w.append(x)
        if len(w) > n:
            w.pop(0)
        if len(w) == n:
            yield tuple(w)
print(list(windows([1, 2, 3, 4, 5], 3)))
