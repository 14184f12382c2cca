def g():
    while (yield "again?"):
        print("loop")
    if (yield "if?"):
        yield "then"
    elif (yield "elif?"):
        yield "elif"
    else:
        yield "else"
h = g()
print(next(h), h.send(1), h.send(0), h.send(0), h.send(1))
