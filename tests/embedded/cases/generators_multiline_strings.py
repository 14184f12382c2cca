def g():
    x = """a
  b
    c"""
    for l in x.split("\n"):
        yield l
    if x:
        y = f"""{x}
 end"""
        yield y
    z = ("one "
   "two",
 3)
    yield z
print(list(g()))
