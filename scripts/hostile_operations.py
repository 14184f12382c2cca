"""Which operations a document has, read without the compiler's own code."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

import yaml  # type: ignore[import-untyped, unused-ignore]

METHODS = {"GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"}
# More is not a matter of which operations there are.
MOST_BYTES = 4 << 20


@dataclass
class Operations:
    """What every manifest of a document must list, as far as this reader can tell."""

    required: list[tuple[str, str]] = field(default_factory=list)
    has_control: bool = False


def of(document: Path) -> Operations:
    """The operations of a document; none where it cannot be read here."""
    found = Operations()
    root = load(document)
    paths = root.get("paths") if isinstance(root, dict) else None
    if not isinstance(paths, dict):
        return found
    for path, item in paths.items():
        if not isinstance(path, str) or path.startswith("x-"):
            continue
        for key in methods(document, root, item):
            found.required.append((key.upper(), path))
            found.has_control |= (key, path) == ("get", "/control")
    return found


def load(document: Path) -> object:
    if document.stat().st_size > MOST_BYTES:
        return None
    text = document.read_bytes().decode("utf-8-sig", "replace")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return yaml.load(text.replace("\r\n", "\n").replace("\r", "\n"), yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def methods(document: Path, root: object, item: object) -> set[str]:
    """The methods of a path item and of those it refers to."""
    found: set[str] = set()
    for _ in range(40):
        if not isinstance(item, dict):
            break
        found |= {key for key in item if isinstance(key, str) and key.islower() and key.upper() in METHODS}
        reference = item.get("$ref")
        if not isinstance(reference, str):
            break
        name, _, pointer = reference.partition("#")
        if name:
            part = document.with_name(name)
            root = load(part) if part.is_file() else None
        item = root
        for token in pointer.split("/")[1:]:
            token = unquote(token).replace("~1", "/").replace("~0", "~")
            item = item.get(token) if isinstance(item, dict) else None
    return found
