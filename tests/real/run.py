"""Start Alertmanager and an application, compile both documents, and call every operation.

Run by `scripts/real-servers`.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import alertmanager_calls
import desk_calls
from client import Client

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
    parser.add_argument("--alertmanager", help="its program")
    parser.add_argument("--document", type=Path, help="Alertmanager's document")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="real-")))
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
    return 0


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


@contextmanager
def started(command: Callable[[int], list[str]], work: Path, ready: str) -> Iterator[str]:
    """A server on a free port of the loopback, from the moment it answers; stopped at the end."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    base_url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryFile(dir=work) as log:
        process = subprocess.Popen(command(port), stdout=log, stderr=log, cwd=work)
        try:
            deadline = time.monotonic() + 20
            while not answers(base_url + ready):
                if process.poll() is not None or time.monotonic() > deadline:
                    log.seek(0)
                    raise RuntimeError(f"the server does not answer: {log.read().decode()[-2000:]}")
                time.sleep(0.1)
            yield base_url
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def answers(url: str) -> bool:
    try:
        get(url)
    except (urllib.error.URLError, OSError):
        return False
    return True


def get(url: str) -> bytes:
    # No proxy of the environment between here and the loopback.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=5) as response:
        content: bytes = response.read()
    return content


if __name__ == "__main__":
    sys.exit(main())
