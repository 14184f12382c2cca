"""Calls every operation of httpbin, as its own document describes them, from code in the sandbox,
with each kind of credential, and compares what came back and what arrived there."""

from __future__ import annotations

import base64
import json
import socket
import threading
import urllib.parse
import uuid
from pathlib import Path
from typing import Any

from client import same
from executions import Call, Project, hits
from servers import get

# Awkward on purpose, as far as each place allows. Nobody else's text holds them.
SECRETS = {
    "password": "pä ss&w%rd+canary=01?",
    "token": "canary.token-02/with+all~of=it==",
    "variable": "canary-variable_03",
    "key": "canary key 04 \"quoted\" & <more>",
    "second key": "canary-second-key-05",
    "header": "canary-header-06\\n",
    "query": "canary query+07&more=/?#ä",
    "crumb": "canary-crumb-08%2F",
    "cookie": "canary-cookie-09+/=",
    "theme": "canary-theme-10",
}
USER = "ann o'neil"
HIDDEN = "[redacted]"
# All that MCE and its client library send of their own.
ALWAYS = {"accept", "accept-encoding", "host", "user-agent"}
# What the config, the environment and the documents add, and no more.
ADDED = {
    "authorization", "content-length", "content-type", "cookie", "if-match", "if-modified-since", "if-none-match", "range",
    "x-api-key", "x-api-token", "x-own", "x-second-key", "x-team",
}  # fmt: skip

# The document gives these operations neither body nor query nor header, and no scheme.
MORE: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "What the document of httpbin lacks", "version": "1"},
    "paths": {
        "/anything": {
            "get": {
                "parameters": [
                    {"name": "list", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}},
                    {"name": "deep", "in": "query", "style": "deepObject", "schema": {"type": "object"}},
                    {"name": "X-Own", "in": "header", "schema": {"type": "string"}},
                    {"name": "crumb", "in": "cookie", "schema": {"type": "string"}},
                ],
                "responses": {"200": {"description": "all of it", "content": {"application/json": {}}}},
            },
            "post": {
                "requestBody": {
                    "content": {
                        "application/json": {},
                        "application/x-www-form-urlencoded": {"schema": {"type": "object"}},
                        "multipart/form-data": {
                            "schema": {"properties": {"file": {"type": "string", "format": "binary"}, "name": {"type": "string"}}}
                        },
                        "text/plain": {"schema": {"type": "string"}},
                        "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
                    }
                },
                "responses": {"200": {"description": "all of it", "content": {"application/json": {}}}},
            },
        },
        "/range/{count}": {
            "get": {
                "parameters": [
                    {"name": "count", "in": "path", "required": True, "schema": {"type": "integer"}},
                    {"name": "Range", "in": "header", "schema": {"type": "string"}},
                ],
                "responses": {"206": {"description": "a part", "content": {"application/octet-stream": {}}}},
            }
        },
        "/stream-bytes/{count}": {
            "get": {
                "parameters": [
                    {"name": "count", "in": "path", "required": True, "schema": {"type": "integer"}},
                    {"name": "seed", "in": "query", "schema": {"type": "integer"}},
                    {"name": "chunk_size", "in": "query", "schema": {"type": "integer"}},
                ],
                "responses": {"200": {"description": "bytes", "content": {"application/octet-stream": {}}}},
            }
        },
        "/redirect-to": {
            "post": {
                "parameters": [
                    {"name": "url", "in": "query", "required": True, "schema": {"type": "string"}},
                    {"name": "status_code", "in": "query", "schema": {"type": "integer"}},
                ],
                "responses": {"302": {"description": "elsewhere"}},
            }
        },
        "/headers": {
            "get": {
                "security": [{"key": [], "bearer": []}],
                "responses": {"200": {"description": "headers", "content": {"application/json": {}}}},
            }
        },
        "/cookies": {
            "get": {
                "security": [],
                "responses": {"200": {"description": "cookies", "content": {"application/json": {}}}},
            }
        },
    },
    "components": {
        "securitySchemes": {
            "key": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
            "bearer": {"type": "http", "scheme": "bearer"},
        }
    },
}


class Listener:
    """Another origin: takes connections, and keeps what comes over them."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = int(self.socket.getsockname()[1])
        self.received: list[bytes] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(2)
                try:
                    self.received.append(connection.recv(65536))
                    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}")
                except OSError:
                    self.received.append(b"")


class Arrived:
    """The requests that httpbin got, as the recorder in front of it wrote them down."""

    def __init__(self, record: Path) -> None:
        self.record = record
        self.taken = 0

    def take(self) -> list[dict[str, Any]]:
        """Those since the last time."""
        lines = self.record.read_text(encoding="utf-8").splitlines() if self.record.exists() else []
        new = [json.loads(line) for line in lines[self.taken :]]
        self.taken = len(lines)
        return new


class Check:
    def __init__(self, project: Project, base_url: str, arrived: Arrived, other: Listener) -> None:
        self.project = project
        self.base_url = base_url
        self.host = base_url.removeprefix("http://")
        self.arrived = arrived
        self.other = other
        self.called: set[tuple[str, str]] = set()
        self.count = 0

    def calls(self, calls: list[Call]) -> tuple[list[Any], list[dict[str, Any]]]:
        """What came back, and what arrived."""
        self.called |= {(call.method, call.path) for call in calls}
        self.count += len(calls)
        self.arrived.take()
        outcomes = self.project.calls(calls)
        arrived = self.arrived.take()
        for request in arrived:
            names = set(request["headers"])
            assert names >= ALWAYS and names <= ALWAYS | ADDED, names
            same((request["headers"]["host"], request["headers"]["accept-encoding"]), (self.host, "gzip"))
        return outcomes, arrived

    def credentials(self) -> None:
        """Each kind arrives as it was meant and is seen by no code."""
        headers = [Call(server, "GET", "/headers") for server in
                   ("plain", "basic", "bearing", "envied", "cookied", "keyed", "queried", "crumbed")]  # fmt: skip
        outcomes, arrived = self.calls(headers)
        basic = "Basic " + base64.b64encode(f"{USER}:{SECRETS['password']}".encode()).decode()
        crumbs = f"session={SECRETS['cookie']}; theme={SECRETS['theme']}"
        wanted: list[dict[str, str]] = [
            {},
            {"authorization": basic},
            {"authorization": "Bearer " + SECRETS["token"]},
            {"authorization": "Bearer " + SECRETS["variable"], "x-api-token": SECRETS["header"]},
            {"cookie": crumbs},
            {"x-api-key": SECRETS["key"], "x-second-key": SECRETS["second key"], "x-team": "blue"},
            {},
            {"cookie": f"crumb={SECRETS['crumb']}"},
        ]
        for outcome, request, secret in zip(outcomes, arrived, wanted, strict=True):
            added = {name: value for name, value in request["headers"].items() if name not in ALWAYS}
            same(added, secret)
            seen = {name.lower(): value for name, value in outcome["value"]["headers"].items()}
            shown = {name: value for name, value in seen.items() if name not in ALWAYS}
            same(set(shown), set(secret))
            same(shown.get("x-team", "blue"), "blue")
            hidden = {f"session={HIDDEN}; theme={HIDDEN}", f"crumb={HIDDEN}", HIDDEN, f"Basic {HIDDEN}", f"Bearer {HIDDEN}", "blue"}
            assert set(shown.values()) <= hidden, shown
        query = "api_key=" + urllib.parse.quote(SECRETS["query"], safe="")
        same([request["target"] for request in arrived], ["/headers"] * 6 + [f"/headers?{query}", "/headers"])

        # The API itself says that they are right.
        path = {"user": USER, "passwd": SECRETS["password"]}
        outcomes, arrived = self.calls([
            Call("basic", "GET", "/basic-auth/{user}/{passwd}", path),
            Call("basic", "GET", "/hidden-basic-auth/{user}/{passwd}", path),
            Call("basic", "GET", "/basic-auth/{user}/{passwd}", {**path, "passwd": "wrong"}),
            Call("plain", "GET", "/basic-auth/{user}/{passwd}", {**path, "passwd": "wrong"}),
            Call("basic", "GET", "/hidden-basic-auth/{user}/{passwd}", {**path, "passwd": "wrong"}),
            Call("bearing", "GET", "/bearer"),
            Call("envied", "GET", "/bearer"),
            Call("basic", "GET", "/bearer"),
            Call("cookied", "GET", "/cookies"),
            Call("crumbed", "GET", "/cookies"),
            Call("queried", "GET", "/anything"),
            Call("keyed", "TRACE", "/anything"),
            Call("basic", "GET", "/digest-auth/{qop}/{user}/{passwd}", {"qop": "auth", **path}),
            Call("basic", "GET", "/digest-auth/{qop}/{user}/{passwd}/{algorithm}",
                 {"qop": "auth", "algorithm": "SHA-256", "user": "u", "passwd": "p"}),
            Call("basic", "GET", "/digest-auth/{qop}/{user}/{passwd}/{algorithm}/{stale_after}",
                 {"qop": "auth", "algorithm": "MD5", "stale_after": "never", "user": "u", "passwd": "p"}),
        ])  # fmt: skip
        quoted = urllib.parse.quote(USER, safe="") + "/" + urllib.parse.quote(SECRETS["password"], safe="")
        same(arrived[0]["target"], f"/basic-auth/{quoted}")
        for outcome in outcomes[:2]:
            same((outcome["value"]["authenticated"], outcome["value"]["user"]), (True, USER))
        same([outcome.get("status") for outcome in outcomes[2:5]], [401, 401, 404])
        # Who sent none is told so, who sent a wrong one is not.
        assert "no credential was attached" in outcomes[3]["message"], outcomes[3]
        assert "no credential was attached" not in outcomes[2]["message"], outcomes[2]
        same(outcomes[5]["value"], {"authenticated": True, "token": HIDDEN})
        same(outcomes[6]["value"], {"authenticated": True, "token": HIDDEN})
        same(outcomes[7]["status"], 401)
        same(outcomes[8]["value"], {"cookies": {"session": HIDDEN, "theme": HIDDEN}})
        same(outcomes[9]["value"], {"cookies": {"crumb": HIDDEN}})
        same(outcomes[10]["value"]["args"], {"api_key": HIDDEN})
        same(outcomes[10]["value"]["url"], f"http://{self.host}/anything?api_key={HIDDEN}")
        same((outcomes[11]["value"]["method"], outcomes[11]["value"]["headers"]["X-Api-Key"]), ("TRACE", HIDDEN))
        same([outcome["status"] for outcome in outcomes[12:]], [401, 401, 401])

        # Schemes that a document names: both of an operation's, and none where it opts out.
        outcomes, arrived = self.calls([Call("more", "GET", "/headers"), Call("more", "GET", "/cookies")])
        sent = [{name: value for name, value in request["headers"].items() if name in ADDED} for request in arrived]
        same(sent, [{"authorization": "Bearer " + SECRETS["token"], "x-api-key": SECRETS["key"]}, {}])
        same(outcomes[0]["value"]["headers"]["X-Api-Key"], HIDDEN)
        same(outcomes[1]["value"], {"cookies": {}})

    def redirects(self) -> None:
        """Followed to the same operation on the same origin, and nowhere else."""
        here, other = self.base_url, f"127.0.0.1:{self.other.port}"
        name = self.host.replace("127.0.0.1", "localhost")
        away = [
            f"http://{other}/", f"//{other}/redirect-to", f"http://{name}/redirect-to?url=x", f"https://{self.host}/redirect-to?url=x",
            f"http://user:pass@{self.host}/redirect-to?url=x", f"http:\\\\{other}\\redirect-to", f"http:{other}/", f"http://{self.host}@{other}/",
            f"http://{other}#@{self.host}/redirect-to",
            "http://169.254.169.254/latest/meta-data/", "http://[::ffff:169.254.169.254]/", "http://2852039166/", "http://0xa9fea9fe/",
            "http://0251.0376.0251.0376/redirect-to", "http://metadata.google.internal/", "http://10.0.0.1/redirect-to", "http://0.0.0.0/",
            "http://[::1]/redirect-to", "ftp://127.0.0.1/", "file:///etc/passwd", "javascript:alert(1)", "data:text/plain,x",
        ]  # fmt: skip
        elsewhere = [
            "/get", "/anything", f"{here}/headers", "/redirect-to/../get", "/redirect-to/%2e%2e/get", "/redirect-to;/../headers", "get",
            "/delay/1", "/redirect-to/x", "/REDIRECT-TO?url=x",
        ]  # fmt: skip
        for server in ("bearing", "queried", "cookied", "keyed"):
            targets = away + elsewhere if server == "bearing" else away[:2] + away[10:11] + elsewhere[:1]
            calls = [Call(server, "GET", "/redirect-to", {"url": target}) for target in targets]
            outcomes, arrived = self.calls(calls)
            same(len(arrived), len(calls))
            for target, outcome in zip(targets, outcomes, strict=True):
                same((target, outcome["error"], outcome["status"]), (target, "api", 302))
                assert "the redirect was not followed" in outcome["message"], outcome
                assert "location" not in outcome["headers"], outcome
        same(self.other.received, [])

        # By way of the operation itself, with every status that redirects.
        behind = urllib.parse.quote(f"http://{other}/stolen", safe="")
        through = f"/redirect-to?url={behind}"
        codes = [301, 302, 303, 307, 308]
        calls = [Call("queried", "GET", "/redirect-to", {"url": through, "status_code": code}) for code in codes]
        outcomes, arrived = self.calls(calls)
        key = "api_key=" + urllib.parse.quote(SECRETS["query"], safe="")
        hops = []
        for code in codes:
            first = f"/redirect-to?url={urllib.parse.quote(through, safe='')}&status_code={code}&{key}"
            hops += [first, f"{through}&{key}"]
        same([request["target"] for request in arrived], hops)
        for outcome in outcomes:
            same(outcome["status"], 302)
            assert "leads away from the server's base URL" in outcome["message"], outcome
        same(self.other.received, [])

        outcomes, arrived = self.calls([
            Call("bearing", "GET", "/relative-redirect/{n}", {"n": 3}),
            Call("bearing", "GET", "/absolute-redirect/{n}", {"n": 3}),
            Call("bearing", "GET", "/relative-redirect/{n}", {"n": 9}),
            Call("bearing", "GET", "/redirect/{n}", {"n": 3}),
        ])  # fmt: skip
        ways = [("relative", 3), ("relative", 2), ("relative", 1), ("absolute", 3), ("absolute", 2), ("absolute", 1)]
        ways += [("relative", count) for count in range(9, 3, -1)]
        same([request["target"] for request in arrived], [f"/{way}-redirect/{n}" for way, n in ways] + ["/redirect/3"])
        same({request["headers"]["authorization"] for request in arrived}, {"Bearer " + SECRETS["token"]})
        same([outcome["status"] for outcome in outcomes], [302] * 4)
        assert "there were too many" in outcomes[2]["message"], outcomes[2]
        for outcome in (outcomes[0], outcomes[1], outcomes[3]):
            assert "something other than the operation" in outcome["message"], outcome

        # Requests that may change something are not sent twice. httpbin takes the URL from the query
        # only, where its document has it in a form.
        form = {"url": "/redirect-to", "status_code": 307}
        codes = [302, 303, 307, 308]
        targets = ["/redirect-to?url=/get", f"http://{other}/stolen"]
        outcomes, arrived = self.calls(
            [Call("keyed", method, "/redirect-to", {"body": form}) for method in ("POST", "PUT")]
            + [Call("keyed", method, "/redirect-to") for method in ("PATCH", "DELETE", "TRACE")]
            + [Call("more", "POST", "/redirect-to", {"url": target, "status_code": code}) for code in codes for target in targets]
        )
        same([request["method"] for request in arrived], ["POST", "PUT", "PATCH", "DELETE", "TRACE"] + ["POST"] * 8)
        same({outcome["error"] for outcome in outcomes}, {"api"})
        same([outcome["status"] for outcome in outcomes[5:]], [code for code in codes for _ in targets])
        for outcome in outcomes[5:]:
            assert "only those of `GET` and `HEAD` are" in outcome["message"], outcome
        same(self.other.received, [])

    def bodies(self) -> None:
        """What is compressed, streamed, cut in pieces, binary, text."""
        plain = {}
        paths = ["/encoding/utf8", "/html", "/xml", "/robots.txt", "/deny", "/json", "/image/png", "/image/jpeg", "/image/webp", "/image/svg", "/links/{n}/{offset}"]
        for path in paths:
            plain[path] = get(self.base_url + path.format(n=3, offset=1))
        numbers: dict[str, dict[str, Any]] = {"/links/{n}/{offset}": {"n": 3, "offset": 1}}
        outcomes, _ = self.calls([Call("bearing", "GET", path, numbers.get(path, {})) for path in paths])
        for path, outcome in zip(paths, outcomes, strict=True):
            content = plain[path]
            if path == "/json":
                same(outcome["value"], json.loads(content))
            elif path in ("/image/png", "/image/jpeg", "/image/webp"):
                same(base64.b64decode(outcome["value"]), content)
            else:
                same(outcome["value"], content.decode())

        outcomes, arrived = self.calls([
            Call("bearing", "GET", "/gzip"),
            Call("bearing", "GET", "/brotli"),
            Call("bearing", "GET", "/deflate"),
            Call("bearing", "GET", "/stream/{n}", {"n": 20}),
            Call("bearing", "GET", "/drip", {"duration": 0.2, "numbytes": 5, "delay": 0}),
            Call("bearing", "GET", "/drip", {"duration": 0, "numbytes": 3, "delay": 0, "code": 503}),
            Call("bearing", "GET", "/range/{numbytes}", {"numbytes": 70000}),
            Call("bearing", "GET", "/bytes/{n}", {"n": 1000}),
            Call("bearing", "GET", "/stream-bytes/{n}", {"n": 30000}),
            Call("more", "GET", "/range/{count}", {"count": 100, "range_": "bytes=10-19"}),
            Call("more", "GET", "/range/{count}", {"count": 100, "range_": "bytes=200-"}),
            Call("more", "GET", "/stream-bytes/{count}", {"count": 5000, "seed": 7, "chunk_size": 64}),
            Call("bearing", "GET", "/base64/{value}", {"value": base64.urlsafe_b64encode("Größe?>".encode()).decode()}),
            Call("bearing", "GET", "/ip"),
            Call("bearing", "GET", "/user-agent"),
            Call("bearing", "GET", "/uuid"),
            Call("bearing", "GET", "/image"),
        ])  # fmt: skip
        for outcome, name in zip(outcomes, ("gzipped", "brotli", "deflated"), strict=False):
            same((outcome["value"][name], outcome["value"]["headers"]["Authorization"]), (True, HIDDEN))
        lines = [json.loads(line) for line in outcomes[3]["value"].splitlines()]
        same([line["id"] for line in lines], list(range(20)))
        same({line["headers"]["Authorization"] for line in lines}, {HIDDEN})
        same(base64.b64decode(outcomes[4]["value"]), b"*****")
        same((outcomes[5]["status"], outcomes[5]["error"]), (503, "api"))
        alphabet = bytes(range(ord("a"), ord("z") + 1)) * 3000
        same(base64.b64decode(outcomes[6]["value"]), alphabet[:70000])
        same([len(base64.b64decode(outcome["value"])) for outcome in outcomes[7:9]], [1000, 30000])
        same(base64.b64decode(outcomes[9]["value"]), alphabet[10:20])
        same(arrived[9]["headers"]["range"], "bytes=10-19")
        same((outcomes[10]["status"], outcomes[10]["headers"]["content-range"]), (416, "bytes */100"))
        same(base64.b64decode(outcomes[11]["value"]), get(self.base_url + "/stream-bytes/5000?seed=7&chunk_size=64"))
        same(outcomes[12]["value"], "Größe?>")
        same(outcomes[13]["value"], {"origin": "127.0.0.1"})
        assert outcomes[14]["value"]["user-agent"].startswith("mce/"), outcomes[14]
        same(uuid.UUID(outcomes[15]["value"]["uuid"]).version, 4)
        # The document gives no answer a schema, so that any content is asked for, whatever `produces` says;
        # httpbin wants an image by its name here.
        same({request["headers"]["accept"] for request in arrived[:9]}, {"*/*"})
        same(outcomes[16]["status"], 406)

    def statuses(self) -> None:
        codes = [200, 201, 202, 203, 204, 400, 401, 403, 404, 405, 406, 409, 410, 418, 422, 429, 500, 501, 502, 503, 504, 511]
        outcomes, arrived = self.calls(
            [Call("bearing", "GET", "/status/{codes}", {"codes": code}) for code in codes]
            + [Call("plain", method, "/status/{codes}", {"codes": "200:0,409:1"}) for method in ("POST", "PUT", "PATCH", "DELETE", "TRACE")]
        )
        for code, outcome in zip(codes, outcomes, strict=False):
            if code < 300:
                same((code, outcome["value"]), (code, None))
            else:
                same((outcome["error"], outcome["status"]), ("api", code))
                assert str(code) in outcome["message"], outcome
        assert "teapot" in outcomes[codes.index(418)]["body"], outcomes
        same([outcome["status"] for outcome in outcomes[len(codes) :]], [409] * 5)
        same([request["target"] for request in arrived[len(codes) :]], ["/status/200%3A0%2C409%3A1"] * 5)

        outcomes, arrived = self.calls([
            Call("plain", "GET", "/etag/{etag}", {"etag": "tag", "if_none_match": '"tag"'}),
            Call("plain", "GET", "/etag/{etag}", {"etag": "tag", "if_match": '"other"'}),
            Call("plain", "GET", "/etag/{etag}", {"etag": "tag"}),
            Call("plain", "GET", "/cache"),
            Call("plain", "GET", "/cache", {"if_none_match": "x", "if_modified_since": "Sat, 29 Oct 1994 19:43:31 GMT"}),
            Call("plain", "GET", "/cache/{value}", {"value": 60}),
            Call("plain", "GET", "/response-headers", {"freeform": {"X-Total-Count": "3", "X-Hidden": "no", "Retry-After": "7"}}),
            Call("plain", "POST", "/response-headers", {"freeform": {"X-Total-Count": "4"}}),
            Call("plain", "GET", "/cookies/set", {"freeform": {"a": "1", "b": "x y"}}),
            Call("plain", "GET", "/cookies/delete", {"freeform": {"a": ""}}),
            Call("plain", "GET", "/cookies/set/{name}/{value}", {"name": "a", "value": "b"}),
            Call("plain", "GET", "/cookies"),
            Call("hasty", "GET", "/delay/{delay}", {"delay": 3}),
        ] + [Call("plain", method, "/delay/{delay}", {"delay": 0}) for method in ("POST", "PUT", "PATCH", "DELETE", "TRACE")])  # fmt: skip
        same([outcome.get("status") for outcome in outcomes[:2]], [304, 412])
        same(outcomes[2]["value"]["url"], self.base_url + "/etag/tag")
        same((outcomes[3]["value"]["args"], outcomes[4]["status"]), ({}, 304))
        same(arrived[4]["headers"]["if-modified-since"], "Sat, 29 Oct 1994 19:43:31 GMT")
        same(outcomes[5]["value"]["url"], self.base_url + "/cache/60")
        same((outcomes[6]["value"]["X-Hidden"], outcomes[7]["value"]["X-Total-Count"]), ("no", "4"))
        # Cookies that an API sets are nobody's: they do not come back with the next call.
        same([outcome["status"] for outcome in outcomes[8:11]], [302] * 3)
        same(arrived[8]["target"], "/cookies/set?a=1&b=x%20y")
        same(outcomes[11]["value"], {"cookies": {}})
        assert "cookie" not in arrived[11]["headers"], arrived[11]
        same((outcomes[12]["error"], outcomes[12]["status"]), ("api", 0))
        assert "gave no answer within 1 s" in outcomes[12]["message"], outcomes[12]
        same([outcome["value"]["url"] for outcome in outcomes[13:]], [self.base_url + "/delay/0"] * 5)

    def requests(self) -> None:
        """What is sent arrives as it was given."""
        text = "a b+c&d=e/f?g#h%20é;\"'"
        methods = ("GET", "POST", "PUT", "PATCH", "DELETE", "TRACE")
        outcomes, arrived = self.calls(
            [Call("plain", method, "/anything") for method in methods]
            + [Call("plain", method, "/anything/{anything}", {"anything": text.replace("/", "")}) for method in methods]
            + [Call("plain", method, f"/{method.lower()}") for method in ("GET", "POST", "PUT", "PATCH", "DELETE")]
        )
        for outcome, method in zip(outcomes, methods * 2, strict=False):
            same(outcome["value"]["method"], method)
        same({request["target"] for request in arrived[6:12]}, {"/anything/" + urllib.parse.quote(text.replace("/", ""), safe="")})
        same([outcome["value"]["url"] for outcome in outcomes[12:]], [f"{self.base_url}/{method.lower()}" for method in methods[:5]])

        content = bytes(range(256))
        body = {"text": text, "big": 2**70, "list": [1, None, True], "ä": {"deep": [{}]}}
        form = {"text": text, "other": "ä"}
        outcomes, arrived = self.calls([
            Call("more", "GET", "/anything",
                 {"list_": ["a,b", "c&d", text], "deep": {"k": text, "l": "2"}, "x_own": "own; value", "crumb": "c1"}),
            Call("more", "POST", "/anything", {"body": body}),
            Call("more", "POST", "/anything", {"body": form}, "application/x-www-form-urlencoded"),
            Call("more", "POST", "/anything", {"body": {"name": text, "file": ("a.bin", content)}}, "multipart/form-data"),
            Call("more", "POST", "/anything", {"body": text}, "text/plain"),
            Call("more", "POST", "/anything", {"body": content}, "application/octet-stream"),
        ])  # fmt: skip
        values = [outcome["value"] for outcome in outcomes]
        same(values[0]["args"], {"list": ["a,b", "c&d", text], "deep[k]": text, "deep[l]": "2"})
        same((values[0]["headers"]["X-Own"], arrived[0]["headers"]["cookie"]), ("own; value", "crumb=c1"))
        same((values[1]["json"], arrived[1]["headers"]["content-type"]), (body, "application/json"))
        same(values[2]["form"], form)
        same(values[3]["form"], {"name": text})
        encoded = "data:application/octet-stream;base64," + base64.b64encode(content).decode()
        same(values[3]["files"], {"file": encoded})
        same((values[4]["data"], values[5]["data"]), (text, encoded))


def check(mce: Path, work: Path, base_url: str, document: bytes, record: Path) -> str:
    folder = work / "httpbin"
    folder.mkdir()
    (folder / "httpbin.json").write_bytes(document)
    (folder / "more.json").write_text(json.dumps(MORE), encoding="utf-8")
    auth = {
        "plain": "", "cookied": "", "envied": "",
        "basic": "auth: {type: basic, username: '${BIN_USER}', password: '${BIN_PASSWORD}'}",
        "bearing": "auth: {type: jwt, token: '${BIN_TOKEN}'}",
        "keyed": "auth: {type: api_key, value: '${BIN_KEY}', in: header, name: X-Api-Key}\n"
                 "    extra_headers: {X-Second-Key: '${BIN_SECOND}', X-Team: blue}",
        "queried": "auth: {type: api_key, value: '${BIN_QUERY}', in: query, name: api_key}",
        "crumbed": "auth: {type: api_key, value: '${BIN_CRUMB}', in: cookie, name: crumb}",
        "hasty": "timeout_seconds: 1",
    }  # fmt: skip
    entries = [
        f"  - name: {name}\n    swagger_url: httpbin.json\n    base_url: {base_url}\n    {more}\n" for name, more in auth.items()
    ]
    entries.append(f"  - name: more\n    swagger_url: more.json\n    base_url: {base_url}\n")
    variables = {
        "BIN_USER": USER, "BIN_PASSWORD": SECRETS["password"], "BIN_TOKEN": SECRETS["token"], "BIN_KEY": SECRETS["key"],
        "BIN_SECOND": SECRETS["second key"], "BIN_QUERY": SECRETS["query"], "BIN_CRUMB": SECRETS["crumb"],
        "MCE_ENVIED_AUTH": "Bearer " + SECRETS["variable"], "MCE_ENVIED_EXTRA_HEADERS": json.dumps({"X-Api-Token": SECRETS["header"]}),
        "MCE_COOKIED_COOKIE": f"session={SECRETS['cookie']}; theme={SECRETS['theme']}",
        "MCE_MORE_AUTH": "Bearer " + SECRETS["token"], "MCE_MORE_API_KEY": SECRETS["key"],
        "MCE_MAX_INLINE_BYTES": "1m",
    }  # fmt: skip
    project = Project(mce, folder, "servers:\n" + "".join(entries), variables)
    other = Listener()
    checks = Check(project, base_url, Arrived(record), other)
    checks.credentials()
    checks.redirects()
    checks.bodies()
    checks.statuses()
    checks.requests()
    uncalled = set(project.names("plain")) - checks.called
    same(uncalled, set())
    same(project.manifest("plain")["skipped"], [])
    same(other.received, [])
    # The listener would have seen a connection.
    get(f"http://127.0.0.1:{other.port}/here")
    assert b"GET /here" in other.received[0], other.received
    same(hits("".join(project.said).encode(), SECRETS), [])
    # What arrived holds each of them, so that the search would find them.
    same({hit.partition(" (")[0] for hit in hits(record.read_bytes(), SECRETS)}, set(SECRETS))
    count = len(project.names("plain"))
    return f"httpbin: all {count} operations called and right, {checks.count} calls, {len(SECRETS)} secrets seen nowhere"

