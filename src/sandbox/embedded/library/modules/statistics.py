# statistics: left out are NormalDist, kde and kde_random, and data of Decimal or Fraction.
def _mce_module_statistics():
    import collections
    import math

    bisect = _mce_module("bisect", _mce_module_bisect)

    def ratio(value):
        # The exact ratio of a number, or the number and None where it is not finite.
        kind = type(value)
        if kind is int or kind is bool:
            return int(value), 1
        if kind is float:
            if math.isfinite(value):
                return _mce_float_ratio(value)
            return value, None
        raise TypeError(f"can't convert type '{kind.__name__}' to numerator/denominator")

    def reduced(numerator, denominator):
        shared = greatest_divisor(numerator, denominator)
        return numerator // shared, denominator // shared

    def greatest_divisor(a, b):
        a = abs(a)
        while b:
            rest = a % b
            a = b
            b = rest
        return a

    def exact_sum(data):
        # Whether a float is among `data`, the exact sum as a ratio (or a special float and None), and the count.
        floats = False
        partials = {}
        special = None
        count = 0
        for value in data:
            n, d = ratio(value)
            count += 1
            if type(value) is float:
                floats = True
            if d is None:
                special = n if special is None else special + n
            else:
                partials[d] = partials.get(d, 0) + n
        if special is not None:
            return floats, special, None, count
        # Denominators of floats are powers of two.
        numerator = 0
        denominator = 1
        for d in partials:
            if d >= denominator:
                numerator = numerator * (d // denominator) + partials[d]
                denominator = d
            else:
                numerator += partials[d] * (denominator // d)
        return floats, numerator, denominator, count

    def converted(numerator, denominator, floats):
        # The ratio as the type of the data: an int stays one only where it is whole.
        if denominator is None:
            return numerator
        if floats:
            return _mce_ratio_to_float(numerator, denominator)
        if numerator % denominator == 0:
            return numerator // denominator
        return _mce_ratio_to_float(numerator, denominator)

    def fsum(values):
        # `math.fsum`: the exact sum, rounded once.
        numbers = []
        for value in values:
            if type(value) is not float and not _mce_is_integer_like(value):
                raise TypeError("must be real number, not " + type(value).__name__)
            numbers.append(_mce_float(value))
        specials = [x for x in numbers if not math.isfinite(x)]
        if specials:
            total = sum(specials)
            if math.isnan(total) and not any([math.isnan(x) for x in specials]):
                raise ValueError("-inf + inf in fsum")
            return total
        _, numerator, denominator, _ = exact_sum(numbers)
        try:
            return _mce_ratio_to_float(numerator, denominator)
        except OverflowError:
            raise OverflowError("intermediate overflow in fsum")

    def mean(data):
        floats, numerator, denominator, count = exact_sum(data)
        if count < 1:
            raise ValueError("mean requires at least one data point")
        if denominator is None:
            return numerator / count
        return converted(numerator, denominator * count, floats)

    def fmean(data, weights=None):
        if weights is None:
            values = list(data)
            total = fsum(values)
            if not values:
                raise ValueError("fmean requires at least one data point")
            return total / len(values)
        values = list(data)
        weights = list(weights)
        if len(values) != len(weights):
            raise ValueError("data and weights must be the same length")
        numerator = 0
        denominator = 1
        whole = True
        for value, weight in zip(values, weights):
            for number in (value, weight):
                if type(number) is float:
                    whole = False
                    if not math.isfinite(number):
                        raise NotImplementedError("statistics.fmean() of inf or nan with weights is unsupported")
            n1, d1 = ratio(value)
            n2, d2 = ratio(weight)
            numerator = numerator * (d1 * d2) + n1 * n2 * denominator
            denominator = denominator * (d1 * d2)
            numerator, denominator = reduced(numerator, denominator)
        scale = fsum(weights)
        if not scale:
            raise ValueError("sum of weights must be non-zero")
        if whole:
            return _mce_ratio_to_float(numerator, 1) / scale
        return _mce_ratio_to_float(numerator, denominator) / scale

    def geometric_mean(data):
        logarithms = []
        zero = False
        count = 0
        for value in data:
            count += 1
            if value > 0.0 or math.isnan(value):
                logarithms.append(math.log(_mce_float(value)))
            elif value == 0.0:
                zero = True
            else:
                raise ValueError(f"('No negative inputs allowed', {value!r})")
        total = fsum(logarithms)
        if not count:
            raise ValueError("Must have a non-empty dataset")
        if math.isnan(total):
            return math.nan
        if zero:
            return math.nan if total == math.inf else 0.0
        return math.exp(total / count)

    def harmonic_mean(data, weights=None):
        data = list(data)
        n = len(data)
        if n < 1:
            raise ValueError("harmonic_mean requires at least one data point")
        if n == 1 and weights is None:
            value = data[0]
            if type(value) is not float and not _mce_is_integer_like(value):
                raise TypeError("unsupported type")
            if value < 0:
                raise ValueError("harmonic mean does not support negative values")
            return value
        if weights is None:
            weights = [1] * n
        else:
            weights = list(weights)
            if len(weights) != n:
                raise ValueError("Number of weights does not match data size")
            for weight in weights:
                if weight < 0:
                    raise ValueError("harmonic mean does not support negative values")
        weight_floats, weight_n, weight_d, _ = exact_sum(weights)
        parts = []
        for weight, value in zip(weights, data):
            if value < 0:
                raise ValueError("harmonic mean does not support negative values")
            if weight:
                if value == 0:
                    return 0
                parts.append(_mce_true_divide(weight, value))
            else:
                parts.append(0)
        floats, numerator, denominator, _ = exact_sum(parts)
        if denominator is None or weight_d is None:
            raise NotImplementedError("statistics.harmonic_mean() of inf or nan is unsupported")
        if numerator <= 0:
            raise ValueError("Weighted sum must be positive")
        return converted(weight_n * denominator, weight_d * numerator, floats)

    def ordered(data):
        values = sorted(data)
        if not values:
            raise ValueError("no median for empty data")
        return values

    def median(data):
        values = ordered(data)
        n = len(values)
        if n % 2 == 1:
            return values[n // 2]
        return _mce_true_divide(values[n // 2 - 1] + values[n // 2], 2)

    def median_low(data):
        values = ordered(data)
        return values[(len(values) - 1) // 2]

    def median_high(data):
        values = ordered(data)
        return values[len(values) // 2]

    def median_grouped(data, interval=1.0):
        values = ordered(data)
        n = len(values)
        x = values[n // 2]
        i = bisect["bisect_left"](values, x)
        j = bisect["bisect_right"](values, x, lo=i)
        try:
            interval = _mce_float(interval)
            x = _mce_float(x)
        except ValueError:
            raise TypeError("Value cannot be converted to a float")
        return x - interval / 2.0 + interval * (n / 2 - i) / (j - i)

    def counted(data):
        # [first equal value, count] of each different value, in order.
        entries = {}
        for value in data:
            if value in entries:
                entries[value][1] += 1
            else:
                entries[value] = [value, 1]
        return list(entries.values())

    def mode(data):
        best = None
        for entry in counted(data):
            if best is None or entry[1] > best[1]:
                best = entry
        if best is None:
            raise ValueError("no mode for empty data")
        return best[0]

    def multimode(data):
        entries = counted(data)
        most = max([count for _, count in entries], default=0)
        return [value for value, count in entries if count == most]

    def quantiles(data, *, n=4, method="exclusive"):
        if n < 1:
            raise ValueError("n must be at least 1")
        values = sorted(data)
        size = len(values)
        if size < 2:
            if size == 1:
                return values * (n - 1)
            raise ValueError("must have at least one data point")
        result = []
        if method == "inclusive":
            for i in range(1, n):
                j, delta = divmod(i * (size - 1), n)
                result.append(_mce_true_divide(values[j] * (n - delta) + values[j + 1] * delta, n))
            return result
        if method == "exclusive":
            for i in range(1, n):
                j = min(max(i * (size + 1) // n, 1), size - 1)
                delta = i * (size + 1) - j * n
                result.append(_mce_true_divide(values[j - 1] * (n - delta) + values[j] * delta, n))
            return result
        raise ValueError(f"Unknown method: {method!r}")

    def square_deviations(data, center):
        # The exact sum of squared deviations as a ratio, with the exact mean.
        values = list(data)
        if center is not None:
            parts = []
            for value in values:
                deviation = value - center
                parts.append(deviation * deviation)
            floats, numerator, denominator, count = exact_sum(parts)
            return floats, numerator, denominator, count, center
        floats, sum_n, sum_d, count = exact_sum(values)
        if sum_d is None:
            return floats, sum_n, None, count, sum_n
        if count == 0:
            return False, 0, 1, 0, 0
        partials = {}
        for value in values:
            n, d = ratio(value)
            partials[d * d] = partials.get(d * d, 0) + n * n
        square_n = 0
        square_d = 1
        for d in partials:
            if d >= square_d:
                square_n = square_n * (d // square_d) + partials[d]
                square_d = d
            else:
                square_n += partials[d] * (square_d // d)
        numerator = count * square_n * sum_d * sum_d - sum_n * sum_n * square_d
        denominator = square_d * sum_d * sum_d * count
        return floats, numerator, denominator, count, converted(sum_n, sum_d * count, floats)

    def variance_parts(data, center, sample, name):
        floats, numerator, denominator, count, middle = square_deviations(data, center)
        least = 2 if sample else 1
        if count < least:
            points = "two data points" if sample else "one data point"
            raise ValueError(f"{name} requires at least {points}")
        return floats, numerator, denominator, count - 1 if sample else count, middle

    def divided(numerator, denominator, by, floats):
        if denominator is None:
            return numerator / by
        return converted(numerator, denominator * by, floats)

    def variance(data, xbar=None):
        floats, n, d, by, _ = variance_parts(data, xbar, True, "variance")
        return divided(n, d, by, floats)

    def pvariance(data, mu=None):
        floats, n, d, by, _ = variance_parts(data, mu, False, "pvariance")
        return divided(n, d, by, floats)

    def rounded_root(n, m):
        # The square root of n / m, correctly rounded.
        q = (_mce_bit_length(n) - _mce_bit_length(m) - 109) // 2
        if q >= 0:
            return _mce_ratio_to_float(root_to_odd(n, m << 2 * q) << q, 1)
        return _mce_ratio_to_float(root_to_odd(n << -2 * q, m), 1 << -q)

    def root_to_odd(n, m):
        a = integer_root(n // m)
        return a | (1 if a * a * m != n else 0)

    def integer_root(n):
        if n < 4503599627370496:
            return math.isqrt(n)
        x = 1 << ((_mce_bit_length(n) + 1) // 2)
        while True:
            y = (x + n // x) >> 1
            if y >= x:
                return x
            x = y

    def root(n, d, by):
        if d is None:
            raise AttributeError("'float' object has no attribute 'numerator'")
        n, d = reduced(n, d * by)
        if n == 0:
            return 0.0
        return rounded_root(n, d)

    def stdev(data, xbar=None):
        _, n, d, by, _ = variance_parts(data, xbar, True, "stdev")
        return root(n, d, by)

    def pstdev(data, mu=None):
        _, n, d, by, _ = variance_parts(data, mu, False, "pstdev")
        return root(n, d, by)

    def pair(x, y, name):
        x = list(x)
        y = list(y)
        if len(x) != len(y):
            raise ValueError(f"{name} requires that both inputs have same number of data points")
        if len(x) < 2:
            raise ValueError(f"{name} requires at least two data points")
        return x, y

    def exact_dot(x, y):
        # `math.sumprod`: exact for finite floats, then rounded once.
        numerator = 0
        denominator = 1
        whole = True
        for a, b in zip(x, y):
            if type(a) is float or type(b) is float:
                whole = False
            n1, d1 = ratio(a)
            n2, d2 = ratio(b)
            if d1 is None or d2 is None:
                raise NotImplementedError("statistics of inf or nan is unsupported here")
            d = d1 * d2
            if d >= denominator:
                numerator = numerator * (d // denominator) + n1 * n2
                denominator = d
            else:
                numerator += n1 * n2 * (denominator // d)
        if whole:
            return numerator
        return _mce_ratio_to_float(numerator, denominator)

    def covariance(x, y, /):
        x, y = pair(x, y, "covariance")
        n = len(x)
        xbar = fsum(x) / n
        ybar = fsum(y) / n
        total = exact_dot([a - xbar for a in x], [b - ybar for b in y])
        return total / (n - 1)

    def ranks(data):
        order = sorted([(data[i], i) for i in range(len(data))])
        result = [0] * len(data)
        i = 0
        while i < len(order):
            j = i
            while j < len(order) and order[j][0] == order[i][0]:
                j += 1
            for k in range(i, j):
                result[order[k][1]] = (i + j + 1) / 2 - (len(data) + 1) / 2
            i = j
        return result

    def correlation(x, y, /, *, method="linear"):
        x, y = pair(x, y, "correlation")
        n = len(x)
        if method not in ("linear", "ranked"):
            raise ValueError(f"Unknown method: {method!r}")
        if method == "ranked":
            x = ranks(x)
            y = ranks(y)
        else:
            xbar = fsum(x) / n
            ybar = fsum(y) / n
            x = [a - xbar for a in x]
            y = [b - ybar for b in y]
        sxy = exact_dot(x, y)
        sxx = exact_dot(x, x)
        syy = exact_dot(y, y)
        scale = root_of_product(sxx, syy)
        if scale == 0:
            raise ValueError("at least one of the inputs is constant")
        return sxy / scale

    def root_of_product(x, y):
        # The square root of x * y with a correction for the rounded product.
        h = math.sqrt(x * y)
        if not math.isfinite(h):
            if math.isinf(h) and not math.isinf(x) and not math.isinf(y):
                scale = 2.0**-512
                return root_of_product(scale * x, scale * y) / scale
            return h
        if not h:
            if x and y:
                scale = 2.0**537
                return root_of_product(scale * x, scale * y) / scale
            return h
        return h + exact_dot((x, h), (y, -h)) / (2.0 * h)

    LinearRegression = collections.namedtuple("LinearRegression", ["slope", "intercept"])

    def linear_regression(x, y, /, *, proportional=False):
        x = list(x)
        y = list(y)
        n = len(x)
        if len(y) != n:
            raise ValueError("linear regression requires that both inputs have same number of data points")
        if n < 2:
            raise ValueError("linear regression requires at least two data points")
        xbar = 0
        ybar = 0
        if not proportional:
            xbar = fsum(x) / n
            ybar = fsum(y) / n
            x = [a - xbar for a in x]
            y = [b - ybar for b in y]
        sxy = exact_dot(x, y) + 0.0
        sxx = exact_dot(x, x)
        if sxx == 0:
            raise ValueError("x is constant")
        slope = sxy / sxx
        return LinearRegression(slope, 0.0 if proportional else ybar - slope * xbar)

    return {
        "LinearRegression": LinearRegression,
        "StatisticsError": ValueError,
        "correlation": correlation,
        "covariance": covariance,
        "fmean": fmean,
        "geometric_mean": geometric_mean,
        "harmonic_mean": harmonic_mean,
        "linear_regression": linear_regression,
        "mean": mean,
        "median": median,
        "median_grouped": median_grouped,
        "median_high": median_high,
        "median_low": median_low,
        "mode": mode,
        "multimode": multimode,
        "pstdev": pstdev,
        "pvariance": pvariance,
        "quantiles": quantiles,
        "stdev": stdev,
        "variance": variance,
    }
