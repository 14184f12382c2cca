"""Code that runs in the sandbox by `mce exec`, for the checks against servers of others."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import urllib.parse
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# What makes the calls of a list, one after another, and tells of each what came back.
CALLING = """
from mce_runtime import ApiError, EgressError

def outcome(function, content_type, arguments):
    try:
        if content_type is not None:
            function = function.with_content_type(content_type)
        return {{"value": function(**arguments)}}
    except ApiError as error:
        return {{
            "error": "api", "status": error.status, "message": str(error), "body": error.body,
            "headers": error.headers,
        }}
    except EgressError as error:
        return {{"error": "egress", "message": str(error)}}
    except TypeError as error:
        return {{"error": "argument", "message": str(error)}}

def main():
    return [outcome(*call) for call in (
{calls}    )]
"""


@dataclass
class Call:
    """A call of an operation, by its server, method and path, with arguments by Python name."""

    server: str
    method: str
    path: str
    arguments: dict[str, Any] = field(default_factory=dict)
    content_type: str | None = None


class Project:
    """A folder with a config of its own, compiled, in which code is run."""

    def __init__(self, mce: Path, folder: Path, config: str, variables: dict[str, str]) -> None:
        self.mce = mce
        self.folder = folder
        folder.mkdir(exist_ok=True)
        (folder / "swaggers.yaml").write_text(config, encoding="utf-8")
        inherited = {name: os.environ[name] for name in ("PATH", "HOME", "DOCKER_HOST") if name in os.environ}
        self.environment = {**inherited, "MCE_LOG_LEVEL": "debug", "XDG_STATE_HOME": str(folder / "state"), **variables}
        self.compile()
        # All that was said, by any command.
        self.said: list[str] = []

    def compile(self) -> None:
        subprocess.run(
            [self.mce, "compile"], cwd=self.folder, env=self.environment, check=True, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def manifest(self, server: str) -> dict[str, Any]:
        text = (self.folder / "compiled" / server / "manifest.json").read_text(encoding="utf-8")
        manifest: dict[str, Any] = json.loads(text)
        return manifest

    def name(self, server: str, method: str, path: str) -> str:
        """The function of an operation."""
        for entry in self.manifest(server)["functions"]:
            if (entry["method"], entry["path"]) == (method, path):
                return str(entry["name"])
        raise AssertionError(f"{server} has no {method} {path}")

    def exec(self, code: str, *switches: str, mce: Path | None = None) -> dict[str, Any]:
        """What `mce exec` answers, whether good or not."""
        done = subprocess.run(
            [mce or self.mce, "exec", *switches, "-"], cwd=self.folder, env=self.environment, input=code,
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        self.said += [done.stdout, done.stderr]
        try:
            result: dict[str, Any] = json.loads(done.stdout)
        except json.JSONDecodeError:
            raise AssertionError(f"no result: {done.stdout}{done.stderr[-2000:]}") from None
        return result

    def value(self, code: str, *switches: str, mce: Path | None = None) -> Any:
        """The result of code, which must be good."""
        result = self.exec(code, *switches, mce=mce)
        if not result["success"]:
            raise AssertionError(f"the code failed: {json.dumps(result, indent=1)[:4000]}")
        return result.get("data")

    def calls(self, calls: Sequence[Call]) -> list[Any]:
        """Makes calls in one execution; the outcome of each, as `CALLING` has it."""
        names = {server: self.names(server) for server in {call.server for call in calls}}
        lines = [f"import {server}.functions\n" for server in sorted(names)]
        listed = [
            f"        ({call.server}.functions.{names[call.server][call.method, call.path]}, "
            f"{call.content_type!r}, {call.arguments!r}),\n"
            for call in calls
        ]
        outcomes: list[Any] = self.value("".join(lines) + CALLING.format(calls="".join(listed)))
        return outcomes

    def names(self, server: str) -> dict[tuple[str, str], str]:
        functions = self.manifest(server)["functions"]
        return {(entry["method"], entry["path"]): str(entry["name"]) for entry in functions}


def spellings(secret: str) -> dict[str, bytes]:
    """What a secret looks like where it was echoed: by the name of the spelling."""
    raw = secret.encode()
    found = {
        "raw": raw,
        "quoted": urllib.parse.quote(secret, safe="").encode(),
        "form": urllib.parse.quote_plus(secret).encode(),
        "json": json.dumps(secret)[1:-1].encode(),
        "hex": raw.hex().encode(),
        "HEX": raw.hex().upper().encode(),
        "every %": "".join(f"%{byte:02X}" for byte in raw).encode(),
    }
    for skipped in range(3):
        # Characters that also hold bits of what stands before or after the secret are left out.
        text = base64.b64encode(b"\0" * skipped + raw)
        first, last = -(-skipped * 8 // 6), (skipped + len(raw)) * 8 // 6
        found[f"base64 {skipped}"] = text[first:last]
        found[f"base64url {skipped}"] = text[first:last].replace(b"+", b"-").replace(b"/", b"_")
    return found


def hits(content: bytes, secrets: dict[str, str]) -> list[str]:
    """Which secrets stand in a content, and how spelt."""
    return [
        f"{name} ({spelling})"
        for name, secret in secrets.items()
        for spelling, text in spellings(secret).items()
        if text in content
    ]
