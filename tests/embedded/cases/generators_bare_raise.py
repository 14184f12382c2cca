def g():
    try:
        try:
            yield 1
            raise ValueError("v")
        except ValueError:
            yield "handling"
            raise
    except Exception as e:
        yield repr(e)
print(list(g()))
