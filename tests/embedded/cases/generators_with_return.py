class M:
    def __enter__(self):
        return self
    def __exit__(self, *a):
        print("exit", a)
def g():
    for i in range(3):
        with M():
            if i == 1:
                continue
            yield i
            if i == 2:
                return "r"
def o():
    print((yield from g()))
print(list(o()))
