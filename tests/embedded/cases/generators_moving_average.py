def mavg(xs, n):
    from collections import deque
    w = deque(maxlen=n)
    for x in xs:
        w.append(x)
        if len(w) == n:
            yield sum(w) / n
print([round(x, 2) for x in mavg([1, 2, 3, 4, 10], 3)])
