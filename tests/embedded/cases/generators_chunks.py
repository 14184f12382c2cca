def chunks(seq, size):
    for i in range(0, len(seq), size):
        yield seq[i : i + size]
print([sum(c) for c in chunks(list(range(10)), 4)])
