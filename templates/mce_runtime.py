"""What compiled clients run on. Written by mce; do not edit.

A module of stubs (``functions.py``) makes one :class:`Api` and decorates its functions with
``Api.operation``. A decorated function is called with keyword arguments; ``None`` leaves an
argument out, :data:`NULL` sends a JSON null. ``f(...)`` waits for the answer, ``await f.aio(...)``
is the same call under asyncio. ``f.with_content_type("text/csv")(...)`` sends the body as another of
its media types. An answer that is not a success raises :class:`ApiError`.

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
from typing import Any, Generic, NamedTuple, NoReturn, ParamSpec, TypeVar, cast

__all__ = ["NULL", "ApiError", "Event", "EventStream", "ItemStream"]

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
    """The host refused a call, or a limit of the execution was reached."""


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
    In the sandbox it holds what arrived until the host stopped reading; ``is_cut`` says whether
    there would have been more.
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
        if hasattr(self._items, "close"):
            self._items.close()
            # Of a generator that never began, nothing runs at its end.
            if self._end is not None:
                self._end()

    def __del__(self) -> None:
        self.close()

    async def aclose(self) -> None:
        """Ends a stream that is read with ``async for``."""
        if hasattr(self._items, "aclose"):
            await self._items.aclose()
            if self._end is not None:
                await self._end()

    def __enter__(self: S) -> S:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self: S) -> S:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class EventStream(_Stream[Event[T]]):
    """Server-sent events."""


class ItemStream(_Stream[T]):
    """JSON values in a row."""


# -- stubs ---------------------------------------------------------------------------------------

_Style = str | tuple[str, bool] | tuple[str, bool, str]
_Encoding = Mapping[str, str | tuple[str, bool] | tuple[str, bool, bool]]


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
        content: Mapping[str, str] | None = None,
        body: tuple[str, ...] | None = None,
        encoding: Mapping[str, _Encoding] | None = None,
        accept: str | None = None,
        responses: Mapping[str, str] | None = None,
        api_key: tuple[tuple[str, str], ...] = (),
        auth: bool = True,
        base_url: str | None = None,
        **unknown: object,
    ) -> Callable[[Callable[P, R]], Operation[P, R]]:
        """Makes a stub callable.

        ``path``, ``query``, ``header`` and ``cookie`` map a Python name to its style:
        ``"form"``, ``("form", explode)`` or ``("form", explode, name on the wire)``.
        ``base_url`` is the operation's own server, for where the environment names none.
        ``body`` is the argument's name and its media types, the one to send unasked first.
        ``encoding`` says of a form's media type how its properties are spelt, where not by default:
        ``"form"``, ``("form", explode)``, ``("form", explode, allow reserved)`` or a media type.
        """
        if unknown:
            _too_new(self.server, unknown)

        def spec() -> _Spec:
            def parameters(styles: Mapping[str, _Style] | None) -> tuple[_Parameter, ...]:
                return tuple(
                    _Parameter.read(name, style, name in reserved, (content or {}).get(name))
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
                accept,
                responses or {},
                api_key,
                auth,
                base_url,
            )

        def decorate(function: Callable[P, R]) -> Operation[P, R]:
            return Operation(self, function, spec)

        return decorate


def _too_new(server: str, unknown: Mapping[str, object]) -> NoReturn:
    raise RuntimeError(
        f"the compiled functions of {server!r} use {', '.join(sorted(unknown))}, which this "
        f"mce_runtime.py (ABI {_ABI}) does not know: run `mce compile` with one version of mce"
    )


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

    def __repr__(self) -> str:
        return f"<operation {self._api.server}.{self.__name__}>"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        arguments = self._arguments(args, kwargs)
        if _host is not None:
            answer = _host.call(self._api.server, self.__name__, arguments, **self._selection())
            return cast(R, _host_result(answer))
        return cast(R, _call(self._api, self._spec, self._request(arguments)))

    async def aio(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """The same call, awaited."""
        arguments = self._arguments(args, kwargs)
        if _host is not None:
            call = _host.call_async
            answer = await call(self._api.server, self.__name__, arguments, **self._selection())
            return cast(R, _host_result(answer))
        return cast(R, await _call_async(self._api, self._spec, self._request(arguments)))

    def with_content_type(self, content_type: str) -> Operation[P, R]:
        """The same function, which sends its body as another of the documented media types."""
        _chosen(self.__name__, self._spec, content_type)
        return Operation(self._api, self.__wrapped__, self._make_spec, content_type)

    def _selection(self) -> dict[str, str]:
        return {} if self._content_type is None else {"content_type": self._content_type}

    def _request(self, arguments: Mapping[str, Any]) -> _Request:
        return _encode(self.__name__, self._spec, arguments, self._content_type)

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
                raise TypeError(f"{call} got an unexpected keyword argument {name!r}")
        optional = function.__kwdefaults__ or {}
        missing = [n for n in known if n not in optional and kwargs.get(n) is None]
        if missing:
            plural = "s" if len(missing) > 1 else ""
            raise TypeError(
                f"{call} missing {len(missing)} required keyword-only argument{plural}: "
                f"{_enumeration(missing)}"
            )
        arguments: dict[str, Any] = {}
        for name, value in kwargs.items():
            if value is None:
                continue
            try:
                arguments[name] = _plain(value, [])
            except (TypeError, ValueError) as error:
                # Not chained: a value's own error may be of any size and says no more.
                raise type(error)(f"{call} argument {name!r} {error}") from None
        return arguments


def _enumeration(names: list[str]) -> str:
    """``'a'``, ``'a' and 'b'``, ``'a', 'b', and 'c'``: as Python lists missing arguments."""
    quoted = [repr(name) for name in names]
    if len(quoted) < 3:
        return " and ".join(quoted)
    return f"{', '.join(quoted[:-1])}, and {quoted[-1]}"


def _host_result(answer: tuple[str, Any]) -> object:
    """The host's answer as a value or an exception."""
    outcome, value = answer
    if outcome == "ok":
        return value
    if outcome == "events":
        return EventStream[Any](iter([Event(**event) for event in value[0]]), value[1])
    if outcome == "items":
        return ItemStream[Any](iter(value[0]), value[1])
    message = str(value.get("message", ""))
    match value.get("kind"):
        case "argument":
            raise TypeError(message)
        case "api":
            raise ApiError(value["status"], value.get("body"), value.get("headers"), message)
        case "network":
            raise ApiError(0, message=message)
        case "egress" | "limit":
            raise EgressError(message)
        case _:
            raise RuntimeError(message)


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
            segments[parameter.wire_name] = _segment(parameter, value)
        for parameter, value in _given(spec.query, arguments):
            given = parameter.name
            for name, text in _pairs(parameter, value, spec.query):
                query.append(f"{_quote(name)}={text}")
        for parameter, value in _given(spec.cookie, arguments):
            given = parameter.name
            for name, text in _pairs(parameter, value, spec.cookie):
                cookies.append((_quote(name), text))
        for parameter, value in _given(spec.header, arguments):
            given = parameter.name
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
            media, content = _body(media, arguments[given], spec.encoding.get(declared, {}))
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
    items = [_legal(item) for item in fixed.split("&") if item and "{" not in item]
    return text if text.startswith("/") else f"/{text}", items


_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# With allowReserved. Still encoded: what would end or split the parameter (# & ; +), what a query
# may not hold ([ ]), and % itself, so that the value arrives as it was given.
_RESERVED = _UNRESERVED | frozenset(b":/?@!$'()*,=")
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
    pairs = _spread(parameter, value)
    taken = {sibling.wire_name for sibling in siblings} - {name}
    for key, _ in pairs:
        if key in taken:
            raise _Unfit(f"holds the key {_json(key)}, which is another parameter")
    return pairs


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
        # Legal between visible characters (RFC 9110, section 5.5), but in no item.
        return delimiter.join(map(_visible, parts))
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
    if _is_media_type(wanted) and "*" not in wanted:
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
    """Whether a text can stand in a header as a media type."""
    return "/" in text and all(" " <= it <= "~" for it in text) and text == text.strip(" ")


def _body(media_type: str, value: Any, encoding: _Encoding) -> tuple[str, bytes]:
    """The Content-Type and the bytes of a body."""
    essence = _essence(media_type)
    kind = _media_kind(essence)
    if kind == "json":
        return media_type, _json(value).encode()
    if kind == "text":
        if not _is_text(value):
            raise _Unfit(f"must be str, not {_type_name(value)}")
        return media_type, value.encode()
    if essence == "application/x-www-form-urlencoded":
        return media_type, _urlencoded(value, encoding).encode()
    if essence.startswith("multipart/"):
        return _multipart(essence, value, encoding)
    if not isinstance(value, bytes):
        raise _Unfit(f"must be bytes, not {_type_name(value)}")
    return media_type, value


def _fields(value: Any, encoding: _Encoding) -> Iterator[tuple[str, Any, _Parameter | None, str]]:
    """A form's members with the style or the media type that they have; a null is left out."""
    if not isinstance(value, dict):
        raise _Unfit(f"must be dict, not {_type_name(value)}")
    for name, item in value.items():
        if item is None:
            continue
        match encoding.get(name, ""):
            case str(media_type) if "/" in media_type or not media_type:
                yield name, item, None, media_type
            case str(style):
                yield name, item, _Parameter(name, name, style, style == "form", False, None), ""
            case (style, explode):
                yield name, item, _Parameter(name, name, style, explode, False, None), ""
            case (style, explode, reserved):
                yield name, item, _Parameter(name, name, style, explode, reserved, None), ""


def _urlencoded(value: Any, encoding: _Encoding) -> str:
    """A form as in a query. An object without a style is JSON text."""
    items: list[str] = []
    for name, item, style, media_type in _fields(value, encoding):
        try:
            if style is not None:
                pairs = _spread(style, item)
            else:
                write = _json if _media_kind(_essence(media_type)) == "json" else _text
                values = item if isinstance(item, list) else [item]
                pairs = [(name, _quote(write(each))) for each in values]
        except _Unfit as problem:
            raise _Unfit(f"member {_json(name)} {problem}") from None
        items += [f"{_quote(key)}={text}" for key, text in pairs]
    return "&".join(items)


def _multipart(essence: str, value: Any, encoding: _Encoding) -> tuple[str, bytes]:
    """A multipart body (RFC 7578). Text is a part without a media type, an object one of JSON,
    bytes a file; each item of a list is a part."""
    from hashlib import sha256

    parts: list[bytes] = []
    if isinstance(value, list) and essence != "multipart/form-data":
        # Other kinds than forms may have parts without names.
        parts = [_part(None, item, "") for item in value]
    else:
        for name, item, style, media_type in _fields(value, encoding):
            try:
                parts += _named_parts(name, item, style, media_type)
            except _Unfit as problem:
                raise _Unfit(f"member {_json(name)} {problem}") from None
    # Made of the content, so that the same request is always the same bytes.
    digest = sha256(b"".join(part + b"\r\n" for part in parts)).digest()
    while any(_boundary(digest) in part for part in parts):
        digest = sha256(digest).digest()
    boundary = _boundary(digest)
    body = b"".join(b"--%b\r\n%b\r\n" % (boundary, part) for part in parts)
    return f"{essence}; boundary={boundary.decode()}", body + b"--%b--\r\n" % boundary


def _boundary(digest: bytes) -> bytes:
    return b"mce-" + digest[:16].hex().encode()


def _named_parts(name: str, value: Any, style: _Parameter | None, media_type: str) -> list[bytes]:
    """The parts of a property."""
    one_file = _file(value) is not None
    some_file = isinstance(value, list) and any(_file(item) is not None for item in value)
    if style is not None and not one_file and not some_file:
        pairs = _spread(style, value, encoded=False)
        return [f"{_disposition(key)}\r\n\r\n{text}".encode() for key, text in pairs]
    values = value if isinstance(value, list) and not one_file else [value]
    return [_part(name, item, media_type) for item in values]


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


def _part(name: str | None, value: Any, media_type: str) -> bytes:
    """Headers and content of one part."""
    filename = None
    if (file := _file(value)) is not None:
        filename, content, own = file
        filename = filename if filename is not None else name if name is not None else "file"
        media_type = own if own is not None else media_type or "application/octet-stream"
        if not _is_media_type(media_type):
            raise _Unfit(f"has the content type {_json(media_type)}, which is no media type")
    elif _media_kind(_essence(media_type)) == "json":
        content = _json(value).encode()
    elif isinstance(value, (list, dict)):
        if media_type:
            kind = _type_name(value)
            raise _Unfit(f"must be str or bytes, not {kind}, as its content type is no JSON")
        media_type = "application/json"
        content = _json(value).encode()
    else:
        content = _text(value).encode()
    lines = [] if name is None else [_disposition(name, filename)]
    if media_type or name is None:
        lines.append(f"Content-Type: {media_type or 'text/plain; charset=utf-8'}")
    return "\r\n".join([*lines, "", ""]).encode() + content


def _disposition(name: str, filename: str | None = None) -> str:
    line = f'Content-Disposition: form-data; name="{_escaped(name)}"'
    return line if filename is None else f'{line}; filename="{_escaped(filename)}"'


def _escaped(name: str) -> str:
    """A name within the quotes of a header, as browsers write it."""
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
_LATIN = frozenset(("iso-8859-1", "iso8859-1", "latin-1", "latin1"))


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


def _decoded_text(content_type: str | None, body: bytes) -> str:
    """By the charset where that is Latin-1, else as UTF-8; what is not becomes U+FFFD."""
    for part in (content_type or "").split(";")[1:]:
        name, _, value = part.partition("=")
        if name.strip().lower() == "charset" and value.strip().strip("\"'").lower() in _LATIN:
            return body.decode("latin-1")
    return body.removeprefix(b"\xef\xbb\xbf").decode(errors="replace")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _parsed(text: str) -> tuple[bool, Any]:
    """Whether the text is JSON, and its value."""
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
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
    none becomes text.
    """
    if not body or status in (204, 205) or spec.method == "HEAD":
        return None
    essence = _essence(content_type)
    kind = _media_kind(essence)
    if essence not in {_essence(item) for item in (spec.accept or "").split(",")} - {""}:
        documented = _documented(spec.responses, status)
        if documented == "json" and (essence in _GENERIC or essence == "text/plain"):
            is_json, value = _parsed(_decoded_text(content_type, body))
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
    if kind == "json":
        is_json, value = _parsed(text)
        return value if is_json else text
    return text


class _Items:
    """Reads JSON values in a row from bytes as they arrive. What is no JSON stays text."""

    def __init__(self, separator: str) -> None:
        import codecs

        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._separator = separator
        self._text = ""
        self._begun = False

    def feed(self, data: bytes, final: bool = False) -> list[Any]:
        text = self._decoder.decode(data, final)
        if text and not self._begun:
            self._begun = True
            text = text.removeprefix("\ufeff")
        self._text += text
        return self._complete(final)

    def _complete(self, final: bool) -> list[Any]:
        *texts, rest = self._text.split(self._separator)
        self._text = "" if final else rest
        values = []
        for text in [*texts, rest] if final else texts:
            if text := text.strip(" \t\r\n"):
                is_json, value = _parsed(text)
                values.append(value if is_json else text)
        return values


class _Events(_Items):
    """Reads server-sent events (WHATWG HTML, section 9.2.6). One without its end is none."""

    def __init__(self, is_json: bool) -> None:
        super().__init__("\n")
        self._is_json = is_json
        self._data: list[str] = []
        self._name = self._id = ""
        self._retry: int | None = None

    def _complete(self, final: bool) -> list[Any]:
        # A CR at the end may be half of a line's end.
        held = "\r" if self._text.endswith("\r") and not final else ""
        text = self._text.removesuffix("\r") if held else self._text
        *lines, rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._text = rest + held
        events = []
        for line in lines:
            if line:
                self._field(*line.partition(":"))
                continue
            if self._data:
                events.append(self._event())
            self._data, self._name = [], ""
        return events

    def _field(self, field: str, _: str, value: str) -> None:
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
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
        is_json, value = _parsed(_decoded_text(content_type, body))
        if is_json and (message := _message(value, 4)):
            return message
    elif kind == "bytes" and essence:
        return ""
    text = _decoded_text(content_type, body[:4096])
    if essence == "text/html":
        _, opened, rest = text.partition("<title>")
        title, closed, _ = rest.partition("</title>")
        return title if opened and closed else ""
    return text


def _message(value: Any, depth: int) -> str:
    """The first text that a body offers under one of the usual names."""
    if isinstance(value, str):
        return value
    if depth and isinstance(value, list):
        return "; ".join(text for item in value[:5] if (text := _message(item, depth - 1)))
    if depth and isinstance(value, dict):
        for key in _MESSAGE_KEYS:
            if text := _message(value.get(key), depth - 1):
                return text
    return ""


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


# -- the outside backend -------------------------------------------------------------------------


class _Outgoing(NamedTuple):
    """A request ready to send, and the secrets in it."""

    method: str
    url: str
    target: bytes
    headers: list[tuple[str, str]]
    body: bytes | None
    secrets: list[str]


def _call(api: Api, spec: _Spec, request: _Request) -> object:
    outgoing = _address(api, spec, request)
    client = _client()
    response = problem = None
    try:
        response = client.send(_build(client, outgoing), stream=True)
        reader = _reader(spec, response.status_code, response.headers.get("content-type"))
        if reader is not None:
            kind = EventStream if isinstance(reader, _Events) else ItemStream
            return kind(_arriving(response, reader), end=response.close)
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
        except Exception as error:  # noqa: BLE001 - whatever it is, its text may hold the URL
            problem = type(error).__name__
        if problem is not None:
            raise ApiError(0, message=f"the stream broke off: {problem}")
        yield from reader.feed(b"", final=True)
    finally:
        response.close()


async def _call_async(api: Api, spec: _Spec, request: _Request) -> object:
    outgoing = _address(api, spec, request)
    client = _async_client()
    response = problem = None
    try:
        response = await client.send(_build(client, outgoing), stream=True)
        reader = _reader(spec, response.status_code, response.headers.get("content-type"))
        if reader is not None:
            kind = EventStream if isinstance(reader, _Events) else ItemStream
            return kind(_arriving_async(response, reader), end=response.aclose)
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
) -> object:
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
        return value
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
_async_clients: Any = None


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
        "headers": {"User-Agent": _USER_AGENT, "Accept-Encoding": "gzip, deflate"},
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
    import weakref

    global _async_clients
    loop = asyncio.get_running_loop()
    with _lock:
        if _async_clients is None:
            _async_clients = weakref.WeakKeyDictionary()
        client = _async_clients.get(loop)
        if client is None:
            httpx, options = _client_options()
            client = _async_clients[loop] = _made_client(httpx.AsyncClient, options)
        return client
