def g():
    for i in range(4):
        try:
            if i == 1:
                continue
            if i == 3:
                break
            yield i
        finally:
            print("f", i)
    else:
        print("else")
    yield "end"
print(list(g()))
