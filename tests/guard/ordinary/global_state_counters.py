from collections import Counter
STATS: Counter[str] = Counter()
_total = 0
cache: dict[str, int] = {}
def track(name: str, n: int = 1) -> None:
    global _total
    _total += n
    STATS[name] += n
    cache.setdefault(name, _total)
def reset():
    global _total, cache
    _total, cache = 0, {}
    STATS.clear()
for w in "to be or not to be".split(): track(w)
print(_total, STATS.most_common(1), cache); reset(); print(_total, cache, STATS)
def lazy():
    global loaded
    loaded = True
lazy(); print(loaded)
