import random


def show(left, right):
    try:
        print(repr(left), "->", repr(left % right))
    except (ValueError, TypeError, OverflowError, KeyError) as e:
        print(repr(left), "!!", type(e).__name__, str(e))


for spec in ["%s", "%r", "%a", "%d", "%i", "%u", "%x", "%X", "%o", "%c", "%e", "%f", "%g", "%F", "%E", "%G", "%5d|", "%-5d|", "%05d", "%+d", "% d", "%+05d", "%-05d|", "%#x", "%#X", "%#o", "%#010x", "%-#10x|", "%.3d", "%8.3d|", "%.3s|", "%10.2s|", "%-10s|", "%010s|", "%.0f", "%#.0f", "%.10g", "%#g", "%08.2f", "%+.1e", "% .3f", "%%", "%5%", "%ld", "%hd", "%Lf", "%b", "%y", "%", "%5", "%.", "%-", "%l", "%.5", "%(a)s", "%(a", "%*d", "%.0c", "%3c|", "%-3c|", "%.f|", "%5.f|"]:
    for value in [0, 5, -5, 12345678901234567890123, -255, 3.7, -0.0, 1e100, float("inf"), float("nan"), -float("inf"), True, None, "a", "héllo\n", "", b"x", [1], (), (1,), (1, 2), {"a": 1}, {}, 97, 1114112, 128512]:
        show(spec, value)
show("%s %s", (1,))
show("%s %s", (1, 2))
show("%s", (1, 2))
show("no", 5)
show("no", ())
show("no", {})
show("no", [])
show("no", "a")
show("%(a)s and %(b)05d %(a)r", {"a": "x", "b": 42})
show("%(a)s %s", {"a": 1})
show("%(a(b))s", {"a(b)": 1})
show("%(missing)s", {"a": 1})
show("%(a)s", 5)
show("%(a)s", (1,))
show("%*d|%-*d|", (5, 42, 5, 42))
show("%*d|", (-5, 42))
show("%.*f", (2, 3.14159))
show("%.*f", (-2, 3.14159))
show("%*.*f|", (10, 2, 3.14159))
show("%*d", ("a", 1))
show("%.*d", ("a", 1))
show("%*d", (5,))
show("100%% of %d", 5)
show("%(a)%", {"a": 1})
show("%c%c", ("a", 98))
show("%c", "ab")
show("%d", "5")
show("%x", 3.5)
show("%f", "x")
show("%d apples at $%.2f = %s", (3, 1.5, 4.5))
show("%-20s|%10s", ("name", "value"))
show("%s", ({"a": (1, 2)},))
print(17 % 5, -17 % 5, 5.5 % 2)
x = "%s-%s"
x %= (1, 2)
print(x)
r = random.Random(5)
flags = "-+ #0"
for _ in range(400):
    spec = "%" + "".join(f for f in flags if r.random() < 0.3)
    if r.random() < 0.5:
        spec += str(r.randrange(0, 25))
    if r.random() < 0.5:
        spec += "." + str(r.randrange(0, 20))
    spec += r.choice("sradiuxXoeEfFgGc")
    show(spec, r.choice([0, 1, -1, 255, -77, 2**70, -(2**65), 0.5, -1.25, 1e-7, 123456.789, 1e22, "é'x", 65]))
