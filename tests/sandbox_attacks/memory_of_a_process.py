# weakness: memory
# goal: take more memory than the limit
# reached: 419430400
# refused: ran out of memory
blocks = [b"x" * (1 << 20) for _ in range(400)]
result = sum(map(len, blocks))
