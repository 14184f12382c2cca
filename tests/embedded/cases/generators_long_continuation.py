def g(a,
      b=(1,
         2)):
    x = a + \
        b[0]
    yield (x +
           b[1])
    if (a and
            b):
        yield [
            a,
            b,
        ]
print(list(g(1)))
