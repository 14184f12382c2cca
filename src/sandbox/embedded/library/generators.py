class _mce_Return:
    def __init__(self, value):
        self.value = value


# What a step function returns when the body ends without a value.
_mce_END = _mce_Return(None)

# Stands for GeneratorExit: nothing but a bare `except` and `except BaseException` catches it.
_mce_EXIT = BaseException('GeneratorExit')


def _mce_make_generator():
    class generator:
        def __init__(self, step, name, simple):
            self._mce_step = step
            self._mce_name = name
            # Whether nothing in the body can catch what is thrown at a `yield`.
            self._mce_simple = simple
            # None before the first step, then whether the body runs.
            self._mce_running = None
            # The generator that only this one refers to.
            self._mce_inner = None

        def __repr__(self):
            return f'<generator object {self._mce_name} at {hex(id(self))}>'

        def __iter__(self):
            return self

        def _mce_advance(self, sent, thrown):
            # The value of the next `yield`, or a `_mce_Return`.
            if self._mce_running:
                raise ValueError('generator already executing')
            step = self._mce_step
            if step is None:
                if thrown is not None:
                    raise thrown
                return _mce_END
            if thrown is not None and (self._mce_simple or self._mce_running is None):
                self._mce_step = None
                raise thrown
            if sent is not None and self._mce_running is None:
                raise TypeError("can't send non-None value to a just-started generator")
            self._mce_running = True
            try:
                value = step(sent, thrown)
            except BaseException as error:
                self._mce_running = False
                self._mce_step = None
                if isinstance(error, StopIteration):
                    raise RuntimeError('generator raised StopIteration') from error
                raise
            self._mce_running = False
            if type(value) is _mce_Return:
                self._mce_step = None
            return value

        def __next__(self):
            value = self._mce_advance(None, None)
            if type(value) is _mce_Return:
                raise _mce_stop(value)
            return value

        def send(self, value):
            value = self._mce_advance(value, None)
            if type(value) is _mce_Return:
                raise _mce_stop(value)
            return value

        def throw(self, kind, value=None, traceback=None):
            value = self._mce_advance(None, _mce_exception(kind, value))
            if type(value) is _mce_Return:
                raise _mce_stop(value)
            return value

        def close(self):
            if self._mce_running:
                raise ValueError('generator already executing')
            if self._mce_step is None:
                return None
            if self._mce_simple or self._mce_running is None:
                self._mce_step = None
                return None
            try:
                value = self._mce_advance(None, _mce_EXIT)
            except BaseException as error:
                if error is _mce_EXIT:
                    return None
                raise
            if type(value) is _mce_Return:
                return value.value
            raise RuntimeError('generator ignored GeneratorExit')

    return generator


_mce_Generator = _mce_make_generator()


# The exceptions that stand for the end of a generator which returned something, with the value:
# an exception itself holds one string.
_mce_stops = []


def _mce_stop(result):
    value = result.value
    if value is None:
        return StopIteration()
    stop = StopIteration(str(value))
    _mce_stops.append((stop, value))
    if len(_mce_stops) > 100:
        _mce_stops.pop(0)
    return stop


def _mce_stop_value(stop):
    # What `stop.value` is.
    for known, value in reversed(_mce_stops):
        if known is stop:
            return value
    return stop.args[0] if stop.args else None


def _mce_drop(generator):
    # What happens to a generator when the last reference to it goes away.
    if type(generator) is _mce_Generator:
        if generator._mce_inner is not None:
            _mce_drop(generator._mce_inner)
        try:
            generator.close()
        except BaseException:
            pass


def _mce_exception(kind, value):
    if isinstance(kind, BaseException):
        if value is not None:
            raise TypeError('instance exception may not have a separate value')
        return kind
    if isinstance(value, BaseException):
        return value
    try:
        made = kind() if value is None else kind(value)
    except TypeError:
        made = None
    if isinstance(made, BaseException):
        return made
    raise TypeError(
        'exceptions must be classes or instances deriving from BaseException, not '
        + type(kind).__name__
    )


def _mce_delegate(iterator, sent, thrown):
    # One step of `yield from`: a value to yield, or a `_mce_Return` with its result.
    if thrown is _mce_EXIT:
        if hasattr(iterator, 'close'):
            iterator.close()
        raise thrown
    if type(iterator) is _mce_Generator:
        return iterator._mce_advance(sent, thrown)
    try:
        if thrown is not None:
            if not hasattr(iterator, 'throw'):
                raise thrown
            return iterator.throw(thrown)
        if sent is None:
            return next(iterator)
        return iterator.send(sent)
    except StopIteration as stop:
        if stop is thrown:
            raise
        return _mce_Return(_mce_stop_value(stop))


def _mce_manager(manager):
    # Checks what a `with` checks before it enters.
    if not hasattr(manager, '__enter__') or not hasattr(manager, '__exit__'):
        raise TypeError(
            f"'{type(manager).__name__}' object does not support the context manager protocol"
            + (' (missed __exit__ method)' if hasattr(manager, '__enter__') else '')
        )
    return manager


class _mce_ContextManager:
    def __init__(self, generator):
        self.gen = generator

    def __enter__(self):
        value = self.gen._mce_advance(None, None)
        if type(value) is _mce_Return:
            raise RuntimeError("generator didn't yield")
        return value

    def __exit__(self, kind, value, traceback):
        generator = self.gen
        if kind is None:
            if type(generator._mce_advance(None, None)) is _mce_Return:
                return False
            generator.close()
            raise RuntimeError("generator didn't stop")
        if value is None:
            value = kind()
        try:
            result = generator._mce_advance(None, value)
        except BaseException as error:
            if error is value:
                return False
            if isinstance(value, StopIteration) and error.args == ('generator raised StopIteration',):
                return False
            raise
        if type(result) is _mce_Return:
            return True
        generator.close()
        raise RuntimeError("generator didn't stop after throw()")


def _mce_contextmanager(function):
    def helper(*args, **kwargs):
        return _mce_ContextManager(function(*args, **kwargs))

    return helper


# What follows consumes iterables. A generator is driven by calls that the interpreter can suspend
# for the host; everything else is left to the builtins.


def _mce_collected(iterable):
    # A generator's values in a list, anything else as it is.
    if type(iterable) is not _mce_Generator:
        return iterable
    values = []
    while type(value := iterable._mce_advance(None, None)) is not _mce_Return:
        values.append(value)
    return values


def _mce_drive_plain(builtin, args, kwargs):
    # Some builtins take no keywords, not even none of them.
    return builtin(*args, **kwargs) if kwargs else builtin(*args)


def _mce_unpacked(iterable, count):
    # As many values as unpacking to `count` targets takes, or all.
    if type(iterable) is not _mce_Generator:
        return iterable
    values = []
    while count is None or len(values) <= count:
        value = iterable._mce_advance(None, None)
        if type(value) is _mce_Return:
            return values
        values.append(value)
    raise ValueError(f'too many values to unpack (expected {count})')


def _mce_added(receiver, iterable):
    # Adds a generator's values one by one; what is left for the method itself.
    if type(iterable) is not _mce_Generator or type(receiver) not in (list, set, dict):
        return _mce_collected(iterable)
    while type(value := iterable._mce_advance(None, None)) is not _mce_Return:
        if type(receiver) is list:
            receiver.append(value)
        elif type(receiver) is set:
            receiver.add(value)
        else:
            receiver.update([value])
    return ()


class _mce_Source:
    # Gives one item at a time to a comprehension: `ticks` grows while it is iterated over.
    def __init__(self, iterable):
        self.iterable = iterable
        self.ticks = [self]
        self.items = ()

    def pull(self):
        if type(self.iterable) is not _mce_Generator:
            self.items = self.iterable
            return True
        value = self.iterable._mce_advance(None, None)
        if type(value) is _mce_Return:
            return False
        self.items = (value,)
        self.ticks.append(self)
        return True


def _mce_sources(iterable):
    return _mce_Source(iter(iterable)).ticks


def _mce_drive_list(*args):
    if len(args) == 1 and type(args[0]) is _mce_Generator:
        return _mce_collected(args[0])
    return list(*args)


def _mce_drive_tuple(*args):
    if len(args) == 1 and type(args[0]) is _mce_Generator:
        return tuple(_mce_collected(args[0]))
    return tuple(*args)


def _mce_drive_set(*args):
    if len(args) != 1 or type(args[0]) is not _mce_Generator:
        return set(*args)
    values = set()
    while type(value := args[0]._mce_advance(None, None)) is not _mce_Return:
        values.add(value)
    return values


def _mce_drive_frozenset(*args):
    if len(args) != 1 or type(args[0]) is not _mce_Generator:
        return frozenset(*args)
    return frozenset(_mce_drive_set(args[0]))


def _mce_drive_sorted(*args, **kwargs):
    if len(args) == 1 and type(args[0]) is _mce_Generator:
        return _mce_drive_plain(sorted, (_mce_collected(args[0]),), kwargs)
    return _mce_drive_plain(sorted, args, kwargs)


def _mce_drive_sum(*args, **kwargs):
    if not args or type(args[0]) is not _mce_Generator:
        return _mce_drive_plain(sum, args, kwargs)
    values = []
    checked = False
    while type(value := args[0]._mce_advance(None, None)) is not _mce_Return:
        values.append(value)
        if not checked and not isinstance(value, (int, float)):
            # What cannot be added has to fail before the generator goes on.
            checked = True
            _mce_drive_plain(sum, (values, *args[1:]), kwargs)
    return _mce_drive_plain(sum, (values, *args[1:]), kwargs)


def _mce_drive_extreme(builtin, args, kwargs):
    if len(args) != 1 or type(args[0]) is not _mce_Generator:
        return _mce_drive_plain(builtin, args, kwargs)
    key = kwargs.get('key')
    if key is None:
        return _mce_drive_plain(builtin, (_mce_collected(args[0]),), kwargs)
    pairs = []
    while type(value := args[0]._mce_advance(None, None)) is not _mce_Return:
        pair = (key(value), value)
        if not pairs:
            pairs.append(pair)
        elif (pair[0] > pairs[0][0]) if builtin is max else (pair[0] < pairs[0][0]):
            pairs[0] = pair
    if pairs:
        return pairs[0][1]
    return _mce_drive_plain(builtin, ([],), kwargs)


def _mce_drive_min(*args, **kwargs):
    return _mce_drive_extreme(min, args, kwargs)


def _mce_drive_max(*args, **kwargs):
    return _mce_drive_extreme(max, args, kwargs)


def _mce_drive_any(*args):
    if len(args) != 1 or type(args[0]) is not _mce_Generator:
        return any(*args)
    while type(value := args[0]._mce_advance(None, None)) is not _mce_Return:
        if value:
            return True
    return False


def _mce_drive_all(*args):
    if len(args) != 1 or type(args[0]) is not _mce_Generator:
        return all(*args)
    while type(value := args[0]._mce_advance(None, None)) is not _mce_Return:
        if not value:
            return False
    return True


def _mce_drive_dict(*args, **kwargs):
    if len(args) != 1 or type(args[0]) is not _mce_Generator:
        return _mce_drive_plain(dict, args, kwargs)
    seen = []
    pairs = {}
    while type(value := args[0]._mce_advance(None, None)) is not _mce_Return:
        seen.append(value)
        try:
            pairs.update([value])
        except (TypeError, ValueError):
            dict(seen)
            raise
    pairs.update(kwargs)
    return pairs


def _mce_drive_next(*args):
    if not args or type(args[0]) is not _mce_Generator or len(args) > 2:
        return next(*args)
    value = args[0]._mce_advance(None, None)
    if type(value) is not _mce_Return:
        return value
    if len(args) == 2:
        return args[1]
    raise _mce_stop(value)


def _mce_step_of(iterator):
    return (
        iterator._mce_advance(None, None)
        if type(iterator) is _mce_Generator
        else next(iterator, _mce_END)
    )


def _mce_drive_enumerate(*args, **kwargs):
    if type(args[0]) is not _mce_Generator:
        return _mce_drive_plain(enumerate, args, kwargs)
    iterator = args[0]
    count = kwargs.get('start', args[1] if len(args) > 1 else 0)

    def step(sent, thrown):
        nonlocal count
        value = iterator._mce_advance(None, None)
        if type(value) is _mce_Return:
            return _mce_END
        count += 1
        return (count - 1, value)

    result = _mce_Generator(step, 'enumerate', True)
    result._mce_inner = iterator
    return result


def _mce_drive_zip(*args, **kwargs):
    if not any([type(arg) is _mce_Generator for arg in args]):
        return _mce_drive_plain(zip, args, kwargs)
    strict = kwargs.get('strict', False)
    iterators = [iter(arg) for arg in args]

    def step(sent, thrown):
        items = []
        for index, iterator in enumerate(iterators):
            value = _mce_step_of(iterator)
            if type(value) is not _mce_Return:
                items.append(value)
                continue
            if strict and index > 0:
                others = ' 1' if index == 1 else f's 1-{index}'
                raise ValueError(f'zip() argument {index + 1} is shorter than argument{others}')
            if strict:
                for later in range(1, len(iterators)):
                    if type(_mce_step_of(iterators[later])) is not _mce_Return:
                        others = ' 1' if later == 1 else f's 1-{later}'
                        raise ValueError(f'zip() argument {later + 1} is longer than argument{others}')
            return _mce_END
        return tuple(items)

    return _mce_Generator(step, 'zip', True)


def _mce_drive_map(*args, **kwargs):
    if not any([type(arg) is _mce_Generator for arg in args]):
        return _mce_drive_plain(map, args, kwargs)
    function = args[0]
    iterators = [iter(arg) for arg in args[1:]]

    def step(sent, thrown):
        items = []
        for iterator in iterators:
            value = _mce_step_of(iterator)
            if type(value) is _mce_Return:
                return _mce_END
            items.append(value)
        return function(*items)

    return _mce_Generator(step, 'map', True)


def _mce_drive_filter(*args, **kwargs):
    if len(args) != 2 or type(args[1]) is not _mce_Generator:
        return _mce_drive_plain(filter, args, kwargs)
    function, iterator = args

    def step(sent, thrown):
        while type(value := iterator._mce_advance(None, None)) is not _mce_Return:
            if value if function is None else function(value):
                return value
        return _mce_END

    return _mce_Generator(step, 'filter', True)


# Asynchronous generators. What stands for StopAsyncIteration is raised by nothing else: code that
# does not parse never gets as far as to raise a SyntaxError.
_mce_StopAsyncIteration = SyntaxError


def _mce_make_async_generator():
    class async_generator:
        def __init__(self, step, name, simple):
            self._mce_step = step
            self._mce_name = name
            self._mce_simple = simple
            # None before the first step, then whether the body runs.
            self._mce_running = None

        def __repr__(self):
            return f'<async_generator object {self._mce_name} at {hex(id(self))}>'

        def __aiter__(self):
            return self

        async def _mce_advance(self, sent, thrown, caller):
            # The value of the next `yield`, or a `_mce_Return`.
            if self._mce_running:
                raise RuntimeError(f'{caller}(): asynchronous generator is already running')
            step = self._mce_step
            if step is None:
                if thrown is not None and thrown is not _mce_EXIT:
                    raise thrown
                return _mce_END
            if thrown is not None and (self._mce_simple or self._mce_running is None):
                self._mce_step = None
                raise thrown
            if sent is not None and self._mce_running is None:
                raise TypeError("can't send non-None value to a just-started async generator")
            self._mce_running = True
            try:
                value = await step(sent, thrown)
            except BaseException as error:
                self._mce_running = False
                self._mce_step = None
                if isinstance(error, StopIteration):
                    raise RuntimeError('async generator raised StopIteration') from error
                if isinstance(error, _mce_StopAsyncIteration):
                    raise RuntimeError('async generator raised StopAsyncIteration') from error
                raise
            self._mce_running = False
            if type(value) is _mce_Return:
                self._mce_step = None
            return value

        async def __anext__(self):
            value = await self._mce_advance(None, None, 'anext')
            if type(value) is _mce_Return:
                raise _mce_StopAsyncIteration
            return value

        async def asend(self, value):
            value = await self._mce_advance(value, None, 'asend')
            if type(value) is _mce_Return:
                raise _mce_StopAsyncIteration
            return value

        async def athrow(self, kind, value=None, traceback=None):
            value = await self._mce_advance(None, _mce_exception(kind, value), 'athrow')
            if type(value) is _mce_Return:
                raise _mce_StopAsyncIteration
            return value

        async def aclose(self):
            try:
                value = await self._mce_advance(None, _mce_EXIT, 'aclose')
            except BaseException as error:
                if error is _mce_EXIT:
                    return None
                raise
            if type(value) is not _mce_Return:
                raise RuntimeError('async generator ignored GeneratorExit')

    return async_generator


_mce_AsyncGenerator = _mce_make_async_generator()


async def _mce_anext(iterator):
    # One step of `async for`: an item, or a `_mce_Return` at the end.
    if type(iterator) is _mce_AsyncGenerator:
        return await iterator._mce_advance(None, None, 'anext')
    try:
        return await iterator.__anext__()
    except _mce_StopAsyncIteration:
        return _mce_END


class _mce_AsyncContextManager:
    def __init__(self, generator):
        self.gen = generator

    async def __aenter__(self):
        value = await self.gen._mce_advance(None, None, 'anext')
        if type(value) is _mce_Return:
            raise RuntimeError("generator didn't yield")
        return value

    async def __aexit__(self, kind, value, traceback):
        generator = self.gen
        if kind is None:
            if type(await generator._mce_advance(None, None, 'anext')) is _mce_Return:
                return False
            await generator.aclose()
            raise RuntimeError("generator didn't stop")
        if value is None:
            value = kind()
        try:
            result = await generator._mce_advance(None, value, 'athrow')
        except BaseException as error:
            if error is value:
                return False
            if isinstance(value, (StopIteration, _mce_StopAsyncIteration)) and error.args in (
                ('async generator raised StopIteration',),
                ('async generator raised StopAsyncIteration',),
            ):
                return False
            raise
        if type(result) is _mce_Return:
            return True
        await generator.aclose()
        raise RuntimeError("generator didn't stop after athrow()")


def _mce_asynccontextmanager(function):
    def helper(*args, **kwargs):
        return _mce_AsyncContextManager(function(*args, **kwargs))

    return helper
