"""Compares what the outside backend sends with what ``wire`` made of the same arguments.

Usage: agreement.py COMPILED < lines of the example ``agreement``. Requests go as far as a transport
that keeps them. Exit status 1 and the first differences where there are any.
"""

from __future__ import annotations

import base64
import collections
import importlib
import json
import os
import sys
from typing import Any

MOST_SHOWN = 20


def unpacked(value: Any) -> Any:
    """A value with ``{"$bytes": …}`` as bytes."""
    if isinstance(value, dict):
        if value.keys() == {"$bytes"}:
            return base64.b64decode(value["$bytes"])
        return {key: unpacked(item) for key, item in value.items()}
    return [unpacked(item) for item in value] if isinstance(value, list) else value


class Outside:
    """The outside backend with a transport that keeps requests."""

    def __init__(self, compiled: str) -> None:
        sys.path.insert(0, compiled)
        self.runtime = importlib.import_module("mce_runtime")
        import httpx

        self.kept: Any = None

        def keep(request: Any) -> Any:
            self.kept = request
            return httpx.Response(204)

        _, options = self.runtime._client_options()
        client = self.runtime._made_client(httpx.Client, options | {"transport": httpx.MockTransport(keep)})
        self.runtime._clients[os.getpid()] = client
        self.modules: dict[str, Any] = {}

    def outcome(self, case: dict[str, Any]) -> dict[str, Any]:
        """What comes of a case, in the form of ``wire``'s."""
        server = case["server"]
        if server not in self.modules:
            os.environ[f"MCE_{server.upper()}_BASE_URL"] = "https://api.example.com"
            self.modules[server] = importlib.import_module(f"{server}.functions")
        operation = getattr(self.modules[server], case["function"])
        # A null on its own is `NULL`: `None` would leave the argument out.
        given = {
            name: self.runtime.NULL if value is None else unpacked(value)
            for name, value in case["arguments"].items()
        }
        self.kept = None
        try:
            if case["select"] is not None:
                operation = operation.with_content_type(case["select"])
            operation(**given)
        except TypeError as error:
            return {"error": str(error)}
        request = self.kept
        headers = {name.lower(): value for name, value in request.headers.items()}
        for transport in ("host", "content-length"):
            headers.pop(transport, None)
        if not case["wire"].get("headers", {}).get("accept") and headers.get("accept") == "*/*":
            del headers["accept"]  # both clients say so where the document says nothing
        body = request.content
        return {
            "method": request.method,
            "target": request.extensions["target"].decode(),
            "headers": headers,
            "body": base64.b64encode(body).decode() if body or case["wire"].get("body") == "" else None,
        }


def main() -> int:
    outside = Outside(sys.argv[1])
    cases = refused = 0
    differences: collections.Counter[str] = collections.Counter()
    functions = set()
    for line in sys.stdin:
        case = json.loads(line)
        cases += 1
        functions.add((case["server"], case["function"]))
        try:
            found = outside.outcome(case)
        except Exception as error:  # noqa: BLE001 - one difference like any other
            found = {"raised": f"{type(error).__name__}: {error}"}
        wanted = case["wire"]
        refused += "error" in wanted
        if found == wanted:
            continue
        differences[case["server"]] += 1
        if differences.total() <= MOST_SHOWN:
            print(f"{case['server']}.{case['function']} {case['select'] or ''}")
            print(f"  arguments {json.dumps(case['arguments'], ensure_ascii=False)[:600]}")
            for key in sorted(found.keys() | wanted.keys()):
                if found.get(key) != wanted.get(key):
                    print(f"  {key}: wire    {wanted.get(key)!r:.600}")
                    print(f"  {key}: outside {found.get(key)!r:.600}")
    print(
        f"{cases} calls of {len(functions)} functions, of which both refuse {refused}; "
        f"{differences.total()} differences"
    )
    for server, count in differences.most_common():
        print(f"  {server}: {count}")
    return 1 if differences or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
