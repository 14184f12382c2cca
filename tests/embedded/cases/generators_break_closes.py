def g():
    try:
        for i in range(5):
            yield i
    finally:
        print("closed")
for x in g():
    print(x)
    if x == 1:
        break
print("after")
