"""How ``mce_runtime.py`` sends requests itself: against a server on loopback.

All of it is left out where httpx is missing.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import socket
import threading
import traceback
import unittest
import weakref
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar

from tested import HAS_HTTPX, OnLoopback, load, make_stub



runtime = load("mce_runtime_outside")


class Handler(BaseHTTPRequestHandler):
    """Records what came and answers what was prepared."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    seen: ClassVar[list[dict[str, Any]]] = []
    connections: ClassVar[set[Any]] = set()
    answer: ClassVar[tuple[int, dict[str, str], bytes]] = (200, {}, b"")

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        self.connections.add(self.client_address)
        self.seen.append(
            {
                "method": self.command,
                "target": self.requestline.split(" ")[1],
                "headers": {name.lower(): value for name, value in self.headers.items()},
                "body": self.rfile.read(length),
            }
        )
        status, headers, body = self.answer
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_DELETE = do_GET

    def log_message(self, format: str, *args: Any) -> None:
        pass


SECRETS = {
    "AUTH": "Bearer s3cret-auth",
    "API_KEY": "s3cret-key",
    "COOKIE": "session=s3cret-cookie; theme=dark1",
    "EXTRA_HEADERS": '{"X-Tenant": "s3cret-extra"}',
}
JSON = {"Content-Type": "application/json"}


@unittest.skipUnless(HAS_HTTPX, "httpx is not installed")
class Outside(OnLoopback):
    """Against a server on loopback."""

    handler = Handler

    def setUp(self) -> None:
        Handler.seen.clear()
        Handler.connections.clear()
        Handler.answer = (200, JSON, b'{"name": "Rex"}')
        self.environment(BASE_URL=f"http://127.0.0.1:{self.server.server_port}/v1/")

    def environment(self, **values: str | None) -> None:
        for name in ("BASE_URL", *SECRETS):
            if name in values or name != "BASE_URL":
                os.environ.pop(f"MCE_ZOO_{name}", None)
        for name, value in values.items():
            if value is not None:
                os.environ[f"MCE_ZOO_{name}"] = value

    def test_a_request(self) -> None:
        stub = make_stub(runtime, method="POST")
        value = stub(
            pet_id="a/b|é.", limit=3, tags=["x,y", "z"], trace="t", sid="s", body={"é": None}
        )
        self.assertEqual(value, {"name": "Rex"})
        (seen,) = Handler.seen
        self.assertEqual(seen["target"], "/v1/pets/a%2Fb%7C%C3%A9.?limit=3&tags=x%2Cy,z")
        self.assertEqual(seen["body"], '{"é":null}'.encode())
        for name, value in {
            "accept": "application/json",
            "content-type": "application/json",
            "x-trace": "t",
            "cookie": "sid=s",
        }.items():
            self.assertEqual(seen["headers"].get(name), value)
        self.assertNotIn("authorization", seen["headers"])

    def test_a_base_url_of_its_own_counts_where_the_environment_names_none(self) -> None:
        own = f"http://127.0.0.1:{self.server.server_port}/upload"
        make_stub(runtime, base_url=own)(pet_id="a")
        self.environment(BASE_URL=None)
        make_stub(runtime, base_url=own)(pet_id="a")
        targets = [seen["target"] for seen in Handler.seen]
        self.assertEqual(targets, ["/v1/pets/a", "/upload/pets/a"])

    def test_a_stream_is_read_as_it_arrives_and_closed_when_it_is_dropped(self) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        hung_up = threading.Event()

        def serve() -> None:
            for _ in range(4):
                connection, _ = listener.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(
                        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
                        b"connection: close\r\n\r\ndata: {\"n\":1}\n\ndata: 2\n\ndata: "
                    )
                    # Nothing more comes; it ends when the client hangs up.
                    connection.settimeout(5)
                    if connection.recv(1) == b"":
                        hung_up.set()

        threading.Thread(target=serve, daemon=True).start()
        self.environment(BASE_URL=f"http://127.0.0.1:{listener.getsockname()[1]}")
        api = runtime.Api("zoo", base_url_env="MCE_ZOO_BASE_URL", auth_env="MCE_ZOO_AUTH")

        @api.operation("GET", "/e", responses={"200": "jsonevents"})
        def watch() -> Any:
            raise NotImplementedError

        with watch() as stream:
            self.assertEqual(next(stream).data, {"n": 1})
            self.assertEqual(next(stream).data, 2)
        self.assertTrue(hung_up.wait(5), "closed at the end of `with`")
        hung_up.clear()
        stream = watch()
        del stream
        self.assertTrue(hung_up.wait(5), "closed when dropped, though it never began")
        hung_up.clear()
        for event in watch():
            self.assertEqual(event, runtime.Event({"n": 1}))
            break
        self.assertTrue(hung_up.wait(5), "closed when left")
        hung_up.clear()

        async def first() -> Any:
            async with await watch.aio() as stream:
                async for event in stream:
                    return event.data

        self.assertEqual(asyncio.run(first()), {"n": 1})
        self.assertTrue(hung_up.wait(5), "closed at the end of `async with`")

    def test_another_content_type_is_selected(self) -> None:
        api = runtime.Api("zoo", base_url_env="MCE_ZOO_BASE_URL", auth_env="MCE_ZOO_AUTH")

        @api.operation("DELETE", "/p", body=("body", "application/json", "text/csv"))
        def drop(*, body: Any) -> Any:
            raise NotImplementedError

        drop.with_content_type("text/csv")(body="a,b")
        drop(body=["a"])
        csv, json_ = Handler.seen
        self.assertEqual((csv["body"], csv["headers"]["content-type"]), (b"a,b", "text/csv"))
        self.assertEqual((json_["method"], json_["body"]), ("DELETE", b'["a"]'))
        with self.assertRaisesRegex(TypeError, "only as"):
            drop.with_content_type("text/plain")

    def test_nothing_is_sent_that_was_not_given(self) -> None:
        make_stub(runtime)(pet_id="a")
        (seen,) = Handler.seen
        self.assertEqual(seen["target"], "/v1/pets/a")
        self.assertEqual(
            set(seen["headers"]), {"host", "accept", "accept-encoding", "user-agent"}
        )

    def test_credentials(self) -> None:
        self.environment(**SECRETS)
        places = (("header", "X-Key"), ("query", "key name"), ("cookie", "key"))
        make_stub(runtime, api_key=places)(pet_id="a", sid="s", limit=1)
        (seen,) = Handler.seen
        self.assertEqual(seen["target"], "/v1/pets/a?limit=1&key%20name=s3cret-key")
        headers = seen["headers"]
        self.assertEqual(headers["authorization"], "Bearer s3cret-auth")
        self.assertEqual(headers["x-key"], "s3cret-key")
        self.assertEqual(headers["x-tenant"], "s3cret-extra")
        self.assertEqual(
            headers["cookie"], "sid=s; key=s3cret-key; session=s3cret-cookie; theme=dark1"
        )

    def test_the_long_form_of_the_auth_variable(self) -> None:
        self.environment(AUTH="Authorization: Basic abcd")
        make_stub(runtime)(pet_id="a")
        self.assertEqual(Handler.seen[0]["headers"]["authorization"], "Basic abcd")

    def test_an_operation_without_security_gets_no_credential(self) -> None:
        self.environment(**SECRETS)
        make_stub(runtime, auth=False)(pet_id="a")
        self.assertNotIn("s3cret-auth", str(Handler.seen))
        self.assertNotIn("s3cret-key", str(Handler.seen))

    def test_userinfo_is_basic_authorization_and_no_part_of_the_url(self) -> None:
        self.environment(BASE_URL=f"http://us%40er:pw@127.0.0.1:{self.server.server_port}")
        make_stub(runtime)(pet_id="a")
        (seen,) = Handler.seen
        self.assertEqual(seen["target"], "/pets/a")
        self.assertEqual(seen["headers"]["authorization"], "Basic dXNAZXI6cHc=")

    def test_redirects_are_not_followed_and_cookies_not_kept(self) -> None:
        Handler.answer = (302, {"Location": "/other", "Set-Cookie": "a=b"}, b"")
        stub = make_stub(runtime)
        for _ in range(2):
            with self.assertRaises(runtime.ApiError) as caught:
                stub(pet_id="a")
            self.assertEqual(str(caught.exception), "302 Found")
        self.assertEqual([seen["target"] for seen in Handler.seen], ["/v1/pets/a"] * 2)
        self.assertNotIn("cookie", Handler.seen[1]["headers"])

    def test_an_error_shows_status_and_message_and_no_secret(self) -> None:
        host = f"127.0.0.1:{self.server.server_port}"
        self.environment(BASE_URL=f"http://s3cret-user:s3cret-pass@{host}/v1", **SECRETS)
        echo = " ".join([*SECRETS.values(), "s3cret-user", "s3cret-pass"])
        Handler.answer = (
            403,
            {**JSON, "ETag": "e", "X-RateLimit-Left": "1", "Set-Cookie": "a=b", "X-Own": "c"},
            json.dumps({"message": f"no: {echo}"}).encode(),
        )
        with self.assertRaises(runtime.ApiError) as caught:
            make_stub(runtime, api_key=(("header", "X-Key"),))(pet_id="a")
        error = caught.exception
        self.assertTrue(str(error).startswith("403 Forbidden: no: *** ***"), str(error))
        shown = f"{error}{error!r}{''.join(traceback.format_exception(error))}{error.headers}"
        self.assertNotIn("s3cret", shown)
        self.assertEqual(error.status, 403)
        self.assertEqual(set(error.headers), {"content-type", "etag", "x-ratelimit-left"})

    def test_a_secret_is_not_cut_into_readable_parts(self) -> None:
        self.environment(AUTH="Bearer abcdefghijklmnop")
        Handler.answer = (400, {}, b"x" * 270 + b" abcdefghijklmnop" * 5)
        with self.assertRaises(runtime.ApiError) as caught:
            make_stub(runtime)(pet_id="a")
        self.assertNotIn("abc", str(caught.exception))

    def test_no_answer_shows_no_secret(self) -> None:
        self.environment(BASE_URL="http://s3cret-user:s3cret-pass@127.0.0.1:9/v1", **SECRETS)
        stub = make_stub(runtime, api_key=(("query", "key"),))
        for call in (lambda: stub(pet_id="a"), lambda: asyncio.run(stub.aio(pet_id="a"))):
            with self.assertRaises(runtime.ApiError) as caught:
                call()
            error = caught.exception
            self.assertEqual(error.status, 0)
            self.assertEqual(
                str(error),
                "no answer from the server 'zoo': ConnectError; "
                "the environment variable MCE_ZOO_BASE_URL says where it is",
            )
            shown = f"{error!r}{''.join(traceback.format_exception(error))}"
            self.assertNotIn("s3cret", shown)

    def test_settings_that_cannot_be_used_are_named_and_not_shown(self) -> None:
        stub = make_stub(runtime)
        for name, value in [
            ("AUTH", "s3cret\nX-Evil: 1"),
            ("COOKIE", "a=s3crét"),
            ("EXTRA_HEADERS", "s3cret"),
            ("EXTRA_HEADERS", '{"X-A": ["s3cret"]}'),
            ("EXTRA_HEADERS", '{"X-A": "s3cret\\nX-Evil: 1"}'),
            ("BASE_URL", "ftp://s3cret@host/"),
            ("BASE_URL", "https://s3cret:99999999/"),
            ("BASE_URL", "https://host/?key=s3cret"),
        ]:
            kept = os.environ["MCE_ZOO_BASE_URL"]
            self.environment(**{name: value})
            with self.assertRaises(RuntimeError) as caught:
                stub(pet_id="a")
            os.environ["MCE_ZOO_BASE_URL"] = kept
            shown = "".join(traceback.format_exception(caught.exception))
            self.assertIn(f"MCE_ZOO_{name}", str(caught.exception))
            self.assertNotIn("s3cr", shown.partition("Error:")[2])

    def test_none_for_a_required_argument_that_may_be_null_is_null(self) -> None:
        api = runtime.Api("zoo", base_url_env="MCE_ZOO_BASE_URL", auth_env="MCE_ZOO_AUTH")

        @api.operation("POST", "/p", body=("body", "application/json"))
        def put(*, body: dict[str, int] | None) -> Any:
            raise NotImplementedError

        put(body=None)
        self.assertEqual([seen["body"] for seen in Handler.seen], [b"null"])
        with self.assertRaisesRegex(TypeError, "missing 1 required"):
            put()

    def test_a_missing_base_url_is_named(self) -> None:
        kept = os.environ.pop("MCE_ZOO_BASE_URL")
        with self.assertRaisesRegex(RuntimeError, "MCE_ZOO_BASE_URL"):
            make_stub(runtime)(pet_id="a")
        os.environ["MCE_ZOO_BASE_URL"] = kept

    def test_dot_segments_are_refused(self) -> None:
        for value in (".", ".."):
            with self.assertRaisesRegex(ValueError, "path segment"):
                make_stub(runtime)(pet_id=value)
        self.assertEqual(Handler.seen, [])
        make_stub(runtime)(pet_id="../a")
        self.assertEqual(Handler.seen[0]["target"], "/v1/pets/..%2Fa")

    def test_calls_share_a_connection(self) -> None:
        stub = make_stub(runtime)
        for _ in range(3):
            stub(pet_id="a")
        self.assertEqual(len(Handler.connections), 1)

    def test_awaited_calls_run_at_once_and_in_any_loop(self) -> None:
        stub = make_stub(runtime)

        async def calls() -> list[Any]:
            return await asyncio.gather(*(stub.aio(pet_id="a", limit=i) for i in range(5)))

        for _ in range(2):
            self.assertEqual(asyncio.run(calls()), [{"name": "Rex"}] * 5)
        self.assertEqual(len(Handler.seen), 10)


@unittest.skipUnless(HAS_HTTPX, "httpx is missing")
class AsyncClients(unittest.TestCase):
    def test_the_client_of_a_loop_that_ended_is_freed(self) -> None:
        module = load("mce_runtime_clients")

        async def use() -> Any:
            return weakref.ref(module._async_client())

        clients = [asyncio.run(use()) for _ in range(5)]
        gc.collect()
        self.assertEqual(len(module._async_clients), 1)
        self.assertEqual([client() is None for client in clients[:-1]], [True] * 4)


if __name__ == "__main__":
    unittest.main()
