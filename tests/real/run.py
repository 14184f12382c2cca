"""Start servers, compile their own documents, and call every operation: of Alertmanager and of an
application by the compiled clients, of httpbin and Jupyter Server by code in the sandbox.

Run by `scripts/real-servers`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import alertmanager_calls
import desk_calls
import httpbin_calls
import jupyter_calls
from client import Client
from servers import get, started

HERE = Path(__file__).resolve().parent
ALERTMANAGER_CONFIG = """
route:
  receiver: nobody
  group_by: [alertname]
  group_wait: 0s
  routes: [{receiver: team, matchers: ['team="web"']}]
receivers: [{name: nobody}, {name: team}]
"""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--mce", type=Path, required=True)
    parser.add_argument("--with-hooks", type=Path, required=True, help="mce with the feature `test-hooks`")
    parser.add_argument("--alertmanager", help="its program")
    parser.add_argument("--document", type=Path, help="Alertmanager's document")
    arguments = parser.parse_args()
    with ExitStack() as stack, ThreadPoolExecutor() as pool:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="real-")))
        sandboxed = [
            pool.submit(check_httpbin, arguments.mce, work),
            pool.submit(jupyter_calls.check, arguments.mce, arguments.with_hooks, work),
        ]
        desk = stack.enter_context(started(desk_command, work, "/openapi.json"))
        (work / "desk.json").write_bytes(get(f"{desk}/openapi.json"))
        servers = [("desk", "desk.json", desk)]
        if arguments.alertmanager and arguments.document:

            def command(port: int) -> list[str]:
                return alertmanager_command(arguments.alertmanager, port, work)

            alertmanager = stack.enter_context(started(command, work, "/-/ready"))
            # Its own document says `/api/v2/`; a configured base URL is the whole prefix.
            servers.append(("alertmanager", str(arguments.document.resolve()), f"{alertmanager}/api/v2"))
        compiled = compile_all(arguments.mce, work, servers)
        for server, _, base_url in servers:
            os.environ[f"MCE_{server.upper()}_BASE_URL"] = base_url
        for server, _, _ in servers:
            client = Client(compiled, server)
            {"desk": desk_calls.check, "alertmanager": alertmanager_calls.check}[server](client)
            print(f"{server}: all {len(client.called)} operations called and right")
        for check in sandboxed:
            print(check.result())
    return 0


def check_httpbin(mce: Path, work: Path) -> str:
    record = work / "httpbin.jsonl"

    def command(port: int) -> list[str]:
        return [
            sys.executable, "-m", "gunicorn", "--bind", f"127.0.0.1:{port}", "--threads", "4", "--no-control-socket", "--pythonpath", str(HERE),
            "recorded:app",
        ]  # fmt: skip

    with started(command, work, "/spec.json", {**os.environ, "RECORD": str(record)}) as base_url:
        return httpbin_calls.check(mce, work, base_url, get(f"{base_url}/spec.json"), record)


def compile_all(mce: Path, work: Path, servers: list[tuple[str, str, str]]) -> Path:
    config = work / "swaggers.yaml"
    lines = ["servers:"]
    for name, document, base_url in servers:
        lines += [f"  - name: {name}", f"    swagger_url: {json.dumps(document)}", f"    base_url: {base_url}"]
    config.write_text("\n".join(lines) + "\n", encoding="utf-8")
    output = work / "compiled"
    subprocess.run([mce, "compile", "--config", config, "--output", output], check=True, stdout=subprocess.DEVNULL)
    return output


def desk_command(port: int) -> list[str]:
    return [
        sys.executable, "-m", "uvicorn", "--app-dir", str(HERE), "desk_app:app", "--host", "127.0.0.1", "--port", str(port),
        "--log-level", "warning",
    ]  # fmt: skip


def alertmanager_command(program: str, port: int, work: Path) -> list[str]:
    config = work / "alertmanager.yml"
    config.write_text(ALERTMANAGER_CONFIG, encoding="utf-8")
    return [
        program, "--config.file", str(config), "--storage.path", str(work / "alertmanager"),
        "--web.listen-address", f"127.0.0.1:{port}", "--cluster.listen-address=", "--log.level=warn",
    ]  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
