def merge(a, b):
    a, b = iter(a), iter(b)
    x, y = next(a, None), next(b, None)
    while x is not None or y is not None:
        if y is None or (x is not None and x <= y):
            yield x
            x = next(a, None)
        else:
            yield y
            y = next(b, None)
print(list(merge([1, 4, 6], [2, 3, 7, 8])))
