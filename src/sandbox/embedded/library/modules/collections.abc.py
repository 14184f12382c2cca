# collections.abc: for isinstance and annotations only; left out are subclassing, register and issubclass.
def _mce_module_collections_abc():
    sequences = (list, tuple, str, bytes, range, _mce_Deque)
    sets = (set, frozenset, _mce_VIEWS[:2])
    sized = (list, tuple, str, bytes, range, set, frozenset, dict, _mce_Deque, _mce_VIEWS)
    containers = {
        "Iterable": ((_mce_ITERABLES, str, bytes), ["__iter__"]),
        "Iterator": (_mce_ITERATORS, ["__iter__", "__next__"]),
        "Reversible": ((list, tuple, str, bytes, range, dict, _mce_Deque, _mce_VIEWS), ["__iter__", "__reversed__"]),
        "Sized": (sized, ["__len__"]),
        "Container": (sized, ["__contains__"]),
        "Collection": (sized, ["__len__", "__iter__", "__contains__"]),
        "Callable": ((), []),
        "Sequence": (sequences, []),
        "MutableSequence": ((list, _mce_Deque), []),
        "ByteString": ((bytes,), []),
        "Set": (sets, []),
        "MutableSet": ((set,), []),
        "Mapping": ((dict,), []),
        "MutableMapping": ((dict,), []),
        "MappingView": (_mce_VIEWS, []),
        "KeysView": (_mce_VIEWS[:1], []),
        "ItemsView": (_mce_VIEWS[1:2], []),
        "ValuesView": (_mce_VIEWS[2:], []),
    }
    names = {}
    for name in containers:
        types, methods = containers[name]
        names[name] = _mce_Abstract("collections.abc", name, types, methods)
    # For annotations only: what they would admit cannot be told here.
    for name in ["AsyncGenerator", "AsyncIterable", "AsyncIterator", "Awaitable", "Buffer", "Coroutine", "Generator"]:
        names[name] = _mce_Abstract("collections.abc", name, None, [])
    return names
