def g():  # says

    # first
    yield 1  # one

    if True:
        # inside

        x = 2  # two
        yield x

    # end
print(list(g()))
