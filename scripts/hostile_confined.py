"""Run a command where every address of the network is this process, and tell what it did.

    hostile_confined.py RESULT SECONDS SERVED -- COMMAND…

In a network namespace of its own (`unshare --net`) all IPv4 addresses are made local, the ports that
a request would go to are listened on, and the folder SERVED is served over http on port 8099 (`-`: none).
RESULT gets a JSON object: status, seconds, megabytes, and the connections and look-ups seen.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

PORT = 8099
WATCHED = (1, 22, 53, 80, 443, 2375, 8080, 8443)


def main() -> None:
    result, seconds, served, _, *command = sys.argv[1:]
    seen: list[str] = []
    for arguments in (["link", "set", "lo", "up"], ["route", "add", "local", "0.0.0.0/0", "dev", "lo"]):
        subprocess.run(["ip", *arguments], check=False, capture_output=True)
    watch(seen)
    requests: list[str] = []
    if served != "-":
        serve(Path(served), requests)
    begun = time.monotonic()
    process = subprocess.Popen(command)
    status, megabytes = wait(process, float(seconds))
    outcome = {
        "status": status,
        "seconds": time.monotonic() - begun,
        "megabytes": megabytes,
        "connections": seen,
        "requests": requests,
    }
    time.sleep(0.02)
    Path(result).write_text(json.dumps(outcome), encoding="utf-8")
    os._exit(0)


def watch(seen: list[str]) -> None:
    """Note every connection to a watched port, and every look-up of a name."""
    selector = selectors.DefaultSelector()
    listeners: dict[int, socket.socket] = {}
    for port in WATCHED:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            listener.bind(("0.0.0.0", port))
        except OSError as error:
            seen.append(f"port {port} cannot be watched: {error}")
            continue
        listener.listen()
        listeners[port] = listener
        selector.register(listener, selectors.EVENT_READ, port)
    names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    names.bind(("0.0.0.0", 53))
    selector.register(names, selectors.EVENT_READ, "look-up")

    def note() -> None:
        while True:
            for key, _ in selector.select():
                if key.data == "look-up":
                    packet, _ = names.recvfrom(4096)
                    seen.append(f"look-up of {packet[12:]!r}")
                    continue
                connection, _ = listeners[key.data].accept()
                seen.append("connection to %s:%s" % connection.getsockname()[:2])
                connection.close()

    threading.Thread(target=note, daemon=True).start()


def serve(folder: Path, requests: list[str]) -> None:
    """Serve a folder over http and note what is asked for."""
    # Slow to import, and seldom needed.
    from functools import partial
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            return

        def do_GET(self) -> None:
            requests.append(self.path)
            super().do_GET()

    server = ThreadingHTTPServer(("127.0.0.1", PORT), partial(Handler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()


def wait(process: subprocess.Popen[bytes], seconds: float) -> tuple[int, float]:
    """Exit status (negative: a signal) and peak memory in megabytes."""
    deadline = time.monotonic() + seconds
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage.ru_maxrss / 1024
        if time.monotonic() > deadline:
            process.send_signal(signal.SIGKILL)
            deadline = float("inf")
        time.sleep(0.005)


if __name__ == "__main__":
    main()
