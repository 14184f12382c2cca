"""Attempts to change Jupyter's state from code in the sandbox: with the guard's verdict ignored (the
`test-hooks` build), so that everything else is attacked alone, and with the guard in place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from client import same
from executions import Call, Project

# Where code cannot name a write, it tries to make one of a read's path.
PATHS = [
    "a.txt/checkpoints", "a.txt%2Fcheckpoints", "a.txt%252Fcheckpoints", "a.txt\\checkpoints", "a.txt/checkpoints/checkpoint",
    "a.txt/checkpoints;x", "a.txt;/checkpoints", "a.txt/./checkpoints", "a.txt//checkpoints", "a.txt/checkpoints/", "a.txt/CHECKPOINTS",
    "a.txt?/checkpoints", "a.txt/checkpoints?x=1", "a.txt/checkpoints#x", "a.txt\uff0fcheckpoints", "a.txt\u2215checkpoints",
    "../kernels", "..", ".", "", "/", "//", "../../api/kernels", "..%2fkernels", "%2e%2e/kernels", "%252e%252e%252fkernels", "..;/kernels",
    "..\\kernels", "..%5ckernels", "..%c0%afkernels", "%c0%ae%c0%ae/kernels", "\uff0e\uff0e/kernels", "./../kernels", ".. /kernels",
    "a.txt/../../kernels", "a.txt\r\nX-HTTP-Method-Override: DELETE", "a.txt HTTP/1.1\r\n\r\nDELETE /api/contents/a.txt HTTP/1.1\r\n\r\n",
    "a.txt\n", "a.txt\x00", "a.txt\t", "a.txt?_method=DELETE", "a.txt&_method=DELETE", "a.txt;_method=DELETE", "a.txt#", "@127.0.0.1:1/",
    "http://127.0.0.1:1/", "//127.0.0.1:1/", "a.txt" * 5000,
]  # fmt: skip

# The place of another read in the document, on a path that does not hold a slash of its own.
NEIGHBOURS = {
    "get_kernel": ["../sessions", "..%2fterminals", "{kernel}/interrupt", "{kernel}%2Frestart", "{kernel}/channels", "{kernel};/restart", "{kernel}\\restart", "..", ""],
    "get_terminal": ["../kernels", "1/../../kernels", "..%2F..%2Fkernels", "1;x", "", "%2e%2e"],
    "get_session": ["../kernels", "..", "", "%2e%2e%2fkernels"],
    "get_section": ["../contents/a.txt", "notebook/../../kernels", "..", "", "%2e%2e%2fkernels"],
}

# Names that no parameter of a read has, for method, path, header or body.
ARGUMENTS: list[dict[str, Any]] = [
    {name: value}
    for name in (
        "_method", "method", "X-HTTP-Method-Override", "x_http_method_override", "X-HTTP-Method", "X-Method-Override", "X-Original-URL",
        "x_original_url", "X-Rewrite-URL", "Host", "host", "Content-Type", "Transfer-Encoding", "Authorization", "Cookie", "headers", "header",
        "query", "params", "body", "data", "json", "files", "url", "base_url", "server", "function", "content_type", "__proto__", "self", "",
    )
    for value in (["DELETE"] if name not in ("headers", "header", "query", "params", "json") else [{"_method": "DELETE"}])
]  # fmt: skip

NAMES = [
    "DELETE /api/contents/{{path}}", "DELETE", "delete", "{write}\x00", " {write}", "{write} ", "{write}.aio", "{WRITE}", "{read}\x00", "{read} ",
    "{read}/../{write}", "{read};{write}", "{read}.with_method('DELETE')", "__init__", "__class__", "", "*", "0", "{read}\n", "{write}\u200b",
    "\uff44elete_api_contents_path", "../writer/functions.{write}", "writer.{write}", "jupyter.functions.{write}", "{write}" * 1000,
]  # fmt: skip

SERVERS = [
    "writer ", "Writer", "WRITER", "writer.functions", "../writer", "jupyter/../writer", "jupyter ", "", "*", "mce_runtime", "writer\x00",
    "wr\u0456ter", "\uff57riter",
]  # fmt: skip

URLS = [
    "/api/contents/a.txt", "{base}/api/contents/a.txt?_method=DELETE", "{base}/api/kernels", "//127.0.0.1:1/", "http://127.0.0.1:1/", "../kernels",
    "http://169.254.169.254/", "{base}@127.0.0.1:1/", "file:///etc/passwd", "javascript:1", "?_method=DELETE", "", " ", "/api/contents/..%2fkernels",
    "{base}\r\nDELETE / HTTP/1.1", "\\\\127.0.0.1\\api", "/api/contents/a.txt/checkpoints", "http:api/kernels",
]  # fmt: skip

# Each answers `[[what was tried, what came of it], …]`.
COMMON = """
import jupyter.functions
import mce_runtime
import _mce_host

tried = []

def attempt(name, function, *arguments, **more):
    try:
        outcome = function(*arguments, **more)
    except BaseException as error:
        tried.append([name, "raised", f"{type(error).__name__}: {error}"[:300]])
        return
    if isinstance(outcome, tuple) and len(outcome) in (2, 3) and outcome[0] in ("ok", "error"):
        kind = outcome[1].get("kind") if outcome[0] == "error" else None
        tried.append([name, kind or "ok", outcome[1] if kind is None else outcome[1].get("message")])
    else:
        tried.append([name, "returned", repr(outcome)[:300]])

"""

CALLS = """
for server in ("jupyter", "writer"):
    for name, arguments in GIVEN["writes"].items():
        attempt(f"{server}: {name}", _mce_host.call, server, name, arguments)
for name in GIVEN["names"]:
    attempt(f"function {name[:60]!r}", _mce_host.call, "jupyter", name, {"path": "a.txt"})
for server in GIVEN["servers"]:
    attempt(f"server {server!r}", _mce_host.call, server, GIVEN["write"], {"path": "a.txt"})
for arguments in GIVEN["arguments"]:
    attempt(f"argument {arguments}", _mce_host.call, "jupyter", GIVEN["read"], {"path": "a.txt", **arguments})
for kind in ("application/json", "text/plain", "application/x-http-method-override", "a/b\\r\\nX-Y: z", ""):
    attempt(f"content type {kind!r}", _mce_host.call, "jupyter", GIVEN["read"], {"path": "a.txt"}, kind)
for value in ("file\\r\\nX: y", "file&_method=DELETE", ["file", "_method=DELETE"], {"_method": "DELETE"}):
    attempt(f"type {value!r}", _mce_host.call, "jupyter", GIVEN["read"], {"path": "a.txt", "type_": value})
for url in GIVEN["urls"]:
    attempt(f"page {url!r}", _mce_host.page, "jupyter", GIVEN["read"], {"path": "a.txt"}, url)
    attempt(f"page of a write {url!r}", _mce_host.page, "jupyter", GIVEN["write"], {"path": "a.txt"}, url)
result = tried
"""

PLACES = """
for path in GIVEN["paths"]:
    attempt(f"path {path[:60]!r}", _mce_host.call, "jupyter", GIVEN["read"], {"path": path})
    attempt(f"checkpoints of {path[:60]!r}", _mce_host.call, "jupyter", GIVEN["checkpoints"], {"path": path})
for function, (argument, values) in GIVEN["neighbours"].items():
    for value in values:
        attempt(f"{function} {value!r}", _mce_host.call, "jupyter", function, {argument: value})
result = tried
"""

STUBS = """
import types

# The module as it is where the server is not read-only, under the name of the one that is.
unfiltered = types.ModuleType("jupyter.functions")
exec(compile(GIVEN["module"].replace('Api("writer"', 'Api("jupyter"'), "jupyter/functions.py", "exec"), unfiltered.__dict__)
for name, arguments in GIVEN["writes"].items():
    attempt(f"stub {name}", getattr(unfiltered, name), **arguments)
    attempt(f"asynchronous stub {name}", lambda: __import__("asyncio").run(getattr(unfiltered, name).aio(**arguments)))

# Stubs of the read's name and another method; what is sent is a name.
api = jupyter.functions._api
for method in ("DELETE", "PUT", "POST", "PATCH", "delete", "GET\\r\\nX: y", "CONNECT", ""):
    def forged(*, path): ...
    forged.__name__ = forged.__qualname__ = GIVEN["read"]
    forged.__module__ = "jupyter.functions"
    attempt(f"forged {method!r}", lambda: api.operation(method, "/api/contents/{path}", path={"path": "simple"})(forged)(path="a.txt"))
    def other(*, path): ...
    other.__name__ = GIVEN["write"]
    attempt(f"forged {method!r} of a write", lambda: api.operation(method, "/api/contents/{path}", path={"path": "simple"})(other)(path="a.txt"))

# The parts of a real stub changed in their places.
stub = getattr(jupyter.functions, GIVEN["read"])
for holder in [stub, stub.__wrapped__, api] + [getattr(stub, name, None) for name in dir(stub) if not name.startswith("__")]:
    for name in list(vars(holder)) if hasattr(holder, "__dict__") else getattr(type(holder), "__slots__", ()):
        value = getattr(holder, name, None)
        if isinstance(value, str) and value.upper() == "GET":
            object.__setattr__(holder, name, "DELETE")
        elif isinstance(value, str) and value == "/api/contents/{path}":
            object.__setattr__(holder, name, "/api/kernels")
attempt("the read with its parts changed", stub, path="a.txt")
# As outside the sandbox, where stubs send by themselves.
mce_runtime._host = None
import os
os.environ.update(MCE_JUPYTER_BASE_URL=GIVEN["base"], MCE_WRITER_BASE_URL=GIVEN["base"], MCE_JUPYTER_AUTH="token x")
attempt("the outside backend", getattr(unfiltered, GIVEN["write"]), path="a.txt")
result = tried
"""

FRAMES = """
import concurrent.futures
import json
import struct

channel = _mce_host.call.__self__
numbers = iter(range(1_000_000, 2_000_000))

def ask(head, tail=b"", number=None, flags=1):
    number = next(numbers) if number is None else number
    waiting = concurrent.futures.Future()
    with channel._state_lock:
        channel._waiting[number] = waiting
        channel._start_reading()
    head = head if isinstance(head, bytes) else json.dumps(head).encode()
    payload = struct.pack(">I", len(head)) + head + tail
    frame = struct.pack(">IBBBI", 7 + len(payload), 1, 3, flags, number) + payload
    with channel._write_lock:
        channel._connection.sendall(frame)
    return waiting.result(10)

read = {"server": "jupyter", "function": GIVEN["read"], "arguments": {"path": "a.txt"}}
write = {**read, "function": GIVEN["write"]}
hostile = {
    "a write": write,
    "a write of the other server": {**write, "server": "writer"},
    "a method": {**read, "method": "DELETE"},
    "a path": {**read, "path": "/api/kernels"},
    "headers": {**read, "headers": {"X-HTTP-Method-Override": "DELETE"}},
    "a body": {**read, "body": "x"},
    "a content type and a URL": {**read, "content_type": "text/plain", "url": "/api/kernels"},
    "a URL": {**read, "url": GIVEN["base"] + "/api/kernels"},
    "an operation": {**read, "operation": {"method": "DELETE", "path": "/api/contents/{path}"}},
    "a server as operation": {"server": {"name": "jupyter", "read_only": False}, "function": GIVEN["write"], "arguments": {}},
    "a principal": {**write, "principal": "root", "scope": {"servers": ["writer"]}, "servers": ["writer"]},
    "hooks": {**write, "hooks": {"no_broker_rule": True}, "no_broker_rule": True},
}
messages = {name: json.dumps({"message": message, "bytes": []}).encode() for name, message in hostile.items()}
twice = json.dumps(read)[:-1] + f', "function": "{GIVEN["write"]}"}}'
messages["a function twice"] = ('{"message": ' + twice + ', "bytes": []}').encode()
twice = json.dumps(write)[:-1] + f', "function": "{GIVEN["read"]}"}}'
messages["a function twice, the write first"] = ('{"message": ' + twice + ', "bytes": []}').encode()
def one(name):
    if name in messages:
        attempt(f"frame with {name}", ask, messages[name])
    elif name == "bytes in the place of the function":
        message = {"message": {**read, "function": None}, "bytes": [[["function"], len(GIVEN["write"])]]}
        attempt(f"frame with {name}", ask, message, GIVEN["write"].encode())
    elif name == "bytes in no place":
        message = {"message": read, "bytes": [[["arguments", "path", 0, "x"], 3], [[], 2]]}
        attempt(f"frame with {name}", ask, message, b"abcde")
    elif name == "bytes beyond the end":
        attempt(f"frame with {name}", ask, {"message": read, "bytes": [[["arguments", "path"], 1 << 40]]}, b"abc")
    elif name == "no JSON":
        attempt(f"frame with {name}", ask, b'{"message": DELETE}')
    elif name == "too deep":
        attempt(f"frame with {name}", ask, b'{"message": ' + b"[" * 100000)
    elif name == "not UTF-8":
        attempt(f"frame with {name}", ask, b'{"message": {"server": "jupyter", "function": "\\xff\\xfe", "arguments": {}}, "bytes": []}')
    else:
        kind, version, length = {
            "a job": (2, 1, 0), "an answer": (4, 1, 0), "hello": (1, 1, 0), "another version": (3, 9, 0), "an impossible length": (3, 1, 1 << 30),
            "an unknown kind": (77, 1, 0),
        }[name]
        head = messages["a write"]
        payload = struct.pack(">I", len(head)) + head
        def raw():
            channel._connection.sendall(struct.pack(">IBBBI", (length or 7 + len(payload)), version, kind, 1, 5) + payload)
            return _mce_host.call("jupyter", GIVEN["write"], {"path": "a.txt"})
        attempt(f"frame that is {name}", raw)

for which in WHICH:
    one(which)
result = tried
"""
TOLERATED_FRAMES = [
    "a write", "a write of the other server", "a method", "a path", "headers", "a body", "a content type and a URL", "a URL", "an operation",
    "a principal", "hooks", "a function twice", "a function twice, the write first",
]  # fmt: skip
# What is read of these is the read that they name, last.
READING_FRAMES = ["a method", "a path", "headers", "a body", "an operation", "a function twice, the write first"]
FATAL_FRAMES = [
    "a server as operation", "bytes in the place of the function", "bytes in no place",
    "bytes beyond the end", "no JSON", "too deep", "not UTF-8", "a job", "an answer", "hello", "another version", "an impossible length",
    "an unknown kind",
]  # fmt: skip

NETWORK = """
import asyncio
import ctypes
import http.client
import httpx
import os
import socket
import subprocess
import urllib.request

host, port = GIVEN["base"].removeprefix("http://").split(":")
port = int(port)
url = GIVEN["base"] + "/api/contents/a.txt"

def low(family, kind):
    with socket.socket(family, kind) as made:
        made.connect((host, port))
        made.sendall(b"DELETE /api/contents/a.txt HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")

def library():
    libc = ctypes.CDLL(None, use_errno=True)
    made = libc.socket(2, 1, 0)
    if made < 0:
        raise OSError(ctypes.get_errno(), "socket")
    return made

async def streams():
    await asyncio.open_connection(host, port)

async def asynchronously():
    async with httpx.AsyncClient() as client:
        await client.delete(url)

attempt("httpx.delete", httpx.delete, url)
attempt("httpx.put", httpx.put, url, json={"type": "file", "format": "text", "content": "x"})
attempt("httpx.request", httpx.request, "PATCH", url, json={"path": "b.txt"})
attempt("httpx.AsyncClient", lambda: asyncio.run(asynchronously()))
attempt("urllib", lambda: urllib.request.urlopen(urllib.request.Request(url, method="DELETE"), timeout=2))
attempt("http.client", lambda: http.client.HTTPConnection(host, port, timeout=2).request("DELETE", "/api/contents/a.txt"))
attempt("socket", low, socket.AF_INET, socket.SOCK_STREAM)
attempt("datagrams", low, socket.AF_INET, socket.SOCK_DGRAM)
attempt("IPv6", low, socket.AF_INET6, socket.SOCK_STREAM)
attempt("create_connection", lambda: socket.create_connection((host, port), timeout=2))
attempt("asyncio.open_connection", lambda: asyncio.run(streams()))
attempt("libc", library)
attempt("/dev/tcp", lambda: subprocess.run(["bash", "-c", f"echo > /dev/tcp/{host}/{port}"], check=True, capture_output=True))
attempt("curl", lambda: subprocess.run(["curl", "-X", "DELETE", url], check=True))
attempt("a Unix socket of the engine", lambda: socket.socket(socket.AF_UNIX).connect("/var/run/docker.sock"))
attempt("a descriptor of the supervisor", lambda: os.open("/proc/1/fd/0", os.O_RDWR))
attempt("the import of the other server", lambda: __import__("writer.functions"))
result = tried
"""

# Each is a whole program, and is refused before it runs.
GUARDED = [
    "import jupyter.functions\nimport _mce_host\n_mce_host.call('jupyter', '{write}', {{'path': 'a.txt'}})",
    "from jupyter.functions import {write}\n{write}(path='a.txt')",
    "import jupyter.functions\njupyter.functions.{write}(path='a.txt')",
    "import jupyter.functions\ngetattr(jupyter.functions, '{write}')(path='a.txt')",
    "from jupyter.functions import _api\n_api.operation('DELETE', '/api/contents/{{path}}')",
    "import jupyter.functions\njupyter.functions._api.operation('DELETE', '/api/contents/{{path}}')",
    "from mce_runtime import Api\nApi('jupyter', base_url_env='A', auth_env='B')",
    "import mce_runtime\nmce_runtime.Api",
    "from jupyter.functions import {read}\n{read}.__wrapped__.__globals__['_api']",
    "from jupyter.functions import {read}\n{read}.__dict__",
    "from jupyter.functions import {read}\nvars({read})",
    "from jupyter.functions import {read}\n{read}._method = 'DELETE'",
    "from jupyter.functions import {read}\nsetattr({read}, '_method', 'DELETE')",
    "import jupyter.functions as f\ngetattr(f, '_a' + 'pi')",
    "import jupyter.functions as f\nname = '_' + 'api'\ngetattr(f, name)",
    "import importlib\nimportlib.import_module('_mce_host')",
    "__import__('_mce_host')",
    "exec('import _mce_host')",
    "eval('__import__(\"_mce_host\")')",
    "import sys\nsys.modules['_mce_host']",
    "import socket\nsocket.create_connection(('127.0.0.1', 1))",
    "import os\nos.system('curl')",
    "import subprocess\nsubprocess.run(['curl'])",
    "import ctypes\nctypes.CDLL(None)",
    "import urllib.request\nurllib.request.urlopen('{base}')",
    "import http.client\nhttp.client.HTTPConnection('127.0.0.1')",
    "open('/proc/self/environ').read()",
    "().__class__.__base__.__subclasses__()",
    "'{{0.__class__}}'.format(1)",
    "import jupyter.functions\njupyter.functions.__builtins__",
    "import builtins\nbuiltins.__import__",
    "import gc\ngc.get_objects()",
    "import inspect\ninspect.currentframe()",
    "def f():\n    yield\nf().gi_frame.f_globals",
]


def run(project: Project, with_hooks: Path, base_url: str) -> int:
    """Makes every attempt; how many there were. None may end well but as the read that it names."""
    unfiltered = project.manifest("writer")["functions"]
    write = project.name("writer", "DELETE", "/api/contents/{path}")
    read = project.name("jupyter", "GET", "/api/contents/{path}")
    session = project.calls([Call("jupyter", "GET", "/api/sessions")])[0]["value"][0]
    kernel = session["kernel"]["id"]
    writes = {
        entry["name"]: arguments(entry, kernel, session["id"])
        for entry in unfiltered
        if entry["method"] not in ("GET", "HEAD", "OPTIONS")
    }
    # Function, argument, and what it is asked for.
    places = {
        "get_kernel": ("/api/kernels/{kernel_id}", "kernel_id"),
        "get_terminal": ("/api/terminals/{terminal_id}", "terminal_id"),
        "get_session": ("/api/sessions/{session}", "session"),
        "get_section": ("/api/config/{section_name}", "section_name"),
    }
    neighbours = {
        project.name("jupyter", "GET", path): (argument, [value.replace("{kernel}", kernel) for value in NEIGHBOURS[name]])
        for name, (path, argument) in places.items()
    }
    given = {
        "writes": writes, "write": write, "read": read, "arguments": ARGUMENTS, "servers": SERVERS, "paths": PATHS, "neighbours": neighbours,
        "names": [name.format(write=write, read=read, WRITE=write.upper()) for name in NAMES],
        "urls": [url.replace("{base}", base_url) for url in URLS],
        "checkpoints": project.name("jupyter", "GET", "/api/contents/{path}/checkpoints"),
        "base": base_url,
        "module": (project.folder / "compiled/writer/functions.py").read_text(encoding="utf-8"),
    }  # fmt: skip

    def hooked(program: str) -> list[Any]:
        tried: list[Any] = project.value(f"{COMMON}GIVEN = {given!r}\n{program}", "--no-guard", mce=with_hooks)
        return tried

    calls = hooked(CALLS)
    for name, kind, what in calls:
        # Neither of the two is ever made.
        assert kind in ("egress", "argument", "raised"), (name, kind, what)
    tried = calls + reached(hooked(PLACES)) + stubs(hooked(STUBS), len(writes)) + network(hooked(NETWORK))
    with listed(project, str(given["base"])):
        tried += network(hooked(NETWORK))
    count = len(tried)
    for name, kind, what in hooked(f"WHICH = {TOLERATED_FRAMES!r}\n{FRAMES}"):
        is_read = kind == "ok" and what["path"] == "a.txt" and name.removeprefix("frame with ") in READING_FRAMES
        assert is_read or kind in ("egress", "argument"), (name, kind, what)
        count += 1

    def ended(frame: str) -> None:
        result = project.exec(f"{COMMON}GIVEN = {given!r}\nWHICH = [{frame!r}]\n{FRAMES}", "--no-guard", mce=with_hooks)
        came = result.get("data") or [[frame, result["error_type"], result["error"]]]
        for name, kind, what in came:
            assert kind in ("execution", "egress", "argument", "raised"), (name, kind, what)

    with ThreadPoolExecutor(4) as pool:
        count += len(list(pool.map(ended, FATAL_FRAMES)))
    count += guarded(project, given)
    return count


def arguments(entry: Mapping[str, Any], kernel: str, session: str) -> dict[str, Any]:
    """Arguments with which a write would have an effect."""
    known: dict[str, Any] = {
        "path": "a.txt", "checkpoint_id": "checkpoint", "kernel_id": kernel, "session": session, "section_name": "notebook",
        "terminal_id": "1",
    }  # fmt: skip
    bodies = {
        "POST /api/contents/{path}": {"type": "file", "ext": ".txt"},
        "PATCH /api/contents/{path}": {"path": "moved.txt"},
        "PUT /api/contents/{path}": {"type": "file", "format": "text", "content": "overwritten"},
        "PATCH /api/sessions/{session}": {"name": "renamed"},
        "POST /api/sessions": {"path": "x.ipynb", "name": "x", "type": "notebook", "kernel": {"name": "python3"}},
        "POST /api/kernels": {"name": "python3"},
        "PATCH /api/config/{section_name}": {"theme": "light"},
    }
    given = {item["name"]: known[item["wire_name"]] for item in entry["parameters"] if item["in"] == "path"}
    if entry["body"] is not None:
        given[entry["body"]["name"]] = bodies.get(f"{entry['method']} {entry['path']}", {})
    return given


def reached(tried: list[Any]) -> list[Any]:
    """A path either was refused or reached the operation that was called, and nothing else."""
    for name, kind, what in tried:
        function, _, path = name.partition(" '")
        if kind == "ok":
            # The folder at the top, and lists of checkpoints of files that do not exist.
            same((name, what if function == "checkpoints of" else what["path"]), (name, [] if function == "checkpoints of" else ""))
            assert function in ("path", "checkpoints of"), (name, what)
        else:
            assert kind in ("egress", "argument", "api"), (name, kind, what)
        is_sideways = "checkpoints" in path.lower() and function == "path"
        if is_sideways or ".." in path or "%2e" in path or "\\r" in path or "/restart" in path or "/interrupt" in path:
            same((name, kind), (name, "egress"))
    return tried


def stubs(tried: list[Any], writes: int) -> list[Any]:
    """A stub sends a name; what it says of method and path is nobody's."""
    for name, kind, what in tried:
        is_read = name == "the read with its parts changed" or (name.startswith("forged") and not name.endswith("of a write"))
        same((name, kind), (name, "returned" if is_read else "raised"))
        assert ("'content': 'first'" if is_read else "Error") in what, (name, what)
    same(sum("is not a compiled function of the server `jupyter`" in what for _, _, what in tried), 2 * writes + 8)
    return tried


def network(tried: list[Any]) -> list[Any]:
    same({kind for _, kind, _ in tried}, {"raised"})
    return tried


def guarded(project: Project, given: Mapping[str, Any]) -> int:
    """With the guard: programs that it refuses, each with a reason, before anything runs; and paths by
    way of a stub."""
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda program: project.exec(program.format(**given)), GUARDED))
    for program, result in zip(GUARDED, results, strict=True):
        same((program, result["error_type"], bool(result["violations"])), (program, "security", True))
    outcomes = project.calls([Call("jupyter", "GET", "/api/contents/{path}", {"path": path}) for path in PATHS])
    reached([
        [f"path {path[:60]!r}", outcome.get("error", "ok"), outcome.get("value", outcome.get("message"))]
        for path, outcome in zip(PATHS, outcomes, strict=True)
    ])  # fmt: skip
    plain = f"import httpx\nhttpx.delete('{given['base']}/api/contents/a.txt')"
    same(project.exec(plain)["error_type"], "egress")
    with listed(project, str(given["base"])):
        refused = project.exec(plain)
    same(refused["error_type"], "egress")
    # Another of the project is at the same place.
    assert "it goes to the compiled server" in refused["error"], refused
    return len(GUARDED) + len(PATHS) + 2


@contextmanager
def listed(project: Project, base: str) -> Iterator[None]:
    """Plain requests may go to the server's own place, as far as the setting says."""
    project.environment["MCE_ALLOWED_DOMAINS"] = base.removeprefix("http://")
    yield
    del project.environment["MCE_ALLOWED_DOMAINS"]
