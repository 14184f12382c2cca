def primes():
    found = []
    n = 2
    while True:
        if all(n % p for p in found):
            found.append(n)
            yield n
        n += 1
out = []
for p in primes():
    if p > 30:
        break
    out.append(p)
print(out)
