def g(bad):
    try:
        yield "try"
        if bad:
            raise ValueError("bad")
    except ValueError as e:
        yield f"except {e}"
    else:
        yield "else"
    finally:
        yield "finally"
print(list(g(True)), list(g(False)))
