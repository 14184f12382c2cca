import random
import statistics
from statistics import mean, median, stdev

r = random.Random(7)


def show(f, *args, **kw):
    try:
        print(f(*args, **kw))
    except (ValueError, TypeError, AttributeError, ZeroDivisionError, OverflowError) as e:
        print(type(e).__name__ if not isinstance(e, ValueError) else "ValueError", e)


def everything(data):
    for f in (statistics.mean, statistics.fmean, statistics.median, statistics.median_low, statistics.median_high, statistics.median_grouped, statistics.mode, statistics.multimode, statistics.stdev, statistics.pstdev, statistics.variance, statistics.pvariance, statistics.harmonic_mean, statistics.geometric_mean, statistics.quantiles):
        show(f, data)
    show(statistics.quantiles, data, n=10)
    show(statistics.quantiles, data, n=3, method="inclusive")


everything([])
everything([1])
everything([1.5])
everything([1, 2, 3, 4])
everything([1, 2])
everything([0, 0.0])
everything([True, False, True])
everything([-1, 5])
everything([1e300, 1e-300, 3])
everything([0.1] * 10)
everything([10**20, 10**20 + 1, 3])
everything([2.5, 3, 7])
everything(["a", "b"])
everything(range(10))
for _ in range(40):
    everything([r.uniform(0, 100) for _ in range(r.randrange(1, 12))])
    everything([r.randrange(1, 1000) for _ in range(r.randrange(1, 12))])
    everything([r.choice([r.random() * 10 ** r.randrange(-20, 20), r.randrange(10**18)]) for _ in range(r.randrange(2, 9))])
show(mean, [float("inf"), 1])
show(mean, [float("inf"), float("-inf")])
show(mean, [float("nan"), 1])
show(stdev, [float("inf"), 1, 2])
show(statistics.variance, [1, 2, 3, 4], 2.5)
show(statistics.variance, [1, 2, 3, 4], 2)
show(statistics.pvariance, [1, 2, 3, 4], mu=2.5)
show(statistics.stdev, [1.5, 2.5, 4], 2.0)
show(statistics.fmean, [1, 2, 3], [1, 1, 2])
show(statistics.fmean, [1.5, 2, 3], weights=[0.3, 0.2, 0.5])
show(statistics.fmean, [1, 2], [1])
show(statistics.fmean, [1, 2], [0, 0])
show(statistics.harmonic_mean, [40, 60], weights=[5, 30])
show(statistics.harmonic_mean, [40, 0])
show(statistics.harmonic_mean, [40, -1])
show(statistics.quantiles, [1, 2, 3], n=0)
show(statistics.quantiles, [1, 2, 3], method="x")
show(median, [3, "a"])
show(mean, [None])
show(mean, 5)
for _ in range(20):
    n = r.randrange(2, 10)
    x = [r.uniform(-5, 5) for _ in range(n)]
    y = [r.randrange(100) for _ in range(n)]
    show(statistics.covariance, x, y)
    show(statistics.correlation, x, y)
    show(statistics.correlation, x, y, method="ranked")
    print(tuple(statistics.linear_regression(x, y)), statistics.linear_regression(y, x))
    print(statistics.linear_regression(x, y, proportional=True).slope)
show(statistics.covariance, [1], [2])
show(statistics.correlation, [1, 1], [2, 3])
show(statistics.correlation, [1, 2, 3], [2, 3])
show(statistics.linear_regression, [1, 1], [2, 3])
try:
    statistics.mean([])
except statistics.StatisticsError as e:
    print("caught", e)
