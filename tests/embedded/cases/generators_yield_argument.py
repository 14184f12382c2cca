def g():
    return max((yield "a"), 3, key=lambda v: -v)
def o():
    print((yield from g()))
h = o()
next(h)
try:
    h.send(1)
except StopIteration:
    print("stop")
