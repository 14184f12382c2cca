from itertools import chain, combinations, cycle, groupby, islice, permutations, product, repeat, zip_longest, accumulate, count, takewhile, pairwise, starmap, tee, compress
def round_robin(teams):
    teams = list(teams) + [None] * (len(teams) % 2); n = len(teams)
    for r in range(n - 1):
        yield [(teams[i], teams[-1 - i]) for i in range(n // 2) if None not in (teams[i], teams[-1 - i])]
        teams.insert(1, teams.pop())
for rnd, games in enumerate(round_robin("ABCD"), 1): print(rnd, *map("".join, games))
shifts = dict(zip(["mon", "tue", "wed", "thu"], cycle(["am", "pm"])))
runs = [(k, sum(1 for _ in g)) for k, g in groupby("aaabbc")]
a, b = tee([1, 2, 3])
print(shifts, runs, list(zip_longest(a, islice(b, 2), fillvalue=0)), len(list(product("ab", repeat=3))), [*chain.from_iterable(permutations(range(2)))], list(accumulate([3, 1, 4], max)), list(takewhile(lambda s: s < 10, (2 ** n for n in count()))), list(starmap(max, [(1, 2), (4, 3)])), [y - x for x, y in pairwise([1, 4, 9])])
