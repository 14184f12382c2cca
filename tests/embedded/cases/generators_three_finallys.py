def g():
    for i in range(3):
        try:
            try:
                try:
                    yield i
                    if i == 1:
                        break
                finally:
                    print("a")
            finally:
                yield "b"
        finally:
            print("c")
    yield "end"
print(list(g()))
