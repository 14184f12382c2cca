def odd(limit):
    n = 0
    while n < limit:
        n += 1
        if n % 2 == 0:
            continue
        yield n
print(list(odd(9)))
