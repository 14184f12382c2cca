def queens(n, row=0, cols=()):
    if row == n:
        yield cols
        return
    for c in range(n):
        if all(c != cc and abs(c - cc) != row - r for r, cc in enumerate(cols)):
            yield from queens(n, row + 1, cols + (c,))
print(len(list(queens(6))), next(queens(5)))
