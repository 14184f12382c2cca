"""Sends the requests of `httpx` by the host.

MCE hands this file over when a container starts, beside `runner.py`, and it is imported where the image
has `httpx`. There is no network in the container: the transports of `httpx` are given methods that ask
the host, which sends requests to the hosts of `MCE_ALLOWED_DOMAINS` and judges each, redirects
included. All else of `httpx` stays as it is: clients, redirects, cookies, hooks, and transports that the
code brings along.

The code gives each answer a number, by which it asks for further pieces of the body. Nothing is read
ahead of it.
"""

from __future__ import annotations

import importlib
import itertools
import math
import types
from collections.abc import AsyncIterator, Iterator
from typing import Any

import _mce_host  # type: ignore[import-not-found, unused-ignore]
import httpx

# More than the host takes, whatever its setting.
MOST_BYTES = 64 << 20

numbers = itertools.count(1)


# --- errors ---------------------------------------------------------------------------------------


def egress_error() -> type[Exception]:
    """`EgressError` of `mce_runtime`, or what stands for it where there is none."""
    try:
        found: type[Exception] = importlib.import_module("mce_runtime").EgressError
    except ImportError:
        return RuntimeError
    return found


refusals: dict[tuple[type, type], type[httpx.TransportError]] = {}


def refusal_class(kind: type[httpx.TransportError]) -> type[httpx.TransportError]:
    """A class of errors that is both an `EgressError` and an error of httpx."""
    base = egress_error()
    found = refusals.get((base, kind))
    if found is None:

        def start(
            self: Any, message: str, *, request: httpx.Request | None = None
        ) -> None:
            kind.__init__(self, message, request=request)

        members = {
            "__init__": start,
            "__doc__": "The host refused a request.",
            "__module__": __name__,
        }
        found = refusals[base, kind] = type(f"Egress{kind.__name__}", (base, kind), members)
    return found


def raised(error: dict[str, Any], reading: bool) -> Exception:
    """The error that the host's answer stands for."""
    message = str(error["message"])
    failure = error.get("failure")
    known = getattr(httpx, failure, None) if isinstance(failure, str) else None
    if isinstance(known, type) and issubclass(known, httpx.RequestError):
        return known(message)
    if error["kind"] in ("egress", "limit"):
        return refusal_class(httpx.ReadError if reading else httpx.ConnectError)(message)
    return (httpx.ReadError if reading else httpx.ConnectError)(message)


# --- requests -------------------------------------------------------------------------------------


def checked(request: httpx.Request) -> None:
    """As the transports of httpx do, before anything else."""
    if request.url.scheme not in ("http", "https"):
        shown = f"{request.url.scheme}://" if request.url.scheme else ""
        what = f"an unsupported protocol {shown!r}" if shown else "no protocol"
        raise httpx.UnsupportedProtocol(f"the URL of the request has {what}")


def message(request: httpx.Request, body: bytes) -> tuple[dict[str, Any], float | None]:
    """What the host is told of a request, and how long a piece of its answer is waited for."""
    url = request.url
    port = "" if url.port is None else f":{url.port}"
    # As httpx reads it: neither user nor fragment are sent.
    target = f"{url.scheme}://{host_of(url)}{port}{url.raw_path.decode('ascii')}"
    timeouts = {
        name: float(value)
        for name, value in dict(request.extensions.get("timeout") or {}).items()
        if name in ("pool", "connect", "write", "read")
        and isinstance(value, int | float)
        and math.isfinite(value)
        and value >= 0
    }
    told = {
        "stream": next(numbers),
        "method": request.method,
        "url": target,
        "headers": [
            [name.decode("latin-1"), value.decode("latin-1")]
            for name, value in request.headers.raw
        ],
        "body": body,
        "timeouts": timeouts,
    }
    return told, timeouts.get("read")


def host_of(url: httpx.URL) -> str:
    """The host as it stands in a URL."""
    host = url.raw_host.decode("ascii")
    return f"[{host}]" if ":" in host else host


def response(answer: dict[str, Any], stream: Any) -> httpx.Response:
    """The response of httpx."""
    return httpx.Response(
        status_code=answer["status"],
        headers=[
            (name.encode("latin-1"), value.encode("latin-1"))
            for name, value in answer["headers"]
        ],
        stream=stream,
        extensions={"http_version": answer["version"].encode("ascii")},
    )


class Collected:
    """A body that is being put together."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def add(self, part: bytes) -> None:
        """Takes a part."""
        self._bytes += part
        if len(self._bytes) > MOST_BYTES:
            error = refusal_class(httpx.WriteError)
            raise error("the request is larger than the host takes (`MCE_MAX_REQUEST_BYTES`)")

    def whole(self) -> bytes:
        """All of it."""
        return bytes(self._bytes)


# --- answers --------------------------------------------------------------------------------------


class Pieces(httpx.SyncByteStream):
    """The body of an answer, piece by piece."""

    def __init__(self, number: int, answer: dict[str, Any], read: float | None) -> None:
        self._number = number
        self._answer = answer
        self._read = read

    def __iter__(self) -> Iterator[bytes]:
        while True:
            body, self._answer["body"] = self._answer["body"], b""
            if body:
                yield body
            if not self._answer["more"]:
                return
            status, value = _mce_host.more(self._number, self._read)
            if status != "ok":
                self._answer["more"] = False
                raise raised(value, reading=True)
            self._answer = value

    def close(self) -> None:
        """Ends it."""
        if self._answer["more"]:
            self._answer["more"] = False
            _mce_host.close_stream(self._number)


class AsyncPieces(httpx.AsyncByteStream):
    """The body of an answer, piece by piece, without blocking the event loop."""

    def __init__(self, number: int, answer: dict[str, Any], read: float | None) -> None:
        self._number = number
        self._answer = answer
        self._read = read

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while True:
            body, self._answer["body"] = self._answer["body"], b""
            if body:
                yield body
            if not self._answer["more"]:
                return
            status, value = await _mce_host.more_async(self._number, self._read)
            if status != "ok":
                self._answer["more"] = False
                raise raised(value, reading=True)
            self._answer = value

    async def aclose(self) -> None:
        """Ends it."""
        if self._answer["more"]:
            self._answer["more"] = False
            _mce_host.close_stream(self._number)


# --- transports -----------------------------------------------------------------------------------


class _Sync(httpx.BaseTransport):
    """What `httpx.HTTPTransport` does here. It holds nothing, so that all its options change nothing."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Sends a request by the host."""
        checked(request)
        body = Collected()
        stream: Any = request.stream
        for part in stream:
            body.add(part)
        told, read = message(request, body.whole())
        try:
            status, answer = _mce_host.http(told)
        except BaseException:
            _mce_host.close_stream(told["stream"])
            raise
        if status != "ok":
            raise raised(answer, reading=False)
        return response(answer, Pieces(told["stream"], answer, read))

    def close(self) -> None:
        """There is nothing to close."""


class _Async(httpx.AsyncBaseTransport):
    """What `httpx.AsyncHTTPTransport` does here."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *_: Any) -> None:
        pass

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Sends a request by the host."""
        checked(request)
        body = Collected()
        stream: Any = request.stream
        async for part in stream:
            body.add(part)
        told, read = message(request, body.whole())
        try:
            status, answer = await _mce_host.http_async(told)
        except BaseException:
            # Cancelled, as a rule: nobody waits for the answer any more.
            _mce_host.close_stream(told["stream"])
            raise
        if status != "ok":
            raise raised(answer, reading=False)
        return response(answer, AsyncPieces(told["stream"], answer, read))

    async def aclose(self) -> None:
        """There is nothing to close."""


def install() -> None:
    """Gives the transports of httpx the methods of those above. The classes stay: clients and subclasses
    know them."""
    for own, theirs in (
        (_Sync, httpx.HTTPTransport),
        (_Async, httpx.AsyncHTTPTransport),
    ):
        for name, member in vars(own).items():
            if isinstance(member, types.FunctionType):
                setattr(theirs, name, member)


install()
