def g():
    e = "before"
    try:
        yield 1
        raise ValueError("v")
    except ValueError as e:
        yield str(e)
    try:
        yield e
    except NameError as err:
        yield type(err).__name__ in ("NameError", "UnboundLocalError")
print(list(g()))
