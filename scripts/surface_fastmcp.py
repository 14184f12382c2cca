"""Print what a client of `FastMCP.from_openapi` gets for `tools/list`, for each document of a list.

    surface_fastmcp.py FILE ... > tools.jsonl

One line of JSON a document: its path, the number of tools and the answer as text, or the reason why
there is none. Nothing is called, and nothing is fetched.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from pathlib import Path
from typing import Any

import httpx2
import yaml
from fastmcp import Client, FastMCP

logging.disable(logging.CRITICAL)


def document(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return json.loads(text)
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


async def tools(path: Path) -> dict[str, Any]:
    try:
        client = httpx2.AsyncClient(base_url="http://127.0.0.1:9")
        server = FastMCP.from_openapi(openapi_spec=document(path), client=client, name="api")
        async with Client(server) as connected:
            listed = await connected.list_tools()
        text = json.dumps(
            [tool.model_dump(mode="json", exclude_none=True, by_alias=True) for tool in listed],
            ensure_ascii=False,
            separators=(",", ":"),
        )
    except Exception as error:  # noqa: BLE001 - whatever a library raises at a document is its answer
        return {"path": str(path), "error": f"{type(error).__name__}: {error}"[:200]}
    return {"path": str(path), "tools": len(listed), "text": text}


async def main() -> None:
    for name in sys.argv[1:]:
        print(json.dumps(await tools(Path(name))), flush=True)


asyncio.run(main())
