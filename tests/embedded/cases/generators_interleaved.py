def letters(s):
    for c in s:
        yield c
a = letters("abc")
b = letters("xyz")
print(next(a), next(b), next(a), next(b), list(a), list(b))
