def g():
    try:
        yield 1
    finally:
        yield "cleanup"
    yield "end"
print(list(g()))
