import copy
import math
import random
from collections import Counter, defaultdict, deque

r = random.Random(11)
for _ in range(60):
    xs = [r.uniform(-1, 1) * 10 ** r.randrange(-30, 30) for _ in range(r.randrange(8))]
    ys = [r.uniform(-5, 5) for _ in range(len(xs))]
    print(math.fsum(xs).hex(), math.hypot(*xs).hex(), math.hypot(*ys), math.dist(xs, ys).hex(), math.prod(ys), sum(xs) if not xs else sum(xs).hex(), sum(ys), sum(ys, 1), sum(int(y) for y in ys))
    a, b, c = r.uniform(-9, 9), r.uniform(-9, 9), r.uniform(-9, 9)
    print(math.fma(a, b, c), math.fma(a, b, -a * b), math.hypot(3, r.randrange(10)), math.sqrt(abs(a)), math.atan2(a, b), math.pow(abs(a), b), math.log(abs(a), 10), math.log2(abs(b)))
print(math.fsum([0.1] * 10), math.fsum([1e308, 1e308, -1e308]) if False else 0, math.fsum([]), math.fsum([float("inf")]), math.prod([]), math.prod([2, 3], start=4), math.prod([True, 2.5]), math.hypot(), math.hypot(-3), math.hypot(float("inf"), float("nan")))
print(math.log(10**400), math.log2(2**2000), math.log10(10**500), math.log(8, 2), math.sqrt(10**300), math.isqrt(10**60))
print(math.floor(2.7), math.ceil(-2.1), math.trunc(-2.5), math.floor(10**30), math.factorial(30), math.comb(60, 30), math.perm(10, 3), math.gcd(12, 18, 27), math.lcm(4, 6), math.exp(1), math.pi, math.e, math.tau, math.inf, math.nan)
print(math.copysign(1, -0.0), math.modf(-3.25), math.frexp(10.0), math.degrees(math.pi), math.radians(180), math.isclose(0.1 + 0.2, 0.3), math.isfinite(10**30), math.fmod(7, -3), math.remainder(7, 4))
print(math.exp2(0.5), math.gamma(5), math.erf(0.5), math.floor(True), math.sqrt(True), math.ulp(3.0), math.nextafter(1, 2))
for f in [lambda: math.sqrt(-1), lambda: math.log(0), lambda: math.log(-5), lambda: math.sqrt("a"), lambda: math.fsum(["a"]), lambda: math.dist([1], [1, 2]), lambda: math.isqrt(-1), lambda: math.isqrt(2.0), lambda: math.factorial(-1), lambda: math.log(10, 1), lambda: math.exp(1000), lambda: math.floor(float("nan")), lambda: math.fsum([float("inf"), -float("inf")]), lambda: math.sqrt(10**400), lambda: math.pow(0, -1)]:
    try:
        print(f())
    except (ValueError, TypeError, ZeroDivisionError, OverflowError) as e:
        print(type(e).__name__, e)
print(sum([0.1] * 10), sum([0.1, 0.2, 0.3]), sum([1e16, 1.0, -1e16]), sum([1, 2.5, 10**30]), sum([True, True]), sum(x > 2 for x in [1, 3, 5]), sum([[1], [2]], []), sum([float("inf"), float("-inf")]), sum([0.5, 2**70]), sum([-0.0]), sum([], -0.0), sum([1e308, 1e308]), sum((1, 2), 0.5), sum([2**63, 0.5, 1]))
for f in [lambda: sum(["a"]), lambda: sum(["a"], ""), lambda: sum([b""], b""), lambda: sum(5), lambda: sum([1, None])]:
    try:
        print(f())
    except TypeError as e:
        print(e)
a = {"x": [1, {"y": (2, [3])}], "s": {1, 2}, "n": None}
b = copy.copy(a)
c = copy.deepcopy(a)
a["x"][1]["y"][1].append(4)
a["new"] = 1
print(b["x"], c["x"], "new" in b, c == {"x": [1, {"y": (2, [3])}], "s": {1, 2}, "n": None})
loop = [1]
loop.append(loop)
d = copy.deepcopy(loop)
print(d[0], d[1] is d, d is not loop)
shared = [0]
pair = copy.deepcopy([shared, shared])
print(pair[0] is pair[1], pair[0] is not shared, copy.deepcopy((1, 2)), copy.copy((1, [2])))
t = (1, [2])
print(copy.deepcopy(t) == t, copy.deepcopy(t) is t, copy.deepcopy((1, "a")), copy.deepcopy(deque([1, [2]], maxlen=3)), copy.deepcopy(Counter("aab")), dict(copy.deepcopy(defaultdict(list, {"a": [1]}))), copy.deepcopy(frozenset([1])), copy.copy([1, 2]), copy.copy({1}), copy.deepcopy(None))
dd = copy.deepcopy(defaultdict(list, {"a": [1]}))
dd["b"].append(5)
print(sorted(dd.items()))


for _ in range(200):
    n = r.randrange(1, 2 ** r.randrange(1, 200)) * r.choice([1, -1])
    d = r.randrange(1, 2 ** r.randrange(1, 200))
    print((n / d).hex(), (n / 7).hex(), float(n).hex(), n.bit_length(), (n / 3.0) if abs(n) < 2**50 else 0, n * 1.5 if abs(n) < 2**60 else 0)
    x = r.uniform(-1, 1) * 10 ** r.randrange(-300, 300)
    print(x.hex(), x.as_integer_ratio()[1], x.is_integer(), int(x) if abs(x) < 1e30 else 0)
for f in [lambda: 10**400 / 3, lambda: 1 / 10**400, lambda: 10**400 / 10**399, lambda: float(10**400), lambda: 5 / 0, lambda: float("1_000.5"), lambda: float("1__0"), lambda: 2**1023 * 2 / 1, lambda: 5e-324.hex(), lambda: (2**53 + 1) / 1, lambda: 1 / 2**1074, lambda: 3 / 2**1075]:
    try:
        print(f())
    except (ValueError, ZeroDivisionError, OverflowError) as e:
        print(type(e).__name__, e)
