def f(x):
    print("f", x)
    return x
def g():
    print(f(1), (yield "a"), f(2), (yield "b"), f(3))
    x = [f(4), (yield "c")] + [f(5)]
    print(x)
h = g()
print(next(h), h.send("A"), h.send("B"), h.send("C") if False else "")
print(next(h, "end"))
