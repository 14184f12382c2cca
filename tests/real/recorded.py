"""httpbin behind a recorder: each request, as it arrived, is a line of JSON in a file."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from typing import Any

import httpbin

RECORD = os.environ["RECORD"]


def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    headers = {
        name.removeprefix("HTTP_").replace("_", "-").lower(): value
        for name, value in environ.items()
        if name.startswith("HTTP_") or name in ("CONTENT_TYPE", "CONTENT_LENGTH")
    }
    request = {"method": environ["REQUEST_METHOD"], "target": environ["RAW_URI"], "headers": headers}
    with open(RECORD, "a", encoding="utf-8") as file:
        file.write(json.dumps(request) + "\n")
    answer: Iterable[bytes] = httpbin.app(environ, start_response)
    return answer
