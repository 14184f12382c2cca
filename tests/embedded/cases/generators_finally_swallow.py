def g():
    while True:
        try:
            yield 1
            raise ValueError("lost")
        finally:
            break
    yield 2
print(list(g()))
