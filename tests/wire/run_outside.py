"""Runs the wire vectors against ``mce_runtime.py``, without a network.

Usage: run_outside.py [FILE...]. Without files, those beside this script. Exit status 1 and a few lines
a failure where a case fails. The runtime is that of ``MCE_TEST_RUNTIME``.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))
from tested import load

DEFAULT_STYLES = {"path": "simple", "query": "form", "header": "simple", "cookie": "form"}


def unpacked(value: Any) -> Any:
    """A value of a vector with ``{"$bytes": …}`` as bytes."""
    if isinstance(value, dict):
        if value.keys() == {"$bytes"}:
            return base64.b64decode(value["$bytes"])
        return {key: unpacked(item) for key, item in value.items()}
    return [unpacked(item) for item in value] if isinstance(value, list) else value


def accept(responses: list[dict[str, Any]]) -> str | None:
    """The Accept header that the compiler renders."""
    successes = [item for item in responses if item["status"].startswith("2")]
    if not successes:
        successes = [item for item in responses if item["status"] == "default"]
    preferred = (item["content_types"][0] for item in successes if item["content_types"])
    return ", ".join(dict.fromkeys(preferred)) or None


def spelt_encoding(given: dict[str, Any]) -> Any:
    """How the compiler renders the encoding of a property; "" where it has only headers."""
    if "style" not in given:
        return given.get("contentType", "")
    style, explode = given["style"], given.get("explode", given["style"] == "form")
    if given.get("allowReserved"):
        return (style, explode, True)
    return style if explode == (style == "form") else (style, explode)


def decorated(runtime: ModuleType, function: dict[str, Any]) -> Any:
    """The spec that the compiler's decorator would make of a manifest's function."""
    styles: dict[str, dict[str, Any]] = {place: {} for place in DEFAULT_STYLES}
    reserved: list[str] = []
    content: dict[str, str] = {}
    items: dict[str, tuple[str, ...]] = {}
    for item in function.get("parameters", []):
        style = item.get("style", DEFAULT_STYLES[item["in"]])
        explode = item.get("explode", style == "form")
        name, wire_name = item["name"], item.get("wire_name", item["name"])
        if wire_name != name:
            styles[item["in"]][name] = (style, explode, wire_name)
        elif explode != (style == "form"):
            styles[item["in"]][name] = (style, explode)
        else:
            styles[item["in"]][name] = style
        if item.get("allow_reserved"):
            reserved.append(name)
        if item.get("items_styles"):
            items[name] = tuple(item["items_styles"])
        if item.get("content_type"):
            content[name] = item["content_type"]
    body = function.get("body")
    encoding = {}
    part_headers = {}
    if body is not None:
        media = [{"content_type": "application/json", **body}, *body.get("alternatives", [])]
        encoding = {
            item["content_type"]: {
                name: spelt_encoding(given) for name, given in item["encoding"].items()
            }
            for item in media
            if item.get("encoding")
        }
        part_headers = {
            item["content_type"]: {
                name: given["headers"] for name, given in item["encoding"].items() if "headers" in given
            }
            for item in media
            if item.get("encoding")
        }
        body = (body.get("name", "body"), *(item["content_type"] for item in media))
    responses = function.get("responses", [])
    api = runtime.Api("test", base_url_env="MCE_TEST_BASE_URL", auth_env="MCE_TEST_AUTH")
    decorate = api.operation(
        function.get("method", "GET"),
        function.get("path", "/x"),
        **styles,
        reserved=tuple(reserved),
        items=items,
        content=content,
        body=body,
        encoding=encoding,
        part_headers=part_headers,
        accept=accept(responses),
        responses={item["status"]: item["kind"] for item in responses},
    )

    def stub() -> None:
        raise NotImplementedError

    return decorate(stub)._spec


def expected_request(case: dict[str, Any]) -> dict[str, Any]:
    function, request = case["function"], case["request"]
    body = request.get("body_text")
    body = None if body is None else body.encode()
    if "body_base64" in request:
        body = base64.b64decode(request["body_base64"])
    return {
        "method": function.get("method", "GET"),
        "path": request.get("path", function.get("path", "/x")),
        "query": request.get("query", []),
        "headers": [tuple(item) for item in request.get("headers", [])],
        "cookies": [tuple(item) for item in request.get("cookies", [])],
        "body": body,
    }


def response_body(case: dict[str, Any]) -> bytes:
    if "body_base64" in case:
        return base64.b64decode(case["body_base64"])
    return str(case["body"]).encode()


def streamed(runtime: ModuleType, spec: Any, case: dict[str, Any], pieces: list[bytes]) -> Any:
    """What a stream holds that arrives in these pieces; events as the host spells them."""
    reader = runtime._reader(spec, case["status"], case["content_type"])
    found = [item for piece in pieces for item in reader.feed(piece)] + reader.feed(b"", True)
    return [item._asdict() if isinstance(item, runtime.Event) else item for item in found]


def outcome(runtime: ModuleType, case: dict[str, Any]) -> tuple[Any, Any]:
    """What came of a case, and what should have."""
    if "message" in case:
        args = (case["status"], case["content_type"], response_body(case))
        return runtime._error_message(*args), case["message"]
    spec = decorated(runtime, case["function"])
    if "value" in case and runtime._reader(spec, case["status"], case["content_type"]):
        # At once, and byte by byte.
        body = response_body(case)
        found = [streamed(runtime, spec, case, [body])]
        found.append(streamed(runtime, spec, case, [body[i : i + 1] for i in range(len(body))]))
        return repr(found), repr([case["value"]] * 2)
    if "value" in case:
        value = runtime._decode(spec, case["status"], case["content_type"], response_body(case))
        # Equality alone would take True for 1, and one order of members for another.
        return repr(value), repr(unpacked(case["value"]))
    arguments = {
        name: runtime._plain(unpacked(value), []) for name, value in case["arguments"].items()
    }
    try:
        name = case["function"].get("name", "call")
        request = runtime._encode(name, spec, arguments, case.get("select"))
    except TypeError as error:
        return str(error), case.get("error", expected_request(case) if "request" in case else None)
    return request._asdict(), case.get("error") or expected_request(case)


def main() -> int:
    runtime = load()
    failures = run = 0
    files = [Path(name) for name in sys.argv[1:]] or sorted(Path(__file__).parent.glob("*.json"))
    for file in files:
        for case in json.loads(file.read_text(encoding="utf-8")):
            if case.get("host_only"):
                continue
            run += 1
            found, wanted = outcome(runtime, case)
            if found != wanted:
                failures += 1
                print(f"{file.name}: {case['name']}:\n  found  {found!r}\n  wanted {wanted!r}")
    print(f"{run} cases, {failures} failures")
    return 1 if failures or not run else 0


if __name__ == "__main__":
    sys.exit(main())
