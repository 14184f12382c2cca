def rows(text):
    header = None
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        cells = line.split(",")
        if header is None:
            header = cells
            continue
        yield dict(zip(header, cells))
print(list(rows("""
#comment
a,b
1,2

3,4
""")))
