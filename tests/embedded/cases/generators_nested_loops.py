def grid(w, h):
    for y in range(h):
        for x in range(w):
            if x == y:
                continue
            yield x, y
print(list(grid(3, 3)))
