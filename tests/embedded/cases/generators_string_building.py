def wrap(words, width):
    line = ""
    for w in words:
        if line and len(line) + 1 + len(w) > width:
            yield line
            line = w
        else:
            line = f"{line} {w}" if line else w
    if line:
        yield line
for l in wrap("the quick brown fox jumps over the lazy dog".split(), 12):
    print(l)
