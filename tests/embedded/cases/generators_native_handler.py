def g():
    for x in ["1", "x", "3"]:
        try:
            v = int(x)
            yield v
        except ValueError:
            print("skip", x)
            continue
        print("next")
print(list(g()))
