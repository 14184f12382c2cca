# math: complete; the native functions also take ints of any size.
def _mce_module_math():
    import math

    def real(value):
        if type(value) is float:
            return value
        if _mce_is_integer_like(value):
            return _mce_int_to_float(value)
        raise TypeError("must be real number, not " + type(value).__name__)

    def of_real(function):
        def call(x, /):
            x = real(x)
            try:
                return function(x)
            except ValueError:
                raise ValueError("math domain error")

        return call

    def of_reals(function):
        def call(x, y, /):
            x = real(x)
            y = real(y)
            try:
                return function(x, y)
            except ValueError:
                raise ValueError("math domain error")

        return call

    def frexp(x, /):
        x = real(x)
        return _mce_frexp(x) if math.isfinite(x) else (x, 0)

    def big_log(x, function):
        # The logarithm of an int beyond the floats: log(mantissa) + exponent * log(2).
        shift = _mce_bit_length(x)
        mantissa = _mce_ratio_to_float(x, 1 << shift)
        return function(mantissa) + function(2.0) * shift

    def log_of(function):
        def logarithm(x):
            if type(x) is int and x > 0 and _mce_bit_length(x) > 1023:
                try:
                    return function(_mce_int_to_float(x))
                except OverflowError:
                    return big_log(x, function)
            try:
                return function(real(x) if type(x) is not int or x > 0 else float(max(x, -1)))
            except ValueError:
                raise ValueError("math domain error")

        return logarithm

    natural = log_of(math.log)
    log2 = log_of(math.log2)
    log10 = log_of(math.log10)

    def log(x, *base):
        if len(base) > 1:
            raise TypeError(f"log expected at most 2 arguments, got {len(base) + 1}")
        if not base:
            return natural(x)
        top = natural(x)
        bottom = natural(base[0])
        if bottom == 0.0:
            raise ZeroDivisionError("float division by zero")
        return top / bottom

    def exact(values):
        numerator = 0
        denominator = 1
        for n, d in values:
            if d > denominator:
                numerator = numerator * (d // denominator)
                denominator = d
            numerator += n * (denominator // d)
        return numerator, denominator

    def fsum(seq, /):
        values = [real(value) for value in seq]
        special = [value for value in values if not math.isfinite(value)]
        if special:
            total = 0.0
            for value in special:
                total += value
            if math.isnan(total) and not any([math.isnan(value) for value in special]):
                raise ValueError("-inf + inf in fsum")
            return total
        numerator, denominator = exact([_mce_float_ratio(value) for value in values])
        try:
            return _mce_ratio_to_float(numerator, denominator)
        except OverflowError:
            raise OverflowError("intermediate overflow in fsum")

    def prod(iterable, /, *, start=1):
        result = start
        for item in iterable:
            result = _mce_multiply(result, item)
        return result

    def low_part(x, y, product):
        # The rounding error of `product`, the float nearest to x * y.
        n1, d1 = _mce_float_ratio(x)
        n2, d2 = _mce_float_ratio(y)
        n3, d3 = _mce_float_ratio(product)
        numerator, denominator = exact([(n1 * n2, d1 * d2), (-n3, d3)])
        return _mce_ratio_to_float(numerator, denominator)

    def norm(values):
        # CPython's vector norm: squares and sums with their rounding errors, then one correction.
        values = [abs(value) for value in values]
        if any([math.isinf(value) for value in values]):
            return math.inf
        if any([math.isnan(value) for value in values]):
            return math.nan
        largest = max(values, default=0.0)
        if largest == 0.0 or len(values) <= 1:
            return largest
        exponent = _mce_frexp(largest)[1]
        if exponent < -1023:
            tiny = 2.2250738585072014e-308
            return tiny * norm([value / tiny for value in values])
        scale = _mce_scaled(1.0, -exponent)
        total = 1.0
        low = 0.0
        lost = 0.0
        for value in values:
            x = value * scale
            square = x * x
            low += low_part(x, x, square)
            fresh = total + square
            lost += (total - fresh) + square
            total = fresh
        h = math.sqrt(total - 1.0 + (low + lost))
        square = -h * h
        low += low_part(-h, h, square)
        fresh = total + square
        lost += (total - fresh) + square
        total = fresh
        x = total - 1.0 + (low + lost)
        h += x / (2.0 * h)
        return h / scale

    def hypot(*coordinates):
        return norm([real(value) for value in coordinates])

    def dist(p, q, /):
        if not isinstance(p, tuple):
            p = tuple(p)
        if not isinstance(q, tuple):
            q = tuple(q)
        if len(p) != len(q):
            raise ValueError("both points must have the same number of dimensions")
        return norm([real(a) - real(b) for a, b in zip(p, q)])

    def floor(x, /):
        return int(x) if _mce_is_integer_like(x) else math.floor(x)

    def ceil(x, /):
        return int(x) if _mce_is_integer_like(x) else math.ceil(x)

    def trunc(x, /):
        return int(x) if _mce_is_integer_like(x) else math.trunc(x)

    def isqrt(n, /):
        if not _mce_is_integer_like(n):
            raise TypeError(f"'{type(n).__name__}' object cannot be interpreted as an integer")
        n = int(n)
        if n < 4503599627370496:
            return math.isqrt(n)
        x = 1 << ((_mce_bit_length(n) + 1) // 2)
        while True:
            y = (x + n // x) >> 1
            if y >= x:
                return x
            x = y

    def index(n):
        if not _mce_is_integer_like(n):
            raise TypeError(f"'{type(n).__name__}' object cannot be interpreted as an integer")
        return int(n)

    def factorial(n, /):
        n = index(n)
        if n < 0:
            raise ValueError("factorial() not defined for negative values")
        return product(2, n)

    def product(low, high):
        # low * ... * high, halved so that the factors stay of like size.
        if high - low < 8:
            result = 1
            for factor in range(low, high + 1):
                result *= factor
            return result
        middle = (low + high) // 2
        return product(low, middle) * product(middle + 1, high)

    def perm(n, k=None, /):
        n = index(n)
        k = n if k is None else index(k)
        if n < 0:
            raise ValueError("n must be a non-negative integer")
        if k < 0:
            raise ValueError("k must be a non-negative integer")
        return 0 if k > n else product(n - k + 1, n)

    def comb(n, k, /):
        n = index(n)
        k = index(k)
        if n < 0:
            raise ValueError("n must be a non-negative integer")
        if k < 0:
            raise ValueError("k must be a non-negative integer")
        if k > n:
            return 0
        k = min(k, n - k)
        return product(n - k + 1, n) // product(2, k)

    def gcd(*integers):
        result = 0
        for value in integers:
            a = abs(index(value))
            while a:
                rest = result % a
                result = a
                a = rest
        return result

    def lcm(*integers):
        result = 1
        for value in integers:
            value = abs(index(value))
            if value == 0:
                result = 0
            elif result:
                result = result // gcd(result, value) * value
        return result

    def fma(x, y, z, /):
        x = real(x)
        y = real(y)
        z = real(z)
        if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)) or x == 0 or y == 0:
            result = x * y + z
            if math.isnan(result) and not (math.isnan(x) or math.isnan(y) or math.isnan(z)):
                raise ValueError("invalid operation in fma")
            return result
        n1, d1 = _mce_float_ratio(x)
        n2, d2 = _mce_float_ratio(y)
        numerator, denominator = exact([(n1 * n2, d1 * d2), _mce_float_ratio(z)])
        if numerator == 0:
            return x * y + z
        try:
            return _mce_ratio_to_float(numerator, denominator)
        except OverflowError:
            raise OverflowError("overflow in fma")

    names = {
        "ceil": ceil,
        "comb": comb,
        "dist": dist,
        "e": math.e,
        "factorial": factorial,
        "floor": floor,
        "fma": fma,
        "frexp": frexp,
        "fsum": fsum,
        "gcd": gcd,
        "hypot": hypot,
        "inf": math.inf,
        "isclose": math.isclose,
        "isqrt": isqrt,
        "lcm": lcm,
        "ldexp": math.ldexp,
        "log": log,
        "log10": lambda x, /: log10(x),
        "log2": lambda x, /: log2(x),
        "modf": of_real(math.modf),
        "nan": math.nan,
        "nextafter": math.nextafter,
        "perm": perm,
        "pi": math.pi,
        "prod": prod,
        "tau": math.tau,
        "trunc": trunc,
    }
    for name, function in [
        ("acos", math.acos),
        ("acosh", math.acosh),
        ("asin", math.asin),
        ("asinh", math.asinh),
        ("atan", math.atan),
        ("atanh", math.atanh),
        ("cbrt", math.cbrt),
        ("cos", math.cos),
        ("cosh", math.cosh),
        ("degrees", math.degrees),
        ("erf", math.erf),
        ("erfc", math.erfc),
        ("exp", math.exp),
        ("exp2", math.exp2),
        ("expm1", math.expm1),
        ("fabs", math.fabs),
        ("gamma", math.gamma),
        ("isfinite", math.isfinite),
        ("isinf", math.isinf),
        ("isnan", math.isnan),
        ("lgamma", math.lgamma),
        ("log1p", math.log1p),
        ("radians", math.radians),
        ("sin", math.sin),
        ("sinh", math.sinh),
        ("sqrt", math.sqrt),
        ("tan", math.tan),
        ("tanh", math.tanh),
        ("ulp", math.ulp),
    ]:
        names[name] = of_real(function)
    for name, function in [
        ("atan2", math.atan2),
        ("copysign", math.copysign),
        ("fmod", math.fmod),
        ("pow", math.pow),
        ("remainder", math.remainder),
    ]:
        names[name] = of_reals(function)
    return names
