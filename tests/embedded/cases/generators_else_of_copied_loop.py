def g():
    for i in range(3):
        for j in range(2):
            if i == 5:
                break
        else:
            if i == 1:
                continue
            if i == 2:
                break
        yield i
    yield "end"
print(list(g()))
