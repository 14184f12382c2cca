# copy: left out is copying objects of user classes, whose attributes the interpreter does not list.
def _mce_module_copy():
    import collections

    atomic = (
        type(None),
        int,
        float,
        str,
        bytes,
        range,
        type(...),
        type(NotImplemented),
        _mce_FUNCTIONS,
        _mce_re.Match,
        _mce_datetime.date,
        _mce_datetime.time,
        _mce_datetime.timedelta,
        _mce_datetime.timezone,
    )
    defaultdict = collections.defaultdict

    def is_atomic(x):
        return type(x) is type(int) or isinstance(x, atomic)

    def refuse(x):
        raise NotImplementedError(f"copying an object of type '{type(x).__name__}' is unsupported")

    def copy(x):
        if is_atomic(x) or isinstance(x, (tuple, frozenset)):
            return x
        if isinstance(x, (list, dict, set, _mce_Deque)):
            return x.copy()
        if hasattr(x, "__copy__"):
            return x.__copy__()
        if hasattr(x, "__dataclass_fields__"):
            return rebuild(x, lambda value: value)
        refuse(x)

    def rebuild(x, change):
        # A dataclass object made again from its fields.
        fields = x.__dataclass_fields__
        values = {}
        for name in fields:
            if not fields[name].init:
                refuse(x)
            values[name] = change(getattr(x, name))
        return type(x)(**values)

    def deepcopy(x, memo=None):
        return deep(x, {} if memo is None else memo)

    def deep(x, memo):
        if is_atomic(x):
            return x
        key = id(x)
        if key in memo:
            return memo[key][0]
        if type(x) is list:
            made = []
            memo[key] = (made, x)
            for item in x:
                made.append(deep(item, memo))
            return made
        if isinstance(x, dict):
            if isinstance(x, _mce_Counter):
                made = _mce_Counter()
            elif type(x) is dict:
                made = {}
            else:
                made = defaultdict(x.default_factory)
            memo[key] = (made, x)
            for name in x:
                made[deep(name, memo)] = deep(x[name], memo)
            return made
        if isinstance(x, tuple):
            parts = [deep(item, memo) for item in x]
            # The tuple may have been reached through itself.
            if key in memo:
                return memo[key][0]
            made = x
            for old, new in zip(x, parts):
                if old is not new:
                    made = tuple(parts) if type(x) is tuple else x._make(parts)
                    break
            memo[key] = (made, x)
            return made
        if type(x) is set:
            made = {deep(item, memo) for item in x}
        elif isinstance(x, frozenset):
            made = frozenset([deep(item, memo) for item in x])
        elif isinstance(x, _mce_Deque):
            made = _mce_Deque([], x.maxlen)
            memo[key] = (made, x)
            for item in x:
                made.append(deep(item, memo))
            return made
        elif hasattr(x, "__deepcopy__"):
            made = x.__deepcopy__(memo)
        elif hasattr(x, "__dataclass_fields__"):
            made = rebuild(x, lambda value: deep(value, memo))
        else:
            refuse(x)
        memo[key] = (made, x)
        return made

    def replace(obj, /, **changes):
        if isinstance(obj, tuple) and hasattr(obj, "_replace"):
            return obj._replace(**changes)
        if isinstance(obj, (_mce_datetime.date, _mce_datetime.time)):
            return obj.replace(**changes)
        raise NotImplementedError(f"copy.replace() of type '{type(obj).__name__}' is unsupported")

    return {"copy": copy, "deepcopy": deepcopy, "replace": replace}
