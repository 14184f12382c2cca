def find(xs, t):
    for x in xs:
        yield f"look {x}"
        if x == t:
            yield "found"
            break
    else:
        yield "missing"
print(list(find([1, 2, 3], 2)))
print(list(find([1, 2, 3], 9)))
