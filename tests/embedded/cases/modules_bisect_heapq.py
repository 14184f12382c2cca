import bisect
import heapq
import random
from heapq import heapify, heappop, heappush, merge, nlargest, nsmallest

r = random.Random(1)
for _ in range(50):
    a = sorted(r.randrange(20) for _ in range(r.randrange(15)))
    x = r.randrange(-1, 21)
    b = a.copy()
    bisect.insort(b, x)
    c = a.copy()
    bisect.insort_left(c, x)
    print(bisect.bisect(a, x), bisect.bisect_left(a, x), bisect.bisect_right(a, x, 0, len(a) // 2), b == c)
words = ["a", "bb", "cccc"]
print(bisect.bisect_left(words, 2, key=len), bisect.bisect(words, 3, key=len))
bisect.insort(words, "xxx", key=len)
print(words)
try:
    bisect.bisect(words, "a", -1)
except ValueError as e:
    print(e)
for _ in range(30):
    h = []
    for _ in range(r.randrange(20)):
        heappush(h, r.randrange(50))
        if r.random() < 0.3:
            print(heapq.heappushpop(h, r.randrange(50)), end=" ")
        if r.random() < 0.3:
            print(heapq.heapreplace(h, r.randrange(50)), end=" ")
    print(h, [heappop(h) for _ in range(len(h))])
    h = [r.randrange(30) for _ in range(r.randrange(25))]
    heapify(h)
    print(h, nlargest(3, h), nsmallest(4, h), nlargest(2, h, key=lambda v: -v), nlargest(0, h), nsmallest(-1, h))
print(list(merge([1, 4, 7], [2, 5], [], [3, 3])), list(merge([7, 4], [9, 1], reverse=True)), list(merge(["a", "ccc"], ["bb"], key=len)))
print(list(merge()), list(merge([1])))
for f in [lambda: heappop([]), lambda: heappush(5, 1), lambda: heapify(()), lambda: heapq.heapreplace([], 1), lambda: heappop(()), lambda: heappush([1, "a"], 0) or heappush(["a"], 1)]:
    try:
        print(f())
    except (IndexError, TypeError) as e:
        print(type(e).__name__, e)
tasks = [(3, "c"), (1, "a"), (2, "b")]
heapify(tasks)
while tasks:
    print(heappop(tasks))
print(nlargest(2, [{"n": 1}, {"n": 5}, {"n": 3}], key=lambda d: d["n"]))
