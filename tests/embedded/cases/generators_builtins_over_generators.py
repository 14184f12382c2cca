def g(n):
    for i in range(n):
        yield (i * 7) % 5
print(sorted(g(5)), min(g(5)), max(g(5)), sum(g(5)), tuple(g(3)), set(g(5)) == {0, 1, 2, 3, 4}, any(g(3)), all(g(3)))
print(list(enumerate(g(3), 1)), list(zip(g(2), "ab")), list(map(str, g(3))), list(filter(None, g(4))), dict(zip("abc", g(3))))
print(max(g(5), key=lambda v: -v), min(g(0), default="none"), sorted(g(5), key=lambda v: -v), sum(g(3), 100), frozenset(g(2)) == frozenset([0, 2]))
