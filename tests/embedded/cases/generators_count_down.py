def down(n):
    while n > 0:
        yield n
        n -= 1
    else:
        yield "lift off"
for x in down(3):
    print(x)
