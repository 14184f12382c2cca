"""Jupyter Server as a read-only server: what its own document calls a read works, and no attempt at
anything else, from code in the sandbox, changes its state or arrives there at all."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import sys
import time
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jupyter_attempts
from client import same
from executions import Call, Project, hits
from servers import get, started

READS = {"GET", "HEAD", "OPTIONS"}
DOCUMENT = "jupyter.yaml"


class Server:
    """The server with something of everything in it, seen by its own token."""

    def __init__(self, base_url: str, token: str, folder: Path) -> None:
        self.base_url = base_url
        self.token = token
        self.folder = folder

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.base_url + path, content, {"Authorization": f"token {self.token}", "Content-Type": "application/json"}, method=method
        )  # fmt: skip
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=10) as response:
            text = response.read()
        return json.loads(text) if text else None

    def furnish(self) -> None:
        """Files, a checkpoint, a kernel with a session, one without, a terminal, a section of config."""
        (self.folder / "root/sub folder").mkdir()
        (self.folder / "root/a.txt").write_text("first", encoding="utf-8")
        (self.folder / "root/sub folder/b c.txt").write_text("ä nested", encoding="utf-8")
        (self.folder / "root/data.bin").write_bytes(bytes(range(256)))
        notebook = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        (self.folder / "root/n.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
        self.ask("POST", "/api/contents/a.txt/checkpoints")
        self.ask("POST", "/api/kernels", {"name": "python3"})
        self.ask("POST", "/api/sessions", {"path": "n.ipynb", "name": "n", "type": "notebook", "kernel": {"name": "python3"}})
        self.ask("POST", "/api/terminals")
        self.ask("PATCH", "/api/config/notebook", {"theme": "dark"})
        # Until what starts has started: nobody is told when a kernel that nobody listens to is ready.
        deadline = time.monotonic() + 30
        known = None
        while (now := self.state()) != known:
            assert time.monotonic() < deadline, now
            known = now
            time.sleep(1)

    def state(self) -> dict[str, Any]:
        """All that a write could change: what is on disk, what the API tells, which processes there are."""
        tops = ("root", "config", "data", "runtime")
        paths = [path for top in tops for path in (self.folder / top).rglob("*")]
        files = {
            str(path.relative_to(self.folder)): (path.stat().st_mode, path.stat().st_mtime_ns, digest(path)) for path in sorted(paths)
        }
        contents = {}
        waiting = [""]
        while waiting:
            model = self.ask("GET", "/api/contents/" + urllib.parse.quote(waiting.pop()))
            if model["type"] == "directory":
                waiting += [entry["path"] for entry in model["content"]]
                model["content"] = sorted(entry["path"] for entry in model["content"])
            else:
                model["checkpoints"] = self.ask("GET", "/api/contents/" + urllib.parse.quote(model["path"]) + "/checkpoints")
            contents[model["path"]] = model
        return {
            "files": files,
            "contents": contents,
            "kernels": sorted(kernel["id"] for kernel in self.ask("GET", "/api/kernels")),
            "sessions": [(item["id"], item["path"], item["name"], item["kernel"]["id"]) for item in self.ask("GET", "/api/sessions")],
            "terminals": [item["name"] for item in self.ask("GET", "/api/terminals")],
            "config": self.ask("GET", "/api/config/notebook"),
            "kernelspecs": self.ask("GET", "/api/kernelspecs"),
            "processes": processes(self.folder),
        }

    def requests(self) -> list[tuple[str, str]]:
        """Method and path of every request in the access log."""
        log = (self.folder / "log").read_text(encoding="utf-8", errors="replace")
        return re.findall(r"ServerApp\] (?:\d{3}) (\S+) (\S+) \(", log)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def processes(folder: Path) -> list[tuple[int, str]]:
    """Every process that knows the server's folder: itself, its kernels, its terminals."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                environment, command = (entry / "environ").read_bytes(), (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if f"JUPYTER_RUNTIME_DIR={folder}/runtime".encode() in environment:
                found.append((int(entry.name), command.decode(errors="replace")))
    return sorted(found)


@contextmanager
def running(folder: Path) -> Iterator[Server]:
    """Jupyter Server with a token of its own, in a folder."""
    for name in ("root", "config", "data", "runtime", "ipython"):
        (folder / name).mkdir(parents=True)
    token = "canary-token-" + uuid.uuid4().hex
    variables = {
        **os.environ, "JUPYTER_CONFIG_DIR": str(folder / "config"), "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"), "IPYTHONDIR": str(folder / "ipython"), "JUPYTER_TOKEN": token,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "JUPYTER_PLATFORM_DIRS": "0", "JUPYTER_NO_CONFIG": "",
    }  # fmt: skip

    def command(port: int) -> list[str]:
        return [
            sys.executable, "-m", "jupyter_server", "--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0", "--no-browser",
            "--allow-root", f"--ServerApp.root_dir={folder}/root", "--log-level=DEBUG",
        ]  # fmt: skip

    # Whoever has no token may ask for the version.
    with started(command, folder, "/api", variables, folder / "log") as base_url:
        server = Server(base_url, token, folder)
        server.furnish()
        yield server


def check(mce: Path, with_hooks: Path, work: Path) -> str:
    package = importlib.util.find_spec("jupyter_server")
    assert package is not None and package.origin is not None
    document = Path(package.origin).parent / "services/api/api.yaml"
    with running(work / "jupyter") as server:
        project = compiled(mce, work / "notebooks", document.read_bytes(), server)
        before, log = server.state(), len(server.requests())
        reads = reading(project, server)
        same(server.state(), before)
        attempts = jupyter_attempts.run(project, with_hooks, server.base_url)
        assert attempts >= 100, attempts
        after = server.state()
        for part, was in before.items():
            same((part, after[part]), (part, was))
        arrived = server.requests()[log:]
        same({method for method, _ in arrived} - READS, set())
        assert len(arrived) > reads, arrived
        same(hits("".join(project.said).encode(), {"token": server.token}), [])
        writing(project, server, before)
    return f"jupyter: {reads} reads right, {attempts} attempts to write refused or without effect, {len(arrived)} requests, all of them reads"


def compiled(mce: Path, folder: Path, document: bytes, server: Server) -> Project:
    """The document has no security scheme: what is configured goes on every call. `writer` is not
    read-only, so that its functions are there to be reached for."""
    auth = {
        "jupyter": "{type: static, value: 'token ${NOTEBOOK_TOKEN}'}",
        "bearing": "{type: jwt, token: '${NOTEBOOK_TOKEN}'}",
        "querying": "{type: api_key, value: '${NOTEBOOK_TOKEN}', in: query, name: token}",
        "writer": "{type: static, value: 'token ${NOTEBOOK_TOKEN}'}",
    }
    entries = [
        f"  - name: {name}\n    swagger_url: {DOCUMENT}\n    base_url: {server.base_url}\n    is_read_only: {json.dumps(name != 'writer')}\n"
        f"    auth: {value}\n"
        for name, value in auth.items()
    ]
    folder.mkdir()
    (folder / DOCUMENT).write_bytes(document)
    variables = {"NOTEBOOK_TOKEN": server.token, "MCE_MAX_CALLS": "2000", "MCE_MAX_CODE_SIZE_BYTES": "1m", "MCE_MAX_INLINE_BYTES": "1m"}
    return Project(mce, folder, "servers:\n" + "".join(entries), variables)


def reading(project: Project, server: Server) -> int:
    """Every read of the document, with the token in each of the places that Jupyter takes it."""
    skipped = {(entry["method"], entry["path"]): entry["reason"] for entry in project.manifest("jupyter")["skipped"]}
    writes = {operation for operation in project.names("writer") if operation[0] not in READS}
    same(skipped, dict.fromkeys(writes, "read_only"))
    kernels = server.ask("GET", "/api/kernels")
    session = server.ask("GET", "/api/sessions")[0]
    terminal = server.ask("GET", "/api/terminals")[0]["name"]
    kernel = kernels[0]["id"]
    calls = [
        Call("jupyter", "GET", "/api/"),
        Call("jupyter", "GET", "/api/status"),
        Call("jupyter", "GET", "/api/me", {"permissions": '{"contents": ["read", "write"]}'}),
        Call("jupyter", "GET", "/api/spec.yaml"),
        Call("jupyter", "GET", "/api/kernels"),
        Call("jupyter", "GET", "/api/kernels/{kernel_id}", {"kernel_id": kernel}),
        Call("jupyter", "GET", "/api/kernelspecs"),
        Call("jupyter", "GET", "/api/sessions"),
        Call("jupyter", "GET", "/api/sessions/{session}", {"session": session["id"]}),
        Call("jupyter", "GET", "/api/terminals"),
        Call("jupyter", "GET", "/api/terminals/{terminal_id}", {"terminal_id": terminal}),
        Call("jupyter", "GET", "/api/config/{section_name}", {"section_name": "notebook"}),
        Call("jupyter", "GET", "/api/resolvePath", {"path": "a.txt"}),
        Call("jupyter", "GET", "/api/contents/{path}/checkpoints", {"path": "a.txt"}),
        Call("jupyter", "GET", "/api/contents/{path}", {"path": "a.txt", "type_": "file", "format_": "text", "content": 1}),
        Call("jupyter", "GET", "/api/contents/{path}", {"path": "sub folder/b c.txt"}),
        Call("jupyter", "GET", "/api/contents/{path}", {"path": "data.bin", "format_": "base64", "hash_": 1}),
        Call("jupyter", "GET", "/api/contents/{path}", {"path": "sub folder"}),
        Call("jupyter", "GET", "/api/contents/{path}", {"path": "missing.txt"}),
        Call("jupyter", "GET", "/api/contents/{path}", {"path": "data.bin", "format_": "text"}),
        Call("bearing", "GET", "/api/contents/{path}", {"path": "a.txt"}),
        Call("querying", "GET", "/api/contents/{path}", {"path": "a.txt", "content": 1}),
        Call("querying", "GET", "/api/status"),
    ]
    same({(call.method, call.path) for call in calls}, set(project.names("jupyter")))
    outcomes = project.calls(calls)
    values = [outcome.get("value") for outcome in outcomes]
    same((values[0]["version"], values[1]["kernels"]), (server.ask("GET", "/api/")["version"], 2))
    same(values[2]["permissions"]["contents"], ["read", "write"])
    assert values[3].startswith('swagger: "2.0"'), values[3][:100]
    same((sorted(item["id"] for item in values[4]), values[5]["id"]), (sorted(item["id"] for item in kernels), kernel))
    same((values[6]["default"], values[7][0]["id"], values[8]["path"]), ("python3", session["id"], "n.ipynb"))
    same((values[9][0]["name"], values[10]["name"], values[11]), (terminal, terminal, {"theme": "dark"}))
    same([item["id"] for item in values[13]], ["checkpoint"])
    same((values[14]["content"], values[15]["content"], values[15]["path"]), ("first", "ä nested", "sub folder/b c.txt"))
    same(values[16]["hash"], hashlib.sha256(bytes(range(256))).hexdigest())
    same([entry["name"] for entry in values[17]["content"]], ["b c.txt"])
    same([(outcome["error"], outcome["status"]) for outcome in outcomes[18:20]], [("api", 404), ("api", 400)])
    same([values[20]["content"], values[21]["content"], values[22]["kernels"]], ["first", "first", 2])
    return len(calls)


def writing(project: Project, server: Server, before: dict[str, Any]) -> None:
    """What the harness compares sees a write where there is one."""
    log = len(server.requests())
    outcomes = project.calls([Call("writer", "PUT", "/api/contents/{path}", {
        "path": "new.txt", "body": {"type": "file", "format": "text", "content": "written"},
    })])  # fmt: skip
    same(outcomes[0]["value"]["path"], "new.txt")
    after = server.state()
    same({part for part in before if after[part] != before[part]}, {"files", "contents"})
    assert ("PUT", "/api/contents/new.txt") in server.requests()[log:], server.requests()[log:]
    get(server.base_url + "/api")
