def sq(n):
    for i in range(n):
        yield i * i
print(sum(x for x in sq(4)), any(x == 4 for x in sq(4)), ",".join(str(x) for x in sq(4)), list(x for x in sq(3) if x))
