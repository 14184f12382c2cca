# heapq: complete; `merge` takes its first items when made, as a list is read lazily all the same.
def _mce_module_heapq():
    def sift_down(heap, start, position):
        item = heap[position]
        while position > start:
            parent = (position - 1) >> 1
            if item < heap[parent]:
                heap[position] = heap[parent]
                position = parent
                continue
            break
        heap[position] = item

    def sift_up(heap, position):
        end = len(heap)
        start = position
        item = heap[position]
        child = 2 * position + 1
        while child < end:
            right = child + 1
            if right < end and not heap[child] < heap[right]:
                child = right
            heap[position] = heap[child]
            position = child
            child = 2 * position + 1
        heap[position] = item
        sift_down(heap, start, position)

    def heappush(heap, item, /):
        check_named("heappush", heap)
        heap.append(item)
        sift_down(heap, 0, len(heap) - 1)

    def check_named(name, heap):
        if not isinstance(heap, list):
            raise TypeError(f"{name}() argument 1 must be list, not {type(heap).__name__}")

    def heappop(heap, /):
        if not isinstance(heap, list):
            raise TypeError("heappop() argument must be list, not " + type(heap).__name__)
        if not heap:
            raise IndexError("index out of range")
        last = heap.pop()
        if heap:
            first = heap[0]
            heap[0] = last
            sift_up(heap, 0)
            return first
        return last

    def heapreplace(heap, item, /):
        check_named("heapreplace", heap)
        if not heap:
            raise IndexError("index out of range")
        first = heap[0]
        heap[0] = item
        sift_up(heap, 0)
        return first

    def heappushpop(heap, item, /):
        check_named("heappushpop", heap)
        if heap and heap[0] < item:
            first = heap[0]
            heap[0] = item
            sift_up(heap, 0)
            return first
        return item

    def heapify(heap, /):
        if not isinstance(heap, list):
            raise TypeError("heapify() argument must be list, not " + type(heap).__name__)
        for i in range(len(heap) // 2 - 1, -1, -1):
            sift_up(heap, i)

    def nlargest(n, iterable, key=None):
        return sorted(iterable, key=key, reverse=True)[: max(n, 0)]

    def nsmallest(n, iterable, key=None):
        return sorted(iterable, key=key)[: max(n, 0)]

    class merge:
        def __init__(self, *iterables, key=None, reverse=False):
            self.iterators = [iter(x) for x in iterables]
            self.key = key
            self.reverse = reverse
            self.heads = None
            self.last = -1

        def pull(self, index):
            for value in self.iterators[index]:
                self.heads[index] = (value if self.key is None else self.key(value), value)
                return
            self.heads[index] = None

        def __iter__(self):
            return self

        def __next__(self):
            if self.heads is None:
                self.heads = [None] * len(self.iterators)
                for index in range(len(self.iterators)):
                    self.pull(index)
            elif self.last >= 0:
                self.pull(self.last)
            best = -1
            for index in range(len(self.heads)):
                head = self.heads[index]
                if head is None:
                    continue
                if best < 0:
                    best = index
                elif self.reverse:
                    if self.heads[best][0] < head[0]:
                        best = index
                elif head[0] < self.heads[best][0]:
                    best = index
            self.last = best
            if best < 0:
                raise StopIteration
            return self.heads[best][1]

    return {
        "heapify": heapify,
        "heappop": heappop,
        "heappush": heappush,
        "heappushpop": heappushpop,
        "heapreplace": heapreplace,
        "merge": merge,
        "nlargest": nlargest,
        "nsmallest": nsmallest,
    }
