"""Runs one piece of code in a container and tells the host what came of it.

MCE hands this file to `python3 -I` when a container starts; nothing of it is in the image.

Two processes share the work. The **supervisor** (PID 1) owns the stream to the host: its
descriptors are private, its memory cannot be opened by others (it is not dumpable), and it never
runs a line of the code. It imports the libraries of the image and the modules that the host gives
it at the start, and forks the **executing process**, which waits for the code and runs it with
/dev/null as its input and pipes as its outputs: the code need wait for neither. A print, a crash,
`os._exit`, a signal or garbage on any descriptor therefore ends up as what it is: bytes that were
printed, or a way to end.

The executing process has one more descriptor, a socket pair to the supervisor. What it sends
there can only be a call, a word on the body of an answer, or a result; the supervisor passes whole
frames on and ends the execution on anything else.

In a **session** the executing process stays when its code has ended, with all that the code
defined, and waits for more. The supervisor then says PAUSED in the place of ENDED.

A frame is `length:u32 version:u8 kind:u8 flags:u8 message:u32 chunk`, numbers big-endian, the
length counting what follows it. Chunks of one message are joined until the flag LAST. A message is
`length:u32 json segment…`: the JSON is `{"message": …, "bytes": [[path, length], …]}` where each
path leads to a place in the message that holds the next segment as a byte string. The chunks of
STDOUT and STDERR are no messages but the bytes that were written.
"""

from __future__ import annotations

import ast
import asyncio
import base64
import builtins
import concurrent.futures
import ctypes
import dataclasses
import datetime
import decimal
import enum
import errno
import gc
import importlib
import importlib.machinery
import inspect
import io
import itertools
import json
import linecache
import marshal
import os
import pathlib
import queue
import re
import select
import signal
import socket
import stat
import struct
import sys
import threading
import time
import traceback
import types
import uuid
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping
from json.encoder import encode_basestring
from typing import Any, NoReturn

VERSION = 1
HELLO, JOB, CALL, ANSWER, STDOUT, STDERR, RESULT, ENDED, PAUSED, STREAM = range(1, 11)
FROM_THE_CODE = frozenset((CALL, RESULT, STREAM))
LAST = 1

HEADER = struct.Struct(">IBBBI")
HEADER_AFTER_LENGTH = HEADER.size - 4
CHUNK = 1 << 20
# Beyond this much that the host (or the code) has not taken yet, no more is read.
HIGH_WATER = 4 << 20
# How deep a result, or an argument of a call, may be nested. `mce_runtime` and the host have the
# same number.
MAX_DEPTH = 100
# The object of a call, and that of its arguments, around each argument.
CALL_LEVELS = 2

# The places that can be written, and how little is left of one that counts as full.
WRITABLE = ("/tmp", "/workspace")
NEXT_TO_NOTHING = 1 << 20

# The file name under which tracebacks show the code; in a session later code has a number as well.
CODE_NAME = "<code>"
CODE_NAMES = "<code"
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LANG": "C.UTF-8",
    "HOME": "/workspace",
    "TMPDIR": "/tmp",
}


# --- frames ---------------------------------------------------------------------------------


def frames(kind: int, message: int, payload: bytes) -> Iterator[bytes]:
    """Splits a payload into frames of at most CHUNK bytes."""
    view = memoryview(payload)
    for start in range(0, max(len(view), 1), CHUNK):
        chunk = view[start : start + CHUNK]
        flags = LAST if start + CHUNK >= len(view) else 0
        length = HEADER_AFTER_LENGTH + len(chunk)
        yield HEADER.pack(length, VERSION, kind, flags, message) + chunk


def pack(text: str, segments: Iterable[tuple[list[str | int], bytes]] = ()) -> bytes:
    """Joins the JSON text of a message and its byte strings."""
    segments = list(segments)
    places = json.dumps([[path, len(data)] for path, data in segments])
    head = utf8(f'{{"message":{text},"bytes":{places}}}')
    return b"".join([len(head).to_bytes(4, "big"), head, *(data for _, data in segments)])


class Cut(Exception):
    """A message of which the end was left out."""


def unpack(payload: bytes) -> Any:
    """The message, its byte strings in their places."""
    size = int.from_bytes(payload[:4], "big")
    if len(payload) < 4 + size:
        raise Cut
    head = parsed(payload[4 : 4 + size])
    position = 4 + size
    for path, length in head["bytes"]:
        place = head
        for step in ["message", *path][:-1]:
            place = place[step]
        place[["message", *path][-1]] = payload[position : position + length]
        position += length
    if len(payload) < position:
        raise Cut
    return head["message"]


def utf8(text: str) -> bytes:
    """UTF-8, with U+FFFD for what is no character (a lone surrogate)."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


class Violation(Exception):
    """Bytes that are no frame, or a frame that has no business here."""


class FrameReader:
    """Cuts a stream of bytes into frames."""

    def __init__(self, kinds: frozenset[int]) -> None:
        self._kinds = kinds
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[int, int, int, bytes]]:
        """Yields (kind, flags, message, whole frame) for each frame that is complete."""
        self._buffer += data
        position = 0
        try:
            while len(self._buffer) - position >= HEADER.size:
                length, version, kind, flags, message = HEADER.unpack_from(self._buffer, position)
                if version != VERSION or kind not in self._kinds or flags & ~LAST:
                    raise Violation("a frame of an unknown version or kind")
                if not HEADER_AFTER_LENGTH <= length <= HEADER_AFTER_LENGTH + CHUNK:
                    raise Violation("a frame of an impossible length")
                end = position + 4 + length
                if len(self._buffer) < end:
                    return
                frame = bytes(self._buffer[position:end])
                position = end
                yield kind, flags, message, frame
        finally:
            del self._buffer[:position]


class Assembler:
    """Joins the chunks of messages that travel side by side."""

    def __init__(self) -> None:
        self._parts: dict[int, list[bytes]] = {}

    def add(self, flags: int, message: int, frame: bytes) -> bytes | None:
        """The payload, once its last chunk is there."""
        parts = self._parts.setdefault(message, [])
        parts.append(frame[HEADER.size :])
        if not flags & LAST:
            return None
        return b"".join(self._parts.pop(message))


# --- values ---------------------------------------------------------------------------------


class EncodingError(ValueError):
    """A value has no JSON form."""


class TooLarge(EncodingError):
    """The JSON is longer than allowed."""


def parsed(text: bytes) -> Any:
    """The value of JSON text. An integer of more digits than Python reads keeps its spelling."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except ValueError:
        return json.loads(text, parse_int=integer)


def integer(digits: str) -> Any:
    try:
        return int(digits)
    except ValueError:
        return RawNumber(digits)


class RawNumber(str):
    """A number in the spelling it is to be sent with, such as that of a Decimal."""


JSON_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)


def raw_number(text: str) -> str:
    """Lets a text pass if it is a JSON number."""
    if not JSON_NUMBER.fullmatch(text):
        raise EncodingError(f"{str(text)[:80]!r} is not a JSON number")
    return text


@dataclasses.dataclass(slots=True)
class Level:
    """A list or an object that is being written."""

    items: Iterator[Any]
    keys: set[str] | None
    identity: int
    # The index or key of the item that is being written.
    position: int | str = -1


class Encoder:
    """Writes a value as JSON. It keeps its own stack, so that no value is too deep for it."""

    def __init__(
        self,
        lower: Callable[[Any], Any],
        *,
        segments: bool = False,
        limit: int | None = None,
        depth: int = MAX_DEPTH,
    ) -> None:
        self._lower = lower
        self._depth = depth
        self._limit = limit
        self._with_segments = segments
        self._parts: list[str] = []
        self._size = 0
        self._levels: list[Level] = []
        self._open: set[int] = set()
        # Keeps converted values alive, so that an identity is not given to another object.
        self._kept: list[Any] = []
        self.segments: list[tuple[list[str | int], bytes]] = []

    def encode(self, value: Any) -> str:
        """The JSON text of the value."""
        self._value(value)
        while self._levels:
            level = self._levels[-1]
            try:
                item = next(level.items)
            except StopIteration:
                self._levels.pop()
                self._open.discard(level.identity)
                self._write("]" if level.keys is None else "}")
                continue
            self._separate(level)
            if level.keys is None:
                level.position = int(level.position) + 1
            else:
                key, item = item
                level.position = self._key(key, level.keys)
            self._value(item)
        return "".join(self._parts)

    def _separate(self, level: Level) -> None:
        if level.position != -1:
            self._write(",")

    def _key(self, key: Any, seen: set[str]) -> str:
        text = key_text(key)
        if text in seen:
            raise EncodingError(f"two keys of one object are both written as {text[:80]!r}")
        seen.add(text)
        self._write(encode_basestring(text) + ":")
        return text

    def _write(self, text: str) -> None:
        self._parts.append(text)
        # Bytes, as the host counts them, not characters.
        self._size += len(text) if text.isascii() else len(utf8(text))
        if self._limit is not None and self._size > self._limit:
            raise TooLarge(f"the result is larger than {self._limit} bytes")

    def _value(self, value: Any) -> None:
        kind = type(value)
        if kind not in PLAIN:
            value = self._lower(value)
            self._kept.append(value)
            kind = type(value)
        if value is None:
            self._write("null")
        elif kind is bool:
            self._write("true" if value else "false")
        elif kind is str:
            self._write(encode_basestring(value))
        elif kind is RawNumber:
            self._write(raw_number(value))
        elif kind is int:
            self._write(int_text(value))
        elif kind is float:
            self._write(float.__repr__(value))
        elif kind is bytes and self._with_segments:
            self.segments.append(([level.position for level in self._levels], value))
            self._write("null")
        elif kind is list:
            self._enter(value, iter(value), None)
        elif kind is dict:
            self._enter(value, iter(value.items()), set())
        else:
            raise EncodingError(f"a value of type {kind.__name__} has no JSON form")

    def _enter(self, value: Any, items: Iterator[Any], keys: set[str] | None) -> None:
        if id(value) in self._open:
            raise EncodingError("the value contains itself")
        if len(self._levels) >= self._depth:
            raise EncodingError(f"the value is nested deeper than {MAX_DEPTH} levels")
        self._open.add(id(value))
        self._levels.append(Level(items, keys, id(value)))
        self._write("[" if keys is None else "{")


# Types that the encoder writes without asking what they stand for.
PLAIN = frozenset((type(None), bool, str, int, list, dict))


def int_text(value: int) -> str:
    """Every digit of an integer."""
    try:
        return int.__repr__(value)
    except ValueError as error:
        raise EncodingError("an integer has more than 4300 digits") from error


def key_text(key: Any) -> str:
    """An object's key. JSON's own words for what JSON has, `str()` for the rest."""
    if isinstance(key, enum.Enum):
        key = key.value
    if key is None:
        return "null"
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, datetime.date | datetime.time):
        return key.isoformat()
    return str(key)


def float_value(value: float) -> float | str:
    """JSON has no word for what is not finite; it becomes `"NaN"`, `"Infinity"`, `"-Infinity"`."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def result_value(value: Any) -> Any:
    """What stands in JSON for an object of a result, one level of it.

    - dataclasses, named tuples, pydantic models, mappings: objects
    - tuples, sets (sorted where they can be), deques, ranges, views: arrays
    - enums: their value; dates and times: ISO 8601; timedelta: seconds
    - Decimal: a number with all its digits; UUID and paths: text
    - bytes: base64 text; NaN and infinities: text
    - anything else: its `repr()`
    """
    if isinstance(value, enum.Enum):
        return result_value(value.value) if type(value.value) not in PLAIN else value.value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float_value(float(value))
    if isinstance(value, decimal.Decimal):
        return RawNumber(value) if value.is_finite() else float_value(float(value))
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, uuid.UUID | pathlib.PurePath):
        return str(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        try:
            return sorted(value)
        except TypeError:
            return list(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return dict(zip(value._fields, value, strict=False))
    if isinstance(value, ARRAYS):
        return list(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    pydantic = sys.modules.get("pydantic")
    if pydantic is not None and isinstance(value, pydantic.BaseModel):
        return value.model_dump()
    return safe_repr(value)


ARRAYS: Any = (tuple, list, deque, range, type({}.keys()), type({}.values()), type({}.items()))


def safe_repr(value: Any) -> str:
    """`repr()`, cut, of objects that may have a broken one."""
    try:
        return repr(value)[:1000]
    except Exception:
        return f"<{type(value).__name__} object>"


def argument_value(value: Any) -> Any:
    """What stands for an object among the arguments of a call; `mce_runtime` did the rest."""
    if isinstance(value, RawNumber | bytes):
        return value
    if isinstance(value, float):
        if value - value != 0:
            raise EncodingError("NaN and infinities cannot be sent")
        return float(value)
    if isinstance(value, bytearray | memoryview):
        return bytes(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, tuple):
        return list(value)
    raise EncodingError(f"a value of type {type(value).__name__} cannot be an argument")


# --- the host, as the code sees it ------------------------------------------------------------


class HostChannel:
    """Calls to the host over the socket pair: any number at once, from any thread or task."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._write_lock = threading.Lock()
        self._state_lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._waiting: dict[int, concurrent.futures.Future[tuple[str, Any, str | None]]] = {}
        self._reader: threading.Thread | None = None
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._closed = ""
        os.register_at_fork(after_in_child=self._after_fork)

    def first_job(self) -> Job | None:
        """Waits for code, before which nothing else can come; None when the host is gone."""
        reader, jobs = FrameReader(frozenset((JOB,))), Assembler()
        while data := self._connection.recv(1 << 18):
            for _, flags, message, frame in reader.feed(data):
                payload = jobs.add(flags, message, frame)
                if payload is not None:
                    return Job(**unpack(payload), number=message)
        return None

    def listen(self) -> None:
        """Reads what comes, in a thread. Code may leave no room for one."""
        with self._state_lock:
            self._start_reading()

    def next_job(self) -> Job | None:
        """Waits for more code of a session; None when the host is gone."""
        return self._jobs.get()

    def send(self, kind: int, message: int, payload: bytes) -> None:
        """Sends a message. Chunks of several threads may alternate."""
        for frame in frames(kind, message, payload):
            with self._write_lock:
                self._connection.sendall(frame)

    def call(
        self,
        server: str,
        function: str,
        arguments: dict[str, Any],
        content_type: str | None = None,
    ) -> tuple[str, Any]:
        """Calls a compiled function; ("ok", value) or ("error", what went wrong)."""
        status, value, _ = self._ask(server, function, arguments, content_type=content_type)
        return status, value

    def page(
        self,
        server: str,
        function: str,
        arguments: dict[str, Any],
        url: str | None,
        content_type: str | None = None,
    ) -> tuple[str, Any, str | None]:
        """The first page of a function's answers, or that at a URL; where the next one is."""
        return self._ask(server, function, arguments, url=url, content_type=content_type)

    def _ask(
        self, server: str, function: str, arguments: dict[str, Any], **further: str | None
    ) -> tuple[str, Any, str | None]:
        request = {"server": server, "function": function, "arguments": arguments, **further}
        return self._exchange(CALL, request)

    async def call_async(
        self,
        server: str,
        function: str,
        arguments: dict[str, Any],
        content_type: str | None = None,
    ) -> tuple[str, Any]:
        """As :meth:`call`, without blocking the event loop."""
        asked = self._ask_async(server, function, arguments, content_type=content_type)
        status, value, _ = await asked
        return status, value

    async def page_async(
        self,
        server: str,
        function: str,
        arguments: dict[str, Any],
        url: str | None,
        content_type: str | None = None,
    ) -> tuple[str, Any, str | None]:
        """As :meth:`page`, without blocking the event loop."""
        asked = self._ask_async(server, function, arguments, url=url, content_type=content_type)
        return await asked

    async def _ask_async(
        self, server: str, function: str, arguments: dict[str, Any], **further: str | None
    ) -> tuple[str, Any, str | None]:
        request = {"server": server, "function": function, "arguments": arguments, **further}
        return await self._exchange_async(CALL, request)

    def http(self, request: dict[str, Any]) -> tuple[str, Any]:
        """Sends a plain HTTP request; ("ok", the head of the answer and a piece of its body) or
        ("error", what went wrong)."""
        status, value, _ = self._exchange(CALL, {"http": request})
        return status, value

    async def http_async(self, request: dict[str, Any]) -> tuple[str, Any]:
        """As :meth:`http`, without blocking the event loop."""
        status, value, _ = await self._exchange_async(CALL, {"http": request})
        return status, value

    def more(self, stream: int, read: float | None) -> tuple[str, Any]:
        """The next piece of the body of an answer, waited for so many seconds."""
        status, value, _ = self._exchange(STREAM, {"stream": stream, "read": read})
        return status, value

    async def more_async(self, stream: int, read: float | None) -> tuple[str, Any]:
        """As :meth:`more`, without blocking the event loop."""
        status, value, _ = await self._exchange_async(STREAM, {"stream": stream, "read": read})
        return status, value

    def close_stream(self, stream: int) -> None:
        """Tells that no more of an answer is wanted, come or to come. There is no answer to that."""
        try:
            self.send(STREAM, next(self._numbers), pack(f'{{"stream":{stream:d},"close":true}}'))
        except OSError:
            # The host is gone, and all streams with it.
            pass

    def _exchange(self, kind: int, request: dict[str, Any]) -> tuple[str, Any, str | None]:
        message, payload, answer = self._prepare(request)
        self.send(kind, message, payload)
        del payload
        try:
            return answer.result()
        finally:
            # An error of it leads back here, and would keep itself.
            del answer

    async def _exchange_async(
        self, kind: int, request: dict[str, Any]
    ) -> tuple[str, Any, str | None]:
        message, payload, answer = self._prepare(request)
        if len(payload) <= CHUNK:
            self.send(kind, message, payload)
        else:
            # The host takes it as fast as it can; meanwhile other tasks go on.
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(None, self.send, kind, message, payload)
        del payload
        try:
            return await asyncio.wrap_future(answer)
        finally:
            # As above.
            del answer

    def _prepare(
        self, request: dict[str, Any]
    ) -> tuple[int, bytes, concurrent.futures.Future[tuple[str, Any, str | None]]]:
        """The number and the bytes of a request to the host, and where its answer will be."""
        encoder = Encoder(argument_value, segments=True, depth=MAX_DEPTH + CALL_LEVELS)
        payload = pack(encoder.encode(request), encoder.segments)
        answer: concurrent.futures.Future[tuple[str, Any, str | None]] = (
            concurrent.futures.Future()
        )
        with self._state_lock:
            if self._closed:
                raise RuntimeError(self._closed)
            message = next(self._numbers)
            self._waiting[message] = answer
            self._start_reading()
        return message, payload, answer

    def _start_reading(self) -> None:
        if self._reader is None:
            self._reader = threading.Thread(target=self._read, name="host", daemon=True)
            self._reader.start()

    def _read(self) -> None:
        reader = FrameReader(frozenset((ANSWER, JOB)))
        answers, jobs = Assembler(), Assembler()
        try:
            while data := self._connection.recv(1 << 16):
                for kind, flags, message, frame in reader.feed(data):
                    payload = (answers if kind == ANSWER else jobs).add(flags, message, frame)
                    if payload is None:
                        continue
                    if kind == ANSWER:
                        self._answer(message, payload)
                    else:
                        self._jobs.put(Job(**unpack(payload), number=message))
        finally:
            self._close("the host is gone")
            self._jobs.put(None)

    def _answer(self, message: int, payload: bytes) -> None:
        with self._state_lock:
            waiting = self._waiting.pop(message, None)
        if waiting is None or not waiting.set_running_or_notify_cancel():
            return
        try:
            status, value, *further = unpack(payload)
            waiting.set_result((status, value, *further) if further else (status, value, None))
        except Cut:
            waiting.set_exception(RuntimeError("the code that made the call has ended"))
        except BaseException as error:
            waiting.set_exception(error)

    def _close(self, reason: str) -> None:
        with self._state_lock:
            self._closed = reason
            waiting = list(self._waiting.values())
            self._waiting.clear()
        for answer in waiting:
            if answer.set_running_or_notify_cancel():
                answer.set_exception(RuntimeError(reason))

    def _after_fork(self) -> None:
        self._write_lock = threading.Lock()
        self._state_lock = threading.Lock()
        self._waiting = {}
        self._closed = "the host can be called only from the process that runs the code"


def install_host_module() -> None:
    """Makes `import _mce_host` work; it does so nowhere else. There is nobody to call yet."""
    about = "Calls to the host; used by `mce_runtime` and by the transports of `httpx`."
    module = types.ModuleType("_mce_host", about)
    sys.modules["_mce_host"] = module


def connect_host_module(channel: HostChannel) -> None:
    """Gives the functions of `_mce_host` to whoever has imported it, or will."""
    sys.modules["_mce_host"].__dict__.update(
        call=channel.call,
        call_async=channel.call_async,
        page=channel.page,
        page_async=channel.page_async,
        http=channel.http,
        http_async=channel.http_async,
        more=channel.more,
        more_async=channel.more_async,
        close_stream=channel.close_stream,
        RawNumber=RawNumber,
    )


class ModuleFinder:
    """Imports modules from memory. Packages are made up around dotted names."""

    def __init__(self) -> None:
        self._sources: dict[str, str] = {}
        self._packages: set[str] = set()
        # Compiled before, by a container of the same image.
        self._codes: dict[str, types.CodeType] = {}

    def give_codes(self, codes: dict[str, types.CodeType]) -> None:
        """Spares modules that are there the compilation."""
        self._codes = codes

    def add(self, sources: dict[str, str]) -> None:
        """Adds modules. One that was imported already runs again, in its place."""
        changed = [name for name in sources if self._sources.get(name) not in (None, sources[name])]
        for name in changed:
            self._codes.pop(name, None)
        self._sources.update(sources)
        for name in sources:
            steps = name.split(".")
            self._packages.update(".".join(steps[:count]) for count in range(1, len(steps)))
        for name in changed:
            if (module := sys.modules.get(name)) is not None:
                self.exec_module(module)

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Part of the import protocol."""
        if name not in self._sources and name not in self._packages:
            return None
        loader: Any = self
        is_package = name in self._packages
        return importlib.machinery.ModuleSpec(
            name, loader, origin=module_file(name), is_package=is_package
        )

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        """Part of the import protocol."""

    def exec_module(self, module: types.ModuleType) -> None:
        """Part of the import protocol."""
        source = self._sources.get(module.__name__)
        if source is None:
            source = self._package_source(module.__name__)
        code = self._codes.get(module.__name__)
        exec(code or compiled(module.__name__, source), module.__dict__)

    def _package_source(self, package: str) -> str:
        """What a made-up package holds: its modules, so that `import a` gives `a.functions`."""
        names = sorted(self._sources.keys() | self._packages)
        children = [name for name in names if name.rpartition(".")[0] == package]
        return "".join(f"from . import {child.rpartition('.')[2]}\n" for child in children)

    def get_source(self, name: str) -> str | None:
        """Lets tracebacks and `inspect` show the source."""
        return self._sources.get(name)


def compiled(name: str, source: str) -> types.CodeType:
    """The code of a module."""
    code: types.CodeType = compile(source, module_file(name), "exec", dont_inherit=True)
    return code


def module_file(name: str) -> str:
    """The file name of a module in tracebacks; there is no such file."""
    return name.replace(".", "/") + ".py"


# --- the executing process --------------------------------------------------------------------


@dataclasses.dataclass(slots=True)
class Job:
    """What the host wants run."""

    code: str
    modules: dict[str, str]
    max_output_bytes: int
    # Whether more code is to follow.
    session: bool = False
    # Which of a session it is; its result has the same.
    number: int = 0


class Execution:
    """Runs code: once, or in a session one piece after the other with the same names."""

    def __init__(self) -> None:
        self._module = types.ModuleType("__main__")
        self._module.__dict__["__builtins__"] = builtins
        self._count = 0
        self._main_started = False
        self._main_is_marked = False
        self._loop: asyncio.Runner | None = None

    def value(self, code: str) -> Any:
        """Runs the code and returns what it has to say.

        That is what `main()` returns, which is called unless the code did so itself; else, and
        where that is None, `result` where the code assigns it; else the last expression; else
        None. Whatever can be awaited is. What earlier code of a session defined counts for none
        of these.
        """
        self._count += 1
        self._main_started = False
        self._main_is_marked = False
        names = self._module.__dict__
        sys.modules["__main__"] = self._module
        earlier_main = names.get("main")
        # As in a file, a byte order mark is no part of the code.
        name = CODE_NAME if self._count == 1 else f"{CODE_NAMES} {self._count}>"
        lines = code.splitlines(keepends=True)
        linecache.cache[name] = (len(code), None, lines, name)
        tree = ast.parse(code.removeprefix("\ufeff"), name)
        # That of earlier code of a session is not this one's.
        gives_result = self._count == 1 or binds(tree, "result")

        def has_result() -> bool:
            return gives_result and "result" in names

        try:
            last = self._settle(self._run(tree, name, names))
            main = names.get("main")
            # A `main` that is no `def` cannot say that it ran: beside a `result` it probably did.
            is_due = self._main_is_marked or not has_result()
            if main is not earlier_main and callable(main) and is_due and not self._main_started:
                returned = self._settle(main())
                if returned is not None or not has_result():
                    return returned
        except SystemExit as end:
            if end.code not in (None, 0):
                raise
            last = None
        return self._settle(names["result"]) if has_result() else last

    def _run(self, tree: ast.Module, name: str, names: dict[str, Any]) -> Any:
        self._mark_main(tree)
        self._keep_last_expression(tree)
        code = compile(
            tree, name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True
        )
        last: list[Any] = []
        builtins.__dict__["__mce_main_started__"] = self._note_main
        builtins.__dict__["__mce_last__"] = last.append
        outcome = eval(code, names)
        if code.co_flags & inspect.CO_COROUTINE:
            self._settle(outcome)
        return last[-1] if last else None

    def _note_main(self) -> None:
        self._main_started = True

    def _mark_main(self, tree: ast.Module) -> None:
        """Lets the body of `main` say that it runs, so that it is not called a second time."""
        blocks: list[list[ast.stmt]] = [tree.body]
        while blocks:
            for statement in blocks.pop():
                if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                    if statement.name == "main":
                        self._mark(statement)
                elif not isinstance(statement, ast.ClassDef):
                    for field in ("body", "orelse", "finalbody"):
                        blocks.append(getattr(statement, field, []))
                    for field in ("handlers", "cases"):
                        for part in getattr(statement, field, []):
                            blocks.append(part.body)

    def _mark(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        first = 1 if ast.get_docstring(function, clean=False) is not None else 0
        call = ast.Call(ast.Name("__mce_main_started__", ast.Load()), [], [])
        place(mark := ast.Expr(call), function.body[0])
        function.body.insert(first, mark)
        self._main_is_marked = True

    def _keep_last_expression(self, tree: ast.Module) -> None:
        if tree.body and isinstance(last := tree.body[-1], ast.Expr):
            value = last.value
            call = ast.Call(ast.Name("__mce_last__", ast.Load()), [value], [])
            ast.copy_location(call, value)
            ast.copy_location(call.func, value)
            last.value = call

    def _settle(self, value: Any) -> Any:
        """The value, awaited if it can be, and taken from where it comes piece by piece."""
        if inspect.isawaitable(value):

            async def wait() -> Any:
                return await value

            return self._settle(self._looped(wait()))
        # Nobody can read a generator or a stream from the text that stands for the object.
        if isinstance(value, Iterator):
            return list(value)
        if isinstance(value, AsyncIterator):

            async def gather() -> list[Any]:
                return [item async for item in value]

            return self._looped(gather())
        return value

    def _looped(self, waiting: Coroutine[Any, Any, Any]) -> Any:
        if self._loop is None:
            self._loop = asyncio.Runner()
        return self._loop.run(waiting)


def binds(tree: ast.Module, name: str) -> bool:
    """Whether code at the top level, or a function by `global`, gives the name a value."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if node.name == name:
                return True
            if any(isinstance(part, ast.Global) and name in part.names for part in ast.walk(node)):
                return True
        elif isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
            return True
        elif isinstance(node, ast.alias) and name in (node.asname, node.name.partition(".")[0]):
            return True
        elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name == name:
            return True
        elif isinstance(node, ast.MatchMapping) and node.rest == name:
            return True
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            # Its own names are nobody else's; those of `:=` are.
            named = [part.target for part in ast.walk(node) if isinstance(part, ast.NamedExpr)]
            if any(target.id == name for target in named):
                return True
        elif not isinstance(node, ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))
    return False


def place(node: ast.AST, like: ast.AST) -> None:
    """Gives a new node the place of an old one."""
    for part in ast.walk(node):
        if "lineno" in part._attributes:
            ast.copy_location(part, like)


def failure(error: BaseException) -> dict[str, Any]:
    """What the author of the code is told of an error that nothing caught."""
    kind = "execution"
    runtime = sys.modules.get("mce_runtime")
    for name, meaning in (("ApiError", "api"), ("EgressError", "egress")):
        known = getattr(runtime, name, None)
        if isinstance(known, type) and isinstance(error, known):
            kind = meaning
    if isinstance(error, TooLarge):
        kind = "output_limit"
    if isinstance(error, SystemExit):
        return {"kind": kind, "message": f"the code exited with `{safe_repr(error.code)}`"}
    try:
        summary = traceback.TracebackException.from_exception(error, compact=True)
        message = "".join(summary.format_exception_only()).strip()
        keep_code_frames(summary)
        text = "".join(summary.format()).strip()
    except Exception:
        message = text = type(error).__name__
    return {
        "kind": kind,
        "message": shorten(message, 4_000),
        "traceback": shorten(text, 16_000),
        "hint": hint(error),
        "refused_process": refused_process(error),
        "disk_full": isinstance(error, OSError) and error.errno == errno.ENOSPC,
    }


def shorten(text: str, limit: int) -> str:
    """The beginning and the end of a text that is too long."""
    if len(text) <= limit:
        return text
    return f"{text[: limit // 2]}\n…\n{text[-limit // 2 :]}"


def refused_process(error: BaseException) -> bool:
    """Whether an error looks like a process or thread that was refused. The host knows better."""
    no_fork = isinstance(error, OSError) and error.errno == errno.EAGAIN
    return no_fork or "can't start new thread" in str(error)


def keep_code_frames(summary: traceback.TracebackException) -> None:
    """Leaves only the lines of the code itself, in the error and all that led to it."""
    waiting: list[traceback.TracebackException | None] = [summary]
    while waiting:
        current = waiting.pop()
        if current is None:
            continue
        frames_of_code = [
            frame for frame in current.stack if frame.filename.startswith(CODE_NAMES)
        ]
        current.stack = traceback.StackSummary.from_list(frames_of_code)
        waiting += [current.__cause__, current.__context__, *(current.exceptions or ())]


def hint(error: BaseException) -> str | None:
    """What to do about an error that the sandbox brings about."""
    if isinstance(error, UnboundLocalError):
        return "it is assigned further down or not on every path: assign it first"
    if isinstance(error, NameError):
        return defined_names(error)
    if isinstance(error, MemoryError):
        return "keep less in memory at once"
    if isinstance(error, EOFError):
        return "there is no input to read; pass values in the code"
    if isinstance(error, TooLarge):
        return "return less: select fields, filter rows, or aggregate"
    if isinstance(error, EncodingError):
        return "return plain data: dicts, lists, strings and numbers"
    if isinstance(error, OSError):
        return {
            errno.EROFS: "only /tmp and /workspace can be written",
            errno.ENOSPC: "/tmp holds 64 MiB and /workspace 128 MiB",
            errno.EPERM: "the sandbox has no network and few privileges; call compiled functions",
            errno.EAGAIN: "the number of processes and threads is limited; start fewer at once",
        }.get(error.errno or 0)
    if type(error).__module__.partition(".")[0] == "httpcore":
        return "the sandbox has no network; `httpx` asks the host, or call compiled functions"
    return None


def defined_names(error: NameError) -> str | None:
    """What names there are where one was not defined."""
    names: dict[str, None] = {}
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.startswith(CODE_NAMES):
            frame = trace.tb_frame
            names = dict.fromkeys([*frame.f_locals, *frame.f_globals])
        trace = trace.tb_next
    shown = [name for name in names if not name.startswith(("_", "."))]
    if not shown:
        return None
    more = ", …" if len(shown) > 20 else ""
    return shorten(f"defined there: {', '.join(shown[:20])}{more}", 1_000)


def execute(connection: socket.socket, modules: ModuleFinder) -> NoReturn:
    """The life of the executing process."""
    channel = HostChannel(connection)
    connect_host_module(channel)
    execution = Execution()
    touch_memory()
    process = os.getpid()
    following = channel.first_job()
    while following is not None:
        job = following
        if job.session:
            channel.listen()
        try:
            modules.add(job.modules)
            encoder = Encoder(result_value, limit=job.max_output_bytes)
            text = f'{{"result":{encoder.encode(execution.value(job.code))}}}'
        except BaseException as error:
            text = json.dumps({"failure": failure(error)}, ensure_ascii=False)
        flush_outputs()
        if os.getpid() != process:
            # The code forked; only the one that was given it may say what came of it.
            os._exit(0)
        channel.send(RESULT, job.number, pack(text))
        if not job.session:
            # The supervisor ends it, later: to give back its memory takes as long as the answer does.
            signal.pause()
        following = channel.next_job()
    os._exit(0)


def touch_memory() -> None:
    """Does once what is done with all code: memory that the two processes share is copied when it is
    first written, which would take its time from the code."""
    pass_message()
    Encoder(result_value, limit=100).encode(Execution().value("{'text': [0, 0.5, None]}"))


def pass_message() -> None:
    """Packs a message and reads it, as both sides do."""
    reader, messages = FrameReader(frozenset((JOB,))), Assembler()
    job = {"code": "1", "modules": {}, "max_output_bytes": 1}
    for sent in frames(JOB, 0, pack(json.dumps(job))):
        for _, flags, message, frame in reader.feed(sent):
            payload = messages.add(flags, message, frame)
            if payload is not None:
                Job(**unpack(payload))


def flush_outputs() -> None:
    """Hands over what was printed, by Python or by C code."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            pass
    LIBC.fflush(None)


# --- the supervisor ---------------------------------------------------------------------------

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_DUMPABLE = 4
PR_GET_NO_NEW_PRIVS = 39


class Outbox:
    """Bytes on their way to a descriptor that does not block."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._waiting: deque[memoryview] = deque()
        self.size = 0

    def put(self, data: bytes) -> None:
        """Queues bytes."""
        self._waiting.append(memoryview(data))
        self.size += len(data)

    def flush(self) -> None:
        """Writes what can be written now, as one piece: each takes its way through the engine alone."""
        while self._waiting:
            try:
                written = os.writev(self._descriptor, list(itertools.islice(self._waiting, 16)))
            except BlockingIOError:
                return
            self.size -= written
            while written:
                first = self._waiting.popleft()
                if written < len(first):
                    self._waiting.appendleft(first[written:])
                written -= min(written, len(first))


class Supervisor:
    """Passes frames between host and code, and tells the host how the code ended."""

    # After the end the host has this long to look around before the container goes by itself.
    PATIENCE_SECONDS = 5

    def __init__(self, host_in: int, host_out: int, modules: ModuleFinder) -> None:
        os.set_blocking(host_in, False)
        self._modules = modules
        self._host_in = host_in
        self._host_out = host_out
        self._to_host = Outbox(host_out)
        self._host_frames = FrameReader(frozenset((JOB, ANSWER)))
        self._jobs = Assembler()
        self._code_frames = FrameReader(FROM_THE_CODE)
        self._wake_in, self._wake_out = os.pipe()
        os.set_blocking(self._wake_in, False)
        os.set_blocking(self._wake_out, False)
        self._child = 0
        self._had_job = self._is_running = False
        # That of the job that runs, or ran last.
        self._number = 0
        # The executing process stays when its code has ended.
        self._in_session = False
        self._channel: socket.socket | None = None
        self._to_code: Outbox | None = None
        # Answers of which the rest is left out.
        self._cut: set[int] = set()
        self._outputs: dict[int, int] = {}
        self._output_budget = 0
        self._truncated = False
        self._violation: str | None = None
        self._deadline: float | None = None

    def run(self, hello: dict[str, Any]) -> None:
        """Serves one job, or those of a session, then waits for the host to hang up."""
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake_out, warn_on_full_buffer=False)
        self._tell(HELLO, hello)
        self._start()
        pass_message()
        self._ending(0)
        while self._deadline is None or time.monotonic() < self._deadline:
            for descriptor, events in self._poll():
                if descriptor == self._host_in:
                    if not self._from_host(events):
                        return
                elif descriptor == self._host_out:
                    if events & (select.POLLERR | select.POLLHUP):
                        return
                elif descriptor == self._wake_in:
                    drain(self._wake_in)
                elif descriptor in self._outputs:
                    self._from_output(descriptor)
                elif self._channel is not None and descriptor == self._channel.fileno():
                    if events & ~select.POLLOUT:
                        self._from_code()
            self._reap()
            if self._is_paused():
                # Code has ways to wake itself.
                self._signal_all(signal.SIGSTOP)
            self._to_host.flush()
            if self._to_code is not None:
                try:
                    self._to_code.flush()
                except OSError:
                    self._close_channel()

    def _poll(self) -> list[tuple[int, int]]:
        poll = select.poll()
        # A full outbox holds up whoever fills it. With no event asked for, the end of a stream
        # is still reported.
        room_for_code = (
            self._is_paused() or self._to_code is None or self._to_code.size < HIGH_WATER
        )
        poll.register(self._host_in, select.POLLIN if room_for_code else 0)
        poll.register(self._host_out, select.POLLOUT if self._to_host.size else 0)
        poll.register(self._wake_in, select.POLLIN)
        if self._to_host.size < HIGH_WATER:
            for descriptor in self._outputs:
                poll.register(descriptor, select.POLLIN)
        if self._channel is not None and self._to_code is not None:
            wanted = select.POLLIN if self._to_host.size < HIGH_WATER else 0
            wanted |= select.POLLOUT if self._to_code.size else 0
            if wanted:
                poll.register(self._channel.fileno(), wanted)
        return poll.poll(None if self._deadline is None else 1000)

    def _tell(self, kind: int, message: dict[str, Any]) -> None:
        for frame in frames(kind, 0, pack(json.dumps(message))):
            self._to_host.put(frame)
        self._to_host.flush()

    def _from_host(self, events: int) -> bool:
        """Takes frames of the host; False when it hung up."""
        if not events & select.POLLIN:
            return False
        try:
            data = os.read(self._host_in, 1 << 18)
        except BlockingIOError:
            return True
        if not data:
            return False
        for kind, flags, message, frame in self._host_frames.feed(data):
            if kind == ANSWER:
                self._pass_answer(flags, message, frame)
            else:
                payload = self._jobs.add(flags, message, frame)
                if payload is not None:
                    self._take_job(Job(**unpack(payload)), payload)
        return True

    def _is_paused(self) -> bool:
        return self._in_session and not self._is_running

    def _pass_answer(self, flags: int, message: int, frame: bytes) -> None:
        """Passes on an answer. While the code is held it takes none, and the next job comes behind
        them: of each one frame is kept, and a longer one is cut, which its call finds out."""
        if self._to_code is None:
            return
        if message in self._cut or (self._is_paused() and not flags & LAST):
            self._cut.add(message)
            if not flags & LAST:
                return
            self._cut.discard(message)
            [frame] = frames(ANSWER, message, b"")
        self._to_code.put(frame)

    def _take_job(self, job: Job, payload: bytes) -> None:
        if self._had_job and not self._in_session:
            return
        self._had_job = self._is_running = True
        self._number += 1
        self._in_session = job.session
        self._output_budget = job.max_output_bytes
        self._truncated = False
        if self._to_code is not None:
            for frame in frames(JOB, self._number, payload):
                self._to_code.put(frame)
        self._signal_all(signal.SIGCONT)

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        outputs = [os.pipe(), os.pipe()]
        self._child = os.fork()
        if self._child == 0:
            try:
                become_executing_process([write for _, write in outputs], theirs)
                execute(theirs, self._modules)
            finally:
                # Whatever happens, this process does not go on as a second supervisor.
                os._exit(1)
        theirs.close()
        for kind, (read, write) in zip((STDOUT, STDERR), outputs, strict=True):
            os.close(write)
            os.set_blocking(read, False)
            self._outputs[read] = kind
        self._channel = ours
        self._to_code = Outbox(ours.fileno())

    def _from_output(self, descriptor: int) -> int:
        """Passes on what was printed, up to the limit; the rest is read and dropped, as is what comes
        between two executions."""
        try:
            data = os.read(descriptor, 1 << 16)
        except BlockingIOError:
            return 0
        if not data:
            del self._outputs[descriptor]
            os.close(descriptor)
            return 0
        if len(data) > self._output_budget:
            self._truncated = True
        kept = b"" if self._is_paused() else data[: self._output_budget]
        self._output_budget -= len(kept)
        if kept:
            for frame in frames(self._outputs[descriptor], 0, kept):
                self._to_host.put(frame)
        return len(data)

    def _from_code(self) -> int:
        """Passes on calls and results, frame by frame."""
        if self._channel is None:
            return 0
        try:
            data = self._channel.recv(1 << 18)
            if not data:
                self._close_channel()
                return 0
            for kind, flags, message, frame in self._code_frames.feed(data):
                if kind == RESULT and not (self._is_running and message == self._number):
                    raise Violation("a result of nothing that runs")
                if kind == RESULT and flags & LAST:
                    self._end_code(frame)
                    if self._channel is None:
                        break
                else:
                    self._to_host.put(frame)
        except BlockingIOError:
            return 0
        except OSError:
            self._close_channel()
            return 0
        except Violation as violation:
            self._violation = str(violation)
            self._close_channel()
            os.kill(self._child, signal.SIGKILL)
            return 0
        return len(data)

    def _end_code(self, result: bytes) -> None:
        """Passes on the result. All that the code wrote before it goes first. What it left behind is
        held, in a session until more code comes."""
        self._drain_outputs()
        self._to_host.put(result)
        if self._in_session:
            self._signal_all(signal.SIGSTOP)
            self._drain_outputs()
            self._is_running = False
            self._tell(PAUSED, self._ending(0))
        else:
            self._is_running = False
            self._end(self._ending(0))

    def _close_channel(self) -> None:
        if self._channel is not None:
            self._channel.close()
        self._channel = self._to_code = None

    def _reap(self) -> None:
        """Collects dead processes, also orphans; ends when the executing one is among them."""
        while self._child:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self._child and self._deadline is None:
                self._finish(os.waitstatus_to_exitcode(status))

    def _finish(self, exit_code: int) -> None:
        # No more code can come, whatever the last words are.
        self._in_session = False
        self._drain_outputs()
        for _ in range(64):
            if not self._from_code():
                break
        if self._deadline is None:
            self._end(self._ending(exit_code))

    def _end(self, ending: dict[str, Any]) -> None:
        """Tells how the code ended, and stops all that it left behind, which ends with this process."""
        self._tell(ENDED, ending)
        self._deadline = time.monotonic() + self.PATIENCE_SECONDS
        self._close_channel()
        for descriptor in list(self._outputs):
            os.close(descriptor)
        self._outputs.clear()
        self._signal_all(signal.SIGSTOP)

    def _signal_all(self, number: int) -> None:
        """Sends a signal to every process but this one."""
        try:
            os.kill(-1, number)
        except ProcessLookupError:
            pass

    def _drain_outputs(self) -> None:
        """Passes on what is left in the pipes, which was written before the end. A process that the
        code left behind may go on writing; it is not waited for."""
        for descriptor in list(self._outputs):
            for _ in range(64):
                if not (descriptor in self._outputs and self._from_output(descriptor)):
                    break

    def _ending(self, exit_code: int) -> dict[str, Any]:
        return {
            "exit_code": exit_code if exit_code >= 0 else None,
            "signal": -exit_code if exit_code < 0 else None,
            "violation": self._violation,
            "truncated": self._truncated,
            "full": [path for path in WRITABLE if is_full(path)],
        }


def is_full(path: str) -> bool:
    """Whether next to nothing more can be written to a file system."""
    try:
        found = os.statvfs(path)
    except OSError:
        return False
    return found.f_bavail * found.f_frsize < NEXT_TO_NOTHING or found.f_favail == 0


def drain(descriptor: int) -> None:
    """Empties a pipe that only wakes."""
    try:
        while os.read(descriptor, 4096):
            pass
    except BlockingIOError:
        pass


def become_executing_process(outputs: list[int], connection: socket.socket) -> None:
    """Leaves everything of the supervisor behind, right after the fork."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(outputs[0], 1)
    os.dup2(outputs[1], 2)
    kept = connection.fileno()
    os.closerange(3, kept)
    os.closerange(kept + 1, 1024)
    os.setsid()
    LIBC.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
    try:
        # When memory runs out it is this process that goes, not the supervisor.
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        pass
    sys.argv = [CODE_NAME]
    sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False), encoding="utf-8")
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        raw = io.BufferedWriter(io.FileIO(descriptor, "w", closefd=False))
        stream = io.TextIOWrapper(
            raw, encoding="utf-8", errors="backslashreplace", line_buffering=True
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    sys.__stdin__ = sys.stdin  # type: ignore[misc]


# --- what the container is like, from inside ----------------------------------------------------


def measure() -> dict[str, Any]:
    """Facts for the host to judge before it hands over any code."""
    return {
        "python": ".".join(map(str, sys.version_info[:3])),
        "pid": os.getpid(),
        "uid": os.getresuid(),
        "gid": os.getresgid(),
        "groups": os.getgroups(),
        "status": process_status(),
        "environment": dict(os.environ),
        "sockets": socket_attempts(),
        "root": write_attempt("/.mce"),
        "root_read_only": is_mounted_read_only("/"),
        "writable": writable_mounts(),
        "options_shown": options_shown(),
        "programs_from_memory": program_from_memory(),
        "uncovered": uncovered(),
        "changeable": changeable(),
        "interfaces": interfaces(),
        "limits": cgroup_limits(),
    }


def process_status() -> dict[str, str]:
    """Capabilities and filters of this process."""
    wanted = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp")
    with open("/proc/self/status") as file:
        lines = (line.partition(":") for line in file)
        found = {name: value.strip() for name, _, value in lines if name in wanted}
    # gVisor shows it nowhere else.
    if "NoNewPrivs" not in found:
        found["NoNewPrivs"] = str(LIBC.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0))
    return found


def socket_attempts() -> dict[str, int]:
    """Outcomes of creating a socket of every family and type, and how often each came."""
    outcomes: dict[str, int] = {}
    for family in range(46):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
            descriptor = LIBC.socket(family, int(kind), 0)
            if descriptor >= 0:
                os.close(descriptor)
                outcome = f"created:{family}"
            else:
                outcome = errno.errorcode.get(ctypes.get_errno(), "unknown")
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
    return outcomes


def write_attempt(path: str) -> str:
    """The error that creating a file gives, or `created`."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, "unknown")
    return "created"


def mounts() -> Iterator[tuple[str, list[str]]]:
    """Where something is mounted, with its options."""
    with open("/proc/self/mountinfo") as file:
        for line in file:
            fields = line.split(" ")
            # Blanks and the like stand as `\\040`.
            path = re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), fields[4])
            yield path, fields[5].split(",")


def writable_mounts() -> dict[str, list[str]]:
    """The mounts that can be written, each with its options; found by trying."""
    return {path: options for path, options in mounts() if is_writable(path)}


def is_mounted_read_only(mount: str) -> bool:
    """Whether a mount is read-only. Of several at one place the last is in force."""
    found = [options for path, options in mounts() if path == mount]
    return bool(found) and "ro" in found[-1]


def options_shown() -> list[str]:
    """The options that the kernel shows of any mount; gVisor keeps some to itself."""
    return sorted({option for _, options in mounts() for option in options})


def is_writable(path: str) -> bool:
    """Whether a file can be made in a folder, or a file be opened for writing."""
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            probe = os.path.join(path, ".mce")
            os.close(os.open(probe, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            os.unlink(probe)
        elif stat.S_ISREG(mode):
            os.close(os.open(path, os.O_WRONLY))
        else:
            # A device in the place of what the engine hides, such as /dev/null.
            return False
    except OSError:
        return False
    return True


# What engines hide of the kernel, by an empty folder or a device in its place; and what they make
# read-only, for whoever may write there.
HIDDEN = (
    "/proc/acpi",
    "/proc/kcore",
    "/proc/keys",
    "/proc/latency_stats",
    "/proc/sched_debug",
    "/proc/scsi",
    "/proc/timer_list",
    "/proc/timer_stats",
    "/sys/firmware",
)
UNCHANGEABLE = ("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger")


def uncovered() -> list[str]:
    """Those of the places to be hidden that can be seen."""
    return [path for path in HIDDEN if is_uncovered(path)]


def is_uncovered(path: str) -> bool:
    """Whether there is anything of the kernel's at a path."""
    try:
        mode = os.stat(path).st_mode
        return not stat.S_ISCHR(mode) and not (stat.S_ISDIR(mode) and not os.listdir(path))
    except (FileNotFoundError, PermissionError):
        return False
    except OSError:
        return True


def changeable() -> list[str]:
    """Those of the places to be read-only that are there and are not known to be mounted so."""
    return [path for path in UNCHANGEABLE if is_changeable(path)]


def is_changeable(path: str) -> bool:
    """Whether a place is there and is not known to be read-only."""
    try:
        return not os.statvfs(path).f_flag & os.ST_RDONLY
    except FileNotFoundError:
        return False
    except OSError:
        return True


def program_from_memory() -> str:
    """The error that making a file without a place gives, or `created`."""
    try:
        os.close(os.memfd_create("mce"))
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, "unknown")
    return "created"


def interfaces() -> list[str]:
    """Names of the network interfaces."""
    try:
        with open("/proc/self/net/dev") as file:
            return [line.partition(":")[0].strip() for line in file if ":" in line]
    except OSError:
        return []


def cgroup_limits() -> dict[str, str]:
    """Limits in force, as far as the container can see them (cgroup v1 and v2)."""
    found = {}
    for name, paths in {
        "memory": ("memory/memory.limit_in_bytes", "memory.max"),
        "memory_and_swap": ("memory/memory.memsw.limit_in_bytes",),
        "swap": ("memory.swap.max",),
        "pids": ("pids/pids.max", "pids.max"),
    }.items():
        for path in paths:
            try:
                with open(f"/sys/fs/cgroup/{path}") as file:
                    found[name] = file.read().strip()
            except OSError:
                continue
    return found


def preload(host_in: int) -> tuple[ModuleFinder, dict[str, str] | None]:
    """Imports what the host names before any code comes: it sends `length:u32 json`, which is
    `{"libraries": [name, …], "modules": {name: source, …}, "bytecode": {name: base64, …} | null}`. What
    the image lacks is left out. Without bytecode, that of the modules and of this program (`""`) is
    returned, for containers of the same image that follow."""
    size = int.from_bytes(read_exactly(host_in, 4), "big")
    wanted = json.loads(read_exactly(host_in, size))
    modules = ModuleFinder()
    modules.add(wanted["modules"])
    bytecode = wanted["bytecode"]
    if bytecode is None:
        codes = {name: compiled(name, source) for name, source in wanted["modules"].items()}
        bytecode = {name: base64_of(code) for name, code in codes.items()}
        program: bytes = globals()["program"]
        bytecode[""] = base64_of(compile(program, "<runner>", "exec", dont_inherit=True))
    else:
        codes = {name: marshal.loads(base64.b64decode(text)) for name, text in bytecode.items()}
        bytecode = None
    modules.give_codes(codes)
    install_host_module()
    sys.meta_path.insert(0, modules)
    for name in (*wanted["libraries"], *wanted["modules"]):
        try:
            importlib.import_module(name)
        except Exception:
            sys.modules.pop(name, None)
    # The executing process shares this memory as long as neither writes to it.
    gc.freeze()
    return modules, bytecode


def base64_of(code: types.CodeType) -> str:
    """Bytecode as text."""
    return base64.b64encode(marshal.dumps(code)).decode()


def read_exactly(descriptor: int, size: int) -> bytes:
    """So many bytes; the process ends where the stream does."""
    data = b""
    while len(data) < size:
        part = os.read(descriptor, size - len(data))
        if not part:
            os._exit(0)
        data += part
    return data


def supervise() -> None:
    """The life of PID 1."""
    # Nothing in the container may open this process: not its memory, not its descriptors.
    LIBC.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    host_in, host_out = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    hello = measure()
    os.environ.clear()
    os.environ.update(ENVIRONMENT)
    modules, hello["bytecode"] = preload(host_in)
    try:
        Supervisor(host_in, host_out, modules).run(hello)
    except BrokenPipeError:
        pass
    # PID 1's end is the end of every process in the container.
    os._exit(0)


if __name__ == "__main__":
    supervise()
