def nest(n):
    if n:
        yield n
        yield from nest(n - 1)
print(sum(nest(300)), len(list(nest(200))))
