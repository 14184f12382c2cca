def g():
    try:
        try:
            yield 1
            int("x")
        except ValueError as e:
            yield "handling"
            raise TypeError("again") from e
    except TypeError as e:
        yield str(e)
print(list(g()))
