# Helpers of lowered code that `prelude.py` does not have. Written with `yield`: the pass for generators
# lowers this text before it runs, so that loops here drive generators by calls that can wait for the host.
# It runs after `generators.py` and `prelude.py`.
import collections as _mce_collections_module
import re as _mce_re_classes

# What stands for the names of compiled modules.
_mce_ApiError = _mce_re_classes.PatternError
_mce_EgressError = NotImplementedError
_mce_NULL = _mce_null()

_mce_type = type
_mce_len = len
_mce_iter = iter
_mce_slice = slice
_mce_getattr = getattr


class _mce_Missing:
    pass


_mce_MISSING = _mce_Missing()

# What `del name` raises for a moment; any class of exceptions will do.
_mce_Deleted = LookupError


def _mce_assertion(*message):
    """What a failed `assert` does: it raises `AssertionError(*message)`."""
    raise AssertionError(*message)


def _mce_cast(_, value):
    """`typing.cast(type, value)`."""
    return value


def _mce_new_type(name, _):
    """`typing.NewType(name, type)`."""
    return lambda value: value


# --- numbers ---


def _mce_number(value):
    """`value` as an operand of `+` and `-`: bools as ints."""
    return int(value) if type(value) is bool else value


def _mce_add_in_place(left, right):
    """The value of `left += right` to assign back."""
    if type(left) is bool:
        left = int(left)
    left += int(right) if type(right) is bool and type(left) in (int, float) else right
    return left


def _mce_subtract_in_place(left, right):
    """The value of `left -= right` to assign back."""
    if type(left) is bool:
        left = int(left)
    left -= int(right) if type(right) is bool and type(left) in (int, float) else right
    return left


# --- builtins over iterables ---


def _mce_sum(iterable, /, start=0):
    """`sum(iterable, start)` with CPython 3.12's compensated sum of floats."""
    if type(start) is str:
        raise TypeError("sum() can't sum strings [use ''.join(seq) instead]")
    if type(start) is bytes:
        raise TypeError("sum() can't sum bytes [use b''.join(seq) instead]")
    result = start
    items = iter(iterable)
    if _mce_is_integer_like(result):
        result = int(result)
        left_ints = False
        for item in items:
            if type(item) is bool:
                result += int(item)
                continue
            result = result + item
            if type(item) is not int:
                left_ints = True
                break
        if not left_ints:
            return result
    if type(result) is float:
        total = result
        compensation = 0.0
        pending = False
        item = None
        for item in items:
            kind = type(item)
            if kind is float:
                t = total + item
                if abs(total) >= abs(item):
                    compensation += (total - t) + item
                else:
                    compensation += (item - t) + total
                total = t
            elif (kind is int or kind is bool) and -9223372036854775808 <= item <= 9223372036854775807:
                total += _mce_int_to_float(item)
            else:
                pending = True
                break
        if compensation and _mce_math.isfinite(compensation):
            total += compensation
        if not pending:
            return total
        result = _mce_add(total, item)
    for item in items:
        result = _mce_add(result, item)
    return result


def _mce_sorted(iterable, /, *, key=None, reverse=False):
    """`sorted(...)` where `key` may come from `functools.cmp_to_key`."""
    if not isinstance(key, _mce_Comparison):
        return sorted(iterable, key=key, reverse=reverse)
    items = list(iterable)
    if reverse:
        items.reverse()
    items = _mce_merge_sort(items, key.compare)
    if reverse:
        items.reverse()
    return items


def _mce_method_sort(receiver, **options):
    if isinstance(receiver, list) and isinstance(options.get("key"), _mce_Comparison):
        _mce_replace_list(receiver, _mce_sorted(receiver, **options))
        return None
    return receiver.sort(**options)


def _mce_extreme(largest, arguments, key, default):
    items = list(arguments[0]) if len(arguments) == 1 else list(arguments)
    if not items:
        if default:
            return default[0]
        name = "max" if largest else "min"
        raise ValueError(f"{name}() iterable argument is empty")
    best = items[0]
    for item in items[1:]:
        order = key.compare(item, best)
        if order > 0 if largest else order < 0:
            best = item
    return best


def _mce_max(*arguments, **options):
    """`max(...)` where `key` may come from `functools.cmp_to_key`."""
    if isinstance(options.get("key"), _mce_Comparison):
        return _mce_extreme(True, arguments, options["key"], [options["default"]] if "default" in options else [])
    return max(*arguments, **options)


def _mce_min(*arguments, **options):
    """`min(...)` where `key` may come from `functools.cmp_to_key`."""
    if isinstance(options.get("key"), _mce_Comparison):
        return _mce_extreme(False, arguments, options["key"], [options["default"]] if "default" in options else [])
    return min(*arguments, **options)


# --- laziness: `produce` gives for one item of a clause the list of none or one value ---


def _mce_lazy(produce, iterator):
    """A generator expression of one clause."""
    for item in iterator:
        for value in produce(item):
            yield value


def _mce_lazy_nested(produce, iterator):
    """A generator expression of several clauses; the values are the generators of the rest."""
    for item in iterator:
        for inner in produce(item):
            for value in inner:
                yield value


def _mce_any_of(produce, iterable):
    """`any(…)` of a generator expression."""
    for item in iterable:
        for value in produce(item):
            if value:
                return True
    return False


def _mce_all_of(produce, iterable):
    """`all(…)` of a generator expression."""
    for item in iterable:
        for value in produce(item):
            if not value:
                return False
    return True


def _mce_first_of(produce, iterable, *default):
    """`next(…)` of a generator expression."""
    for item in iterable:
        for value in produce(item):
            return value
    if default:
        return default[0]
    raise StopIteration


def _mce_extend(receiver, iterator):
    """`receiver.extend(iterator)`: what came before a failure stays."""
    if type(receiver) is not list:
        return receiver.extend(iterator)
    for value in iterator:
        receiver.append(value)


def _mce_map_steps(function, iterators):
    if len(iterators) == 1:
        for item in iterators[0]:
            yield function(item)
        return
    while True:
        items = []
        for iterator in iterators:
            item = next(iterator, _mce_MISSING)
            if item is _mce_MISSING:
                return
            items.append(item)
        yield function(*items)


def _mce_lazy_map(function, *iterables):
    """`map(function, *iterables)`."""
    if not iterables:
        raise TypeError("map() must have at least two arguments.")
    return _mce_map_steps(function, [iter(iterable) for iterable in iterables])


def _mce_map_list(function, *iterables):
    """`list(map(function, *iterables))`."""
    return [value for value in _mce_lazy_map(function, *iterables)]


def _mce_filter_steps(function, iterator):
    for item in iterator:
        if item if function is None else function(item):
            yield item


def _mce_lazy_filter(function, iterable, /):
    """`filter(function, iterable)`."""
    return _mce_filter_steps(function, iter(iterable))


def _mce_filter_list(function, iterable, /):
    """`list(filter(function, iterable))`."""
    return [value for value in _mce_lazy_filter(function, iterable)]


def _mce_enumerate_steps(iterator, count):
    for item in iterator:
        yield count, item
        count += 1


def _mce_lazy_enumerate(iterable, start=0):
    """`enumerate(iterable, start)`."""
    return _mce_enumerate_steps(iter(iterable), int(start))


def _mce_zip_steps(iterators, strict):
    if not iterators:
        return
    while True:
        items = []
        for iterator in iterators:
            item = next(iterator, _mce_MISSING)
            if item is not _mce_MISSING:
                items.append(item)
                continue
            if not strict:
                return
            index = len(items)
            if index > 0:
                others = " 1" if index == 1 else f"s 1-{index}"
                raise ValueError(f"zip() argument {index + 1} is shorter than argument{others}")
            for later in range(1, len(iterators)):
                if next(iterators[later], _mce_MISSING) is not _mce_MISSING:
                    others = " 1" if later == 1 else f"s 1-{later}"
                    raise ValueError(f"zip() argument {later + 1} is longer than argument{others}")
            return
        yield tuple(items)


def _mce_lazy_zip(*iterables, strict=False):
    """`zip(*iterables, strict=strict)`."""
    return _mce_zip_steps([iter(iterable) for iterable in iterables], strict)


def _mce_reversed_steps(sequence):
    index = len(sequence)
    while index > 0:
        index -= 1
        if index < len(sequence):
            yield sequence[index]


def _mce_lazy_reversed(sequence, /):
    """`reversed(sequence)`."""
    if type(sequence) is list:
        return _mce_reversed_steps(sequence)
    return iter(reversed(sequence))


# --- asynchronous ---


async def _mce_enter(manager):
    """What `async with` enters a manager by."""
    return await manager.__aenter__()


def _mce_aiter(iterable):
    """What `async for` starts with."""
    if not hasattr(iterable, "__aiter__"):
        raise TypeError(f"'async for' requires an object with __aiter__ method, got {type(iterable).__name__}")
    return iterable.__aiter__()


async def _mce_async_list(produce, iterable):
    """`[… async for … in iterable …]`."""
    values = []
    iterator = _mce_aiter(iterable)
    while type(item := await _mce_anext(iterator)) is not _mce_Return:
        for value in produce(item):
            values.append(value)
    return values


async def _mce_async_set(produce, iterable):
    """`{… async for … in iterable …}`."""
    return set(await _mce_async_list(produce, iterable))


async def _mce_async_dict(produce, iterable):
    """`{…: … async for … in iterable …}`."""
    return dict(await _mce_async_list(produce, iterable))


# --- patterns ---


def _mce_sequence(value):
    """A list or tuple of what a sequence pattern takes, else `None`."""
    if isinstance(value, (list, tuple)):
        return value
    if isinstance(value, (range, _mce_collections_module.deque)):
        return list(value)
    return None


def _mce_is_mapping(value):
    """Whether a mapping pattern takes a value."""
    return isinstance(value, dict)


def _mce_mapping_get(mapping, key):
    """The value of a key, or `_mce_MISSING`; it makes none of its own."""
    return mapping.get(key, _mce_MISSING)


def _mce_mapping_rest(mapping, keys):
    """What `**rest` is bound to."""
    return {key: mapping[key] for key in mapping if key not in keys}


# --- classes ---


def _mce_typed_dict(*values, **fields):
    """A class that derives from `TypedDict`."""
    return dict(*values, **fields)


def _mce_namedtuple(name, fields, defaults):
    """A class that derives from `NamedTuple`."""
    return _mce_collections_module.namedtuple(name, fields, defaults=defaults)


def _mce_class_name(kind):
    """`kind.__name__` of the class of an exception."""
    if kind is None:
        raise AttributeError("'NoneType' object has no attribute '__name__'")
    return str(kind).split("'")[1].split(".")[-1]


# --- errors of compiled servers: builtin exceptions stand for them, whose fields the host knows ---


def _mce_is_error(value):
    return isinstance(value, (_mce_ApiError, _mce_EgressError))


def _mce_get_field(value, name, *default):
    """`getattr(value, name[, default])`, where `value` may be an error of a compiled server."""
    if not _mce_is_error(value):
        return getattr(value, name, *default)
    try:
        return _mce_host_error_field(value, name)
    except AttributeError:
        return getattr(value, name, *default)


def _mce_error_field(value, name):
    """`value.name`, where `value` may be an error of a compiled server."""
    return _mce_host_error_field(value, name) if _mce_is_error(value) else getattr(value, name)


def _mce_type_name(value):
    """`type(value).__name__`, where `value` may be an error of a compiled server."""
    return _mce_host_type_name(value) if _mce_is_error(value) else type(value).__name__


# --- pages and streams of compiled functions ---


class _mce_Walk:
    """One way through pages: what to ask for next, and when there is no more."""

    def __init__(self, name, paging, arguments, of_items):
        self.goes_on = True
        self.name = name
        self.paging = paging
        self.kind = paging["kind"]
        self.parameter = paging.get("parameter", "")
        self.items_at = paging.get("items")
        self.first = int(paging.get("first", "1" if self.kind == "page" else "0"))
        self.arguments = arguments
        self.of_items = of_items
        self.url = None
        self.seen = set()
        self.number = 0
        self.before = None
        self.longest = 0
        self.items = 0
        self.starts_at_first = self.parameter not in arguments

    def is_linked(self):
        return self.kind in ("link", "next_url")

    def ends_with(self, error):
        """Whether an error only says that there is no such page: so some APIs end a count."""
        is_counted = self.kind in ("page", "offset")
        return is_counted and self.number > 0 and _mce_error_field(error, "status") == 404

    def takes(self, value, link):
        """What a page brings to the loop. Decides whether there is another one."""
        self.number += 1
        items = None if self.items_at is None else _mce_at(value, self.items_at)
        found = items if isinstance(items, list) else []
        self.goes_on = False
        if self.kind in ("page", "offset"):
            if self.number > 1 and not found:
                return []
            if self.number > 1 and value == self.before:
                if self.longest < self.size():
                    # The list was complete, and the API does not count.
                    return []
                self.repeats(f"the same for another `{self.parameter}`")
            self.count(value, found)
            self.before = value
        elif self.kind == "cursor":
            self.go_to_cursor(value, found)
        else:
            self.go_to_url(link if self.kind == "link" else _mce_at(value, self.paging.get("field", "")))
        if not self.of_items:
            return [value]
        if items is not None and not isinstance(items, list):
            raise RuntimeError(f"{self.name}(): page {self.number} has no list at `{self.items_at}`; use `pages`")
        return found

    def size(self):
        size = self.arguments.get(self.paging.get("size", ""))
        return size if isinstance(size, int) and size > 0 else float("inf")

    def count(self, value, found):
        """The next number, unless this page is the last."""
        count = len(found)
        self.items += count
        # Shorter than asked for is the last page, but for the first, which a limit of the API's
        # own may have cut.
        is_short = count < self.size() and count < self.longest
        self.longest = max(self.longest, count)
        more = _mce_says_more(value)
        if not found or more is False or (is_short and more is None):
            return
        # A page that says itself that there is more needs no totals. And a total that is no more
        # than the first page of as many as were asked for may be the count of that page.
        is_full_first = self.number == 1 and count == self.size()
        if more is None and self.starts_at_first and not is_full_first:
            if _mce_is_all(value, self.items, self.number, self.kind):
                return
        current = self.arguments.get(self.parameter, self.first)
        if isinstance(current, bool) or not isinstance(current, (int, float)):
            raise TypeError(f"{self.name}() argument {self.parameter!r} must be int to go on from it")
        step = 1 if self.kind == "page" else count
        self.arguments = {**self.arguments, self.parameter: int(current) + step}
        self.goes_on = True

    def go_to_cursor(self, value, found):
        cursor = _mce_at(value, self.paging.get("field", ""))
        if cursor is None or cursor is False or cursor == "" or _mce_says_more(value) is False:
            return
        if isinstance(cursor, bool) or not isinstance(cursor, (str, int)):
            field = self.paging.get("field", "")
            raise RuntimeError(f"{self.name}(): what page {self.number} has at `{field}` is no cursor")
        is_empty = self.items_at is not None and not found
        is_known = str(cursor) in self.seen or cursor == self.arguments.get(self.parameter)
        if is_known and not is_empty:
            self.repeats("the cursor of an earlier one")
        if is_known:
            return
        self.seen.add(str(cursor))
        self.arguments = {**self.arguments, self.parameter: cursor}
        self.goes_on = True

    def go_to_url(self, url):
        if isinstance(url, dict):
            url = url.get("href")
        if url is None or url is False or url == "":
            return
        if not isinstance(url, str):
            field = self.paging.get("field", "")
            raise RuntimeError(f"{self.name}(): what page {self.number} has at `{field}` is no URL")
        if url in self.seen:
            self.repeats("the next URL of an earlier one")
        self.seen.add(url)
        self.url = url
        self.goes_on = True

    def repeats(self, what):
        raise RuntimeError(f"{self.name}(): page {self.number} has {what}; stopped, since this would not end")


def _mce_at(value, path):
    """What is at a dotted path, where a name may hold dots itself; None where nothing is."""
    while path:
        if isinstance(value, dict) and path in value:
            return value[path]
        name, _, path = path.partition(".")
        if isinstance(value, list) and name == "-1" and value:
            value = value[-1]
        elif isinstance(value, dict):
            value = value.get(name)
        else:
            return None
    return value


_mce_ABOUT_THE_PAGE = ["meta", "metadata", "_meta", "pagination", "paging", "page", "page_info", "pageInfo"]


def _mce_said(value, names):
    """What a page says of itself under these names, spelt without case and underscores."""
    found = []
    if isinstance(value, dict):
        for place in [value] + [value.get(name) for name in _mce_ABOUT_THE_PAGE]:
            if isinstance(place, dict):
                for name in place:
                    if name.lower().replace("_", "").replace("-", "") in names:
                        found.append(place[name])
    return found


_mce_MORE = ["hasmore", "hasnext", "hasnextpage", "more", "moreresults"]
_mce_DONE = ["done", "islast", "last", "islastpage"]
_mce_TOTALS = ["total", "totalcount", "totalitems", "totalresults", "totalrecords", "totalelements", "totalrows"]
_mce_TOTAL_PAGES = ["totalpages", "pagecount", "lastpage", "numpages", "pagestotal"]


def _mce_says_more(value):
    """Whether there is another page, where a page says so."""
    for item in _mce_said(value, _mce_MORE):
        if isinstance(item, bool):
            return item
    for item in _mce_said(value, _mce_DONE):
        if isinstance(item, bool):
            return not item
    return None


def _mce_is_reached(value, names, count):
    totals = [item for item in _mce_said(value, names) if type(item) is int and item > 0]
    return bool(totals) and count >= max(totals)


def _mce_is_all(value, items, pages, kind):
    """Whether the totals of a page say that it is the last of those seen from the first on."""
    return _mce_is_reached(value, _mce_TOTALS, items) or (
        kind == "page" and _mce_is_reached(value, _mce_TOTAL_PAGES, pages)
    )


def _mce_walk(operation, wanted, arguments):
    name, paging = _mce_host_paging(operation)
    if paging is None:
        raise AttributeError(f"{name}() has no `{wanted}`: its document shows no pagination; call {name}() itself")
    if wanted == "items" and paging.get("items") is None:
        raise AttributeError(f"{name}() has no `items`: its document does not show where they are; use `pages`")
    return _mce_Walk(name, paging, arguments, wanted == "items")


def _mce_no_positional(operation, arguments):
    if arguments:
        name, _ = _mce_host_paging(operation)
        verb = "was" if len(arguments) == 1 else "were"
        raise TypeError(f"{name}() takes 0 positional arguments but {len(arguments)} {verb} given")


def _mce_pages(operation, wanted, /, *positional, **arguments):
    """`for … in f.pages(…)` and `f.items(…)`."""
    walk = _mce_walk(operation, wanted, arguments)
    _mce_no_positional(operation, positional)
    return _mce_page_steps(operation, walk)


def _mce_page_steps(operation, walk):
    while walk.goes_on:
        try:
            page = _mce_host_page(operation, walk.arguments, walk.url, walk.is_linked())
        except _mce_ApiError as error:
            if walk.ends_with(error):
                return
            raise
        for item in walk.takes(page[0], page[1]):
            yield item


def _mce_pages_aio(operation, wanted, /, *positional, **arguments):
    """`async for … in f.pages.aio(…)` and `f.items.aio(…)`."""
    walk = _mce_walk(operation, wanted, arguments)
    _mce_no_positional(operation, positional)
    return _mce_page_steps_aio(operation, walk)


async def _mce_page_steps_aio(operation, walk):
    while walk.goes_on:
        try:
            page = await _mce_await(_mce_host_page_later(operation, walk.arguments, walk.url, walk.is_linked()))
        except _mce_ApiError as error:
            if walk.ends_with(error):
                return
            raise
        for item in walk.takes(page[0], page[1]):
            yield item


class _mce_Stream:
    """What arrived of a stream. At its end, where it was cut, the reason is raised."""

    def __init__(self, items, cut):
        self.items = items
        self.cut = cut
        self.is_cut = cut is not None
        self.at = 0

    def following(self, end):
        if self.at < len(self.items):
            self.at += 1
            return self.items[self.at - 1]
        if self.cut is not None:
            kind, message = self.cut
            classes = {"api": _mce_ApiError, "egress": _mce_EgressError}
            raise classes.get(kind, RuntimeError)(message)
        raise end

    def __iter__(self):
        return self

    def __next__(self):
        return self.following(StopIteration())

    def __aiter__(self):
        return self

    async def __anext__(self):
        return self.following(_mce_StopAsyncIteration())

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        self.close()

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, value, traceback):
        self.close()

    def close(self):
        self.items = []
        self.cut = None

    async def aclose(self):
        self.close()


def _mce_stream(operation, /, *positional, **arguments):
    """`f(…)` where the answer is a stream."""
    _mce_no_positional(operation, positional)
    answer = _mce_host_stream(operation, arguments)
    return _mce_Stream(answer[0], answer[1])


async def _mce_stream_aio(operation, /, *positional, **arguments):
    """`f.aio(…)` where the answer is a stream."""
    _mce_no_positional(operation, positional)
    answer = await _mce_await(_mce_host_stream_later(operation, arguments))
    return _mce_Stream(answer[0], answer[1])


# --- attributes ---

# What `dir` of `object`, and of other types besides that, gives.
_mce_OBJECT = (
    "__class__ __delattr__ __dir__ __doc__ __eq__ __format__ __ge__ __getattribute__ __getstate__ "
    "__gt__ __hash__ __init__ __init_subclass__ __le__ __lt__ __ne__ __new__ __reduce__ "
    "__reduce_ex__ __repr__ __setattr__ __sizeof__ __str__ __subclasshook__"
).split()

_mce_OBJECT_EXTRA = ["__dict__", "__module__", "__weakref__"]
_mce_ATTRIBUTES = {}

_mce_ATTRIBUTES[str] = (
    "__add__ __contains__ __getitem__ __getnewargs__ __iter__ __len__ __mod__ __mul__ __rmod__ "
    "__rmul__ capitalize casefold center count encode endswith expandtabs find format format_map "
    "index isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable "
    "isspace istitle isupper join ljust lower lstrip maketrans partition removeprefix removesuffix "
    "replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase "
    "title translate upper zfill"
).split()

_mce_ATTRIBUTES[bytes] = (
    "__add__ __buffer__ __bytes__ __contains__ __getitem__ __getnewargs__ __iter__ __len__ __mod__ "
    "__mul__ __rmod__ __rmul__ capitalize center count decode endswith expandtabs find fromhex hex "
    "index isalnum isalpha isascii isdigit islower isspace istitle isupper join ljust lower lstrip "
    "maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit "
    "rstrip split splitlines startswith strip swapcase title translate upper zfill"
).split()

_mce_ATTRIBUTES[int] = (
    "__abs__ __add__ __and__ __bool__ __ceil__ __divmod__ __float__ __floor__ __floordiv__ "
    "__getnewargs__ __index__ __int__ __invert__ __lshift__ __mod__ __mul__ __neg__ __or__ __pos__ "
    "__pow__ __radd__ __rand__ __rdivmod__ __rfloordiv__ __rlshift__ __rmod__ __rmul__ __ror__ "
    "__round__ __rpow__ __rrshift__ __rshift__ __rsub__ __rtruediv__ __rxor__ __sub__ __truediv__ "
    "__trunc__ __xor__ as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag "
    "is_integer numerator real to_bytes"
).split()

_mce_ATTRIBUTES[float] = (
    "__abs__ __add__ __bool__ __ceil__ __divmod__ __float__ __floor__ __floordiv__ __getformat__ "
    "__getnewargs__ __int__ __mod__ __mul__ __neg__ __pos__ __pow__ __radd__ __rdivmod__ "
    "__rfloordiv__ __rmod__ __rmul__ __round__ __rpow__ __rsub__ __rtruediv__ __sub__ __truediv__ "
    "__trunc__ as_integer_ratio conjugate fromhex hex imag is_integer real"
).split()

_mce_ATTRIBUTES[bool] = (
    "__abs__ __add__ __and__ __bool__ __ceil__ __divmod__ __float__ __floor__ __floordiv__ "
    "__getnewargs__ __index__ __int__ __invert__ __lshift__ __mod__ __mul__ __neg__ __or__ __pos__ "
    "__pow__ __radd__ __rand__ __rdivmod__ __rfloordiv__ __rlshift__ __rmod__ __rmul__ __ror__ "
    "__round__ __rpow__ __rrshift__ __rshift__ __rsub__ __rtruediv__ __rxor__ __sub__ __truediv__ "
    "__trunc__ __xor__ as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag "
    "is_integer numerator real to_bytes"
).split()

_mce_ATTRIBUTES[list] = (
    "__add__ __class_getitem__ __contains__ __delitem__ __getitem__ __iadd__ __imul__ __iter__ "
    "__len__ __mul__ __reversed__ __rmul__ __setitem__ append clear copy count extend index insert "
    "pop remove reverse sort"
).split()

_mce_ATTRIBUTES[tuple] = (
    "__add__ __class_getitem__ __contains__ __getitem__ __getnewargs__ __iter__ __len__ __mul__ "
    "__rmul__ count index"
).split()

_mce_ATTRIBUTES[dict] = (
    "__class_getitem__ __contains__ __delitem__ __getitem__ __ior__ __iter__ __len__ __or__ "
    "__reversed__ __ror__ __setitem__ clear copy fromkeys get items keys pop popitem setdefault "
    "update values"
).split()

_mce_ATTRIBUTES[set] = (
    "__and__ __class_getitem__ __contains__ __iand__ __ior__ __isub__ __iter__ __ixor__ __len__ "
    "__or__ __rand__ __ror__ __rsub__ __rxor__ __sub__ __xor__ add clear copy difference "
    "difference_update discard intersection intersection_update isdisjoint issubset issuperset pop "
    "remove symmetric_difference symmetric_difference_update union update"
).split()

_mce_ATTRIBUTES[frozenset] = (
    "__and__ __class_getitem__ __contains__ __iter__ __len__ __or__ __rand__ __ror__ __rsub__ "
    "__rxor__ __sub__ __xor__ copy difference intersection isdisjoint issubset issuperset "
    "symmetric_difference union"
).split()

_mce_ATTRIBUTES[range] = (
    "__bool__ __contains__ __getitem__ __iter__ __len__ __reversed__ count index start step stop"
).split()

_mce_ATTRIBUTES[slice] = (
    "indices start step stop"
).split()

_mce_ATTRIBUTES[_mce_collections_module.deque] = (
    "__add__ __class_getitem__ __contains__ __copy__ __delitem__ __getitem__ __iadd__ __imul__ "
    "__iter__ __len__ __module__ __mul__ __reversed__ __rmul__ __setitem__ append appendleft clear "
    "copy count extend extendleft index insert maxlen pop popleft remove reverse rotate"
).split()

_mce_ATTRIBUTES[_mce_collections_module.Counter] = (
    "__add__ __and__ __class_getitem__ __contains__ __delitem__ __dict__ __firstlineno__ __getitem__ "
    "__iadd__ __iand__ __ior__ __isub__ __iter__ __len__ __missing__ __module__ __neg__ __or__ "
    "__pos__ __reversed__ __ror__ __setitem__ __static_attributes__ __sub__ __weakref__ "
    "_keep_positive clear copy elements fromkeys get items keys most_common pop popitem setdefault "
    "subtract total update values"
).split()

_mce_ATTRIBUTES[_mce_collections_module.defaultdict] = (
    "__class_getitem__ __contains__ __copy__ __delitem__ __getitem__ __ior__ __iter__ __len__ "
    "__missing__ __module__ __or__ __reversed__ __ror__ __setitem__ clear copy default_factory "
    "fromkeys get items keys pop popitem setdefault update values"
).split()

_mce_ATTRIBUTES[_mce_datetime.date] = (
    "__add__ __radd__ __replace__ __rsub__ __sub__ ctime day fromisocalendar fromisoformat "
    "fromordinal fromtimestamp isocalendar isoformat isoweekday max min month replace resolution "
    "strftime timetuple today toordinal weekday year"
).split()

_mce_ATTRIBUTES[_mce_datetime.datetime] = (
    "__add__ __radd__ __replace__ __rsub__ __sub__ astimezone combine ctime date day dst fold "
    "fromisocalendar fromisoformat fromordinal fromtimestamp hour isocalendar isoformat isoweekday "
    "max microsecond min minute month now replace resolution second strftime strptime time timestamp "
    "timetuple timetz today toordinal tzinfo tzname utcfromtimestamp utcnow utcoffset utctimetuple "
    "weekday year"
).split()

_mce_ATTRIBUTES[_mce_datetime.time] = (
    "__replace__ dst fold fromisoformat hour isoformat max microsecond min minute replace resolution "
    "second strftime tzinfo tzname utcoffset"
).split()

_mce_ATTRIBUTES[_mce_datetime.timedelta] = (
    "__abs__ __add__ __bool__ __divmod__ __floordiv__ __mod__ __mul__ __neg__ __pos__ __radd__ "
    "__rdivmod__ __rfloordiv__ __rmod__ __rmul__ __rsub__ __rtruediv__ __sub__ __truediv__ days max "
    "microseconds min resolution seconds total_seconds"
).split()

_mce_ATTRIBUTES[_mce_datetime.timezone] = (
    "__getinitargs__ dst fromutc max min tzname utc utcoffset"
).split()

_mce_ATTRIBUTES[_mce_re.Match] = (
    "__class_getitem__ __copy__ __deepcopy__ __getitem__ __module__ end endpos expand group "
    "groupdict groups lastgroup lastindex pos re regs span start string"
).split()

_mce_ATTRIBUTES[_mce_re.Pattern] = (
    "__class_getitem__ __copy__ __deepcopy__ __module__ findall finditer flags fullmatch groupindex "
    "groups match pattern scanner search split sub subn"
).split()

_mce_ATTRIBUTES[type(None)] = (
    "__bool__"
).split()

_mce_ATTRIBUTES[type(lambda: None)] = (
    "__annotations__ __builtins__ __call__ __closure__ __code__ __defaults__ __dict__ __get__ "
    "__globals__ __kwdefaults__ __module__ __name__ __qualname__ __type_params__"
).split()



def _mce_is_attribute(kind, name):
    return name in _mce_OBJECT or name in _mce_ATTRIBUTES[kind]


def _mce_has(value, name, /):
    """`hasattr(value, name)`."""
    if type(name) is not str:
        raise TypeError(f"attribute name must be string, not '{type(name).__name__}'")
    if _mce_is_error(value) and name in ("status", "body", "headers"):
        return _mce_type_name(value) == "ApiError"
    kind = type(value)
    if kind in _mce_ATTRIBUTES:
        return _mce_is_attribute(kind, name)
    if kind is type(int):
        if value in _mce_ATTRIBUTES:
            return _mce_is_attribute(value, name)
        return hasattr(value, name) or name in _mce_OBJECT or name in ("__dict__", "__module__", "__name__", "__qualname__")
    return hasattr(value, name) or name in _mce_OBJECT or (name in _mce_OBJECT_EXTRA and not isinstance(value, BaseException))


def _mce_get_bound(value, name, make, *default):
    """`getattr(value, name[, default])`; `make(value)` gives the method of a builtin type."""
    if _mce_is_error(value):
        return _mce_get_field(value, name, *default)
    kind = type(value)
    if kind in _mce_ATTRIBUTES and kind is not type(lambda: None):
        if name in _mce_ATTRIBUTES[kind]:
            return getattr(value, name) if hasattr(value, name) else make(value)
        return getattr(value, name, *default)
    if kind is type(int) and value in _mce_ATTRIBUTES and name in _mce_ATTRIBUTES[value]:
        return make(value)
    return getattr(value, name, *default)


def _mce_bound(value, name, make):
    """`value.name`, not called; `make(value)` gives the method of a builtin type."""
    return _mce_get_bound(value, name, make)


def _mce_unbound(kind, name, call):
    """`kind.name`, a method of a builtin type without its instance; `call` calls it."""

    def method(*arguments, **options):
        if not arguments:
            raise TypeError(f"unbound method {kind.__name__}.{name}() needs an argument")
        if not isinstance(arguments[0], kind):
            raise TypeError(
                f"descriptor '{name}' for '{kind.__name__}' objects doesn't apply to a '{type(arguments[0]).__name__}' object"
            )
        return call(*arguments, **options)

    return method
