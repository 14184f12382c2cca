def w(n):
    i = 0
    while i < 5:
        if i == n:
            break
        yield i
        i += 1
    else:
        yield "else"
    yield "end"
print(list(w(2)), list(w(9)))
