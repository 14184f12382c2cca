def g():
    try:
        for i in range(3):
            for j in range(3):
                if i * j == 2:
                    return "found"
            yield i
    finally:
        print("finally")
def o():
    print((yield from g()))
print(list(o()))
