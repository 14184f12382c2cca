def echo():
    got = None
    while True:
        got = yield got
        print("got", got)
g = echo()
print(next(g))
print(g.send(1))
print(g.send("a"))
print(next(g))
