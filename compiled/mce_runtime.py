"""What compiled clients run on. Written by mce; do not edit.

A module of stubs (``functions.py``) makes one :class:`Api` and decorates its functions with
``Api.operation``. A decorated function is called with keyword arguments; ``None`` leaves an
argument out, :data:`NULL` sends a JSON null. ``f(...)`` waits for the answer, ``await f.aio(...)``
is the same call under asyncio. ``f.with_content_type("text/csv")(...)`` sends the body as another of
its media types. Where the document shows how a list goes on, ``for page in f.pages(...)`` and ``for
item in f.items(...)`` ask for its pages one after another; ``async for`` with ``f.pages.aio(...)``.
An answer that is not a success raises :class:`ApiError`.

There are two backends. Inside the sandbox the call is handed to the host, which encodes, authorises
and sends it. Anywhere else it is sent from here with ``httpx``, and these variables are read at each
call (``<SERVER>`` is the server's name in upper case):

========================== =======================================================================
MCE_<SERVER>_BASE_URL      the whole prefix of every path; else the document's own root server
MCE_<SERVER>_AUTH          value of the Authorization header
MCE_<SERVER>_API_KEY       sent where the document's apiKey schemes want it
MCE_<SERVER>_COOKIE        cookies, ``name=value; name=value``
MCE_<SERVER>_EXTRA_HEADERS further headers, a JSON object
========================== =======================================================================
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any, Generic, NamedTuple, NoReturn, ParamSpec, TypeVar, cast, overload

__all__ = ["NULL", "ApiError", "EgressError", "Event", "EventStream", "ItemStream"]

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
S = TypeVar("S", bound="_Stream[Any]")

_ABI = 1
_USER_AGENT = "mce/0.1.0"
_MAX_DEPTH = 100
_TIMEOUT_SECONDS = 30.0


def _find_host() -> Any:
    """The sandbox's door to the host; None outside the sandbox."""
    try:
        import _mce_host  # type: ignore[import-not-found, unused-ignore]
    except ModuleNotFoundError:
        return None
    return _mce_host


_host: Any = _find_host()


class _Null:
    """The type of :data:`NULL`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NULL"

    def __bool__(self) -> bool:
        return False


NULL: Any = _Null()
"""A JSON null as an argument, where ``None`` would leave the argument out."""


class ApiError(Exception):
    """An answer that is not a success, or no answer at all (``status`` 0).

    ``body`` is decoded like a result; ``headers`` holds what a caller may need to react
    (content type, entity tag, links, rate limits, paging counts), with names in lower case.
    """

    def __init__(
        self,
        status: int,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        message: str | None = None,
    ) -> None:
        super().__init__(status, body, headers, message)
        self.status = status
        self.body = body
        self.headers: dict[str, str] = dict(headers or {})
        self._message = message or f"status {status}"

    def __str__(self) -> str:
        return self._message

    def __repr__(self) -> str:
        return f"ApiError({self.status}, {self._message!r})"


class EgressError(RuntimeError):
    """A call was refused, by the host or here, or a limit of the execution was reached."""


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


# -- stubs ---------------------------------------------------------------------------------------

_Style = str | tuple[str, bool] | tuple[str, bool, str]
_Encoding = Mapping[str, str | tuple[str, bool] | tuple[str, bool, bool]]
_PartHeaders = Mapping[str, Mapping[str, str]]


# As many arguments of a function are listed in an error.
_MAX_NAMES = 12


class Api:
    """One server: its name and the variables that say where it is."""

    def __init__(
        self,
        server: str,
        *,
        base_url_env: str,
        auth_env: str,
        base_url: str | None = None,
        **unknown: object,
    ) -> None:
        if unknown:
            _too_new(server, unknown)
        self.server = server
        self.base_url_env = base_url_env
        self.auth_env = auth_env
        self.base_url = base_url

    def operation(
        self,
        method: str,
        template: str,
        /,
        *,
        path: Mapping[str, _Style] | None = None,
        query: Mapping[str, _Style] | None = None,
        header: Mapping[str, _Style] | None = None,
        cookie: Mapping[str, _Style] | None = None,
        reserved: tuple[str, ...] = (),
        items: Mapping[str, tuple[str, ...]] | None = None,
        content: Mapping[str, str] | None = None,
        body: tuple[str, ...] | None = None,
        encoding: Mapping[str, _Encoding] | None = None,
        part_headers: Mapping[str, _PartHeaders] | None = None,
        accept: str | None = None,
        responses: Mapping[str, str] | None = None,
        api_key: tuple[tuple[str, str], ...] = (),
        auth: bool = True,
        base_url: str | None = None,
        pages: Mapping[str, str] | None = None,
        **unknown: object,
    ) -> Callable[[Callable[P, R]], Operation[P, R]]:
        """Makes a stub callable.

        ``path``, ``query``, ``header`` and ``cookie`` map a Python name to its style:
        ``"form"``, ``("form", explode)`` or ``("form", explode, name on the wire)``.
        ``items`` are the styles of the lists within a parameter's list, one for each level.
        ``base_url`` is the operation's own server, for where the environment names none.
        ``body`` is the argument's name and its media types, the one to send unasked first.
        ``encoding`` says of a form's media type how its properties are spelt, where not by default:
        ``"form"``, ``("form", explode)``, ``("form", explode, allow reserved)`` or a media type.
        ``part_headers`` says of a multipart media type which headers the parts of a property have.
        ``pages`` says how further pages are reached: see :class:`_Paging`.
        """
        if unknown:
            _too_new(self.server, unknown)

        def spec() -> _Spec:
            def parameters(styles: Mapping[str, _Style] | None) -> tuple[_Parameter, ...]:
                return tuple(
                    _Parameter.read(
                        name, style, name in reserved, (content or {}).get(name)
                    )._replace(items=tuple((items or {}).get(name, ())))
                    for name, style in (styles or {}).items()
                )

            return _Spec(
                method,
                template,
                parameters(path),
                parameters(query),
                parameters(header),
                parameters(cookie),
                body[0] if body else None,
                body[1:] if body else (),
                encoding or {},
                part_headers or {},
                accept,
                responses or {},
                api_key,
                auth,
                base_url,
            )

        def decorate(function: Callable[P, R]) -> Operation[P, R]:
            return Operation(self, function, spec, pages=pages)

        return decorate


def _too_new(server: str, unknown: Mapping[str, object]) -> NoReturn:
    raise RuntimeError(
        f"the compiled functions of {server!r} use {', '.join(sorted(unknown))}, which this "
        f"mce_runtime.py (ABI {_ABI}) does not know: run `mce compile` with one version of mce"
    )


class _ItemPages:
    """``for item in f.items(...)``: the items of all pages. They have their type where an answer is
    their list; the type of a member of an answer is nothing that Python's types can express."""

    @overload
    def __get__(self, operation: None, owner: object = None) -> _ItemPages: ...

    @overload
    def __get__(
        self, operation: Operation[P, list[T]] | Operation[P, list[T] | None], owner: object = None
    ) -> Pages[P, T]: ...

    @overload
    def __get__(self, operation: Operation[P, R], owner: object = None) -> Pages[P, Any]: ...

    def __get__(self, operation: Operation[P, Any] | None, owner: object = None) -> Any:
        if operation is None:
            return self
        paging = _Paging.read(operation.__name__, "items", operation._pages)
        return Pages(operation, paging, True)


class Operation(Generic[P, R]):
    """A compiled function: ``f(...)`` calls it, ``await f.aio(...)`` does so under asyncio."""

    __wrapped__: Callable[P, R]
    __name__: str

    def __init__(
        self,
        api: Api,
        function: Callable[P, R],
        spec: Callable[[], _Spec],
        content_type: str | None = None,
        pages: Mapping[str, str] | None = None,
    ) -> None:
        self.__wrapped__ = function
        self.__module__ = function.__module__
        self.__name__ = function.__name__
        self.__qualname__ = function.__qualname__
        self.__doc__ = function.__doc__
        self._api = api
        self._make_spec = spec
        self._known_spec: _Spec | None = None
        self._content_type = content_type
        self._pages = pages

    def __repr__(self) -> str:
        return f"<operation {self._api.server}.{self.__name__}>"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        arguments = self._arguments(args, kwargs)
        if _host is not None:
            answer = _host.call(self._api.server, self.__name__, arguments, **self._selection())
            return cast(R, _host_result(answer))
        return cast(R, _call(self._api, self._spec, self._request(arguments))[0])

    async def aio(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """The same call, awaited."""
        arguments = self._arguments(args, kwargs)
        if _host is not None:
            call = _host.call_async
            answer = await call(self._api.server, self.__name__, arguments, **self._selection())
            return cast(R, _host_result(answer))
        value, _ = await _call_async(self._api, self._spec, self._request(arguments))
        return cast(R, value)

    @property
    def pages(self) -> Pages[P, R]:
        """``for page in f.pages(...)``: the answers to this call and to those for further pages."""
        return Pages(self, _Paging.read(self.__name__, "pages", self._pages), False)

    items = _ItemPages()

    def _page(self, arguments: dict[str, Any], url: str | None, linked: bool) -> _Page:
        """A page, and the URL of the next one that came in the header ``Link``."""
        if _host is None:
            value, link = _call(self._api, self._spec, self._page_request(arguments, url))
            return _listed(value), link
        server, name, selection = self._api.server, self.__name__, self._selection()
        if not linked:
            return _listed(_host_result(_host.call(server, name, arguments, **selection))), None
        return _host_page(_host.page(server, name, arguments, url, **selection))

    async def _page_async(self, arguments: dict[str, Any], url: str | None, linked: bool) -> _Page:
        if _host is None:
            request = self._page_request(arguments, url)
            value, link = await _call_async(self._api, self._spec, request)
            return await _listed_async(value), link
        server, name, selection = self._api.server, self.__name__, self._selection()
        if not linked:
            answer = await _host.call_async(server, name, arguments, **selection)
            return _listed(_host_result(answer)), None
        return _host_page(await _host.page_async(server, name, arguments, url, **selection))

    def _page_request(self, arguments: dict[str, Any], url: str | None) -> _Request:
        request = self._request(arguments)
        if url is None:
            return request
        return _followed(self.__name__, self._api, self._spec, request, arguments, url)

    def with_content_type(self, content_type: str) -> Operation[P, R]:
        """The same function, which sends its body as another of the documented media types."""
        _chosen(self.__name__, self._spec, content_type)
        return Operation(
            self._api, self.__wrapped__, self._make_spec, content_type, pages=self._pages
        )

    def _selection(self) -> dict[str, str]:
        return {} if self._content_type is None else {"content_type": self._content_type}

    def _request(self, arguments: Mapping[str, Any]) -> _Request:
        return _encode(self.__name__, self._spec, arguments, self._content_type)

    def _with_files(self, name: str, value: dict[Any, Any]) -> dict[Any, Any]:
        """The members of a multipart body, the files among them with bytes as content."""
        spec = self._spec
        media_type = self._content_type or (spec.media[0] if spec.media else "")
        if name != spec.body or not _essence(media_type).startswith("multipart/"):
            return value
        return {key: _as_file(item) for key, item in value.items()}

    @property
    def _spec(self) -> _Spec:
        # Built at the first call: a module of a thousand stubs should import in no time.
        if self._known_spec is None:
            self._known_spec = self._make_spec()
        return self._known_spec

    def _arguments(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> dict[str, Any]:
        """What was given, as plain values. Raises what Python itself would raise."""
        call = f"{self.__name__}()"
        if args:
            verb = "was" if len(args) == 1 else "were"
            raise TypeError(f"{call} takes 0 positional arguments but {len(args)} {verb} given")
        function: Any = self.__wrapped__
        code = function.__code__
        known = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        for name in kwargs:
            if name not in known:
                raise TypeError(
                    f"{call} got an unexpected keyword argument {name!r}; {_taken(known)}"
                )
        optional = function.__kwdefaults__ or {}
        required = [name for name in known if name not in optional]
        # What cannot be left out can only be meant as null, where its type has that.
        types = function.__annotations__
        nulls = {
            name
            for name in required
            if kwargs.get(name, NULL) is None and _has_none(str(types.get(name)))
        }
        missing = [name for name in required if kwargs.get(name) is None and name not in nulls]
        if missing:
            plural = "s" if len(missing) > 1 else ""
            raise TypeError(
                f"{call} missing {len(missing)} required keyword-only argument{plural}: "
                f"{_enumeration(missing)}"
            )
        arguments: dict[str, Any] = {}
        for name, value in kwargs.items():
            if value is None and name not in nulls:
                continue
            try:
                if type(value) is dict and any(type(item) in (tuple, list) for item in value.values()):
                    value = self._with_files(name, value)
                arguments[name] = _plain(value, [])
            except (TypeError, ValueError) as error:
                # Not chained: a value's own error may be of any size and says no more. And not of
                # its own class: such as ``UnicodeError`` cannot be made of a text.
                kind = TypeError if isinstance(error, TypeError) else ValueError
                raise kind(f"{call} argument {name!r} {error}") from None
        return arguments


def _as_file(value: Any) -> Any:
    """A tuple of a file name and text, and perhaps a media type, with the text as bytes. A list of
    texts is a list of texts."""
    match value:
        case (str(), str(content), *rest) if type(value) is tuple and len(rest) < 2:
            media_type = rest[0] if rest and isinstance(rest[0], str) else ""
            try:
                return (value[0], _encoded_text(media_type, _checked_text(content)), *rest)
            except _Unfit as problem:
                raise TypeError(str(problem)) from None
    if type(value) is list:
        return [_as_file(item) if type(item) is tuple else item for item in value]
    return value


def _has_none(annotation: str) -> bool:
    """Whether a type has ``None`` at its top: ``X | None``, ``None | X`` or ``None`` alone.

    Read from its text, which is all that there is: to evaluate it would import every type of the
    module. A ``|`` within brackets is not at the top, and brackets within quotes are none.
    """
    import re

    quoted = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*["]"""
    depth = 0
    word = ""
    for character in re.sub(quoted, "", annotation) + "|":
        depth += (character in "[(") - (character in "])")
        if character == "|" and not depth:
            if word.strip() == "None":
                return True
            word = ""
        else:
            word += character
    return False


def _taken(names: tuple[str, ...]) -> str:
    """Which arguments a function takes, those that it needs first."""
    if not names:
        return "it takes none"
    shown = ", ".join(repr(name) for name in names[:_MAX_NAMES])
    return f"it takes {shown}{', …' if len(names) > _MAX_NAMES else ''}"


def _enumeration(names: list[str]) -> str:
    """``'a'``, ``'a' and 'b'``, ``'a', 'b', and 'c'``: as Python lists missing arguments."""
    quoted = [repr(name) for name in names]
    if len(quoted) < 3:
        return " and ".join(quoted)
    return f"{', '.join(quoted[:-1])}, and {quoted[-1]}"


# -- pages ---------------------------------------------------------------------------------------

# The value of a page, and the URL of the next one from the header ``Link``.
_Page = tuple[object, str | None]


class Pages(Generic[P, T]):
    """What ``f.pages`` and ``f.items`` are: called, an iterator that asks for a page when the loop
    comes to it. ``async for ... in f.pages.aio(...)`` is the same under asyncio."""

    def __init__(self, operation: Operation[P, Any], paging: _Paging, of_items: bool) -> None:
        self._operation = operation
        self._paging = paging
        self._of_items = of_items

    def __repr__(self) -> str:
        return f"<{'items' if self._of_items else 'pages'} of {self._operation!r}>"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        return self._through(self._walk(args, kwargs))

    def aio(self, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        """The same for ``async for``."""
        return self._through_async(self._walk(args, kwargs))

    def _walk(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> _Walk:
        # Here rather than at the first step: an error belongs to the line with the mistake.
        arguments = self._operation._arguments(args, kwargs)
        return _Walk(self._operation.__name__, self._paging, arguments, self._of_items)

    def _through(self, walk: _Walk) -> Iterator[T]:
        while walk.goes_on:
            try:
                page = self._operation._page(*walk.asks_for())
            except ApiError as error:
                if walk.ends_with(error):
                    return
                raise
            yield from cast("list[T]", walk.takes(*page))

    async def _through_async(self, walk: _Walk) -> AsyncIterator[T]:
        while walk.goes_on:
            try:
                page = await self._operation._page_async(*walk.asks_for())
            except ApiError as error:
                if walk.ends_with(error):
                    return
                raise
            for item in cast("list[T]", walk.takes(*page)):
                yield item


class _Paging(NamedTuple):
    """How further pages are reached, as the decorator describes it.

    ``kind``: ``link`` (the header ``Link``), ``next_url`` (a URL at ``field``), ``cursor`` (the
    ``parameter`` becomes what is at ``field``), ``page`` and ``offset`` (the ``parameter`` counts
    from ``first``). ``items`` is the place of the list, ``size`` the parameter that bounds it.
    """

    kind: str
    parameter: str
    field: str
    items: str | None
    size: str
    first: int

    @classmethod
    def read(cls, name: str, wanted: str, stated: Mapping[str, str] | None) -> _Paging:
        if stated is None:
            raise AttributeError(
                f"{name}() has no `{wanted}`: its document shows no pagination; call {name}() itself"
            )
        kind, items = stated["kind"], stated.get("items")
        if items is None and wanted == "items":
            raise AttributeError(
                f"{name}() has no `items`: its document does not show where they are; use `pages`"
            )
        first = int(stated.get("first", "1" if kind == "page" else "0"))
        parameter, field = stated.get("parameter", ""), stated.get("field", "")
        return cls(kind, parameter, field, items, stated.get("size", ""), first)


class _Walk:
    """One way through pages: what to ask for next, and when there is no more."""

    def __init__(
        self, name: str, paging: _Paging, arguments: dict[str, Any], of_items: bool
    ) -> None:
        self.goes_on = True
        self._name = name
        self._paging = paging
        self._arguments = arguments
        self._of_items = of_items
        self._url: str | None = None
        self._seen: set[str] = set()
        self._number = 0
        self._before: object = None
        self._longest = 0
        self._items = 0
        self._starts_at_first = paging.parameter not in arguments

    def asks_for(self) -> tuple[dict[str, Any], str | None, bool]:
        """Arguments, the page's URL if it has one, and whether pages are reached by URLs."""
        return self._arguments, self._url, self._paging.kind in ("link", "next_url")

    def ends_with(self, error: ApiError) -> bool:
        """Whether an error only says that there is no such page: so some APIs end a count."""
        is_counted = self._paging.kind in ("page", "offset")
        return is_counted and self._number > 0 and error.status == 404

    def takes(self, value: object, link: str | None) -> list[object]:
        """What a page brings to the loop. Decides whether there is another one."""
        self._number += 1
        items = None if self._paging.items is None else _at(value, self._paging.items)
        found = items if isinstance(items, list) else []
        self.goes_on = False
        if self._paging.kind in ("page", "offset"):
            if self._number > 1 and not found:
                return []
            if self._number > 1 and value == self._before:
                if self._longest < self._size():
                    # The list was complete, and the API does not count.
                    return []
                self._repeats(f"the same for another `{self._paging.parameter}`")
            self._count(value, found)
            self._before = value
        elif self._paging.kind == "cursor":
            self._go_to_cursor(value, found)
        else:
            self._go_to_url(link if self._paging.kind == "link" else _at(value, self._paging.field))
        if not self._of_items:
            return [value]
        if items is not None and not isinstance(items, list):
            raise RuntimeError(
                f"{self._name}(): page {self._number} has no list at `{self._paging.items}`; "
                "use `pages`"
            )
        return found

    def _size(self) -> float:
        size = self._arguments.get(self._paging.size)
        return size if isinstance(size, int) and size > 0 else float("inf")

    def _count(self, value: object, found: list[object]) -> None:
        """The next number, unless this page is the last."""
        count = len(found)
        self._items += count
        # Shorter than asked for is the last page, but for the first, which a limit of the API's
        # own may have cut.
        is_short = count < self._size() and count < self._longest
        self._longest = max(self._longest, count)
        more = _says_more(value)
        if not found or more is False or (is_short and more is None):
            return
        # A page that says itself that there is more needs no totals. And a total that is no more
        # than the first page of as many as were asked for may be the count of that page.
        is_full_first = self._number == 1 and count == self._size()
        if more is None and self._starts_at_first and not is_full_first:
            if _is_all(value, self._items, self._number, self._paging.kind):
                return
        parameter = self._paging.parameter
        current = self._arguments.get(parameter, self._paging.first)
        if isinstance(current, bool) or not isinstance(current, (int, float)):
            raise TypeError(f"{self._name}() argument {parameter!r} must be int to go on from it")
        step = 1 if self._paging.kind == "page" else count
        self._arguments = {**self._arguments, parameter: int(current) + step}
        self.goes_on = True

    def _go_to_cursor(self, value: object, found: list[object]) -> None:
        cursor = _at(value, self._paging.field)
        if cursor in (None, "", False) or _says_more(value) is False:
            return
        if isinstance(cursor, bool) or not isinstance(cursor, (str, int)):
            raise RuntimeError(
                f"{self._name}(): what page {self._number} has at `{self._paging.field}` is no cursor"
            )
        is_empty = self._paging.items is not None and not found
        is_known = str(cursor) in self._seen or cursor == self._arguments.get(
            self._paging.parameter
        )
        if is_known and not is_empty:
            self._repeats("the cursor of an earlier one")
        if is_known:
            return
        self._seen.add(str(cursor))
        self._arguments = {**self._arguments, self._paging.parameter: cursor}
        self.goes_on = True

    def _go_to_url(self, url: object) -> None:
        if isinstance(url, dict):
            url = url.get("href")
        if url in (None, "", False):
            return
        if not isinstance(url, str):
            raise RuntimeError(
                f"{self._name}(): what page {self._number} has at `{self._paging.field}` is no URL"
            )
        if url in self._seen:
            self._repeats("the next URL of an earlier one")
        self._seen.add(url)
        self._url = url
        self.goes_on = True

    def _repeats(self, what: str) -> NoReturn:
        raise RuntimeError(
            f"{self._name}(): page {self._number} has {what}; stopped, since this would not end"
        )


def _at(value: Any, path: str) -> Any:
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


_ABOUT_THE_PAGE = ("meta", "metadata", "_meta", "pagination", "paging", "page", "page_info", "pageInfo")


def _said(value: object, names: frozenset[str]) -> list[Any]:
    """What a page says of itself under these names, spelt without case and underscores."""
    if not isinstance(value, dict):
        return []
    places = [value, *(value.get(name) for name in _ABOUT_THE_PAGE)]
    return [
        item
        for place in places
        if isinstance(place, dict)
        for name, item in place.items()
        if name.lower().replace("_", "").replace("-", "") in names
    ]


_MORE = frozenset(("hasmore", "hasnext", "hasnextpage", "more", "moreresults"))
_DONE = frozenset(("done", "islast", "last", "islastpage"))
_TOTALS = frozenset(
    f"total{name}" for name in ("", "count", "items", "results", "records", "elements", "rows")
)
_TOTAL_PAGES = frozenset(("totalpages", "pagecount", "lastpage", "numpages", "pagestotal"))


def _says_more(value: object) -> bool | None:
    """Whether there is another page, where a page says so."""
    for item in _said(value, _MORE):
        if isinstance(item, bool):
            return item
    for item in _said(value, _DONE):
        if isinstance(item, bool):
            return not item
    return None


def _is_all(value: object, items: int, pages: int, kind: str) -> bool:
    """Whether the totals of a page say that it is the last of those seen from the first on."""

    def is_reached(names: frozenset[str], count: int) -> bool:
        totals = [item for item in _said(value, names) if type(item) is int and item > 0]
        return bool(totals) and count >= max(totals)

    return is_reached(_TOTALS, items) or (kind == "page" and is_reached(_TOTAL_PAGES, pages))


def _listed(value: object) -> object:
    """A page that came as a stream, as the list of what is in it; all else as it is."""
    return [_bare(item) for item in value] if isinstance(value, _Stream) else value


async def _listed_async(value: object) -> object:
    return [_bare(item) async for item in value] if isinstance(value, _Stream) else value


def _bare(item: object) -> object:
    return item._asdict() if isinstance(item, Event) else item


def _host_page(answer: tuple[str, Any, str | None]) -> _Page:
    """The host's answer to a request for a page."""
    outcome, value, link = answer
    return _host_result((outcome, value)), link


def _host_result(answer: tuple[str, Any]) -> object:
    """The host's answer as a value or an exception."""
    outcome, value = answer
    if outcome == "ok":
        return value
    if outcome == "events":
        events = [Event(**event) for event in value[0]]
        return EventStream[Any](_arrived(events, value[1]), value[1] is not None)
    if outcome == "items":
        return ItemStream[Any](_arrived(value[0], value[1]), value[1] is not None)
    raise _host_error(value)


def _host_error(value: Mapping[str, Any]) -> Exception:
    message = str(value.get("message", ""))
    match value.get("kind"):
        case "argument":
            return TypeError(message)
        case "api":
            return ApiError(value["status"], value.get("body"), value.get("headers"), message)
        case "network":
            return ApiError(0, message=message)
        case "egress" | "limit":
            return EgressError(message)
        case _:
            return RuntimeError(message)


def _arrived(items: list[Any], cut: Mapping[str, Any] | None) -> Iterator[Any]:
    """What the host read of a stream; then the reason why it read no further."""
    yield from items
    if cut is not None:
        raise _host_error(cut)


# -- arguments as plain values -------------------------------------------------------------------


class _OwnNumber(str):
    """A number whose spelling is kept; the sandbox has its own such type."""

    __slots__ = ()


_RawNumber: Any = _OwnNumber if _host is None else _host.RawNumber


def _plain(value: Any, inside: list[int]) -> Any:
    """A value made of None, bool, int, float, str, bytes, list and dict alone.

    ``inside`` holds the identities of the containers around the value.
    """
    kind = type(value)
    if value is None or kind is bool or kind is int or kind is bytes:
        return value
    if kind is str:
        return _checked_text(value)
    if kind is float:
        return _finite(value)
    if id(value) in inside:
        raise ValueError("holds itself")
    if len(inside) >= _MAX_DEPTH:
        raise ValueError(f"is nested deeper than {_MAX_DEPTH} levels")
    inside.append(id(value))
    try:
        if kind is dict:
            return {_key(key): _plain(item, inside) for key, item in value.items()}
        if kind is list or kind is tuple:
            return [_plain(item, inside) for item in value]
        return _plain_object(value, inside)
    finally:
        inside.pop()


def _plain_object(value: Any, inside: list[int]) -> Any:
    """As :func:`_plain`, for everything but the built-in JSON types."""
    # Imported here: whoever holds such a value has paid for the import, others need not.
    import dataclasses
    import datetime
    import decimal
    import enum
    import uuid

    match value:
        case _Null():
            return None
        case enum.Enum():
            return _plain(value.value, inside)
        case str():
            return _checked_text(str.__str__(value))
        case int():
            return int(value)
        case float():
            return _finite(float(value))
        case bytearray() | memoryview() | bytes():
            return bytes(value)
        case datetime.datetime() | datetime.date() | datetime.time():
            return value.isoformat()
        case decimal.Decimal():
            if not value.is_finite():
                raise ValueError(f"must be a finite number, not {value}")
            return _RawNumber(str(value))
        case uuid.UUID():
            return str(value)
    if hasattr(value, "model_dump"):  # pydantic
        return _plain(value.model_dump(mode="json", by_alias=True), inside)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        members = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
        return {name: _plain(item, inside) for name, item in members}
    if isinstance(value, Mapping):
        return {_key(key): _plain(item, inside) for key, item in value.items()}
    if hasattr(value, "tolist"):  # numpy scalars and arrays, array.array
        return _plain(value.tolist(), inside)
    if isinstance(value, Iterable) and not isinstance(value, type):
        return [_plain(item, inside) for item in value]
    raise TypeError(f"cannot be of type {type(value).__name__}")


def _key(key: Any) -> str:
    """A member's name, by the rules of :mod:`json`; enum members stand for their values."""
    value = key if type(key) is str else _plain(key, [])
    if isinstance(value, str):
        return _checked_text(value)
    if value is None or isinstance(value, (bool, int, float)):
        return _json(value)
    raise TypeError(f"has a key of type {type(key).__name__}")


def _checked_text(text: str) -> str:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError("holds a lone surrogate, which UTF-8 cannot express") from None
    return text


def _finite(number: float) -> float:
    if number - number != 0.0:
        raise ValueError(f"must be a finite number, not {number}")
    return number


# -- encoding ------------------------------------------------------------------------------------
# The same rules as the host's encoder: both pass the vectors of mce's tests/wire.


class _Parameter(NamedTuple):
    """A parameter: its Python name, and how it is written on the wire."""

    name: str
    wire_name: str
    style: str
    explode: bool
    reserved: bool
    content: str | None
    items: tuple[str, ...] = ()

    @classmethod
    def read(cls, name: str, style: _Style, reserved: bool, content: str | None) -> _Parameter:
        match style:
            case str():
                return cls(name, name, style, style == "form", reserved, content)
            case (kind, explode):
                return cls(name, name, kind, explode, reserved, content)
            case (kind, explode, wire_name):
                return cls(name, wire_name, kind, explode, reserved, content)


class _Spec(NamedTuple):
    """An operation, as its decorator describes it."""

    method: str
    template: str
    path: tuple[_Parameter, ...]
    query: tuple[_Parameter, ...]
    header: tuple[_Parameter, ...]
    cookie: tuple[_Parameter, ...]
    body: str | None
    media: tuple[str, ...]
    encoding: Mapping[str, _Encoding]
    part_headers: Mapping[str, _PartHeaders]
    accept: str | None
    responses: Mapping[str, str]
    api_key: tuple[tuple[str, str], ...]
    auth: bool
    base_url: str | None


class _Request(NamedTuple):
    """A request without base URL and credentials; path, query and cookies are encoded."""

    method: str
    path: str
    query: list[str]
    headers: list[tuple[str, str]]
    cookies: list[tuple[str, str]]
    body: bytes | None


class _Unfit(Exception):
    """What is wrong with an argument: ``function() argument 'name'`` goes before it."""


def _encode(
    function: str, spec: _Spec, arguments: Mapping[str, Any], content_type: str | None = None
) -> _Request:
    """Encodes plain arguments. Raises TypeError where one cannot be expressed."""
    declared, media = _chosen(function, spec, content_type)
    given = ""
    try:
        segments: dict[str, str] = {}
        query: list[str] = []
        headers: list[tuple[str, str]] = []
        cookies: list[tuple[str, str]] = []
        for parameter, value in _given(spec.path, arguments):
            given = parameter.name
            value = _with_items_joined(parameter, value)
            segments[parameter.wire_name] = _segment(parameter, value)
        for parameter, value in _given(spec.query, arguments):
            given = parameter.name
            value = _with_items_joined(parameter, value)
            if parameter.style == "whole":
                query.append(_quote(_content_text(parameter, value)))
                continue
            for name, text in _pairs(parameter, value, spec.query):
                query.append(f"{_quote(name)}={text}")
        for parameter, value in _given(spec.cookie, arguments):
            given = parameter.name
            value = _with_items_joined(parameter, value)
            for name, text in _pairs(parameter, value, spec.cookie):
                cookies.append((_quote(name), text))
        for parameter, value in _given(spec.header, arguments):
            given = parameter.name
            value = _with_items_joined(parameter, value)
            if parameter.wire_name.lower() == "cookie":
                cookies += _cookie_header(parameter, value, spec.cookie)
            elif (line := _header(parameter, value)) is not None:
                headers.append((parameter.wire_name, line))
        named = {name.lower() for name, _ in headers}
        if spec.accept is not None and "accept" not in named:
            headers.append(("Accept", spec.accept))
        content = None
        if spec.body is not None and spec.body in arguments:
            given = spec.body
            encoding, parts = spec.encoding.get(declared, {}), spec.part_headers.get(declared, {})
            media, content = _body(media, arguments[given], encoding, parts)
            if "content-type" not in named:
                headers.append(("Content-Type", media))
    except _Unfit as problem:
        raise TypeError(f"{function}() argument {given!r} {problem}") from None
    path, fixed = _fill(function, spec.template, segments)
    return _Request(spec.method, path, fixed + query, headers, cookies, content)


def _given(
    parameters: tuple[_Parameter, ...], arguments: Mapping[str, Any]
) -> Iterator[tuple[_Parameter, Any]]:
    return ((item, arguments[item.name]) for item in parameters if item.name in arguments)


def _with_items_joined(parameter: _Parameter, value: Any) -> Any:
    """A list whose own lists are one text each, where the parameter says how."""
    if not parameter.items or not isinstance(value, list):
        return value
    return [_level(item, parameter.items) if isinstance(item, list) else item for item in value]


def _level(value: Any, styles: tuple[str, ...]) -> str:
    """A value as one text, lists by the delimiters of the styles, one for each level of them."""
    if not styles or not isinstance(value, list):
        return _text(value)
    delimiter = _DELIMITERS.get(styles[0], ",")
    parts = [_level(item, styles[1:]) for item in value]
    _refuse_delimiter(parts, delimiter)
    return delimiter.join(parts)


def _fill(function: str, template: str, segments: Mapping[str, str]) -> tuple[str, list[str]]:
    """The template's path with its placeholders filled in, and its fixed query items."""
    path, _, fixed = template.partition("#")[0].partition("?")
    filled: list[str] = []
    while path:
        literal, brace, rest = path.partition("{")
        name, closing, rest = rest.partition("}")
        filled.append(_legal(literal))
        if brace and not closing:
            filled.append(_legal(brace + name))
        elif brace and name not in segments:
            raise TypeError(f"{function}() has no parameter for {{{name}}} of its path")
        elif brace:
            filled.append(segments[name])
        path = rest
    text = "".join(filled)
    # An item with a placeholder (``/items?kind={kind}``) is a parameter like others.
    items = [
        _legal(item).replace("'", "%27") for item in fixed.split("&") if item and "{" not in item
    ]
    return text if text.startswith("/") else f"/{text}", items


_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# With allowReserved. Still encoded: what would end or split the parameter (# & ; +), what a query
# may not hold ([ ]), the quote, which URLs of the web encode there, and % itself, so that the value
# arrives as it was given.
_RESERVED = _UNRESERVED | frozenset(b":/?@!$()*,=")
_LEGAL = _UNRESERVED | frozenset(b":/?@!$'()*,=;&+[]%")
_HEX = frozenset("0123456789abcdefABCDEF")


def _quote(text: str, keep: frozenset[int] = _UNRESERVED) -> str:
    """Percent-encodes (RFC 3986) every byte of the text's UTF-8 that is not kept."""
    return "".join(chr(byte) if byte in keep else f"%{byte:02X}" for byte in text.encode())


def _legal(literal: str) -> str:
    """The fixed part of a template, with what a URL cannot hold percent-encoded."""
    first, *rest = _quote(literal, _LEGAL).split("%")
    return first + "".join(
        f"%{part}" if len(part) > 1 and set(part[:2]) <= _HEX else f"%25{part}" for part in rest
    )


def _text(value: Any) -> str:
    """A value as text: strings as they are, all else as JSON, nested values too."""
    return str(value) if isinstance(value, str) else _json(value)


def _members(value: dict[str, Any]) -> list[str]:
    """An object's names and values in turn."""
    return [text for name, item in value.items() for text in (name, _text(item))]


def _content_text(parameter: _Parameter, value: Any, ascii_only: bool = False) -> str:
    """The value of a parameter that the document describes by ``content``."""
    if _media_kind(_essence(parameter.content)) == "json":
        return _json(value, ascii_only)
    if _is_text(value):
        return _text(value)
    raise _Unfit(f"must be str, not {_type_name(value)}")


def _segment(parameter: _Parameter, value: Any) -> str:
    """A path parameter (styles simple, label, matrix, in 2.0 delimited)."""
    if parameter.content is not None:
        return _quote(_content_text(parameter, value))
    style, explode = parameter.style, parameter.explode
    # An exploded label separates by dots, which are not encoded otherwise.
    dotted = style == "label" and explode and isinstance(value, (list, dict))
    keep = _UNRESERVED - frozenset(b".") if dotted else _UNRESERVED
    name = _quote(parameter.wire_name)
    if isinstance(value, dict) and explode:
        parts = [f"{_quote(key, keep)}={_quote(_text(item), keep)}" for key, item in value.items()]
    elif isinstance(value, dict):
        parts = [_quote(text) for text in _members(value)]
    elif isinstance(value, list):
        parts = [_quote(_text(item), keep) for item in value]
    else:
        parts = [_quote(_text(value))]
    empty = not parts if style == "matrix" else not any(parts)
    if empty:
        raise _Unfit("must not be empty, as it is part of the path")
    if style == "label":
        return "." + ("." if explode else ",").join(parts)
    if style != "matrix":
        delimiter = _delimiter(parameter)
        if delimiter != "," and isinstance(value, (list, dict)):
            _check_delimited(delimiter, value)
        return (delimiter if delimiter == "," else _quote(delimiter)).join(parts)
    if isinstance(value, dict) and explode:
        return "".join(f";{part}" for part in parts)
    if not explode:
        parts = [",".join(parts)]
    return "".join(f";{name}={part}" if part else f";{name}" for part in parts)


def _pairs(
    parameter: _Parameter, value: Any, siblings: tuple[_Parameter, ...]
) -> list[tuple[str, str]]:
    """A query or cookie parameter as names and percent-encoded values."""
    name = parameter.wire_name
    if parameter.content is not None:
        keep = _RESERVED if parameter.reserved else _UNRESERVED
        return [(name, _quote(_content_text(parameter, value), keep))]
    if parameter.style == "cookie":
        pairs = [(key, _cookie(text)) for key, text in _spread(parameter, value, encoded=False)]
    else:
        pairs = _spread(parameter, value)
    taken = {sibling.wire_name for sibling in siblings} - {name}
    for key, _ in pairs:
        if key in taken:
            raise _Unfit(f"holds the key {_json(key)}, which is another parameter")
    return pairs


def _cookie(text: str) -> str:
    """A value in the style that writes cookies as they are."""
    if ";" in text:
        raise _Unfit("holds ';', which ends a cookie")
    return _visible(text)


_DELIMITERS = {"spaceDelimited": " ", "pipeDelimited": "|", "tabDelimited": "\t"}


def _delimiter(parameter: _Parameter) -> str:
    """What stands between the items of a list that is one value."""
    return _DELIMITERS.get(parameter.style, ",")


def _spread(parameter: _Parameter, value: Any, encoded: bool = True) -> list[tuple[str, str]]:
    """A parameter, or a property of a form, as names and values, which are percent-encoded or not."""
    name = parameter.wire_name
    keep = _RESERVED if parameter.reserved else _UNRESERVED
    if not isinstance(value, (list, dict)):
        pairs = [(name, _text(value))]
    elif parameter.style == "deepObject":
        pairs = list(_deep(name, value))
    elif not parameter.explode:
        return _joined(parameter, value, keep, encoded)
    elif isinstance(value, list):
        pairs = [(name, _text(item)) for item in value]
    else:
        pairs = [(key, _text(item)) for key, item in value.items()]
    return [(key, _quote(text, keep)) for key, text in pairs] if encoded else pairs


def _joined(
    parameter: _Parameter, value: Any, keep: frozenset[int], encoded: bool
) -> list[tuple[str, str]]:
    """A list or an object as one delimited value; an empty one is left out."""
    parts = _members(value) if isinstance(value, dict) else [_text(item) for item in value]
    delimiter = _delimiter(parameter)
    if delimiter == "," and encoded:
        keep = keep - frozenset(b",")
    else:
        _refuse_delimiter(parts, delimiter)
    if not parts:
        return []
    if not encoded:
        return [(parameter.wire_name, delimiter.join(parts))]
    # A space, a bar or a tab may not stand in a URL as it is; OpenAPI's own examples encode them.
    separator = delimiter if delimiter == "," else _quote(delimiter)
    return [(parameter.wire_name, separator.join(_quote(part, keep) for part in parts))]


def _check_delimited(delimiter: str, value: Any) -> list[str]:
    """The parts of a list or object, none of which may hold the delimiter."""
    parts = _members(value) if isinstance(value, dict) else [_text(item) for item in value]
    _refuse_delimiter(parts, delimiter)
    return parts


def _refuse_delimiter(parts: list[str], delimiter: str) -> None:
    """Nobody could tell a delimiter in an item from one between items."""
    if any(delimiter in part for part in parts):
        raise _Unfit(f"holds an item with {delimiter!r} in it, which is the delimiter")


def _deep(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Style deepObject. OpenAPI leaves deeper values open: written as qs, PHP and Rails read them."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _deep(f"{name}[{key}]", item)
    elif isinstance(value, list):
        nested = any(isinstance(item, (list, dict)) for item in value)
        for index, item in enumerate(value):
            yield from _deep(f"{name}[{index}]" if nested else f"{name}[]", item)
    else:
        yield name, _text(value)


def _header(parameter: _Parameter, value: Any) -> str | None:
    """A header parameter (style simple, in 2.0 delimited), sent as it is; nothing if empty."""
    if parameter.content is not None:
        return _visible(_content_text(parameter, value, ascii_only=True))
    if not isinstance(value, (list, dict)):
        return _visible(_text(value))
    delimiter = _delimiter(parameter)
    parts = _check_delimited(delimiter, value)
    if isinstance(value, dict) and parameter.explode:
        parts = [f"{key}={item}" for key, item in zip(parts[::2], parts[1::2], strict=True)]
    if not parts:
        return None
    if delimiter == "\t":
        # Legal between visible characters (RFC 9110, section 5.5), but in no item, and at neither
        # end, where it would be taken for a blank around the value.
        text = delimiter.join(map(_visible, parts))
        return text if parts[0] and parts[-1] else _visible(text)
    return _visible(delimiter.join(parts))


def _cookie_header(
    parameter: _Parameter, value: Any, siblings: tuple[_Parameter, ...]
) -> list[tuple[str, str]]:
    """A parameter that is the Cookie header itself: its cookies go beside the others."""
    cookies: list[tuple[str, str]] = []
    for item in _visible(_text(value)).split(";"):
        name, equals, text = item.strip(" ").partition("=")
        if not name and not equals:
            continue
        if not name or not equals:
            raise _Unfit("must be spelt `name=value; name=value`")
        if any(name == sibling.wire_name for sibling in siblings):
            raise _Unfit(f"holds the key {_json(name)}, which is another parameter")
        cookies.append((name, text))
    return cookies


def _visible(text: str) -> str:
    if any(not " " <= character <= "~" for character in text) or text != text.strip(" "):
        raise _Unfit(
            "must hold visible ASCII characters only, and no space at either end, "
            "as it is sent in a header"
        )
    return text


# -- bodies


def _chosen(function: str, spec: _Spec, wanted: str | None) -> tuple[str, str]:
    """The declared media type of the body, and the one to send: a range covers several."""
    if wanted is None:
        return (spec.media[0], spec.media[0]) if spec.media else ("", "")
    if not spec.media:
        raise TypeError(f"{function}() has no body, and so no content type to select")
    essence = _essence(wanted)
    alike = [declared for declared in spec.media if _essence(declared) == essence]
    for declared in [wanted] * (wanted in spec.media) + alike[:1]:
        if "*" not in declared:
            return declared, declared
    if _is_media_type(wanted):
        for declared in spec.media:
            if _covers(_essence(declared), essence):
                return declared, wanted
    known = ", ".join(_json(declared) for declared in spec.media)
    raise TypeError(f"{function}() cannot send its body as {_json(wanted)}, only as {known}")


def _covers(media_range: str, essence: str) -> bool:
    if media_range == "application/*+json":
        return essence.startswith("application/") and essence.endswith("+json")
    if media_range in ("*/*", "*"):
        return True
    return media_range.endswith("/*") and essence.startswith(media_range[:-1])


def _is_media_type(text: str) -> bool:
    """Whether a text is one media type and no range, and so can stand in a header."""
    return "*" not in _essence(text) and _parameters(text) is not None


def _parameters(media_type: str) -> list[tuple[str, str]] | None:
    """The parameters of a media type as they are written (RFC 9110, section 8.3.1); None where the
    text is anything else, such as two media types in a row."""
    import re

    token = r"[!#-'*+.^_`|~0-9A-Za-z-]+"
    parameter = rf' *; *({token})=({token}|"(?:[ !#-\[\]-~]|\\[ -~])*")'
    if not re.fullmatch(f"{token}/{token}(?:{parameter})*", media_type):
        return None
    return [(name, value) for name, value in re.findall(parameter, media_type)]


def _body(
    media_type: str, value: Any, encoding: _Encoding, parts: _PartHeaders
) -> tuple[str, bytes]:
    """The Content-Type and the bytes of a body."""
    essence = _essence(media_type)
    kind = _media_kind(essence)
    if kind == "json":
        # What is ASCII only is the same text in nearly every charset.
        text = _json(value, ascii_only=_is_foreign(media_type))
        return media_type, _encoded_text(media_type, text)
    if kind == "text":
        if not _is_text(value):
            raise _Unfit(f"must be str, not {_type_name(value)}")
        return media_type, _encoded_text(media_type, value)
    if essence == "application/x-www-form-urlencoded":
        form = media_type, _urlencoded(value, encoding).encode()
    elif essence.startswith("multipart/"):
        form = _multipart(media_type, value, encoding, parts)
    else:
        form = None
    if form is not None:
        # Percent-encoded UTF-8, whatever the media type says.
        if _is_foreign(media_type):
            label = _json(_charset_label(media_type))
            raise _Unfit(f"cannot be sent in the charset {label}: forms are UTF-8")
        return form
    if not isinstance(value, bytes):
        raise _Unfit(f"must be bytes, not {_type_name(value)}")
    return media_type, value


def _fields(value: Any, encoding: _Encoding) -> Iterator[tuple[str, Any, _Parameter | None, str]]:
    """A form's members with the style or the media type that they have. A form has no null: a
    member and an item of a list that are null are left out, but for items described as JSON."""
    if not isinstance(value, dict):
        raise _Unfit(f"must be dict, not {_type_name(value)}")
    for name, item in value.items():
        if item is None:
            continue
        given = encoding.get(name, "")
        if isinstance(item, list) and not _is_json_type(given):
            item = [each for each in item if each is not None]
        match given:
            case str(media_type) if "/" in media_type or not media_type:
                yield name, item, None, media_type
            case str(style):
                yield name, item, _Parameter(name, name, style, style == "form", False, None), ""
            case (style, explode):
                yield name, item, _Parameter(name, name, style, explode, False, None), ""
            case (style, explode, reserved):
                yield name, item, _Parameter(name, name, style, explode, reserved, None), ""


def _is_json_type(encoding: object) -> bool:
    return isinstance(encoding, str) and _media_kind(_essence(encoding)) == "json"


def _urlencoded(value: Any, encoding: _Encoding) -> str:
    """A form as in a query. An object without a style is JSON text."""
    items: list[str] = []
    for name, item, style, media_type in _fields(value, encoding):
        try:
            if style is not None:
                pairs = _spread(style, item)
            else:
                write = _json if _is_json_type(media_type) else _text
                values = item if isinstance(item, list) else [item]
                pairs = [(name, _quote(write(each))) for each in values]
        except _Unfit as problem:
            raise _Unfit(f"member {_json(name)} {problem}") from None
        items += [f"{_quote(key)}={text}" for key, text in pairs]
    return "&".join(items)


def _multipart(
    media_type: str, value: Any, encoding: _Encoding, headers: _PartHeaders
) -> tuple[str, bytes]:
    """A multipart body (RFC 7578). Text is a part without a media type, an object one of JSON,
    bytes a file; each item of a list is a part."""
    from hashlib import sha256

    essence = _essence(media_type)
    parts: list[bytes] = []
    if isinstance(value, list) and essence != "multipart/form-data":
        # Other kinds than forms may have parts without names.
        parts = [_part(None, item, "", []) for item in value if item is not None]
    else:
        for name, item, style, own in _fields(value, encoding):
            try:
                lines = [_part_header(*header) for header in headers.get(name, {}).items()]
                parts += _named_parts(name, item, style, own, lines)
            except _Unfit as problem:
                raise _Unfit(f"member {_json(name)} {problem}") from None
    # Made of the content, so that the same request is always the same bytes.
    digest = sha256(b"".join(part + b"\r\n" for part in parts)).digest()
    while any(_boundary(digest) in part for part in parts):
        digest = sha256(digest).digest()
    boundary = _boundary(digest)
    body = b"".join(b"--%b\r\n%b\r\n" % (boundary, part) for part in parts)
    kept = [it for it in _parameters(media_type) or [] if it[0].lower() != "boundary"]
    label = "; ".join(f"{name}={text}" for name, text in [*kept, ("boundary", boundary.decode())])
    return f"{essence}; {label}", body + b"--%b--\r\n" % boundary


def _boundary(digest: bytes) -> bytes:
    return b"mce-" + digest[:16].hex().encode()


def _named_parts(
    name: str, value: Any, style: _Parameter | None, media_type: str, headers: list[str]
) -> list[bytes]:
    """The parts of a property, each with these headers."""
    one_file = _file(value) is not None
    some_file = isinstance(value, list) and any(_file(item) is not None for item in value)
    # No reader of multipart bodies takes objects apart, whatever their style.
    is_styled = style is not None and style.style != "deepObject" and not isinstance(value, dict)
    if style is not None and is_styled and not one_file and not some_file:
        try:
            pairs = _spread(style, value, encoded=False)
            return [
                "\r\n".join([_disposition(key), *headers, "", text]).encode() for key, text in pairs
            ]
        except _Unfit:
            # A list whose items hold its delimiter cannot be one part, but a part for each item.
            pass
    values = value if isinstance(value, list) and not one_file else [value]
    return [_part(name, item, media_type, headers) for item in values]


def _file(value: Any) -> tuple[str | None, bytes, str | None] | None:
    """File name, content and media type of bytes or of a tuple, which is a list by now."""
    match value:
        case bytes(content):
            return None, content, None
        case [name, bytes(content)] if _is_text(name):
            return name, content, None
        case [name, bytes(content), media_type] if _is_text(name) and _is_text(media_type):
            return name, content, media_type
    return None


def _part(name: str | None, value: Any, media_type: str, headers: list[str]) -> bytes:
    """Headers and content of one part."""
    filename = None
    if (file := _file(value)) is not None:
        filename, content, own = file
        filename = filename if filename is not None else name if name is not None else "file"
        media_type = own if own is not None else media_type or "application/octet-stream"
        if not _is_media_type(media_type):
            raise _Unfit(f"has the content type {_json(media_type)}, which is no media type")
    elif _is_json_type(media_type):
        content = _encoded_text(media_type, _json(value))
    elif isinstance(value, (list, dict)):
        if media_type:
            kind = _type_name(value)
            raise _Unfit(f"must be str or bytes, not {kind}, as its content type is no JSON")
        media_type = "application/json"
        content = _json(value).encode()
    else:
        content = _encoded_text(media_type, _text(value))
    lines = [] if name is None else [_disposition(name, filename)]
    if media_type or name is None:
        lines.append(f"Content-Type: {media_type or 'text/plain; charset=utf-8'}")
    return "\r\n".join([*lines, *headers, "", ""]).encode() + content


def _part_header(name: str, text: str) -> str:
    """A header that every part of a property has, if it is one line and not the encoder's own."""
    import re

    own = "content-(?:disposition|length|transfer-encoding|type)"
    token = rf"(?!{own}$)[!#-'*+.^_`|~0-9A-Z-]{{1,256}}"
    is_name = re.fullmatch(token, name, re.IGNORECASE | re.ASCII)
    is_text = len(text) <= 1024 and re.fullmatch("(?:[!-~](?:[ -~]*[!-~])?)?", text)
    if not is_name or not is_text:
        raise _Unfit(f"has the header {_json(name)}, which cannot be sent")
    return f"{name}: {text}"


def _disposition(name: str, filename: str | None = None) -> str:
    line = f'Content-Disposition: form-data; name="{_escaped("name", name)}"'
    return line if filename is None else f'{line}; filename="{_escaped("file name", filename)}"'


def _escaped(what: str, name: str) -> str:
    """A name within the quotes of a header, as browsers write it, if all readers read it alike.

    Some take a backslash for an escape, some do not, some take one before the closing quote for the
    escape of that quote: one of them would read another name, and further parameters.
    """
    if any(c in "\\\u2028\u2029" or (_is_control(c) and c not in "\r\n") for c in name):
        raise _Unfit(f"has the {what} {_json(name)}, which holds a backslash or a control character")
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, _RawNumber)


def _type_name(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, _RawNumber):
        return "int" if value.removeprefix("-").isdecimal() else "float"
    return type(value).__name__


def _json(value: Any, ascii_only: bool = False) -> str:
    """Compact JSON. Not ``json.dumps``, which cannot keep the spelling of a Decimal."""
    if isinstance(value, str):
        if isinstance(value, _RawNumber):
            return str(value)
        return encode_basestring_ascii(value) if ascii_only else encode_basestring(value)
    if isinstance(value, dict):
        items = (
            f"{_json(key, ascii_only)}:{_json(item, ascii_only)}" for key, item in value.items()
        )
        return f"{{{','.join(items)}}}"
    if isinstance(value, list):
        return f"[{','.join(_json(item, ascii_only) for item in value)}]"
    if isinstance(value, bytes):
        raise _Unfit("must not hold bytes")
    return json.dumps(value)


# -- decoding ------------------------------------------------------------------------------------

_ROWS = frozenset(
    f"application/{name}"
    for name in ("json-seq", "jsonl", "jsonlines", "ndjson", "x-jsonlines", "x-ndjson")
)
_TEXTS = _ROWS | frozenset(
    f"application/{name}"
    for name in ("graphql", "javascript", "toml", "x-pem-file", "x-yaml", "xml", "yaml")
)
_GENERIC = frozenset(("", "application/octet-stream", "binary/octet-stream"))
# As browsers read these names, but for the real Latin-1.
_CHARSETS = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "us-ascii": "ascii",
    "ascii": "ascii",
    "latin-1": "latin-1",
    "latin1": "latin-1",
    "utf-16": "utf-16",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb18030": "gb18030",
    "shift_jis": "cp932",
    "euc-jp": "euc_jp",
    "euc-kr": "cp949",
    "koi8-r": "koi8-r",
    **{f"{prefix}125{page}": f"cp125{page}" for prefix in ("windows-", "cp") for page in range(9)},
    **{
        f"{prefix}{part}": {9: "cp1254", 11: "cp874"}.get(part, f"iso8859-{part}")
        for prefix in ("iso-8859-", "iso8859-")
        for part in range(1, 17)
        if part != 12
    },
}


def _essence(content_type: str | None) -> str:
    """``type/subtype`` in lower case, without parameters."""
    return (content_type or "").partition(";")[0].strip().lower()


def _media_kind(essence: str) -> str:
    """``json``, ``text`` or ``bytes``: what a media type becomes in Python."""
    if essence in ("application/json", "text/json") or essence.endswith("+json"):
        return "json"
    if essence.startswith("text/") or essence.endswith("+xml") or essence in _TEXTS:
        return "text"
    return "bytes"


def _charset_label(content_type: str | None) -> str | None:
    """The charset that a media type names, in lower case."""
    for part in (content_type or "").split(";")[1:]:
        name, equals, value = part.partition("=")
        if equals and name.strip().lower() == "charset":
            return value.strip().strip("\"'").lower()
    return None


def _is_foreign(content_type: str) -> bool:
    """Whether a media type asks for another charset than UTF-8."""
    label = _charset_label(content_type)
    return label is not None and _CHARSETS.get(label) != "utf-8"


def _encoded_text(content_type: str, text: str) -> bytes:
    """A text in the charset of a media type."""
    label = _charset_label(content_type)
    if label is None:
        return text.encode()
    codec = _CHARSETS.get(label)
    if codec is None:
        raise _Unfit(f"cannot be sent in the charset {_json(label)}, which is not known")
    try:
        # Python's own `utf-16` has the byte order of the machine.
        if codec == "utf-16":
            return b"\xff\xfe" + text.encode("utf-16-le")
        return text.encode(codec)
    except UnicodeEncodeError:
        raise _Unfit(f"holds characters that the charset {_json(label)} has not") from None


def _decoded_text(content_type: str | None, body: bytes) -> str | None:
    """By the charset, UTF-8 where there is none; what is not UTF-8 becomes U+FFFD. None where the
    bytes are not of the charset, or it is not known and they are not UTF-8."""
    label = _charset_label(content_type)
    codec = "utf-8" if label is None else _CHARSETS.get(label)
    if codec in ("utf-8", "ascii"):
        return body.removeprefix(b"\xef\xbb\xbf").decode(errors="replace")
    try:
        if codec == "utf-16" and body[:2] not in (b"\xff\xfe", b"\xfe\xff"):
            codec = "utf-16-le"
        return body.removeprefix(b"\xef\xbb\xbf").decode() if codec is None else body.decode(codec)
    except UnicodeDecodeError:
        return None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _integer(digits: str) -> Any:
    """An integer; as its spelling where Python reads no number of so many digits."""
    try:
        return int(digits)
    except ValueError:
        return _RawNumber(digits)


def _parsed(text: str) -> tuple[bool, Any]:
    """Whether the text is JSON, and its value."""
    try:
        try:
            value = json.loads(text, parse_constant=_refuse_constant)
        except json.JSONDecodeError:
            return False, None
        except ValueError:
            value = json.loads(text, parse_constant=_refuse_constant, parse_int=_integer)
        if "\\ud" in text or "\\uD" in text:
            _json(value).encode()  # a lone surrogate is no character
    except (ValueError, RecursionError):
        return False, None
    return True, value


def _documented(responses: Mapping[str, str], status: int) -> str | None:
    """The documented kind of an answer: by its status, its class (``4XX``), or the default."""
    code = str(status)
    for key in (code, f"{code[0]}XX", f"{code[0]}xx", "default"):
        if key in responses:
            return responses[key]
    return None


def _decode(spec: _Spec, status: int, content_type: str | None, body: bytes) -> object:
    """The value of an answer: JSON as parsed, text as str, all else as bytes, nothing as None.

    The answer's own media type decides. Where it says little (none, octet-stream, or plain text
    that the document does not speak of) the documented kind does. What calls itself JSON and is
    none becomes text. Text that is not of its own charset stays bytes.
    """
    if not body or status in (204, 205) or spec.method == "HEAD":
        return None
    essence = _essence(content_type)
    kind = _media_kind(essence)
    if essence not in {_essence(item) for item in (spec.accept or "").split(",")} - {""}:
        documented = _documented(spec.responses, status)
        if documented == "json" and (essence in _GENERIC or essence == "text/plain"):
            text = _decoded_text(content_type, body)
            is_json, value = (False, None) if text is None else _parsed(text)
            if is_json:
                return value
        elif documented in ("text", "events", "jsonevents", "items") and essence in _GENERIC:
            kind = "text"
        if not essence and kind == "bytes":
            try:
                return body.decode()
            except UnicodeDecodeError:
                return body
    if kind == "bytes":
        return body
    text = _decoded_text(content_type, body)
    if text is None:
        return body
    if kind == "json":
        is_json, value = _parsed(text)
        return value if is_json else text
    return text


# The longest line of a stream, as many bytes as the host takes of an answer unless told otherwise.
_MAX_LINE = 25 << 20


class _TooLong(Exception):
    """A line or an event of a stream that nobody should hold."""


class _Items:
    """Reads JSON values in a row from bytes as they arrive. What is no JSON stays text."""

    def __init__(self, separator: str) -> None:
        import codecs

        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._separator = separator
        # The pieces of a line that has not ended.
        self._pieces: list[str] = []
        self._held = 0
        self._begun = False

    def feed(self, data: bytes, final: bool = False) -> list[Any]:
        text = self._decoder.decode(data, final)
        if text and not self._begun:
            self._begun = True
            text = text.removeprefix("\ufeff")
        return self._complete(text, final)

    def _lines(self, text: str) -> list[str]:
        """The lines that end in a piece of text. Only the piece is searched."""
        first, *rest = text.split(self._separator)
        self._pieces.append(first)
        self._held += len(first)
        if self._held > _MAX_LINE:
            raise _TooLong(f"a line of it has more than {_MAX_LINE} characters")
        if not rest:
            return []
        lines = ["".join(self._pieces), *rest[:-1]]
        self._pieces, self._held = [rest[-1]], len(rest[-1])
        return lines

    def _complete(self, text: str, final: bool) -> list[Any]:
        lines = self._lines(text)
        if final:
            lines += self._lines(self._separator)
        values = []
        for line in lines:
            if line := line.strip(" \t\r\n"):
                is_json, value = _parsed(line)
                values.append(value if is_json else line)
        return values


class _Events(_Items):
    """Reads server-sent events (WHATWG HTML, section 9.2.6). One without its end is none."""

    def __init__(self, is_json: bool) -> None:
        super().__init__("\n")
        self._is_json = is_json
        self._data: list[str] = []
        self._data_size = 0
        self._name = self._id = ""
        self._retry: int | None = None
        self._after_return = False

    def _complete(self, text: str, final: bool) -> list[Any]:
        # A CR at the end of a piece may be half of a line's end, whose other half comes next.
        if self._after_return and text:
            text = text.removeprefix("\n")
            self._after_return = False
        if text:
            self._after_return = text.endswith("\r")
        events = []
        for line in self._lines(text.replace("\r\n", "\n").replace("\r", "\n")):
            if line:
                self._field(*line.partition(":"))
                continue
            if self._data:
                events.append(self._event())
            self._data, self._data_size, self._name = [], 0, ""
        return events

    def _field(self, field: str, _: str, value: str) -> None:
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
            self._data_size += len(value) + 1
            if self._data_size > _MAX_LINE:
                raise _TooLong(f"an event of it has more than {_MAX_LINE} characters")
        elif field == "event":
            self._name = value
        elif field == "id" and "\0" not in value:
            self._id = value
        elif field == "retry" and value.isascii() and value.isdigit() and len(value) < 20:
            self._retry = int(value)

    def _event(self) -> Event[Any]:
        text = "\n".join(self._data)
        is_json, value = _parsed(text) if self._is_json else (False, None)
        event = Event(value if is_json else text, self._name or "message", self._id, self._retry)
        self._retry = None
        return event


def _reader(spec: _Spec, status: int, content_type: str | None) -> _Items | None:
    """What reads an answer that is a stream; None where it is none."""
    essence = _essence(content_type)
    if not 200 <= status < 300 or status in (204, 205) or spec.method == "HEAD":
        return None
    if essence == "text/event-stream":
        return _Events(_documented(spec.responses, status) in ("jsonevents", "json"))
    if essence in _ROWS:
        return _Items("\x1e" if essence == "application/json-seq" else "\n")
    return None


# -- errors --------------------------------------------------------------------------------------

_MAX_MESSAGE = 300
_REASONS = {
    300: "Multiple Choices",
    301: "Moved Permanently",
    302: "Found",
    303: "See Other",
    304: "Not Modified",
    307: "Temporary Redirect",
    308: "Permanent Redirect",
    400: "Bad Request",
    401: "Unauthorized",
    402: "Payment Required",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    406: "Not Acceptable",
    407: "Proxy Authentication Required",
    408: "Request Timeout",
    409: "Conflict",
    410: "Gone",
    411: "Length Required",
    412: "Precondition Failed",
    413: "Content Too Large",
    414: "URI Too Long",
    415: "Unsupported Media Type",
    416: "Range Not Satisfiable",
    417: "Expectation Failed",
    421: "Misdirected Request",
    422: "Unprocessable Content",
    423: "Locked",
    424: "Failed Dependency",
    425: "Too Early",
    426: "Upgrade Required",
    428: "Precondition Required",
    429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    451: "Unavailable For Legal Reasons",
    500: "Internal Server Error",
    501: "Not Implemented",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
    505: "HTTP Version Not Supported",
    507: "Insufficient Storage",
    508: "Loop Detected",
    511: "Network Authentication Required",
}
_SAYS_NOTHING = ("null", "{}", "[]", '""')
_MESSAGE_KEYS = (
    "message",
    "error_description",
    "detail",
    "error",
    "errors",
    "title",
    "msg",
    "reason",
    "description",
    "errorMessage",
    "error_message",
    "Message",
)


def _error_message(status: int, content_type: str | None, body: bytes) -> str:
    """Status, reason phrase and the body's own message, of at most 300 characters."""
    reason = _REASONS.get(status, "")
    head = f"{status} {reason}" if reason else f"{status}"
    detail = _tidy(_detail(content_type, body))
    text = head if detail in ("", reason, *_SAYS_NOTHING) else f"{head}: {detail}"
    return text if len(text) <= _MAX_MESSAGE else f"{text[: _MAX_MESSAGE - 1]}…"


def _detail(content_type: str | None, body: bytes) -> str:
    essence = _essence(content_type)
    kind = _media_kind(essence)
    if kind == "bytes" and essence not in _GENERIC:
        return ""
    if kind == "json" or body[:1] in (b"{", b"["):
        is_json, value = _parsed(_any_text(content_type, body))
        if is_json and (message := _message(value, 4)):
            return message
    elif kind == "bytes" and essence:
        return ""
    text = _any_text(content_type, body[:4096])
    if essence == "text/html":
        _, opened, rest = text.partition("<title>")
        title, closed, _ = rest.partition("</title>")
        return title if opened and closed else ""
    return text


def _any_text(content_type: str | None, body: bytes) -> str:
    text = _decoded_text(content_type, body)
    return body.decode(errors="replace") if text is None else text


def _message(value: Any, depth: int) -> str:
    """The first text that a body offers under one of the usual names."""
    if isinstance(value, str):
        return value
    if depth and isinstance(value, list):
        return "; ".join(text for item in value[:5] if (text := _message(item, depth - 1)))
    if depth and isinstance(value, dict):
        for key in _MESSAGE_KEYS:
            if text := _message(value.get(key), depth - 1):
                place = _place(value.get("loc"))
                return f"{place}: {text}" if place else text
    return ""


def _place(steps: Any) -> str:
    """Which field a message is about, where a list says so, as pydantic's do."""
    if not isinstance(steps, list):
        return ""
    named = (
        str(step)
        for step in steps[:8]
        if isinstance(step, str)
        or (isinstance(step, int) and not isinstance(step, bool) and abs(step) < 10**18)
    )
    return ".".join(named)


def _tidy(text: str) -> str:
    """One line without control characters."""
    text = text[:4096]
    return " ".join("".join(" " if _is_control(c) else c for c in text).split())


def _is_control(character: str) -> bool:
    return character < " " or "\x7f" <= character < "\xa0"


_VISIBLE_HEADERS = frozenset(
    ("content-range", "content-type", "etag", "link", "ratelimit", "retry-after")
    + ("x-count", "x-next-page", "x-page", "x-per-page", "x-prev-page")
    + ("x-total", "x-total-count", "x-total-pages")
)
_VISIBLE_PREFIXES = ("ratelimit-", "x-page-", "x-pagination-", "x-rate-limit-", "x-ratelimit-")


def _visible_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The response headers that a caller may see: never a cookie or a credential."""
    return {
        name.lower(): value
        for name, value in headers.items()
        if name.lower() in _VISIBLE_HEADERS or name.lower().startswith(_VISIBLE_PREFIXES)
    }


# -- the next page where the API says it is --------------------------------------------------------
# The same rules as the host's, in the same words.

_MAX_URL = 60_000
_MAX_LINKS = 100
_AWAY = "its next URL leads away from the server's base URL"
_URL_CHARACTERS = _UNRESERVED | frozenset(b":/?#[]@!$&'()*+,;=%")
_PORTS = {"http": 80, "https": 443}


def _followed(
    function: str,
    api: Api,
    spec: _Spec,
    request: _Request,
    arguments: Mapping[str, Any],
    url: str,
) -> _Request:
    """The request for the page at a URL that came with an answer: it decides no more than the
    query of a further call of the same operation. Headers and cookies are those of the first."""

    def refuse(why: str) -> NoReturn:
        raise EgressError(f"{function}() is refused: {why}")

    if len(url) > _MAX_URL:
        refuse(f"its next URL is longer than {_MAX_URL} bytes")
    if not url.isascii() or any(byte not in _URL_CHARACTERS for byte in url.encode()):
        refuse("its next URL holds characters that no URL holds")
    origin, prefix, _ = _base(api, spec)
    rest, _, query = url.partition("#")[0].partition("?")
    scheme, slashes, after = rest.partition("//")
    has_authority = bool(slashes) and "/" not in scheme
    if has_authority:
        authority, slash, after = after.partition("/")
        rest = slash + after
        own_scheme = origin.partition("://")[0]
        wanted = f"{scheme or f'{own_scheme}:'}//{authority}"
        if "@" in authority or _origin(wanted) != _origin(origin):
            refuse(_AWAY)
    elif ":" in rest.partition("/")[0]:
        refuse(_AWAY)
    own = prefix + request.path
    if not has_authority and not rest.startswith("/"):
        rest = own.rpartition("/")[0] + "/" + rest if rest else own
    from urllib.parse import unquote

    if any(unquote(segment) in (".", "..") for segment in rest.split("/")):
        refuse("its next URL holds `.` or `..` in its path")
    path = rest.removeprefix(prefix)
    if not rest.startswith(prefix) or not path.startswith("/"):
        refuse(_AWAY)
    if not _fits(spec.template, path):
        refuse("its next URL leads to something other than this operation")
    secret = {name for place, name in spec.api_key if place == "query"}
    items: list[str] = []
    for item in query.split("&"):
        name = unquote(item.partition("=")[0].replace("+", " "))
        if _is_declared(spec, arguments, name):
            items.append(item)
        elif item and name not in secret:
            refuse(f"its next URL has the query parameter `{name}`, which is not declared")
    return request._replace(path=path, query=items)


def _origin(url: str) -> tuple[str, str, int | None] | None:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        return parts.scheme, parts.hostname or "", parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return None


def _fits(template: str, path: str) -> bool:
    """Whether an encoded path is one of a template, each placeholder one character or more."""
    import re

    pattern = ""
    rest = template.partition("#")[0].partition("?")[0]
    while rest:
        literal, brace, rest = rest.partition("{")
        _, closing, rest = rest.partition("}")
        pattern += re.escape(_legal(literal)) + ("[^/]+" if brace and closing else "")
    return re.fullmatch(pattern, path) is not None


def _is_declared(spec: _Spec, arguments: Mapping[str, Any], name: str) -> bool:
    for parameter in spec.query:
        if name == parameter.wire_name:
            return True
        if parameter.style == "deepObject" and name.startswith(f"{parameter.wire_name}["):
            return True
        value = arguments.get(parameter.name)
        if parameter.style == "form" and parameter.explode and isinstance(value, dict):
            if name in value:
                return True
    return False


def _next_link(header: str) -> str | None:
    """The target of the first link with ``rel="next"`` (RFC 8288, section 3)."""
    rest = header
    for _ in range(_MAX_LINKS):
        _, opened, rest = rest.partition("<")
        target, closed, rest = rest.partition(">")
        if not opened or not closed:
            return None
        parameters, rest = _link_parameters(rest)
        relations = parameters.get("rel", "").lower().split()
        # A link with an anchor is from elsewhere: it says nothing of this page.
        if "next" in relations and "anchor" not in parameters:
            return target.strip()
    return None


def _link_parameters(rest: str) -> tuple[dict[str, str], str]:
    """The parameters of a link, the first of a name, and what follows them."""
    import re

    parameters: dict[str, str] = {}
    parameter = re.compile(
        r'[ \t]*;([^=;,]*)(?:=[ \t]*(?:"((?:[^"\\]|\\.)*)(?:"|$)|([^;,]*)))?', re.DOTALL
    )
    while (found := parameter.match(rest)) is not None:
        name, quoted, token = found.groups()
        value = re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else (token or "").strip()
        parameters.setdefault(name.strip().lower(), value)
        rest = rest[found.end() :]
    return parameters, rest


# -- the outside backend -------------------------------------------------------------------------


class _Outgoing(NamedTuple):
    """A request ready to send, and the secrets in it."""

    method: str
    url: str
    target: bytes
    headers: list[tuple[str, str]]
    body: bytes | None
    secrets: list[str]


def _call(api: Api, spec: _Spec, request: _Request) -> _Page:
    outgoing = _address(api, spec, request)
    client = _client()
    response = problem = None
    try:
        response = client.send(_build(client, outgoing), stream=True)
        reader = _reader(spec, response.status_code, response.headers.get("content-type"))
        if reader is not None:
            kind = EventStream if isinstance(reader, _Events) else ItemStream
            return kind(_arriving(response, reader), end=response.close), None
        response.read()
    except Exception as error:  # noqa: BLE001 - whatever it is, its text may hold the URL
        response, problem = None, type(error).__name__
    return _result(api, spec, outgoing, response, problem)


def _arriving(response: Any, reader: _Items) -> Iterator[Any]:
    problem = None
    try:
        try:
            for data in response.iter_bytes():
                yield from reader.feed(data)
        except _TooLong as error:
            problem = str(error)
        except Exception as error:  # noqa: BLE001 - whatever it is, its text may hold the URL
            problem = type(error).__name__
        if problem is not None:
            raise ApiError(0, message=f"the stream broke off: {problem}")
        yield from reader.feed(b"", final=True)
    finally:
        response.close()


async def _call_async(api: Api, spec: _Spec, request: _Request) -> _Page:
    outgoing = _address(api, spec, request)
    client = _async_client()
    response = problem = None
    try:
        response = await client.send(_build(client, outgoing), stream=True)
        reader = _reader(spec, response.status_code, response.headers.get("content-type"))
        if reader is not None:
            kind = EventStream if isinstance(reader, _Events) else ItemStream
            return kind(_arriving_async(response, reader), end=response.aclose), None
        await response.aread()
    except Exception as error:  # noqa: BLE001 - whatever it is, its text may hold the URL
        response, problem = None, type(error).__name__
    return _result(api, spec, outgoing, response, problem)


async def _arriving_async(response: Any, reader: _Items) -> AsyncIterator[Any]:
    problem = None
    try:
        try:
            async for data in response.aiter_bytes():
                for item in reader.feed(data):
                    yield item
        except _TooLong as error:
            problem = str(error)
        except Exception as error:  # noqa: BLE001 - whatever it is, its text may hold the URL
            problem = type(error).__name__
        if problem is not None:
            raise ApiError(0, message=f"the stream broke off: {problem}")
        for item in reader.feed(b"", final=True):
            yield item
    finally:
        await response.aclose()


def _build(client: Any, outgoing: _Outgoing) -> Any:
    return client.build_request(
        outgoing.method,
        outgoing.url,
        headers=outgoing.headers,
        content=outgoing.body,
        # httpx has its own idea of what to encode; the request line is to be exactly ours.
        extensions={"target": outgoing.target},
    )


def _result(
    api: Api, spec: _Spec, outgoing: _Outgoing, response: Any, problem: str | None
) -> _Page:
    if response is None:
        raise ApiError(
            0,
            message=f"no answer from the server {api.server!r}: {problem}; "
            f"the environment variable {api.base_url_env} says where it is",
        )
    status: int = response.status_code
    content_type: str | None = response.headers.get("content-type")
    body: bytes = response.content
    value = _decode(spec, status, content_type, body)
    if 200 <= status < 300:
        link = response.headers.get("link")
        return value, _next_link(link) if link else None
    # An API may echo what it was sent. Before the text is cut, and after it is unescaped.
    for secret in outgoing.secrets:
        body = body.replace(secret.encode(), b"***")
    message = _error_message(status, content_type, body)
    for secret in outgoing.secrets:
        message = message.replace(secret, "***")
    raise ApiError(status, value, _visible_headers(response.headers), message)


def _setting(name: str) -> str | None:
    """An environment variable, fit for a header; empty is unset. Errors never show the value."""
    value = os.environ.get(name, "").strip()
    if any(not " " <= character <= "~" for character in value):
        raise RuntimeError(
            f"the environment variable {name} holds characters other than visible ASCII"
        )
    return value or None


def _address(api: Api, spec: _Spec, request: _Request) -> _Outgoing:
    """Adds the base URL and the credentials of the environment."""
    origin, prefix, userinfo = _base(api, spec)
    if any(segment in (".", "..") for segment in request.path.split("/")):
        raise ValueError("an argument makes a path segment `.` or `..`, which URLs cannot hold")
    variables = api.base_url_env.removesuffix("BASE_URL")
    headers = list(request.headers)
    query = list(request.query)
    cookies = list(request.cookies)
    secrets: list[str] = []

    def add_header(name: str, value: str) -> None:
        if name.lower() not in {known.lower() for known, _ in headers}:
            headers.append((name, value))

    if spec.auth:
        authorization = _setting(api.auth_env)
        if authorization is not None:
            if authorization.lower().startswith("authorization:"):
                authorization = authorization[len("authorization:") :].strip()
            secrets += [authorization, *authorization.split(" ")[1:]]
            add_header("Authorization", authorization)
        elif userinfo is not None:
            from base64 import b64encode

            token = b64encode(userinfo.encode()).decode()
            secrets.append(token)
            add_header("Authorization", f"Basic {token}")
    if userinfo is not None:
        secrets += userinfo.split(":", 1)
    key = _setting(f"{variables}API_KEY")
    if key is not None:
        secrets.append(key)
        for place, name in spec.api_key:
            if place == "header":
                add_header(name, key)
            elif place == "query" and all(item.partition("=")[0] != _quote(name) for item in query):
                query.append(f"{_quote(name)}={_quote(key)}")
            elif place == "cookie" and all(known != name for known, _ in cookies):
                cookies.append((name, key))
    own = {name for name, _ in cookies}
    for item in (_setting(f"{variables}COOKIE") or "").split(";"):
        name, _, value = item.strip().partition("=")
        if name and name not in own:
            cookies.append((name, value))
            secrets.append(value)
    if cookies:
        headers.append(("Cookie", "; ".join(f"{name}={value}" for name, value in cookies)))
    for name, value in _extra_headers(f"{variables}EXTRA_HEADERS").items():
        secrets.append(value)
        add_header(name, value)
    target = prefix + request.path + (f"?{'&'.join(query)}" if query else "")
    # Long ones first: a short secret within a long one must not leave the rest readable.
    known_secrets = sorted({text for text in secrets if len(text) > 3}, key=len, reverse=True)
    return _Outgoing(
        request.method, origin + target, target.encode(), headers, request.body, known_secrets
    )


def _base(api: Api, spec: _Spec) -> tuple[str, str, str | None]:
    """Origin, path prefix without a slash at its end, and the userinfo of the base URL."""
    from urllib.parse import unquote, urlsplit

    text = os.environ.get(api.base_url_env, "").strip() or spec.base_url or api.base_url
    if not text:
        raise RuntimeError(
            f"the server {api.server!r} has no base URL: set the environment variable "
            f"{api.base_url_env}, for example to https://api.example.com/v1"
        )
    try:
        parts = urlsplit(text)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid or parts.query or parts.fragment or not text.isascii() or " " in text:
        raise RuntimeError(
            f"the base URL of the server {api.server!r} (environment variable "
            f"{api.base_url_env}) must be http(s)://host[:port][/path], in ASCII"
        )
    userinfo, _, host = parts.netloc.rpartition("@")
    return f"{parts.scheme}://{host}", parts.path.rstrip("/"), unquote(userinfo) or None


def _extra_headers(variable: str) -> dict[str, str]:
    text = _setting(variable)
    if text is None:
        return {}
    is_json, value = _parsed(text)
    if not is_json or not isinstance(value, dict) or not _are_headers(value):
        raise RuntimeError(
            f"the environment variable {variable} must be a JSON object of header names and "
            'visible ASCII values, such as {"X-Tenant": "blue"}'
        )
    return {str(name): str(item) for name, item in value.items()}


def _are_headers(members: Mapping[str, Any]) -> bool:
    return all(
        name and isinstance(text, str) and all(" " <= c <= "~" for c in name + text)
        for name, text in members.items()
    )


_lock = threading.Lock()
_clients: dict[int, Any] = {}
# By the identity of the event loop: the loop and its client.
_async_clients: dict[int, tuple[Any, Any]] = {}


def _client_options() -> tuple[Any, dict[str, Any]]:
    try:
        import httpx
    except ModuleNotFoundError:
        raise RuntimeError(
            "outside the sandbox, compiled functions need the package `httpx`: pip install httpx"
        ) from None
    from http.cookiejar import CookieJar, DefaultCookiePolicy

    return httpx, {
        "timeout": _TIMEOUT_SECONDS,
        "follow_redirects": False,
        # A cookie that one answer sets must not travel with the next call.
        "cookies": CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        "headers": {"User-Agent": _USER_AGENT, "Accept-Encoding": "gzip"},
    }


def _made_client(make: Any, options: dict[str, Any]) -> Any:
    client = make(**options)
    # The host's requests have no such header, and HTTP/1.1 keeps connections anyway.
    del client.headers["Connection"]
    return client


def _client() -> Any:
    """The process's client: connections are reused, but not across a fork."""
    with _lock:
        client = _clients.get(os.getpid())
        if client is None:
            httpx, options = _client_options()
            _clients.clear()
            client = _clients[os.getpid()] = _made_client(httpx.Client, options)
        return client


def _async_client() -> Any:
    """The running event loop's client: a connection belongs to the loop that opened it."""
    import asyncio

    loop = asyncio.get_running_loop()
    with _lock:
        # A client holds its loop, so that neither would ever be freed. What is open still in a loop
        # that was closed can only be dropped.
        for key, (known, _) in list(_async_clients.items()):
            if known.is_closed():
                del _async_clients[key]
        found = _async_clients.get(id(loop))
        if found is None:
            httpx, options = _client_options()
            found = _async_clients[id(loop)] = (loop, _made_client(httpx.AsyncClient, options))
        return found[1]
