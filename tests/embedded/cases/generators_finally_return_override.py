def g():
    for i in range(3):
        try:
            yield i
            if i == 1:
                return "a"
        finally:
            print("f", i)
print(list(g()))
