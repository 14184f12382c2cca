# -- streams -------------------------------------------------------------------------------------


class Event(NamedTuple, Generic[T]):
    """A server-sent event."""

    data: T
    event: str = "message"
    id: str = ""
    retry: int | None = None


class _Stream(Generic[T]):
    """Items as they arrive: iterate with ``for``, or with ``async for`` what ``aio`` returned.

    Closed at its end, by ``close`` or ``aclose``, at the end of a ``with``, or when dropped.
    In the sandbox it holds what arrived until the host stopped reading. Where there would have been
    more, ``is_cut`` is true, and a loop that comes to the end of what arrived raises
    :class:`EgressError`, or :class:`ApiError` where the connection broke off.
    """

    def __init__(self, items: Any, is_cut: bool = False, end: Callable[[], Any] | None = None) -> None:
        self._items = items
        self._end = end
        self.is_cut = is_cut

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        if not hasattr(self._items, "__next__"):
            raise TypeError("this stream is read with `async for`")
        return cast(T, next(self._items))

    def __aiter__(self) -> AsyncIterator[T]:
        return self

    async def __anext__(self) -> T:
        if hasattr(self._items, "__anext__"):
            return cast(T, await anext(self._items))
        for item in self._items:
            return cast(T, item)
        raise StopAsyncIteration

    def close(self) -> None:
        """Ends a stream that is read with ``for``."""
        if self._is_async():
            raise TypeError("this stream is ended with `await stream.aclose()` or `async with`")
        if hasattr(self._items, "close"):
            self._items.close()
            # Of a generator that never began, nothing runs at its end.
            if self._end is not None:
                self._end()

    def _is_async(self) -> bool:
        return hasattr(self._items, "__anext__")

    def __del__(self) -> None:
        # What `__init__` never finished has nothing to end.
        if not hasattr(self, "is_cut"):
            return
        if not self._is_async():
            self.close()
        elif self._end is not None:
            _end_later(self._end)

    async def aclose(self) -> None:
        """Ends a stream that is read with ``async for``."""
        if not self._is_async():
            self.close()
            return
        await self._items.aclose()
        if self._end is not None:
            end, self._end = self._end, None
            await end()

    def __enter__(self: S) -> S:
        if self._is_async():
            raise TypeError("this stream is used with `async with`")
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self: S) -> S:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _end_later(end: Callable[[], Any]) -> None:
    """Closes a connection of a stream that was dropped, in its event loop if that runs still."""
    import asyncio

    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        # Its loop has ended, or runs elsewhere: its client is closed as soon as that is seen.
        return
    task = loop.create_task(end())
    _endings.add(task)
    task.add_done_callback(_endings.discard)


# Tasks that nothing else holds.
_endings: set[Any] = set()


class EventStream(_Stream[Event[T]]):
    """Server-sent events."""


class ItemStream(_Stream[T]):
    """JSON values in a row."""
