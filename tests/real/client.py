"""A compiled server, called by method and path, so that no test depends on how functions are named."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


class Client:
    """The functions of one compiled module; remembers which were called."""

    def __init__(self, compiled: Path, server: str) -> None:
        if str(compiled) not in sys.path:
            sys.path.insert(0, str(compiled))
        self.module = importlib.import_module(f"{server}.functions")
        manifest = json.loads((compiled / server / "manifest.json").read_text(encoding="utf-8"))
        self.functions = {(entry["method"], entry["path"]): entry for entry in manifest["functions"]}
        self.skipped = manifest["skipped"]
        self.called: set[tuple[str, str]] = set()

    def function(self, method: str, path: str) -> Callable[..., Any]:
        self.called.add((method, path))
        found: Callable[..., Any] = getattr(self.module, self.functions[method, path]["name"])
        return found

    def __call__(self, method: str, path: str, /, **arguments: Any) -> Any:
        """Calls with arguments by their names on the wire (`-` as `_`) and `body`."""
        function = self.function(method, path)
        entry = self.functions[method, path]
        names = {item["wire_name"].replace("-", "_"): item["name"] for item in entry["parameters"]}
        if entry["body"] is not None:
            names["body"] = entry["body"]["name"]
        return function(**{names[name]: value for name, value in arguments.items()})

    def error(self, method: str, path: str, /, **arguments: Any) -> Any:
        """The ApiError that a call has to end with."""
        try:
            value = self(method, path, **arguments)
        except self.module.ApiError as error:
            return error
        raise AssertionError(f"{method} {path} raised nothing and returned {value!r}")

    def uncalled(self) -> list[str]:
        """What was never called, reads and writes alike."""
        return [f"{method} {path}" for method, path in self.functions if (method, path) not in self.called]


def same(found: object, wanted: object) -> None:
    """Like `assert found == wanted`, and says both."""
    if found != wanted or isinstance(found, bool) != isinstance(wanted, bool):
        raise AssertionError(f"found {found!r}, not {wanted!r}")
