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
