import random
from collections import Counter, defaultdict, deque


def show(f):
    try:
        print(f())
    except (ValueError, TypeError, IndexError, KeyError, OverflowError, LookupError) as e:
        print(type(e).__name__, e)


def exec_del(container, key):
    del container[key]
    return container


print("abc".translate({97: "z", 98: None, 99: 100}), "abc".translate(str.maketrans("ab", "xy")), "a-b.c".translate(str.maketrans("", "", "-.")), str.maketrans("ab", "cd", "e"), str.maketrans({"a": 1, 98: "x"}), "".translate({}), "aé😀".translate({ord("é"): "e", ord("😀"): ":)"}), "abc".translate(["x"] * 98), "hello".translate(str.maketrans("lo", "01")))
show(lambda: str.maketrans("ab", "c"))
show(lambda: str.maketrans({"ab": 1}))
show(lambda: str.maketrans({1.5: 1}))
show(lambda: str.maketrans("a"))
show(lambda: str.maketrans(5, "a"))
show(lambda: str.maketrans("a", 5))
show(lambda: "a".translate({97: 1.5}))
show(lambda: "a".translate({97: 1114112}))
print("{a} {b:>5}".format_map({"a": 1, "b": 2}), [s.isprintable() for s in ["", "abc", "a b", "a\n", "é", "\u200b", "\xa0", "\u3000", "\x7f", "😀", "\ue000"]])
show(lambda: "{x}".format_map({"a": 1}))
print([n.bit_length() for n in [0, 1, -1, 255, 256, -256, 2**47, 2**48, 2**64 - 1, 2**64, 10**30, -(2**200)]], [n.bit_count() for n in [0, 5, -7, 2**70 - 1]], True.bit_length(), (5).conjugate(), (2.5).conjugate(), (5).is_integer(), (2.0).is_integer(), (2.5).is_integer(), float("inf").is_integer(), (5).as_integer_ratio(), (0.75).as_integer_ratio(), (-1e300).as_integer_ratio()[1], (5e-324).as_integer_ratio() == (1, 2**1074), (0.0).as_integer_ratio(), (0.1).as_integer_ratio())
show(lambda: float("nan").as_integer_ratio())
show(lambda: float("inf").as_integer_ratio())
for x in [0.0, -0.0, 1.0, 0.1, -2.5, 1e300, 5e-324, 2.2250738585072014e-308, 1e-310, float("inf"), float("nan"), 123456.789]:
    print(x.hex())
for n in [0, 1, 255, 256, 65535, -1, -128, 2**63, -(2**63), 10**20]:
    for size in [0, 1, 2, 8, 10]:
        for signed in [False, True]:
            show(lambda: (n.to_bytes(size, "big", signed=signed), n.to_bytes(size, "little", signed=signed), int.from_bytes(n.to_bytes(size, "big", signed=signed), "big", signed=signed)))
print((5).to_bytes(), int.from_bytes(b"\x01\x02", "little"), int.from_bytes([1, 2], "big"), int.from_bytes(b"", "big"), int.from_bytes(b"\xff", signed=True))
show(lambda: (5).to_bytes(1, "middle"))
show(lambda: (5).to_bytes(-1, "big"))
print(bytes([1, 2, 255]), bytes((65,)), bytes(range(5)), bytes(3), bytes(b"x"), bytes("é", "utf-8"), bytes(), bytes(x for x in [1, 2]), bytes({5: 1}))
show(lambda: bytes([256]))
show(lambda: bytes(["a"]))
show(lambda: bytes([-1]))
print(sorted({1}.union([2], (3,))), sorted({1, 2, 3}.intersection([1, 2], {2})), sorted({1, 2, 3}.difference([1], [3])), {1}.union(), frozenset([1]).union([2]) == frozenset([1, 2]))
s = {1, 2, 3}
s.update([4], (5,))
s.intersection_update([1, 2, 4, 5], [2, 4, 5])
s.difference_update([4], [9])
s.symmetric_difference_update([5, 7])
print(sorted(s), slice(1, None, 2).indices(5), slice(None, None, -1).indices(4), slice(-3, -1).indices(10), slice(10, -10, -2).indices(6))
d = {"a": 1, "b": 2}
del d["a"]
print(d)
x = [1, 2, 3, 4, 5]
y = x
del x[0]
del x[-1]
print(x, y is x)
show(lambda: exec_del(x, 9))
show(lambda: exec_del(x, "a"))
show(lambda: exec_del({}, "k"))
show(lambda: exec_del((1,), 0))
show(lambda: exec_del("abc", 0))
show(lambda: exec_del(5, 0))
show(lambda: exec_del({1}, 0))
show(lambda: exec_del([1, 2], slice(None, None, 0)))
show(lambda: exec_del([1, 2], slice("a", None)))
show(lambda: exec_del({}, []))


c = Counter("aab")
del c["a"], c["zzz"]
q = deque([1, 2, 3, 4])
del q[1], q[-1]
dd = defaultdict(list, {"a": [1]})
del dd["a"]
print(c, q, dd, exec_del([1], True - 1), exec_del([1, 2], False))
show(lambda: exec_del(q, 5))
show(lambda: exec_del(q, "a"))
r = random.Random(6)


def bound():
    return r.choice([None, r.randrange(-9, 10)])


for _ in range(400):
    n = r.randrange(8)
    a = list(range(n))
    step = r.choice([None, 1, 1, 2, -1, -2, 3])
    i, j = bound(), bound()
    b = a.copy()
    del b[i:j:step]
    print(n, i, j, step, b, end=" ")
    new = [100 + k for k in range(r.randrange(4))]
    b = a.copy()
    try:
        b[i:j:step] = new
        print(b)
    except ValueError as e:
        print(e)
b = [1, 2, 3]
b[1:1] = "xy"
b[:0] = [0]
b[10:] = (9,)
print(b)
b[:] = []
print(b)
z = [1, 2, 3]
try:
    z[0:1] = 5
except TypeError as e:
    print(e)
try:
    z[::2] = 5
except TypeError as e:
    print(e)
print(ascii("é\n😀\x80'"), ascii(["é", {"ü": 1}]), format(3.14159, ".3g"), format(255, "#x"), format("a", ">3"), format(5), format([1]))
show(lambda: format(5, 5))
show(lambda: format([1], "d") if False else "skip")
o = object()
p = object()
print(o == o, o == p, o is not p, type(o).__name__, {o: 1}[o])
print(True + True, True - False, 5 - True, 2.5 + True, True * 3.5, sum([x > 1 for x in [1, 2, 3]]), (3 > 2) - (2 > 3), True / 2, 7 // True, True % 2, -True, True**2, "a" * True)
for f in [lambda: 5 // 0, lambda: 5 % 0, lambda: 5.0 // 0, lambda: 5 % 0.0, lambda: 5 / 0.0, lambda: divmod(5, 0), lambda: divmod(5.0, 0), lambda: 0**-1, lambda: 0.0**-2, lambda: 1 / 0]:
    try:
        print(f())
    except ZeroDivisionError as e:
        print(e)
for _ in range(300):
    a = r.choice([r.randrange(-100, 100), r.uniform(-10, 10), r.randrange(-(2**80), 2**80), 0.5])
    b = r.choice([r.randrange(1, 100), r.uniform(0.5, 10), r.randrange(1, 2**70), -3, -2.5])
    print(repr(a // b), repr(a % b), repr(divmod(a, b)), (a / b).hex(), repr(a * b) if isinstance(a, int) and isinstance(b, int) else (a * b).hex())
for e in range(-320, 309):
    print((10**e).hex() if e < 0 else len(str(10**e)), (2**e).hex() if e < 0 else "", end=" ")
