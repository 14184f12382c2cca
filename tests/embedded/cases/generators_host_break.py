def rows():
    try:
        for i in range(5):
            yield ext(i)
    finally:
        print("done", ext(9))
for i, r in enumerate(rows()):
    print(i, r)
    if i == 2:
        break
