from fractions import Fraction
from typing import Iterable


def solve(a: list[list[int]], b: Iterable[int]) -> list[Fraction]:
    """Gaussian elimination with exact arithmetic."""
    m = [[Fraction(x) for x in row] + [Fraction(v)] for row, v in zip(a, b)]
    n = len(m)
    for i in range(n):
        pivot = next((r for r in range(i, n) if m[r][i]), None)
        if pivot is None:
            raise ZeroDivisionError("singular")
        m[i], m[pivot] = m[pivot], m[i]
        m[i] = [x / m[i][i] for x in m[i]]
        for r in range(n):
            if r != i and (f := m[r][i]):
                m[r] = [x - f * y for x, y in zip(m[r], m[i])]
    return [row[-1] for row in m]


print(*solve([[2, 1], [1, 3]], [3, 5]))
try: solve([[1, 1], [1, 1]], [1, 2])
except ZeroDivisionError as e: print("error:", e)
