"""What the tests share.

The ``mce_runtime.py`` that is tested is that of ``MCE_TEST_RUNTIME``, as ``tests/wire.rs`` writes it from
the sources. There is no other to fall back on, since a committed copy may be an earlier one.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

HAS_HTTPX = importlib.util.find_spec("httpx") is not None


def runtime_path() -> Path:
    path = os.environ.get("MCE_TEST_RUNTIME")
    if not path:
        sys.exit("MCE_TEST_RUNTIME is not set; run `cargo test --test wire`, which sets it")
    return Path(path)


def load(name: str = "mce_runtime") -> Any:
    """A fresh copy of it."""
    spec = importlib.util.spec_from_file_location(name, runtime_path())
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


JSON_BODY = ("body", "application/json")


def make_stub(
    module: Any, *, method: str = "GET", body: tuple[str, ...] = JSON_BODY, **options: Any
) -> Any:
    """``get_pet`` with one of each kind of argument."""
    api = module.Api("zoo", base_url_env="MCE_ZOO_BASE_URL", auth_env="MCE_ZOO_AUTH")

    @api.operation(
        method,
        "/pets/{petId}",
        path={"pet_id": ("simple", False, "petId")},
        query={"limit": "form", "tags": ("form", False)},
        header={"trace": ("simple", False, "X-Trace")},
        cookie={"sid": "form"},
        body=body,
        accept="application/json",
        responses={"200": "json", "default": "json"},
        **options,
    )
    def get_pet(
        *,
        pet_id: str,
        limit: int | None = None,
        tags: list[str] | None = None,
        trace: str | None = None,
        sid: str | None = None,
        body: Any = None,
    ) -> Any:
        """Finds a pet."""
        raise NotImplementedError

    return get_pet


class OnLoopback(unittest.TestCase):
    """With a server on loopback, which answers as ``handler`` says."""

    handler: ClassVar[type[BaseHTTPRequestHandler]]

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = ThreadingHTTPServer(("127.0.0.1", 0), cls.handler)
        cls.server.daemon_threads = True
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.server.shutdown()
        cls.server.server_close()
