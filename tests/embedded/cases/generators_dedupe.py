def unique(xs):
    seen = set()
    for x in xs:
        if x not in seen:
            seen.add(x)
            yield x
print(list(unique([3, 1, 3, 2, 1])))
