# random: Mersenne Twister and its distributions as CPython computes them; left out: subclassing Random.
def _mce_module_random():
    import itertools
    import math

    bisect_right = _mce_module("bisect", _mce_module_bisect)["bisect_right"]

    missing_step = _mce_object()
    normal_constant = 4 * math.exp(-0.5) / math.sqrt(2.0)

    class Random:
        # A generator; `SystemRandom` is one with `system` set, which asks the host for every draw.
        def __init__(self, x=None):
            self.system = False
            self.gauss_next = None
            self.state = []
            self.index = 624
            self.seed(x)

        def seed(self, a=None, version=2):
            self.gauss_next = None
            if self.system:
                return None
            kind = type(a)
            if version == 1 and (kind is str or kind is bytes):
                raise NotImplementedError("random.seed() with version=1 is unsupported")
            if kind is str or kind is bytes:
                data = a.encode() if kind is str else a
                a = int((data + _mce_host_digest("sha512", data)).hex(), 16)
            elif a is None:
                a = int(_mce_host_random_bytes(2496).hex(), 16)
            elif kind is float:
                a = hash_of_float(a)
            elif kind is int or kind is bool:
                a = abs(int(a))
            else:
                raise TypeError(
                    "The only supported seed types are:\nNone, int, float, str, bytes, and bytearray."
                )
            words = []
            while a:
                words.append(a & 4294967295)
                a >>= 32
            if not words:
                words.append(0)
            self.state = state_from_words(words)
            self.index = 624
            return None

        def word(self):
            # The next 32 bits.
            if self.index >= 624:
                refill(self.state)
                self.index = 0
            y = self.state[self.index]
            self.index += 1
            y ^= y >> 11
            y ^= (y << 7) & 2636928640
            y ^= (y << 15) & 4022730752
            return y ^ (y >> 18)

        def random(self):
            if self.system:
                return (int(_mce_host_random_bytes(7).hex(), 16) >> 3) * (1.0 / 9007199254740992.0)
            a = self.word() >> 5
            b = self.word() >> 6
            return (a * 67108864.0 + b) * (1.0 / 9007199254740992.0)

        def getrandbits(self, k, /):
            if not _mce_is_integer_like(k):
                raise TypeError(f"'{type(k).__name__}' object cannot be interpreted as an integer")
            if k < 0:
                if self.system:
                    raise ValueError("number of bits must be non-negative")
                raise ValueError("number of bits must be non-negative")
            if k == 0:
                return 0
            if self.system:
                count = (k + 7) // 8
                return int(_mce_host_random_bytes(count).hex(), 16) >> (count * 8 - k)
            if k <= 32:
                return self.word() >> (32 - k)
            digits = []
            while k > 0:
                part = self.word()
                if k < 32:
                    part >>= 32 - k
                digits.append(f"{part:08x}")
                k -= 32
            digits.reverse()
            return int("".join(digits), 16)

        def below(self, n):
            k = _mce_bit_length(n)
            r = self.getrandbits(k)
            while r >= n:
                r = self.getrandbits(k)
            return r

        def getstate(self):
            if self.system:
                raise NotImplementedError("System entropy source does not have state.")
            return (3, tuple(self.state + [self.index]), self.gauss_next)

        def setstate(self, state):
            if self.system:
                raise NotImplementedError("System entropy source does not have state.")
            version = state[0]
            if version != 3:
                raise ValueError(f"state with version {version} passed to Random.setstate() of version 3")
            words = list(state[1])
            if len(words) != 625:
                raise ValueError("state vector is the wrong size")
            self.gauss_next = state[2]
            self.index = words.pop()
            self.state = words

        def randbytes(self, n):
            if self.system:
                return _mce_host_random_bytes(n)
            return _mce_int_to_bytes(self.getrandbits(n * 8), n, "little")

        def randrange(self, start, stop=None, step=missing_step):
            first = as_index(start)
            if stop is None:
                if step is not missing_step and step != 1:
                    raise TypeError("Missing a non-None stop argument")
                if first > 0:
                    return self.below(first)
                raise ValueError("empty range for randrange()")
            width = as_index(stop) - first
            stride = 1 if step is missing_step else as_index(step)
            if stride == 1:
                if width > 0:
                    return first + self.below(width)
                raise ValueError(f"empty range in randrange({start}, {stop})")
            if stride > 0:
                n = (width + stride - 1) // stride
            elif stride < 0:
                n = (width + stride + 1) // stride
            else:
                raise ValueError("zero step for randrange()")
            if n <= 0:
                raise ValueError(f"empty range in randrange({start}, {stop}, {step})")
            return first + stride * self.below(n)

        def randint(self, a, b):
            return self.randrange(a, b + 1)

        def choice(self, seq):
            if not len(seq):
                raise IndexError("Cannot choose from an empty sequence")
            return seq[self.below(len(seq))]

        def shuffle(self, x):
            for i in range(len(x) - 1, 0, -1):
                j = self.below(i + 1)
                held = x[i]
                x[i] = x[j]
                x[j] = held

        def sample(self, population, k, *, counts=None):
            if not isinstance(population, (list, tuple, str, bytes, range, _mce_Deque)):
                raise TypeError("Population must be a sequence.  For dicts or sets, use sorted(d).")
            n = len(population)
            if counts is not None:
                cumulative = list(itertools.accumulate(counts))
                if len(cumulative) != n:
                    raise ValueError("The number of counts does not match the population")
                total = cumulative.pop()
                if not isinstance(total, int):
                    raise TypeError("Counts must be integers")
                if total <= 0:
                    raise ValueError("Total of counts must be greater than zero")
                return [population[bisect_right(cumulative, s)] for s in self.sample(range(total), k=k)]
            if not 0 <= k <= n:
                raise ValueError("Sample larger than population or is negative")
            result = [None] * k
            limit = 21
            if k > 5:
                limit += 4 ** math.ceil(math.log(k * 3, 4))
            if n <= limit:
                pool = list(population)
                for i in range(k):
                    j = self.below(n - i)
                    result[i] = pool[j]
                    pool[j] = pool[n - i - 1]
            else:
                selected = set()
                for i in range(k):
                    j = self.below(n)
                    while j in selected:
                        j = self.below(n)
                    selected.add(j)
                    result[i] = population[j]
            return result

        def choices(self, population, weights=None, *, cum_weights=None, k=1):
            n = len(population)
            if cum_weights is None:
                if weights is None:
                    return [population[math.floor(self.random() * n)] for _ in range(k)]
                if isinstance(weights, int):
                    raise TypeError(f"The number of choices must be a keyword argument: k={weights!r}")
                cum_weights = list(itertools.accumulate(weights))
            elif weights is not None:
                raise TypeError("Cannot specify both weights and cumulative weights")
            if len(cum_weights) != n:
                raise ValueError("The number of weights does not match the population")
            total = cum_weights[-1] + 0.0
            if total <= 0.0:
                raise ValueError("Total of weights must be greater than zero")
            if not math.isfinite(total):
                raise ValueError("Total of weights must be finite")
            return [population[bisect_right(cum_weights, self.random() * total, 0, n - 1)] for _ in range(k)]

        def uniform(self, a, b):
            return a + (b - a) * self.random()

        def triangular(self, low=0.0, high=1.0, mode=None):
            u = self.random()
            if mode is not None and high == low:
                return low
            c = 0.5 if mode is None else (mode - low) / (high - low)
            if u > c:
                u = 1.0 - u
                c = 1.0 - c
                held = low
                low = high
                high = held
            return low + (high - low) * math.sqrt(u * c)

        def normalvariate(self, mu=0.0, sigma=1.0):
            while True:
                u1 = self.random()
                u2 = 1.0 - self.random()
                z = normal_constant * (u1 - 0.5) / u2
                if z * z / 4.0 <= -math.log(u2):
                    break
            return mu + z * sigma

        def gauss(self, mu=0.0, sigma=1.0):
            z = self.gauss_next
            self.gauss_next = None
            if z is None:
                angle = self.random() * (2.0 * math.pi)
                radius = math.sqrt(-2.0 * math.log(1.0 - self.random()))
                z = math.cos(angle) * radius
                self.gauss_next = math.sin(angle) * radius
            return mu + z * sigma

        def lognormvariate(self, mu, sigma):
            return math.exp(self.normalvariate(mu, sigma))

        def expovariate(self, lambd=1.0):
            return -math.log(1.0 - self.random()) / lambd

        def vonmisesvariate(self, mu, kappa):
            turn = 2.0 * math.pi
            if kappa <= 1e-6:
                return turn * self.random()
            s = 0.5 / kappa
            r = s + math.sqrt(1.0 + s * s)
            while True:
                z = math.cos(math.pi * self.random())
                d = z / (r + z)
                u2 = self.random()
                if u2 < 1.0 - d * d or u2 <= (1.0 - d) * math.exp(d):
                    break
            q = 1.0 / r
            f = (q + z) / (1.0 + q * z)
            if self.random() > 0.5:
                return (mu + math.acos(f)) % turn
            return (mu - math.acos(f)) % turn

        def gammavariate(self, alpha, beta):
            if alpha <= 0.0 or beta <= 0.0:
                raise ValueError("gammavariate: alpha and beta must be > 0.0")
            if alpha > 1.0:
                ainv = math.sqrt(2.0 * alpha - 1.0)
                bbb = alpha - math.log(4.0)
                ccc = alpha + ainv
                while True:
                    u1 = self.random()
                    if not 1e-7 < u1 < 0.9999999:
                        continue
                    u2 = 1.0 - self.random()
                    v = math.log(u1 / (1.0 - u1)) / ainv
                    x = alpha * math.exp(v)
                    z = u1 * u1 * u2
                    r = bbb + ccc * v - x
                    if r + (1.0 + math.log(4.5)) - 4.5 * z >= 0.0 or r >= math.log(z):
                        return x * beta
            if alpha == 1.0:
                return -math.log(1.0 - self.random()) * beta
            while True:
                u = self.random()
                b = (math.e + alpha) / math.e
                p = b * u
                if p <= 1.0:
                    x = p ** (1.0 / alpha)
                else:
                    x = -math.log((b - p) / alpha)
                u1 = self.random()
                if p > 1.0:
                    if u1 <= x ** (alpha - 1.0):
                        break
                elif u1 <= math.exp(-x):
                    break
            return x * beta

        def betavariate(self, alpha, beta):
            y = self.gammavariate(alpha, 1.0)
            if y:
                return y / (y + self.gammavariate(beta, 1.0))
            return 0.0

        def paretovariate(self, alpha):
            return (1.0 - self.random()) ** (-1.0 / alpha)

        def weibullvariate(self, alpha, beta):
            return alpha * (-math.log(1.0 - self.random())) ** (1.0 / beta)

    def as_index(value):
        if not _mce_is_integer_like(value):
            raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer")
        return int(value)

    def hash_of_float(value):
        # `hash(value)` as an unsigned 64-bit number: the value modulo the prime 2**61 - 1.
        if math.isnan(value):
            raise NotImplementedError("random.seed() of nan is unsupported")
        if math.isinf(value):
            return 314159 if value > 0 else 18446744073709551616 - 314159
        numerator, denominator = _mce_float_ratio(abs(value))
        prime = 2305843009213693951
        result = numerator % prime * pow(denominator % prime, prime - 2, prime) % prime
        if value < 0:
            result = -result
            if result == -1:
                result = -2
        return result % 18446744073709551616

    def state_from_words(words):
        mask = 4294967295
        state = [19650218]
        last = 19650218
        for i in range(1, 624):
            last = (1812433253 * (last ^ (last >> 30)) + i) & mask
            state.append(last)
        i = 1
        j = 0
        count = len(words)
        for _ in range(max(624, count)):
            before = state[i - 1]
            state[i] = ((state[i] ^ ((before ^ (before >> 30)) * 1664525)) + words[j] + j) & mask
            i += 1
            j += 1
            if i >= 624:
                state[0] = state[623]
                i = 1
            if j >= count:
                j = 0
        for _ in range(623):
            before = state[i - 1]
            state[i] = ((state[i] ^ ((before ^ (before >> 30)) * 1566083941)) - i) & mask
            i += 1
            if i >= 624:
                state[0] = state[623]
                i = 1
        state[0] = 2147483648
        return state

    def refill(state):
        for i in range(624):
            y = (state[i] & 2147483648) | (state[(i + 1) % 624] & 2147483647)
            value = state[(i + 397) % 624] ^ (y >> 1)
            if y & 1:
                value ^= 2567483615
            state[i] = value

    def SystemRandom(x=None):
        generator = Random(0)
        generator.system = True
        return generator

    shared = Random()
    return {
        "Random": Random,
        "SystemRandom": SystemRandom,
        "betavariate": shared.betavariate,
        "choice": shared.choice,
        "choices": shared.choices,
        "expovariate": shared.expovariate,
        "gammavariate": shared.gammavariate,
        "gauss": shared.gauss,
        "getrandbits": shared.getrandbits,
        "getstate": shared.getstate,
        "lognormvariate": shared.lognormvariate,
        "normalvariate": shared.normalvariate,
        "paretovariate": shared.paretovariate,
        "randbytes": shared.randbytes,
        "randint": shared.randint,
        "random": shared.random,
        "randrange": shared.randrange,
        "sample": shared.sample,
        "seed": shared.seed,
        "setstate": shared.setstate,
        "shuffle": shared.shuffle,
        "triangular": shared.triangular,
        "uniform": shared.uniform,
        "vonmisesvariate": shared.vonmisesvariate,
        "weibullvariate": shared.weibullvariate,
    }
