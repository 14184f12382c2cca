def g():
    while True:
        try:
            x = yield
            print("x", x)
        except (ValueError, TypeError) as e:
            print(type(e).__name__, e)
h = g()
next(h)
h.throw(ValueError)
h.throw(TypeError, "why")
h.send(3)
