def first[T](xs: list[T]):
    for x in xs:
        yield x
print(list(first([1, 2])))
