"""Import compiled modules and call their functions, where nothing else is permitted.

    python -I hostile_probe.py inside|outside FOLDER PACKAGES     FOLDER/<row>/{mce_runtime.py,<server>/functions.py}

`inside` answers every call as the sandbox's host does; `outside` sends requests with httpx to a stub
server (PACKAGES is where httpx is found). An audit hook refuses processes, writes and connections elsewhere.
Prints one JSON object: for every row what was wrong with it.
"""

from __future__ import annotations

import doctest
import importlib.util
import inspect
import io
import json
import os
import resource
import sys
import threading
import types
import typing
import warnings
from contextlib import redirect_stderr, redirect_stdout
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

REFUSED = (
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.fork",
    "os.forkpty",
    "os.remove",
    "os.rename",
    "os.mkdir",
    "os.symlink",
    "subprocess.Popen",
    "webbrowser.open",
    "urllib.Request",
    "ctypes.dlopen",
    "shutil.",
    "ftplib.",
    "smtplib.",
)
# Calls are there to show that data stays data, not to try every function of a large module.
MOST_CALLS = 60

violations: list[str] = []
watching = False
stub_port = 0


def audit(event: str, arguments: tuple[object, ...]) -> None:
    """Refuse what neither an import nor a call has reason to do."""
    if not watching:
        return
    writes = event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+")
    away = event == "socket.connect" and arguments[1] != ("127.0.0.1", stub_port)
    if writes or away or event.startswith(REFUSED):
        violations.append(f"{event} {arguments!r}"[:200])
        raise PermissionError(event)


class Host(types.ModuleType):
    """The sandbox's door, behind which nothing happens."""

    class RawNumber(str):
        __slots__ = ()

    @staticmethod
    def call(server: str, function: str, arguments: object) -> object:
        return "ok", {}

    @staticmethod
    async def call_async(server: str, function: str, arguments: object) -> object:
        return "ok", {}


class Stub(BaseHTTPRequestHandler):
    """An API that has nothing to say."""

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    do_GET = do_PUT = do_POST = do_DELETE = do_OPTIONS = do_HEAD = do_PATCH = do_TRACE = answer

    def log_message(self, *_: object) -> None:
        return


def main() -> None:
    global stub_port
    mode, folder, packages = sys.argv[1:]
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_CPU, (120, 120))
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    if mode == "inside":
        sys.modules["_mce_host"] = Host("_mce_host")
    else:
        sys.path.append(packages)
        import httpx  # noqa: F401  (imported before the hook watches)

        server = ThreadingHTTPServer(("127.0.0.1", 0), Stub)
        stub_port = server.server_port
        threading.Thread(target=server.serve_forever, daemon=True).start()
    # What they load on first use must not count as theirs.
    import asyncio, dataclasses, datetime, decimal, enum, uuid  # noqa: E401, F401

    sys.addaudithook(audit)
    found = {row.name: probe(row) for row in sorted(Path(folder).iterdir())}
    json.dump({name: faults for name, faults in found.items() if faults}, sys.stdout)
    sys.stdout.flush()
    os._exit(0)


def probe(row: Path) -> list[str]:
    """What is wrong with the modules of one row."""
    global watching
    violations.clear()
    faults: list[str] = []
    canary = row / "canary"
    os.environ["CANARY_FILE"] = str(canary)
    printed = io.StringIO()
    sys.modules.pop("mce_runtime", None)
    sys.path.insert(0, str(row))
    with redirect_stdout(printed), redirect_stderr(printed), warnings.catch_warnings():
        warnings.simplefilter("error")
        for file in sorted(row.glob("*/functions.py")):
            os.environ[f"MCE_{file.parent.name.upper()}_BASE_URL"] = f"http://127.0.0.1:{stub_port}"
            watching = True
            try:
                spec = importlib.util.spec_from_file_location("functions", file)
                if spec is None or spec.loader is None:
                    raise ImportError(str(file))
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
            except BaseException as error:
                faults.append(f"importing it: {error!r}")
                continue
            finally:
                watching = False
            faults += look_at(module, file)
    sys.path.remove(str(row))
    if canary.exists():
        faults.append("the canary file was made")
    if "PWNED" in printed.getvalue():
        faults.append("PWNED was printed")
    return faults + violations


def look_at(module: types.ModuleType, file: Path) -> list[str]:
    """Call the functions of a module; resolve its annotations; read its examples."""
    global watching
    faults: list[str] = []
    if module.__name__ != "functions":
        faults.append(f"its __name__ is {module.__name__!r}")
    manifest = json.loads(file.with_name("manifest.json").read_text(encoding="utf-8"))
    for function in manifest["functions"][:MOST_CALLS]:
        stub = getattr(module, function["name"], None)
        if not callable(stub):
            faults.append(f"{function['name']} is no function of the module")
            continue
        plain = inspect.unwrap(stub)
        try:
            typing.get_type_hints(plain, vars(module))
        except Exception as error:
            faults.append(f"{function['name']}: its annotations: {error!r}")
        for example in doctest.DocTestParser().get_examples(plain.__doc__ or ""):
            faults.append(f"{function['name']}: its docstring has a doctest: {example.source[:80]!r}")
        arguments = {
            parameter["name"]: sample(parameter["schema"], manifest["types"])
            for parameter in function["parameters"]
        }
        if body := function["body"]:
            arguments[body["name"]] = sample(body["schema"], manifest["types"])
        watching = True
        try:
            stub(**arguments)
        except (TypeError, ValueError):
            pass  # refused for what it was given, which was made up
        except Exception as error:
            if type(error).__name__ not in ("ApiError", "EgressError", "RuntimeError"):
                faults.append(f"calling {function['name']}: {error!r}"[:200])
        finally:
            watching = False
    return faults


def sample(schema: object, types: dict[str, object], depth: int = 0) -> object:
    """Some value that a schema may take."""
    if not isinstance(schema, dict) or depth > 8:
        return "x"
    if reference := schema.get("$ref"):
        return sample(types.get(reference.removeprefix("#/types/")), types, depth + 1)
    if schema.get("enum"):
        return schema["enum"][-1]
    if "const" in schema:
        return schema["const"]
    for keyword in ("anyOf", "oneOf", "allOf"):
        if schema.get(keyword):
            return sample(schema[keyword][0], types, depth + 1)
    kind = schema.get("type")
    match kind[0] if isinstance(kind, list) else kind:
        case "integer" | "number":
            return 1
        case "boolean":
            return True
        case "array":
            return [sample(schema.get("items"), types, depth + 1)]
        case "object":
            members = schema.get("properties", {})
            return {name: sample(member, types, depth + 1) for name, member in list(members.items())[:50]}
        case "null":
            return None
    return b"x" if schema.get("format") == "binary" else "x"


main()
