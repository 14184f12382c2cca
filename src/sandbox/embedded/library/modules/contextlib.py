# contextlib: left out are ContextDecorator, AbstractContextManager, redirect_stdout/stderr and chdir.
def _mce_module_contextlib():
    import collections

    class suppress:
        def __init__(self, *exceptions):
            self.exceptions = exceptions

        def __enter__(self):
            return None

        def __exit__(self, exc_type, exc_value, traceback):
            return exc_value is not None and isinstance(exc_value, self.exceptions)

    class nullcontext:
        def __init__(self, enter_result=None):
            self.enter_result = enter_result

        def __enter__(self):
            return self.enter_result

        def __exit__(self, *excinfo):
            return None

        async def __aenter__(self):
            return self.enter_result

        async def __aexit__(self, *excinfo):
            return None

    class closing:
        def __init__(self, thing):
            self.thing = thing

        def __enter__(self):
            return self.thing

        def __exit__(self, *exc_info):
            self.thing.close()

    class aclosing:
        def __init__(self, thing):
            self.thing = thing

        async def __aenter__(self):
            return self.thing

        async def __aexit__(self, *exc_info):
            await _mce_await(self.thing.aclose())

    class _GeneratorContextManager:
        def __init__(self, gen):
            self.gen = gen

        def __enter__(self):
            for value in self.gen:
                return value
            raise RuntimeError("generator didn't yield")

        def __exit__(self, exc_type, exc_value, traceback):
            if exc_value is None:
                for _ in self.gen:
                    try:
                        raise RuntimeError("generator didn't stop")
                    finally:
                        self.gen.close()
                return False
            try:
                self.gen.throw(exc_value)
            except StopIteration as stop:
                return stop is not exc_value
            except BaseException as error:
                if error is not exc_value:
                    raise
                return False
            try:
                raise RuntimeError("generator didn't stop after throw()")
            finally:
                self.gen.close()

    def contextmanager(func):
        def helper(*args, **kwds):
            return _GeneratorContextManager(func(*args, **kwds))

        return helper

    class _AsyncGeneratorContextManager:
        def __init__(self, gen):
            self.gen = gen

        async def __aenter__(self):
            try:
                return await _mce_await(self.gen.__anext__())
            except StopIteration:
                raise RuntimeError("generator didn't yield")

        async def __aexit__(self, exc_type, exc_value, traceback):
            if exc_value is None:
                try:
                    await _mce_await(self.gen.__anext__())
                except StopIteration:
                    return False
                raise RuntimeError("generator didn't stop")
            try:
                await _mce_await(self.gen.athrow(exc_value))
            except StopIteration as stop:
                return stop is not exc_value
            except BaseException as error:
                if error is not exc_value:
                    raise
                return False
            raise RuntimeError("generator didn't stop after athrow()")

    def asynccontextmanager(func):
        def helper(*args, **kwds):
            return _AsyncGeneratorContextManager(func(*args, **kwds))

        return helper

    class ExitStack:
        def __init__(self):
            self.callbacks = collections.deque()

        def enter_context(self, cm):
            if not hasattr(cm, "__enter__") or not hasattr(cm, "__exit__"):
                module = "builtins" if _mce_is_native(cm) else "__main__"
                raise TypeError(
                    f"'{module}.{type(cm).__name__}' object does not support the context manager protocol"
                )
            result = cm.__enter__()
            self.callbacks.append(cm.__exit__)
            return result

        def push(self, exit):
            self.callbacks.append(exit.__exit__ if hasattr(exit, "__exit__") else exit)
            return exit

        def callback(self, callback, /, *args, **kwds):
            def call(exc_type, exc_value, traceback):
                callback(*args, **kwds)

            self.callbacks.append(call)
            return callback

        def pop_all(self):
            made = ExitStack()
            made.callbacks = self.callbacks
            self.callbacks = collections.deque()
            return made

        def close(self):
            self.__exit__(None, None, None)

        def __enter__(self):
            return self

        def __exit__(self, exc_type, exc_value, traceback):
            pending = exc_value
            fresh = False
            while self.callbacks:
                callback = self.callbacks.pop()
                try:
                    if callback(None if pending is None else type(pending), pending, None) and pending is not None:
                        pending = None
                        fresh = False
                except BaseException as error:
                    pending = error
                    fresh = True
            if fresh:
                raise pending
            return exc_value is not None and pending is None

    class AsyncExitStack:
        def __init__(self):
            self.callbacks = collections.deque()

        def enter_context(self, cm):
            result = cm.__enter__()
            self.callbacks.append((False, cm.__exit__))
            return result

        async def enter_async_context(self, cm):
            result = await cm.__aenter__()
            self.callbacks.append((True, cm.__aexit__))
            return result

        def push(self, exit):
            self.callbacks.append((False, exit.__exit__ if hasattr(exit, "__exit__") else exit))
            return exit

        def push_async_exit(self, exit):
            self.callbacks.append((True, exit.__aexit__ if hasattr(exit, "__aexit__") else exit))
            return exit

        def callback(self, callback, /, *args, **kwds):
            def call(exc_type, exc_value, traceback):
                callback(*args, **kwds)

            self.callbacks.append((False, call))
            return callback

        def push_async_callback(self, callback, /, *args, **kwds):
            async def call(exc_type, exc_value, traceback):
                await _mce_await(callback(*args, **kwds))

            self.callbacks.append((True, call))
            return callback

        async def aclose(self):
            await self.__aexit__(None, None, None)

        async def __aenter__(self):
            return self

        async def __aexit__(self, exc_type, exc_value, traceback):
            pending = exc_value
            fresh = False
            while self.callbacks:
                is_async, callback = self.callbacks.pop()
                kind = None if pending is None else type(pending)
                try:
                    handled = callback(kind, pending, None)
                    if is_async:
                        handled = await _mce_await(handled)
                    if handled and pending is not None:
                        pending = None
                        fresh = False
                except BaseException as error:
                    pending = error
                    fresh = True
            if fresh:
                raise pending
            return exc_value is not None and pending is None

    return {
        "AsyncExitStack": AsyncExitStack,
        "ExitStack": ExitStack,
        "aclosing": aclosing,
        "asynccontextmanager": asynccontextmanager,
        "closing": closing,
        "contextmanager": contextmanager,
        "nullcontext": nullcontext,
        "suppress": suppress,
    }
