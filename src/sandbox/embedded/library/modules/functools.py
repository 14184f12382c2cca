# functools: left out are cached_property, partialmethod, singledispatch, total_ordering and cache_info, which need
# attributes on functions or methods that the interpreter cannot give.
def _mce_module_functools():
    import functools

    def partial(func, /, *args, **keywords):
        if not _mce_callable(func):
            raise TypeError("the first argument must be callable")
        if isinstance(func, _mce_FUNCTIONS):
            return functools.partial(func, *args, **keywords)

        # The native one takes no function of a server.
        def call(*more, **others):
            return func(*args, *more, **{**keywords, **others})

        return call

    def cache_key(args, kwargs, typed):
        # The key of a call as CPython makes it: a lone int or str stands for itself.
        if not typed and not kwargs and len(args) == 1 and (type(args[0]) is int or type(args[0]) is str):
            return args[0]
        for value in args:
            hash(value)
        for name in kwargs:
            hash(kwargs[name])
        parts = [args, tuple(kwargs.items())]
        if typed:
            parts.append(tuple([type(value) for value in args]))
            parts.append(tuple([type(value) for value in kwargs.values()]))
        return tuple(parts)

    def cached(function, maxsize, typed):
        results = {}

        def wrapper(*args, **kwargs):
            if maxsize == 0:
                return function(*args, **kwargs)
            key = cache_key(args, kwargs, typed)
            if key in results:
                if maxsize is None:
                    return results[key]
                # Move the entry to the end: the first one is the least recently used.
                result = results.pop(key)
                results[key] = result
                return result
            result = function(*args, **kwargs)
            if maxsize is not None and key not in results:
                while len(results) >= maxsize:
                    results.pop(next(iter(results)))
            results[key] = result
            return result

        return wrapper

    def lru_cache(maxsize=128, typed=False):
        if _mce_is_integer_like(maxsize):
            size = max(int(maxsize), 0)
        elif maxsize is None:
            size = None
        elif _mce_callable(maxsize) and type(typed) is bool:
            return cached(maxsize, 128, typed)
        else:
            raise TypeError("Expected first argument to be an integer, a callable, or None")

        def decorate(function):
            return cached(function, size, typed)

        return decorate

    def cache(user_function, /):
        return cached(user_function, None, False)

    def wraps(wrapped, assigned=None, updated=None):
        # Names and docs of functions cannot be read here, so there is nothing to copy.
        def decorate(wrapper):
            return wrapper

        return decorate

    def update_wrapper(wrapper, wrapped, assigned=None, updated=None):
        return wrapper

    return {
        "cache": cache,
        "cmp_to_key": _mce_Comparison,
        "lru_cache": lru_cache,
        "partial": partial,
        "reduce": functools.reduce,
        "update_wrapper": update_wrapper,
        "wraps": wraps,
    }
