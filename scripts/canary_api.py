"""An API on the loopback that tells whoever calls it all that it was told, in every spelling."""

from __future__ import annotations

import base64
import gzip
import http.server
import json
import threading
import urllib.parse
import zlib
from collections.abc import Iterator
from typing import Any

# Every operation of it is a GET. `/token` and `/login` give what the harness put there.
OPERATIONS = {
    "echo": ("/echo", "application/json"),
    "text": ("/text", "text/plain"),
    "page_text": ("/html", "text/html"),
    "xml": ("/xml", "application/xml"),
    "content": ("/bytes", "application/octet-stream"),
    "gzipped": ("/gzip", "application/json"),
    "deflated": ("/deflate", "application/json"),
    "in_chunks": ("/chunks", "application/json"),
    "events": ("/events", "text/event-stream"),
    "lines": ("/lines", "application/jsonl"),
    "away": ("/away", "application/json"),
    "around": ("/around", "application/json"),
    "fail": ("/fail", "application/json"),
    "fail_text": ("/fail-text", "text/plain"),
    "fail_gzipped": ("/fail-gzip", "application/json"),
    "broken_json": ("/broken-json", "application/json"),
    "broken_gzip": ("/broken-gzip", "application/json"),
    "broken_chunks": ("/broken-chunks", "application/json"),
    "broken_line": ("/broken-line", "application/json"),
    "undeclared": ("/undeclared", "application/json"),
    "hold": ("/hold", "application/json"),
}


def document(security: dict[str, Any] | None = None) -> dict[str, Any]:
    """The API's own document."""
    paths: dict[str, Any] = {}
    for name, (path, content_type) in OPERATIONS.items():
        answers = {"200": {"description": "all of it", "content": {content_type: {}}}}
        paths[path] = {"get": {"operationId": name, "responses": answers}}
    paths["/pages"] = {
        "get": {
            "operationId": "pages",
            "parameters": [{"name": "cursor", "in": "query", "schema": {"type": "string"}}],
            "responses": {
                "200": {
                    "description": "a page",
                    "headers": {"Link": {"schema": {"type": "string"}}},
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "properties": {
                                    "items": {"type": "array", "items": {}},
                                    "next_cursor": {"type": "string"},
                                },
                            }
                        }
                    },
                }
            },
        }
    }
    found: dict[str, Any] = {"openapi": "3.0.3", "info": {"title": "Echo", "version": "1"}, "paths": paths}
    return found | (security or {})


def spellings(text: str) -> dict[str, str]:
    """A text as APIs echo it."""
    raw = text.encode()
    found = {
        "raw": text,
        "within": f"before{text}after",
        "percent": urllib.parse.quote(text, safe=""),
        "form": urllib.parse.quote_plus(text),
        "every percent": "".join(f"%{byte:02X}" for byte in raw),
        "every percent lower": "".join(f"%{byte:02x}" for byte in raw),
        "twice percent": urllib.parse.quote(urllib.parse.quote(text, safe=""), safe=""),
        "JSON": json.dumps(text),
        "JSON in JSON": json.dumps(json.dumps({"text": text})),
        "JSON escaped": "".join(f"\\u{ord(character):04x}" for character in text),
        "hex": raw.hex(),
        "HEX": raw.hex().upper(),
        "url": f"https://user:{urllib.parse.quote(text, safe='')}@api.example/?key={urllib.parse.quote_plus(text)}#x",
    }
    for alignment in range(3):
        found[f"base64 {alignment}"] = base64.b64encode(b"x" * alignment + raw + b"yz").decode()
        found[f"base64url {alignment}"] = base64.urlsafe_b64encode(b"x" * alignment + raw).decode().rstrip("=")
    return found


class Api:
    """The API; `hold` is answered when the harness lets it."""

    def __init__(self) -> None:
        api = self
        self.told: list[str] = []
        self.access_token = self.session = ""
        self.held = threading.Event()
        self.released = threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                api.answer(self)

            def do_POST(self) -> None:
                api.admit(self)

            def log_message(self, format: str, *arguments: Any) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def admit(self, request: http.server.BaseHTTPRequestHandler) -> None:
        """Gives a token or a session for whatever credential."""
        body = request.rfile.read(int(request.headers.get("Content-Length", "0"))).decode()
        self.told += told(request)
        self.told += [body] if request.path == "/login" else [value for _, value in urllib.parse.parse_qsl(body)]
        granted = {"access_token": self.access_token, "token_type": "Bearer", "expires_in": 3600}
        headers = {} if request.path == "/token" else {"Set-Cookie": f"sid={self.session}; HttpOnly"}
        Sending(request, headers).whole(200, "application/json", json.dumps(granted if request.path == "/token" else {}))

    def answer(self, request: http.server.BaseHTTPRequestHandler) -> None:
        url = urllib.parse.urlsplit(request.path)
        secrets = list(told(request))
        self.told += secrets
        everything = {secret: spellings(secret) for secret in secrets}
        flat = [text for each in everything.values() for text in each.values()]
        echo = json.dumps({"seen": everything, "list": flat, "keys": dict.fromkeys(flat, True)})
        # As some write JSON: without escapes.
        loose = json.dumps({"seen": everything}, ensure_ascii=False)
        first = secrets[0] if secrets else ""
        headers = {
            "ETag": f'"{first}"', "Link": f'<{self.address}/pages?cursor={urllib.parse.quote(first)}>; rel="next"', "Retry-After": first,
            "X-RateLimit-Remaining": urllib.parse.quote(first, safe=""), "X-Total-Count": first.encode().hex(),
            "Set-Cookie": f"echo={urllib.parse.quote(first)}", "X-Page-Of": base64.b64encode(first.encode()).decode(),
        }  # fmt: skip
        sending = Sending(request, {name: value for name, value in headers.items() if value.isascii()})
        kind = next((content for path, content in OPERATIONS.values() if path == url.path), "application/json")
        match url.path:
            case "/echo":
                sending.whole(200, kind, echo)
            case "/text" | "/html" | "/xml":
                sending.whole(200, kind, "\n".join(flat))
            case "/bytes":
                # What is not ASCII is not looked for in UTF-16.
                wide = first.encode("utf-16-le") if first.isascii() else b""
                sending.whole(200, kind, b"\x00\xff".join(text.encode() for text in flat) + wide)
            case "/gzip":
                sending.whole(200, kind, gzip.compress(echo.encode()), "gzip")
            case "/deflate":
                sending.whole(200, kind, zlib.compress(loose.encode()), "deflate")
            case "/chunks":
                sending.chunks(kind, pieces(loose.encode()))
            case "/events":
                events = "".join(f"event: {json.dumps(text)[1:-1]}\ndata: {text}\nid: {text}\n\n" for text in flat if "\n" not in text)
                sending.chunks(kind, pieces(events.encode()))
            case "/lines":
                sending.chunks(kind, pieces("".join(json.dumps([text]) + "\n" for text in flat).encode()))
            case "/away":
                sending.whole(302, kind, echo, location=f"http://127.0.0.1:9/{urllib.parse.quote(first)}?key={urllib.parse.quote(first)}")
            case "/around" if not url.query or "again" not in url.query:
                sending.whole(307, kind, echo, location=f"/around?again={urllib.parse.quote(first, safe='')}")
            case "/fail":
                sending.whole(418, kind, json.dumps({"error": {"message": " ".join(flat), "detail": flat}}), reason=first)
            case "/fail-text":
                sending.whole(401, kind, f"bad token {first}\n" + "\n".join(flat), reason=first)
            case "/fail-gzip":
                sending.whole(500, kind, gzip.compress(loose.encode()), "gzip")
            case "/broken-json":
                sending.whole(200, kind, echo[:-5])
            case "/broken-gzip":
                sending.whole(200, kind, echo, "gzip")
            case "/broken-chunks":
                sending.raw(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{{\"a\":\r\n{first}\r\n")
            case "/broken-line":
                sending.raw(f"HTTP/1.1 {first} {first}\r\n{first}\r\n\r\n{first}")
            case "/undeclared":
                sending.whole(200, f"text/x-{first.encode().hex()}; charset={first.encode().hex()}", "\n".join(flat))
            case "/pages":
                more = {} if "cursor" in url.query else {"next_cursor": first}
                sending.whole(200, kind, json.dumps({"items": flat, **more}))
            case "/hold":
                self.held.set()
                self.released.wait(25)
                sending.whole(200, kind, echo)
            case _:
                sending.whole(200, kind, echo)


class Sending:
    """How an answer is sent."""

    def __init__(self, request: http.server.BaseHTTPRequestHandler, headers: dict[str, str]) -> None:
        self.request = request
        self.headers = headers

    def whole(
        self, status: int, kind: str, body: str | bytes, encoding: str = "", location: str = "", reason: str | None = None
    ) -> None:
        content = body.encode() if isinstance(body, str) else body
        self.request.send_response(status, reason if reason and reason.isascii() else None)
        more = {"Content-Type": kind, "Content-Length": str(len(content)), "Content-Encoding": encoding, "Location": location}
        for name, value in (self.headers | more).items():
            if value:
                self.request.send_header(name, value)
        self.request.end_headers()
        self.request.wfile.write(content)

    def chunks(self, kind: str, parts: list[bytes]) -> None:
        self.request.send_response(200)
        for name, value in (self.headers | {"Content-Type": kind, "Transfer-Encoding": "chunked"}).items():
            self.request.send_header(name, value)
        self.request.end_headers()
        for part in parts:
            self.request.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
            self.request.wfile.flush()
        self.request.wfile.write(b"0\r\n\r\n")

    def raw(self, text: str) -> None:
        self.request.wfile.write(text.encode())
        self.request.close_connection = True


def pieces(content: bytes) -> list[bytes]:
    """A content in small chunks, so that no secret is whole in one."""
    return [content[start : start + 11] for start in range(0, len(content), 11)]


def told(request: http.server.BaseHTTPRequestHandler) -> Iterator[str]:
    """What a request holds that may be secret, whole and taken apart."""
    for name, value in request.headers.items():
        text = value.encode("latin-1").decode("utf-8", "replace")
        lower = name.lower()
        if lower == "authorization":
            yield text
            scheme, _, rest = text.partition(" ")
            yield rest or scheme
            if scheme == "Basic":
                pair = base64.b64decode(rest).decode()
                yield pair
                yield pair.partition(":")[2]
        elif lower == "cookie":
            for crumb in text.split("; "):
                yield crumb.partition("=")[2]
            yield text
        elif lower.startswith("x-"):
            yield text
    for _, value in urllib.parse.parse_qsl(urllib.parse.urlsplit(request.path).query):
        yield value
