"""Servers on free ports of the loopback."""

from __future__ import annotations

import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def started(
    command: Callable[[int], list[str]], work: Path, ready: str, environment: dict[str, str] | None = None, log: Path | None = None
) -> Iterator[str]:
    """A server on a free port of the loopback, from the moment it answers; stopped at the end."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    base_url = f"http://127.0.0.1:{port}"
    with log.open("w+b") if log else tempfile.TemporaryFile(dir=work) as output:
        process = subprocess.Popen(command(port), stdout=output, stderr=output, cwd=work, env=environment)
        try:
            deadline = time.monotonic() + 20
            while not answers(base_url + ready):
                if process.poll() is not None or time.monotonic() > deadline:
                    output.seek(0)
                    raise RuntimeError(f"the server does not answer: {output.read().decode()[-2000:]}")
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
