def lock(code):
    state = "locked"
    tries = 0
    while True:
        got = yield state
        if got == code:
            state = "open"
        else:
            tries += 1
            if tries >= 2:
                return "alarm"
l = lock(42)
print(next(l), l.send(1), l.send(42))
try:
    l.send(0)
except StopIteration as e:
    print(e.value)
