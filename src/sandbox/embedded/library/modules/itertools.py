# itertools: complete; the lazy ones are objects with `__next__`.
def _mce_module_itertools():
    import itertools

    class chain:
        def __init__(self, *iterables):
            self.iterables = iter(iterables)
            self.active = None

        def __iter__(self):
            return self

        def __next__(self):
            while True:
                if self.active is None:
                    # Ends with the StopIteration of the outer iterator.
                    self.active = iter(next(self.iterables))
                for item in self.active:
                    return item
                self.active = None

    def from_iterable(iterable, /):
        made = chain()
        made.iterables = iter(iterable)
        return made

    chain.from_iterable = from_iterable

    class grouper:
        def __init__(self, parent, key):
            self.parent = parent
            self.key = key

        def __iter__(self):
            return self

        def __next__(self):
            parent = self.parent
            if parent.current is not self:
                raise StopIteration
            if not parent.loaded:
                parent.load()
            if not parent.key == self.key:
                raise StopIteration
            parent.loaded = False
            return parent.value

    class groupby:
        def __init__(self, iterable, key=None):
            self.items = iter(iterable)
            self.function = key
            self.loaded = False
            self.started = False
            self.current = None
            self.key = None
            self.value = None

        def load(self):
            # Nothing is held while the next item is fetched, so that an end stays an end.
            self.loaded = False
            value = next(self.items)
            self.key = value if self.function is None else self.function(value)
            self.value = value
            self.loaded = True
            self.started = True

        def __iter__(self):
            return self

        def __next__(self):
            last = self.current
            self.current = None
            if not self.started:
                self.load()
            elif not self.loaded:
                self.load()
            if last is not None:
                while self.key == last.key:
                    self.load()
            self.current = grouper(self, self.key)
            return (self.key, self.current)

    class product:
        def __init__(self, *iterables, repeat=1):
            if not _mce_is_integer_like(repeat):
                raise TypeError(f"'{type(repeat).__name__}' object cannot be interpreted as an integer")
            if repeat < 0:
                raise ValueError("repeat argument cannot be negative")
            pools = [tuple(pool) for pool in iterables]
            self.pools = pools * repeat if repeat else []
            self.indices = None
            self.done = any([len(pool) == 0 for pool in self.pools])

        def __iter__(self):
            return self

        def __next__(self):
            if self.done:
                raise StopIteration
            pools = self.pools
            if self.indices is None:
                self.indices = [0] * len(pools)
                return tuple([pool[0] for pool in pools])
            indices = self.indices
            for i in range(len(pools) - 1, -1, -1):
                indices[i] += 1
                if indices[i] < len(pools[i]):
                    return tuple([pools[k][indices[k]] for k in range(len(pools))])
                indices[i] = 0
            self.done = True
            raise StopIteration

    def check_r(r):
        if not _mce_is_integer_like(r):
            raise TypeError(f"'{type(r).__name__}' object cannot be interpreted as an integer")
        if r < 0:
            raise ValueError("r must be non-negative")

    class combinations:
        def __init__(self, iterable, r):
            self.pool = tuple(iterable)
            check_r(r)
            self.r = int(r)
            self.indices = None
            self.done = r > len(self.pool)

        def __iter__(self):
            return self

        def __next__(self):
            if self.done:
                raise StopIteration
            pool = self.pool
            r = self.r
            if self.indices is None:
                self.indices = list(range(r))
                return pool[:r]
            indices = self.indices
            i = r - 1
            while i >= 0 and indices[i] == i + len(pool) - r:
                i -= 1
            if i < 0:
                self.done = True
                raise StopIteration
            indices[i] += 1
            for j in range(i + 1, r):
                indices[j] = indices[j - 1] + 1
            return tuple([pool[k] for k in indices])

    class combinations_with_replacement:
        def __init__(self, iterable, r):
            self.pool = tuple(iterable)
            check_r(r)
            self.r = int(r)
            self.indices = None
            self.done = len(self.pool) == 0 and r > 0

        def __iter__(self):
            return self

        def __next__(self):
            if self.done:
                raise StopIteration
            pool = self.pool
            r = self.r
            if self.indices is None:
                self.indices = [0] * r
                return tuple([pool[0] for _ in range(r)])
            i = r - 1
            while i >= 0 and self.indices[i] == len(pool) - 1:
                i -= 1
            if i < 0:
                self.done = True
                raise StopIteration
            self.indices = self.indices[:i] + [self.indices[i] + 1] * (r - i)
            return tuple([pool[k] for k in self.indices])

    class permutations:
        def __init__(self, iterable, r=None):
            self.pool = tuple(iterable)
            if r is None:
                r = len(self.pool)
            elif not _mce_is_integer_like(r):
                raise TypeError("Expected int as r")
            elif r < 0:
                raise ValueError("r must be non-negative")
            self.r = int(r)
            self.indices = None
            self.cycles = None
            self.done = r > len(self.pool)

        def __iter__(self):
            return self

        def __next__(self):
            if self.done:
                raise StopIteration
            pool = self.pool
            n = len(pool)
            r = self.r
            if self.indices is None:
                self.indices = list(range(n))
                self.cycles = list(range(n, n - r, -1))
                return pool[:r]
            indices = self.indices
            cycles = self.cycles
            for i in range(r - 1, -1, -1):
                cycles[i] -= 1
                if cycles[i] == 0:
                    moved = indices.pop(i)
                    indices.append(moved)
                    cycles[i] = n - i
                else:
                    j = n - cycles[i]
                    held = indices[i]
                    indices[i] = indices[j]
                    indices[j] = held
                    return tuple([pool[k] for k in indices[:r]])
            self.done = True
            raise StopIteration

    class _tee:
        # One branch: the pending items are a linked list of [value, next] cells shared by all branches.
        def __init__(self, items, cell):
            self.items = items
            self.cell = cell

        def __iter__(self):
            return self

        def __next__(self):
            cell = self.cell
            if not cell:
                cell.append(next(self.items))
                cell.append([])
            self.cell = cell[1]
            return cell[0]

    def tee(iterable, n=2, /):
        if n < 0:
            raise ValueError("n must be >= 0")
        if isinstance(iterable, _tee):
            return (iterable,)[:n] + tuple([_tee(iterable.items, iterable.cell) for _ in range(n - 1)])
        items = iter(iterable)
        cell = []
        return tuple([_tee(items, cell) for _ in range(n)])

    return {
        "accumulate": itertools.accumulate,
        "batched": itertools.batched,
        "chain": chain,
        "combinations": combinations,
        "combinations_with_replacement": combinations_with_replacement,
        "compress": itertools.compress,
        "count": itertools.count,
        "cycle": itertools.cycle,
        "dropwhile": itertools.dropwhile,
        "filterfalse": itertools.filterfalse,
        "groupby": groupby,
        "islice": itertools.islice,
        "pairwise": itertools.pairwise,
        "permutations": permutations,
        "product": product,
        "repeat": itertools.repeat,
        "starmap": itertools.starmap,
        "takewhile": itertools.takewhile,
        "tee": tee,
        "zip_longest": itertools.zip_longest,
    }
