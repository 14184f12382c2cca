import itertools
from itertools import accumulate, batched, chain, combinations, combinations_with_replacement, compress, count, cycle, dropwhile, filterfalse, groupby, islice, pairwise, permutations, product, repeat, starmap, takewhile, tee, zip_longest

for n in range(5):
    pool = "abcd"[:n]
    for r in range(5):
        print(n, r, list(combinations(pool, r)), list(combinations_with_replacement(pool, r)), list(permutations(pool, r)))
    print(list(permutations(pool)), list(product(pool, repeat=2)))
print(list(product()), list(product("ab", [1, 2], repeat=1)), list(product("ab", [])), list(product([1, 2], repeat=0)), list(product("ab", [1], repeat=2)))
print([(k, list(g)) for k, g in groupby("aaabbcaa")], [(k, list(g)) for k, g in groupby([1, 3, 2, 4, 5], key=lambda x: x % 2)])
rows = [{"c": "x", "n": 1}, {"c": "x", "n": 2}, {"c": "y", "n": 3}]
for key, group in groupby(rows, key=lambda d: d["c"]):
    print(key, sum(d["n"] for d in group))
it = groupby("aabbc")
k1, g1 = next(it)
print(k1, next(g1))
k2, g2 = next(it)
print(k2, list(g1), list(g2))
print([k for k, _ in it], list(it))
groups = list(groupby("aab"))
print([k for k, g in groups], [list(g) for k, g in groups])
print([k for k, _ in groupby([])], list(groupby([]))) 
print(list(chain("ab", [1], ())), list(chain()), list(chain.from_iterable(["ab", [1, 2]])), list(itertools.chain.from_iterable([])))
c = chain([1, 2], [3])
print(next(c), list(c), list(c), next(c, "end"))
print(list(islice(count(5, 2), 4)), list(islice(cycle("ab"), 5)), list(repeat(1, 3)), list(islice("abcdef", 1, 5, 2)), list(islice("abc", None)))
print(list(accumulate([1, 2, 3])), list(accumulate([1, 2, 3], lambda a, b: a * b)), list(accumulate([1, 2], initial=10)), list(accumulate([])))
print(list(zip_longest("abc", "x", fillvalue="-")), list(pairwise("abcd")), list(batched("abcdefg", 3)), list(takewhile(lambda x: x < 3, [1, 2, 3, 1])), list(dropwhile(lambda x: x < 3, [1, 2, 3, 1])))
print(list(filterfalse(None, [0, 1, 2, ""])), list(starmap(pow, [(2, 3), (3, 2)])), list(compress("abcd", [1, 0, 1])))
a, b = tee([1, 2, 3])
print(next(a), list(b), list(a), list(b))
a, b, c = tee(iter("xyz"), 3)
print(next(a), next(b))
d, e = tee(a)
print(list(d), list(c), list(e), list(b), list(a), tee([], 0))
for f in [lambda: combinations("a", -1), lambda: permutations("a", -1), lambda: permutations("a", 1.5), lambda: product("a", repeat=-1), lambda: tee("a", -1), lambda: combinations(5, 1), lambda: list(chain(5)), lambda: list(chain.from_iterable(5)), lambda: groupby(5), lambda: combinations("ab", "x"), lambda: list(batched("a", 0))]:
    try:
        print(f())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
print(len(list(permutations(range(6), 3))), sum(1 for _ in combinations(range(12), 5)), [x for x in combinations_with_replacement(range(3), 2)])
