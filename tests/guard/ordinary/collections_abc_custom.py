from collections.abc import Mapping, MutableMapping, MutableSequence, MutableSet, Sequence, Iterator, Set, Hashable, Callable, Reversible


class FrozenMap(Mapping):
    def __init__(self, *a, **k): self._d = dict(*a, **k)
    def __getitem__(self, k): return self._d[k]
    def __iter__(self): return iter(self._d)
    def __len__(self): return len(self._d)
    def __hash__(self): return hash(frozenset(self._d.items()))
    def __or__(self, other): return FrozenMap({**self, **other})
    def __repr__(self): return f"FrozenMap({self._d!r})"


class SortedList(Sequence):
    def __init__(self, it=()): self._xs = sorted(it)
    def __getitem__(self, i): return SortedList(self._xs[i]) if isinstance(i, slice) else self._xs[i]
    def __len__(self): return len(self._xs)


class OrderedSet(MutableSet):
    def __init__(self, it=()): self._d = dict.fromkeys(it)
    def __contains__(self, x): return x in self._d
    def __iter__(self): return iter(self._d)
    def __len__(self): return len(self._d)
    def add(self, x): self._d[x] = None
    def discard(self, x): self._d.pop(x, None)


class Env(MutableMapping):
    def __init__(self): self.store = {}
    def __getitem__(self, k): return self.store[k.upper()]
    def __setitem__(self, k, v): self.store[k.upper()] = v
    def __delitem__(self, k): del self.store[k.upper()]
    def __iter__(self): return iter(self.store)
    def __len__(self): return len(self.store)


m = FrozenMap(a=1); s = OrderedSet("hello"); e = Env(); e["x"] = 1; e.update(y=2); del e["X"]
print(m | {"b": 2}, {m: 1}[FrozenMap(a=1)], m.get("z"), list(m.items()), SortedList([3, 1, 2]).index(2), list(reversed(SortedList([2, 1]))), "".join(s), s | OrderedSet("xy"), list(s & {"l"}), dict(e), e.pop("y"), isinstance(m, Hashable), isinstance([], Reversible))
