import re


def show(f, *args, **kw):
    try:
        print(f(*args, **kw))
    except (re.error, IndexError, TypeError, ValueError) as e:
        print("error" if isinstance(e, re.error) else type(e).__name__, e)


texts = ["", "a", "ab", "aab", "abxd", "a,b;c,,d", "foo bar  baz", "a\nb\n", "x1y22z333", "AaBb", "key=value; k2 = v2", "café crème", "2024-05-06 and 2023-01-02", "CamelCaseString", "$5 and $10"]
for p in ["a", "x*", "\\d*", "\\d+", "b*", "[,;]", "([,;])", "(,)|(;)", "\\s*", "\\s+", ".*", ".+", "$", "^", "(?m)^", "(?m)$", "\\b", "\\w+", "(\\w)(\\w)?", "(a)|b", "(\\d{4})-(\\d\\d)", "(?<=a)", "(?=b)", "(?<!a)\\w", "(?<=[a-z])(?=[A-Z])", "(a*)", "(?:a|b)*", "(?i)b*", "\\W*", "(a)*", "(?:)", "\\b\\w*"]:
    for t in texts:
        print(repr(p), repr(t), end=" ")
        print(re.findall(p, t), re.split(p, t), re.split(p, t, maxsplit=1), re.sub(p, "-", t), re.subn(p, "<\\g<0>>", t), re.sub(p, "#", t, count=2))
show(re.sub, "(a)(b)?", r"[\1\2]", "abaa")
show(re.sub, "(?P<n>\\d+)", r"<\g<n>\g<1>>", "a1b22")
show(re.sub, "a", r"\n\t\\\101\0", "a")
show(re.sub, "a", "\\", "a")
show(re.sub, "a", r"\q", "a")
show(re.sub, "a", r"\1", "a")
show(re.sub, "a", r"\g<x>", "a")
show(re.sub, "a", r"\g<1>", "a")
show(re.sub, "a", r"\g", "a")
show(re.sub, "a", r"\g<", "a")
show(re.sub, "a", r"\g<>", "a")
show(re.sub, "a", r"\g<a b>", "a")
show(re.sub, "(a)", r"\1\g<0>1\.\-", "a")
show(re.sub, "a", 5, "a")
show(re.sub, "a", "b", 5)
show(re.sub, 5, "b", "a")
show(re.findall, "a", None)
show(re.sub, "a", lambda m: m.group().upper(), "banana")
show(re.sub, r"(\w+)@(\w+)", lambda m: f"{m.group(2)} at {m.group(1)}", "x@y and q@z", count=1)
show(re.sub, r"(?P<w>\w)(?P<d>\d)?", lambda m: m["w"] + str(m["d"]), "a1b")
show(re.sub, "a", lambda m: 5, "a")
show(re.sub, "a", lambda m: None, "bab")
show(re.subn, "a", "b", "aaa", count=-1)
show(re.split, ",", "a,b", -1)
show(re.escape, "a.b*c[d]-e_f é\n~#&@!\"%',/:;<=>`")
print(re.compile("A", re.I | re.M | re.S), re.compile("a") == re.compile("a"), re.compile("a") == re.compile("a", re.I), int(re.I | re.X), re.compile(r"\w", re.A).findall("aé1"))
p = re.compile(r"(?P<key>\w+)\s*=\s*(?P<value>\w+)", re.VERBOSE)
print([m.groupdict() for m in p.finditer("a=1, b = 2")], p.pattern, p.groups, dict(p.groupindex))
m = p.search("  a=1 ")
print(m.start(), m.end(), m.span(), m.group(1, 2), m["key"], m[0], m.groups(), m.string, bool(m), repr(m), m.span("value"), m.start("key"), m.end("value"), m.expand(r"\2-\1"), m.groups("x"))
print(re.search(r"(a)(b)?", "xa").groups("def"), re.match(r"(?P<a>x)|(?P<b>y)", "y").groupdict("none"), re.match("(a)?b", "b").start(1), re.match("(a)?b", "b").span(1), re.fullmatch("a|ab", "ab").group(), re.match("é", "é"), re.search("b", "éb").span())
if (found := re.search(r"\d+", "abc 123")) is not None:
    print(found.group(), int(found[0]) + 1)
print(re.compile("x").sub("y", "xx", 1), re.compile(re.compile("x")).subn("y", "xx"), re.search(re.compile("x"), "x") is not None)
show(re.compile, re.compile("x"), re.I)
print(re.findall(r"[A-Z]{2,}(?:-\d+)?", "AB-12 C DEF"), re.findall(r"https?://[^\s/]+(/\S*)?", "http://a.b/c https://d.e"), re.findall(r"(?<!\d)(\d{3})-(\d{4})(?!\d)", "555-1234 9555-12345"))
print(re.sub(r"(?<=\d)(?=(?:\d{3})+$)", ",", "1234567"), re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", "someCamelCase").lower(), re.split(r"\s*[,;]\s*", "a , b;c"), re.sub(r"^\s+|\s+$", "", "  x  "), re.sub(r"[^\w\s]", "", "Hello, World!"))
