from typing import Iterator
def g(n: int, k: str = "a") -> Iterator[str]:
    x: str = k
    y: int
    for i in range(n):
        x: str = x + k
        yield x
print(list(g(3)))
