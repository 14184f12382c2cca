def g():
    try:
        yield 1
    except ValueError as e:
        yield f"caught {e}"
    yield "after"
h = g()
print(next(h), h.throw(ValueError("boom")), next(h))
