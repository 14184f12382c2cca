"""Canary secrets in every place that a secret may be configured in, an API that echoes them in every
spelling, and a search for them wherever they must not be. See `scripts/canary`."""

from __future__ import annotations

import argparse
import json
import os
import secrets
import string
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from canary_api import OPERATIONS, Api, document
from canary_search import Search
from mcp_stdio import Client

# How each server comes by its secret, and the scheme that its document names.
SERVERS = {
    "tokened": "auth: {type: jwt, token: '${CANARY_JWT}'}",
    "fixed": "auth: {type: static, value: 'Custom ${CANARY_STATIC}'}",
    "paired": "auth: {type: basic, username: reader, password: '${CANARY_BASIC}'}",
    "keyed": "auth: {type: api_key, value: '${CANARY_KEY}', in: header, name: X-Api-Key}",
    "queried": "auth: {type: api_key, value: '${CANARY_QUERY}', in: query, name: key}",
    "crumbed": "auth: {type: api_key, value: '${CANARY_CRUMB}', in: cookie, name: key}",
    "headed": "extra_headers: {X-Secret-Token: '${CANARY_HEADER}', X-Plain: plain}",
    "baked": "",  # MCE_BAKED_COOKIE
    "varied": "",  # MCE_VARIED_AUTH
    "further": "",  # MCE_FURTHER_EXTRA_HEADERS
    "filed": "auth: {type: jwt, token: '${CANARY_FILE}'}",  # of the env file
    "granted": "auth: {type: oauth2, token_url: '${API}/token', client_id: me, client_secret: '${CANARY_CLIENT}'}",
    "admitted": "auth: {type: session, login_url: '${API}/login', username: me, password: '${CANARY_LOGIN}', cookie_name: sid}",
    "handed": "",  # MCE_HANDED_AUTH_FILE
    "named": "",  # MCE_NAMED_API_KEY of the env file, at the place that the document names
}
SCHEME = {
    "security": [{"key": []}],
    "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Named-Key"}}},
}
# One of so many operations is called on each server.
SHARE = 4
# Bytes that a search looks at in the least.
SCANNED = 100_000_000

# Calls everything, keeps all that comes back, prints it, and stays until it was searched.
CODE = """
# {literal}
import asyncio
import mce_runtime
{imports}

kept = []
PLANTED = "".join({planted!r})

def attempt(name, function):
    try:
        value = function()
        if not isinstance(value, (dict, list, str, bytes, int, float, type(None))):
            value = [[item.data, item.event, item.id] if hasattr(item, "data") else item for item in value]
        kept.append([name, value])
    except (mce_runtime.ApiError, mce_runtime.EgressError) as error:
        kept.append([name, str(error), repr(error), getattr(error, "body", None), getattr(error, "headers", None)])
    except Exception as error:
        kept.append([name, str(error), repr(error)])

for name, function in ({functions}):
    attempt(name, function)
{tail}
"""
UNGUARDED = """
import _mce_host
for first, server in enumerate({servers!r}):
    for function in {names!r}[first % {share} :: {share}]:
        kept.append(_mce_host.call(server, function, {{}}))
    kept.append(_mce_host.page(server, "pages", {{}}, None))
    # Arguments that are refused, in words of the host.
    kept.append(_mce_host.call(server, "pages", {{"cursor": ["x"]}}))
    kept.append(_mce_host.page(server, "pages", {{}}, "http://127.0.0.1:9/"))
"""


class Canaries:
    """One secret for each place, all of one beginning and one end, so that a part is found as well."""

    def __init__(self) -> None:
        alphabet = string.ascii_letters + string.digits
        self.head, self.tail, self.planted, self.literal = (
            "".join(secrets.choice(alphabet) for _ in range(16)) for _ in range(4)
        )
        self.made: list[str] = []

    def __call__(self, middle: str) -> str:
        """A new one, with these characters in its middle."""
        self.made.append(f"{self.head}{len(self.made)}{middle}{self.tail}")
        return self.made[-1]


class Run:
    def __init__(self, mce: str, with_hooks: str, folder: Path) -> None:
        self.mce = mce
        self.with_hooks = with_hooks
        self.folder = folder
        self.api = Api()
        self.canaries = canary = Canaries()
        self.variables = {
            "CANARY_JWT": canary(".eyJ-_."), "CANARY_STATIC": canary("+/=="), "CANARY_BASIC": canary(" pä&%:?\"\\"), "CANARY_KEY": canary("~!$'()*,;"),
            "CANARY_QUERY": canary("ü &=?#/+%41"), "CANARY_CRUMB": canary("%2F-"), "CANARY_HEADER": canary("<&>'\""),
            "CANARY_DOCUMENT": canary("-doc-"), "MCE_BAKED_COOKIE": f"session={canary('+/==')}; other={canary('-')}",
            "MCE_VARIED_AUTH": f"Bearer {canary('_')}", "MCE_FURTHER_EXTRA_HEADERS": json.dumps({"X-Auth-Token": canary("\\\\n\\u0041")}),
            "MCE_HTTPS_PROXY": f"http://user:{canary('-proxy-')}@127.0.0.1:9",
        }  # fmt: skip
        self.variables |= {"API": self.api.address, "CANARY_CLIENT": canary("-client-"), "CANARY_LOGIN": canary("-login-")}
        self.variables["MCE_HANDED_AUTH_FILE"] = str(folder / "handed")
        (folder / "handed").write_text(f"Bearer {canary('-handed-')}\n")
        self.api.access_token, self.api.session = canary("-access-"), canary("-session-")
        self.file = {"CANARY_FILE": canary("."), "MCE_NAMED_API_KEY": canary("-")}
        self.search = Search(
            {"head": canary.head, "tail": canary.tail, "planted": canary.planted, "literal": canary.literal}
        )
        inherited = {name: os.environ[name] for name in ("PATH", "HOME", "DOCKER_HOST") if name in os.environ}
        self.environment = {
            **inherited, **self.variables, "MCE_LOG_LEVEL": "DEBUG", "XDG_STATE_HOME": str(folder / "state"),
            "MCE_MAX_CALLS": "5000", "MCE_MAX_INLINE_BYTES": "20m", "MCE_MAX_OUTPUT_SIZE_BYTES": "20m",
            "MCE_WARM_POOL_MINIMUM": "1", "MCE_STREAM_SECONDS": "5",
        }  # fmt: skip
        self.processes = 0

    def write(self) -> None:
        (self.folder / "echo.json").write_text(json.dumps(document()))
        (self.folder / "named.json").write_text(json.dumps(document(SCHEME)))
        entries = []
        for name, more in SERVERS.items():
            source = "named.json" if name == "named" else "echo.json"
            entries.append(f"  - name: {name}\n    swagger_url: {source}\n    base_url: {self.api.address}\n    {more}\n")
        # A document that is fetched with a secret.
        entries.append(
            f"  - name: fetched\n    swagger_url: '{self.api.address}/document?key=${{CANARY_DOCUMENT}}'\n    base_url: {self.api.address}\n"
            "    swagger_headers: {Authorization: 'Bearer ${CANARY_DOCUMENT}'}\n"
        )
        (self.folder / "swaggers.yaml").write_text("servers:\n" + "".join(entries))
        (self.folder / ".env").write_text("".join(f"{name}='{value}'\n" for name, value in self.file.items()))

    def command(self, place: str, *arguments: str, mce: str | None = None, code: str | None = None) -> str:
        """Runs a command and searches what it says."""
        done = subprocess.run(
            [mce or self.mce, *arguments], cwd=self.folder, env=self.environment, input=code, capture_output=True, text=True,
            timeout=120, check=False,
        )  # fmt: skip
        self.search.look(f"{place}: stdout", done.stdout.encode())
        self.search.look(f"{place}: stderr", done.stderr.encode())
        return done.stdout

    def code(self, tail: str = "", functions: list[str] | None = None, servers: list[str] | None = None) -> str:
        servers = servers or list(SERVERS)
        names = functions or [*OPERATIONS, "pages"]
        # Each operation is called with a few of the secrets, and each secret goes to a few operations.
        listed = [
            f"('{server}.{name}', {server}.functions.{name})"
            for first, server in enumerate(servers)
            for name in names[first % SHARE :: SHARE]
            if name != "hold"
        ]
        listed += [f"('{server}.items', lambda: list({server}.functions.pages.items()))" for server in servers]
        # It comes last, once everything is in memory.
        listed.append(f"('hold', {servers[0]}.functions.hold)")
        half = len(self.canaries.planted) // 2
        return CODE.format(
            literal=self.canaries.literal,
            imports="\n".join(f"import {server}.functions" for server in servers),
            planted=[self.canaries.planted[:half], self.canaries.planted[half:]],
            functions=", ".join(listed) + ",",
            tail=tail or "print(kept)\nresult = [kept, len(PLANTED)]",
        )

    def containers(self) -> int:
        """Searches the containers that commands run here have; how many processes."""
        return self.search.containers({path.stem for path in (self.folder / "state/mce/instances").iterdir()})

    def while_it_holds(self, running: Future[Any]) -> None:
        """Searches the containers while code waits for its last answer."""
        deadline = time.monotonic() + 60
        while not self.api.held.is_set():
            if running.done():
                raise RuntimeError(f"the code ended without holding: {str(running.result())[:2000]}")
            assert time.monotonic() < deadline, "nothing holds"
            time.sleep(0.02)
        planted = len(self.search.hits.get("planted", []))
        self.processes += self.containers()
        found = [hit for hit in self.search.hits.get("planted", [])[planted:] if " memory of " in hit]
        assert found, "the search does not find what the code has in memory"
        self.api.held.clear()
        self.api.released.set()

    def executed(self, pool: ThreadPoolExecutor, place: str, code: str, *switches: str, mce: str | None = None) -> None:
        self.api.released.clear()
        running = pool.submit(self.command, place, "exec", *switches, "-", mce=mce, code=code)
        self.while_it_holds(running)
        result = json.loads(running.result())
        assert result["success"], str(result)[:3000]
        assert json.dumps(result).count("[redacted]") > 500, str(result)[:3000]

    def from_the_shell(self) -> None:
        self.command("compile", "compile")
        self.command("compile again", "compile", "--check")
        with ThreadPoolExecutor() as pool:
            self.executed(pool, "exec", self.code())
            tail = UNGUARDED.format(share=SHARE, servers=list(SERVERS), names=[name for name in OPERATIONS if name not in ("hold", "events", "lines")])
            self.executed(pool, "exec --no-guard", self.code(tail + "\nprint(kept)\nresult = [kept, len(PLANTED)]", ["echo"]), "--no-guard", mce=self.with_hooks)
            calls = [f"{server}.{function}" for server in SERVERS for function in ("echo", "fail", "events")]
            for said in pool.map(lambda call: self.command(f"call {call}", "call", call), calls):
                assert "[redacted]" in said, said[:2000]
        # Secrets that cannot be used are told by their place alone.
        for name, value in (("CANARY_JWT", self.canaries("\n")), ("MCE_BAKED_COOKIE", self.canaries(" no pair")), ("MCE_FURTHER_EXTRA_HEADERS", self.canaries("{"))):
            good, self.environment[name] = self.environment[name], value
            self.command(f"call with a bad {name}", "call", "tokened.echo")
            self.command(f"exec with a bad {name}", "exec", "-", code="import tokened.functions, baked.functions\ntokened.functions.echo()")
            self.environment[name] = good

    def over_stdio(self) -> None:
        """A server with containers that wait, an execution, a session, and code that is run again."""
        log = self.folder / "serve.log"
        with log.open("wb") as stderr, ThreadPoolExecutor() as pool:
            client = Client(self.mce, self.folder, stderr, self.environment)

            def ask(tool: str, **arguments: Any) -> Any:
                answer = client.ask("tools/call", {"name": tool, "arguments": arguments})
                self.search.look(f"stdio: {tool}", json.dumps(answer, ensure_ascii=False).encode())
                return answer["structuredContent"]

            try:
                listed = client.ask("tools/list", {})
                self.search.look("stdio: tools/list", json.dumps(listed).encode())
                names = {tool["name"] for tool in listed["tools"]}
                discovery: dict[str, dict[str, Any]] = {
                    "list_servers": {},
                    "search_functions": {"query": "echo"},
                    "get_functions": {"functions": ["tokened.echo", "queried.pages"]},
                }
                for tool in names & discovery.keys():
                    ask(tool, **discovery[tool])
                self.processes += self.containers()
                few = ["echo", "fail", "events", "gzipped", "broken_json"]
                for place, more in (("execution", {}), ("session", {"session_id": "new"})):
                    self.api.released.clear()
                    running = pool.submit(ask, "execute_code", code=self.code(functions=few), description="canaries", **more)
                    self.while_it_holds(running)
                    result = running.result()
                    assert result["success"], (place, str(result)[:3000])
                # The session is alive and holds all it was given.
                session = result["session_id"]
                planted = len(self.search.hits["planted"])
                self.processes += self.containers()
                assert len(self.search.hits["planted"]) > planted, "the session has forgotten"
                again = ask("execute_code", code="len(kept), str(kept[0])[:2000]", description="more", session_id=session)
                assert again["success"] and "[redacted]" in str(again["data"]), str(again)[:2000]
                assert ask("run_cached_code", cache_id=result["cache_id"])["success"]
                ask("execute_code", code="import tokened.functions\ntokened.functions.fail()", description="an error")
                ask("execute_code", code="import os", description="a refusal")
                ask("end_session", session_id=session)
                # What the product itself has in memory shows that secrets are found there.
                own = Search({"head": self.canaries.head})
                own.process(client.process.pid, "mce")
                assert own.hits, "the search does not find the secrets where they must be"
            finally:
                client.close()
        assert b"DEBUG" in log.read_bytes()

    def judge(self) -> None:
        assert set(self.canaries.made[:-3]) - {self.environment["CANARY_DOCUMENT"]} <= {
            secret for secret in self.canaries.made if any(secret in told for told in self.api.told) or "-proxy-" in secret
        }, "a secret did not arrive at the API"
        self.search.folder(self.folder, frozenset({".env", "handed"}))
        hits = self.search.hits
        # The code that is kept, as it was sent, is found in the database of the cache.
        assert any(hit.startswith("data/cache.db") for hit in hits["literal"]), hits["literal"][:5]
        found = hits.get("head", []) + hits.get("tail", [])
        for hit in found[:20]:
            print(hit, file=sys.stderr)
        assert not found, f"a canary was found in {len(found)} places"
        assert self.search.searched > SCANNED, self.search.searched


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mce", required=True)
    parser.add_argument("--with-hooks", required=True, help="mce with the feature `test-hooks`")
    arguments = parser.parse_args()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="canary-") as temporary:
        run = Run(arguments.mce, arguments.with_hooks, Path(temporary))
        run.write()
        run.from_the_shell()
        run.over_stdio()
        run.judge()
    search = run.search
    print(
        f"canary: {len(run.canaries.made)} secrets, found in none of {search.places:,} places "
        f"({search.searched / 1e6:,.0f} MB, {run.processes} processes in containers); {time.monotonic() - begun:.0f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
