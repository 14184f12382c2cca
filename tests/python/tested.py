"""The ``mce_runtime.py`` that is tested: that of ``MCE_TEST_RUNTIME``, as ``tests/wire.rs`` writes it from
the sources. There is no other to fall back on, since a committed copy may be an earlier one.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from typing import Any


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
