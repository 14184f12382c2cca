# collections: the native Counter, defaultdict, deque and namedtuple; left out are ChainMap, OrderedDict and the User* classes.
def _mce_module_collections():
    import collections

    return {
        "Counter": collections.Counter,
        "abc": _mce_module_object(_mce_module("collections.abc", _mce_module_collections_abc)),
        "defaultdict": collections.defaultdict,
        "deque": collections.deque,
        "namedtuple": collections.namedtuple,
    }
