def pages():
    n = 0
    while True:
        v = ext(n)
        if v > 30:
            return
        yield v
        n += 1
for p in pages():
    print(p)
print(list(pages()), sum(pages()), [p + 1 for p in pages()], max(pages()))
