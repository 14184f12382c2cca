def tokens(s):
    i = 0
    while i < len(s):
        c = s[i]
        if c.isspace():
            i += 1
            continue
        if c.isdigit():
            j = i
            while j < len(s) and s[j].isdigit():
                j += 1
            yield "num", int(s[i:j])
            i = j
        elif c in "+-*/()":
            yield "op", c
            i += 1
        else:
            raise SyntaxError(f"bad {c}")
print(list(tokens("12 + (3*45)")))
