"""Two real MCP clients use a server over both transports, in both protocol eras.

Prints one line for each combination that worked:

    python client.py MCE FOLDER

FOLDER holds a config `swaggers.yaml` with a server `shop` that has a function `list_items`, compiled.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

from fastmcp import Client as FastClient
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

TOKEN = "a-token-for-the-tests-only"
MODES = ("legacy", "2026-07-28")
CODE = "def main():\n    return sum(range(5))\n"
DRY = "from shop.functions import list_items\nresult = list_items(limit=3)\n"


class Session(Protocol):
    """What both clients can do."""

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Any: ...

    async def list_tools(self) -> Any: ...

    async def list_resources(self) -> Any: ...

    async def read_resource(self, uri: str) -> Any: ...


async def call(client: Session, tool: str, arguments: dict[str, Any]) -> Any:
    result = await client.call_tool(tool, arguments)
    assert result.structured_content is not None, result
    text = "".join(getattr(block, "text", "") for block in result.content)
    assert json.loads(text) == result.structured_content, text
    return result.structured_content


async def use(client: Session) -> None:
    """What a model does: look, read, run, run again."""
    listed = await client.list_tools()
    tools = {tool.name for tool in getattr(listed, "tools", listed)}
    expected = {"list_servers", "search_functions", "get_functions"}
    expected |= {"execute_code", "run_cached_code", "end_session"}
    assert expected <= tools, tools
    servers = await call(client, "list_servers", {})
    assert [server["name"] for server in servers["servers"]] == ["shop"], servers
    searched = await call(client, "search_functions", {"query": "list the items"})
    assert searched["functions"][0]["name"] == "list_items", searched
    found = await call(client, "get_functions", {"functions": ["shop.list_items"]})
    assert "limit: int" in json.dumps(found), found
    planned = await call(
        client, "execute_code", {"code": DRY, "description": "lists", "dry_run": True}
    )
    assert planned["facts"]["functions"] == ["shop.list_items"], planned
    ran = await call(client, "execute_code", {"code": CODE, "description": "adds"})
    assert ran["success"] is True and ran["data"] == 10, ran
    again = await call(client, "run_cached_code", {"cache_id": ran["cache_id"]})
    assert again["data"] == 10, again
    await use_session(client)
    await read_resources(client)
    # Several at once, as clients with several conversations send them.
    many = [
        call(client, "execute_code", {"code": f"{number} + 1", "description": "adds"})
        for number in range(4)
    ]
    assert [result["data"] for result in await asyncio.gather(*many)] == [1, 2, 3, 4]


async def use_session(client: Session) -> None:
    """State stays from one execution to the next, until the session is ended."""
    first = await call(
        client, "execute_code", {"code": "kept = 20", "description": "keeps", "session_id": "new"}
    )
    session = {"session_id": first["session_id"]}
    second = await call(
        client, "execute_code", {"code": "result = kept + 1", "description": "adds", **session}
    )
    assert second["data"] == 21, second
    ended = await call(client, "end_session", session)
    assert ended == {"ended": True}, ended


async def read_resources(client: Session) -> None:
    """The notes on a server, the cached code, and a result too large to inline."""
    listed = await client.list_resources()
    resources = {str(resource.uri) for resource in getattr(listed, "resources", listed)}
    assert {"mce://cached", "skills://shop"} <= resources, resources
    assert "Ask for few." in await read(client, "skills://shop")
    assert "cached" in json.loads(await read(client, "mce://cached"))
    ran = await call(
        client, "execute_code", {"code": "result = list(range(30_000))", "description": "counts"}
    )
    assert (await read(client, ran["resource"]["uri"])).startswith("[0,1,2,"), ran


async def read(client: Session, uri: str) -> str:
    answer = await client.read_resource(uri)
    contents = getattr(answer, "contents", answer)
    return "".join(content.text for content in contents)


@asynccontextmanager
async def serving(mce: str, folder: Path, environment: dict[str, str]) -> AsyncIterator[str]:
    """A server over HTTP, and its URL; it must end well when it is asked to."""
    command = [mce, "serve", "--transport", "http", "--port", "0"]
    server = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env={**environment, "MCE_HTTP_TOKEN": TOKEN},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert server.stderr is not None
    log = ""
    while (found := re.search(r"listening on (http://\S+/mcp)", log)) is None:
        line = await server.stderr.readline()
        assert line, log
        log += line.decode()
    draining = asyncio.create_task(server.stderr.read())
    try:
        yield found.group(1)
    finally:
        server.terminate()
        code = await asyncio.wait_for(server.wait(), 30)
        rest = (await draining).decode()
        assert code == 0, f"exit code {code}\n{log}{rest}"


async def over_stdio(mce: str, folder: Path, environment: dict[str, str]) -> None:
    for mode in MODES:
        parameters = StdioServerParameters(
            command=mce, args=["serve"], env=environment, cwd=str(folder)
        )
        async with Client(parameters, mode=mode, read_timeout_seconds=120) as client:
            await use(client)
        print(f"mcp stdio {mode}", flush=True)
        transport = StdioTransport(
            mce, ["serve"], env=environment, cwd=str(folder), keep_alive=False
        )
        async with FastClient(transport, mode=mode, timeout=120) as fast:
            await use(fast)
        print(f"fastmcp stdio {mode}", flush=True)


async def over_http(url: str) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    for mode in MODES:
        async with create_mcp_http_client(headers=headers) as http:
            transport = streamable_http_client(url, http_client=http)
            async with Client(transport, mode=mode, read_timeout_seconds=120) as client:
                await use(client)
        print(f"mcp http {mode}", flush=True)
        async with FastClient(
            StreamableHttpTransport(url, headers=headers), mode=mode, timeout=120
        ) as fast:
            await use(fast)
        print(f"fastmcp http {mode}", flush=True)


async def main() -> None:
    mce, folder = sys.argv[1], Path(sys.argv[2])
    environment = dict(os.environ)
    await over_stdio(mce, folder, environment)
    async with serving(mce, folder, environment) as url:
        await over_http(url)


if __name__ == "__main__":
    asyncio.run(main())
