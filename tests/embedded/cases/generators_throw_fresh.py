def g():
    print("never")
    yield 1
h = g()
try:
    h.throw(ValueError("early"))
except ValueError as e:
    print(e)
print(list(h))
