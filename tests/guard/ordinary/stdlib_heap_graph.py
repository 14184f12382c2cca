import bisect
import heapq
import itertools
from graphlib import CycleError, TopologicalSorter


class PriorityQueue:
    """Heap with removal; from the heapq docs."""
    REMOVED = "<removed-task>"

    def __init__(self):
        self.pq, self.entry_finder, self.counter = [], {}, itertools.count()

    def add_task(self, task, priority=0):
        if task in self.entry_finder:
            self.remove_task(task)
        entry = [priority, next(self.counter), task]
        self.entry_finder[task] = entry
        heapq.heappush(self.pq, entry)

    def remove_task(self, task):
        entry = self.entry_finder.pop(task)
        entry[-1] = self.REMOVED

    def pop_task(self):
        while self.pq:
            priority, count, task = heapq.heappop(self.pq)
            if task is not self.REMOVED:
                del self.entry_finder[task]
                return task
        raise KeyError("pop from an empty priority queue")


def grade(score, breakpoints=[60, 70, 80, 90], grades="FDCBA"):
    i = bisect.bisect(breakpoints, score)
    return grades[i]


pq = PriorityQueue()
for t, p in [("write", 3), ("spec", 1), ("test", 2), ("write", 0)]:
    pq.add_task(t, p)
print(pq.pop_task(), pq.pop_task(), [grade(s) for s in (33, 99, 77)])
ts = TopologicalSorter({"d": {"b", "c"}, "b": {"a"}, "c": {"a"}})
ts.prepare()
while ts.is_active():
    ready = ts.get_ready()
    print(sorted(ready)); ts.done(*ready)
try:
    list(TopologicalSorter({"a": ["b"], "b": ["a"]}).static_order())
except CycleError as e:
    print(e.args[1])
print(heapq.nlargest(2, [1, 5, 3]), list(heapq.merge([1, 4], [2, 3], key=None)), heapq.heappushpop([1, 2], 0))
xs = [1, 3]; bisect.insort(xs, 2); bisect.insort_right(xs, 2, key=lambda v: v); print(xs)
