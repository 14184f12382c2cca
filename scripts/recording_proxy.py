"""A loopback proxy that records what passes, so that a test can assert what an API received."""

from __future__ import annotations

import http.client
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

HOP_BY_HOP = frozenset({"connection", "host", "keep-alive", "transfer-encoding"})


@dataclass(frozen=True)
class Exchange:
    """One request as it arrived, and the status of its answer."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    status: int

    def header(self, name: str) -> list[str]:
        """All values of a header, the name in any case."""
        return [value for key, value in self.headers if key.lower() == name.lower()]


class RecordingProxy:
    """Forwards to `127.0.0.1:upstream_port` and keeps every exchange."""

    def __init__(self, upstream_port: int) -> None:
        exchanges: list[Exchange] = []
        lock = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def forward(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length)
                connection = http.client.HTTPConnection("127.0.0.1", upstream_port, timeout=20)
                try:
                    connection.putrequest(self.command, self.path, skip_accept_encoding=True)
                    for name, value in self.headers.items():
                        if name.lower() not in HOP_BY_HOP:
                            connection.putheader(name, value)
                    connection.endheaders(body or None)
                    answer = connection.getresponse()
                    content = answer.read()
                finally:
                    connection.close()
                with lock:
                    exchanges.append(
                        Exchange(
                            method=self.command,
                            target=self.path,
                            headers=tuple(self.headers.items()),
                            body=body,
                            status=answer.status,
                        )
                    )
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in HOP_BY_HOP | {"content-length", "date", "server"}:
                        self.send_header(name, value)
                if answer.status != 204:
                    self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = forward

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing: the record is kept."""

        self._exchanges = exchanges
        self._lock = lock
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        """Where clients are to send their requests."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def take(self) -> list[Exchange]:
        """The exchanges since the last call, in order of their end."""
        with self._lock:
            taken = list(self._exchanges)
            self._exchanges.clear()
        return taken

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
