"""Compile two real documents, mock their APIs, and drive `mce serve` with an MCP client.

Run by `scripts/smoke`. Asserts what the client gets and what the APIs received.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from recording_proxy import Exchange, RecordingProxy

PRISM = "@stoplight/prism-cli@5.14.2"
PETSTORE_KEY = "smoke-petstore-key-7c1f93"
SVIX_TOKEN = "smoke-svix-token-e04b58"

COMBINE = '''\
import asyncio

from petstore.functions import get_pet_by_id
from svix.functions import v1_event_type_list

PET_ID = 7
LIMIT = 2


async def main():
    pet, events = await asyncio.gather(
        get_pet_by_id.aio(pet_id=PET_ID),
        v1_event_type_list.aio(limit=LIMIT),
    )
    return {
        "asked": [PET_ID, LIMIT],
        "pet": pet["name"],
        "category": pet["category"]["name"],
        "events": [event["name"] for event in events["data"]],
    }
'''

WRITE = '''\
from petstore.functions import place_order

result = place_order(body={"petId": 3, "quantity": 2})["quantity"]
'''

FORBIDDEN_WRITE = '''\
import svix.functions as svix

result = svix.v1_application_create(body={"name": "intruder"})
'''


def main() -> int:
    """Set everything up, run the checks, take everything down."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--mce", type=Path, required=True)
    parser.add_argument("--specs", type=Path, required=True)
    arguments = parser.parse_args()
    mce = arguments.mce.resolve()
    petstore = (arguments.specs / "swagger-petstore" / "openapi.yaml").resolve()
    svix = (arguments.specs / "svix" / "openapi.json").resolve()

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mce-smoke-")))
        prisms = [stack.enter_context(prism(document, folder)) for document in (petstore, svix)]
        ports = [wait_for_prism(*each) for each in prisms]
        pet_api, svix_api = (stack.enter_context(RecordingProxy(port)) for port in ports)
        environment = write_config(folder, petstore, pet_api.url, svix, svix_api.url)
        compile_both(mce, folder, environment)
        stderr = stack.enter_context((folder / "serve.log").open("w+", encoding="utf-8"))
        asyncio.run(drive(mce, folder, environment, pet_api, svix_api, stderr))
        stderr.seek(0)
        assert_no_secret("the log of `mce serve`", stderr.read())
    print("smoke: everything as expected")
    return 0


# --- the APIs ---------------------------------------------------------------------------------


@contextmanager
def prism(document: Path, folder: Path) -> Iterator[tuple[int, subprocess.Popen[bytes], Path]]:
    """Run Prism as the API of a document; yields its port, process and log."""
    port = free_port()
    log = folder / f"prism-{port}.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["npx", "-y", PRISM, "mock", "-h", "127.0.0.1", "-p", str(port), str(document)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield port, process, log
    finally:
        # npx starts further processes; its session is theirs too.
        try:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(10)
        except ProcessLookupError:
            pass
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(10)


def free_port() -> int:
    """A port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for_prism(port: int, process: subprocess.Popen[bytes], log: Path) -> int:
    """Return once the port takes connections."""
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.2)
        else:
            return port
    raise AssertionError(f"Prism does not listen on {port}:\n{log.read_text(errors='replace')}")


# --- compiling --------------------------------------------------------------------------------


def write_config(
    folder: Path, petstore: Path, pet_url: str, svix: Path, svix_url: str
) -> dict[str, str]:
    """Write swaggers.yaml; returns the environment that `mce` gets."""
    (folder / "swaggers.yaml").write_text(
        f"""\
servers:
  - name: petstore
    swagger_url: {petstore}
    base_url: {pet_url}
    auth:
      type: api_key
      value: ${{SMOKE_PETSTORE_KEY}}
  - name: svix
    swagger_url: {svix}
    base_url: {svix_url}
    is_read_only: true
    auth:
      type: jwt
      token: ${{SMOKE_SVIX_TOKEN}}
""",
        encoding="utf-8",
    )
    passed_on = ("PATH", "HOME", "DOCKER_HOST", "MCE_DOCKER_HOST", "MCE_DOCKER_IMAGE")
    return {
        **{name: os.environ[name] for name in passed_on if name in os.environ},
        "MCE_CACHE_DB_PATH": str(folder / "cache.db"),
        "MCE_AUDIT_DB_PATH": str(folder / "audit.db"),
        "SMOKE_PETSTORE_KEY": PETSTORE_KEY,
        "SMOKE_SVIX_TOKEN": SVIX_TOKEN,
    }


def compile_both(mce: Path, folder: Path, environment: Mapping[str, str]) -> None:
    """Run `mce compile` twice and look at what it wrote."""
    outputs: list[dict[str, bytes]] = []
    for _ in range(2):
        done = subprocess.run(
            [mce, "compile", "--config", "swaggers.yaml"],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        # The configuration of a client, where a server is new.
        assert ('"mcpServers"' in done.stdout) == (not outputs), done.stdout
        assert_no_secret("`mce compile`", done.stdout + done.stderr)
        compiled = folder / "compiled"
        outputs.append(
            {
                str(path.relative_to(compiled)): path.read_bytes()
                for path in sorted(compiled.rglob("*"))
                if path.is_file()
            }
        )
    first, second = outputs
    assert first == second, "compiling again gave other bytes"
    assert "mce_runtime.py" in first, sorted(first)
    for name, content in first.items():
        assert_no_secret(name, content.decode())

    pets = json.loads(first["petstore/manifest.json"])
    events = json.loads(first["svix/manifest.json"])
    assert pets["read_only"] is False
    assert events["read_only"] is True
    # Every operation of the document is in exactly one of the two lists.
    assert len(pets["functions"]) + len(pets["skipped"]) == 19
    assert len(events["functions"]) + len(events["skipped"]) == 43
    assert {function["method"] for function in events["functions"]} == {"GET", "HEAD"}
    assert {"GET", "POST", "PUT", "DELETE"} == {each["method"] for each in pets["functions"]}
    print(
        f"compiled: petstore {len(pets['functions'])} functions, "
        f"svix {len(events['functions'])} (read-only)"
    )


# --- the client -------------------------------------------------------------------------------


async def drive(
    mce: Path,
    folder: Path,
    environment: dict[str, str],
    pet_api: RecordingProxy,
    svix_api: RecordingProxy,
    stderr: Any,
) -> None:
    """What an MCP client does, and what the APIs must have received at each step."""
    server = StdioServerParameters(
        command=str(mce),
        args=["serve", "--config", str(folder / "swaggers.yaml")],
        env=environment,
        cwd=str(folder),
    )
    transport = stdio_client(server, errlog=stderr)
    async with Client(transport, read_timeout_seconds=120) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        needed = {"list_servers", "get_functions", "execute_code", "run_cached_code"}
        assert needed <= tools, tools

        servers = await call(client, "list_servers", {})
        text = json.dumps(servers)
        assert "petstore" in text and "svix" in text, text

        functions = await call(
            client,
            "get_functions",
            {"functions": ["petstore.get_pet_by_id", "svix.v1_event_type_list"]},
        )
        text = json.dumps(functions)
        for expected in ("def get_pet_by_id", "pet_id: int", "def v1_event_type_list", "limit: int"):
            assert expected in text, f"`{expected}` is not in {text}"

        expect_received(pet_api, [])
        expect_received(svix_api, [])

        result = await call(
            client, "execute_code", {"code": COMBINE, "description": "A pet and event types"}
        )
        expect_data(result, {"asked": [7, 2]})
        expect_received(pet_api, [("GET", "/pet/7", "key")])
        expect_received(svix_api, [("GET", "/api/v1/event-type?limit=2", "token")])
        assert result["calls"], result

        again = await call(
            client,
            "run_cached_code",
            {"cache_id": result["cache_id"], "params": {"PET_ID": 8, "LIMIT": 5}},
        )
        expect_data(again, {"asked": [8, 5]})
        expect_received(pet_api, [("GET", "/pet/8", "key")])
        expect_received(svix_api, [("GET", "/api/v1/event-type?limit=5", "token")])

        unknown = await call(
            client,
            "run_cached_code",
            {"cache_id": result["cache_id"], "params": {"PET": 8}},
        )
        assert unknown["success"] is False, unknown
        assert "PET_ID" in json.dumps(unknown), unknown
        missing = await call(client, "run_cached_code", {"cache_id": "nothing-like-that"})
        assert missing["success"] is False, missing
        assert missing["error_type"] == "cache_miss", missing

        written = await call(
            client, "execute_code", {"code": WRITE, "description": "Order pets"}
        )
        assert written["success"] is True, written
        assert written["data"] == 7, written
        # The document asks for no credential here.
        (exchange,) = expect_received(pet_api, [("POST", "/store/order", None)])
        assert json.loads(exchange.body) == {"petId": 3, "quantity": 2}, exchange

        refused = await call(
            client, "execute_code", {"code": FORBIDDEN_WRITE, "description": "Create an app"}
        )
        assert refused["success"] is False, refused
        expect_received(pet_api, [])
        expect_received(svix_api, [])


async def call(client: Client, tool: str, arguments: dict[str, Any]) -> Any:
    """Call a tool; returns the JSON it answered, which holds no secret."""
    result = await client.call_tool(tool, arguments)
    text = "".join(getattr(block, "text", "") for block in result.content)
    assert_no_secret(f"the result of {tool}", text + json.dumps(result.structured_content))
    if result.structured_content is not None:
        return result.structured_content
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def expect_data(result: dict[str, Any], asked: dict[str, Any]) -> None:
    """The combined answer of both mocks."""
    assert result["success"] is True, result
    assert result["data"] == {
        **asked,
        "pet": "doggie",
        "category": "Dogs",
        "events": ["user.signup"],
    }, result


def expect_received(
    api: RecordingProxy, expected: list[tuple[str, str, str | None]]
) -> list[Exchange]:
    """The API received exactly these requests, each with its credential where it belongs."""
    exchanges = api.take()
    seen = [(exchange.method, exchange.target) for exchange in exchanges]
    assert seen == [(method, target) for method, target, _ in expected], seen
    for exchange, (_, _, credential) in zip(exchanges, expected, strict=True):
        # Prism answers 4xx to what does not fit the document or lacks a credential.
        assert exchange.status == 200, exchange
        keys = [PETSTORE_KEY] if credential == "key" else []
        authorization = [f"Bearer {SVIX_TOKEN}"] if credential == "token" else []
        assert exchange.header("api_key") == keys, exchange
        assert exchange.header("Authorization") == authorization, exchange
        assert exchange.header("Cookie") == [], exchange
        assert exchange.header("Accept")[0].startswith("application/json"), exchange
        (agent,) = exchange.header("User-Agent")
        assert agent.startswith("mce/"), agent
        everywhere = exchange.target + exchange.body.decode() + repr(exchange.headers)
        assert everywhere.count(PETSTORE_KEY) == len(keys), exchange
        assert everywhere.count(SVIX_TOKEN) == len(authorization), exchange
    return exchanges


def assert_no_secret(place: str, text: str) -> None:
    """Neither credential is in the text."""
    for secret in (PETSTORE_KEY, SVIX_TOKEN):
        assert secret not in text, f"{place} holds a credential"


if __name__ == "__main__":
    sys.exit(main())
