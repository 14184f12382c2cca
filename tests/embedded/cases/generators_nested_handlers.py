def g():
    try:
        try:
            yield 1
            raise KeyError("k")
        except ValueError:
            yield "wrong"
        finally:
            yield "inner"
    except LookupError as e:
        yield f"outer {e}"
print(list(g()))
