def hanoi(n, a, b, c):
    if n:
        yield from hanoi(n - 1, a, c, b)
        yield a + c
        yield from hanoi(n - 1, b, a, c)
print(" ".join(hanoi(3, "A", "B", "C")))
