import random

for seed in [0, 1, 42, -7, 2**40, 2**1000 + 3, "hello", "", "é", b"bytes", 1.5, -0.25, 3.0, 1e300, True]:
    random.seed(seed)
    print(seed if not isinstance(seed, int) or seed < 2**64 else "big", random.random(), random.random(), random.getrandbits(32))
r = random.Random(12345)
print([r.randint(1, 6) for _ in range(20)])
print([r.randrange(10) for _ in range(10)], [r.randrange(5, 50, 7) for _ in range(10)], [r.randrange(50, 5, -7) for _ in range(5)])
print(r.choice("abcdef"), r.choice([1, 2, 3]), r.choice(range(100)))
x = list(range(30))
r.shuffle(x)
print(x)
print(r.sample(range(1000), 10), r.sample("abcdefgh", 3), r.sample(list(range(100)), 50))
print(r.sample(["a", "b"], counts=[3, 4], k=5))
print(r.choices("abc", k=10), r.choices("abc", [1, 2, 3], k=10), r.choices([1, 2], cum_weights=[0.1, 1.0], k=5))
print(r.uniform(1, 10), r.uniform(-2.5, 2.5), r.triangular(), r.triangular(1, 5, 2), r.triangular(3, 3, 3))
print([r.gauss(0, 1) for _ in range(5)], r.gauss(10, 2.5), [r.normalvariate(5, 2) for _ in range(3)])
print(r.expovariate(0.5), r.lognormvariate(0, 1), r.paretovariate(3), r.weibullvariate(1, 2), r.vonmisesvariate(0, 4), r.vonmisesvariate(1, 0))
print(r.gammavariate(2, 3), r.gammavariate(0.5, 1), r.gammavariate(1, 2), r.betavariate(2, 3))
print([r.getrandbits(k) for k in (0, 1, 8, 31, 32, 33, 64, 100, 1000)])
print(r.randbytes(0), r.randbytes(7), r.randbytes(16))
state = r.getstate()
a = [r.random() for _ in range(1300)]
r.setstate(state)
print(a == [r.random() for _ in range(1300)], a[-1], state[0], len(state[1]), state[1][:3], state[1][-1])
print(r.randint(10**30, 10**31), r.randrange(2**100))
random.seed(3)
y = [5, 6, 7, 8]
random.shuffle(y)
print(y, random.sample(y, 2), random.randint(0, 0))
for f in [lambda: r.choice([]), lambda: r.randint(5, 1), lambda: r.randrange(0), lambda: r.randrange(1, 5, 0), lambda: r.sample([1], 2), lambda: r.sample({1}, 1), lambda: r.choices([1], [0]), lambda: r.choices([1, 2], [1]), lambda: r.randrange(1.5), lambda: r.getrandbits(-1), lambda: r.seed([]), lambda: r.choices([1], 5), lambda: r.randrange(5, 1, 2), lambda: r.choices([1], [1], cum_weights=[1]), lambda: r.gammavariate(-1, 1)]:
    try:
        print(f())
    except (ValueError, IndexError, TypeError) as e:
        print(type(e).__name__, e)
s = random.SystemRandom()
print(0 <= s.random() < 1, 1 <= s.randint(1, 3) <= 3, s.choice("a"), len(s.sample(range(10), 3)), 0 <= random.Random().random() < 1)
