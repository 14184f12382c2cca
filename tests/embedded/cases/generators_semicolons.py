def g():
    a = 1; yield a; b = a + 1; yield b
    if b: yield 3; yield 4
    for i in range(2): yield i
    while True: yield "w"; break
print(list(g()))
