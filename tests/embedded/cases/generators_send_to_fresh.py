def g():
    x = yield 1
    print(x)
h = g()
try:
    h.send(3)
except TypeError as e:
    print(e)
print(h.send(None))
try:
    h.send(4)
except StopIteration:
    print("stop")
