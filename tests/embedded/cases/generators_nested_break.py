def firsts(rows):
    for row in rows:
        for v in row:
            if v > 2:
                yield v
                break
        else:
            yield None
print(list(firsts([[1, 2, 3, 4], [1], [5, 6], []])))
