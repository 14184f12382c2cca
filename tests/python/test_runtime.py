"""How ``mce_runtime.py`` behaves beyond encoding: arguments, both backends, errors, secrets.

Runs with the standard library alone; what sends requests is left out where httpx is missing.
"""

from __future__ import annotations

import asyncio
import collections
import dataclasses
import datetime
import decimal
import enum
import gc
import importlib.util
import inspect
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import types
import unittest
import uuid
import weakref
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

from tested import load, runtime_path

SHOWN_HEADERS = Path(__file__).parents[1] / "fixtures" / "shown_headers.json"
HAS_HTTPX = importlib.util.find_spec("httpx") is not None


runtime = load("mce_runtime")


JSON_BODY = ("body", "application/json")


def make_stub(
    module: Any, *, method: str = "GET", body: tuple[str, ...] = JSON_BODY, **options: Any
) -> Any:
    """``get_pet`` with one of each kind of argument."""
    api = module.Api("zoo", base_url_env="MCE_ZOO_BASE_URL", auth_env="MCE_ZOO_AUTH")

    @api.operation(
        method,
        "/pets/{petId}",
        path={"pet_id": ("simple", False, "petId")},
        query={"limit": "form", "tags": ("form", False)},
        header={"trace": ("simple", False, "X-Trace")},
        cookie={"sid": "form"},
        body=body,
        accept="application/json",
        responses={"200": "json", "default": "json"},
        **options,
    )
    def get_pet(
        *,
        pet_id: str,
        limit: int | None = None,
        tags: list[str] | None = None,
        trace: str | None = None,
        sid: str | None = None,
        body: Any = None,
    ) -> Any:
        """Finds a pet."""
        raise NotImplementedError

    return get_pet


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


class Name(str):
    pass


@dataclasses.dataclass
class Point:
    x: int
    tags: tuple[str, ...] = ("a",)


class Model:
    """As pydantic's models look from outside."""

    def model_dump(self, *, mode: str, by_alias: bool) -> dict[str, Any]:
        return {"mode": mode, "by_alias": by_alias}


class Arguments(unittest.TestCase):
    def plain(self, value: Any) -> Any:
        return runtime._plain(value, [])

    def test_values_become_plain(self) -> None:
        utc = datetime.UTC
        for value, expected in [
            (None, None),
            (runtime.NULL, None),
            (True, True),
            (Colour.RED, "red"),
            (Level.HIGH, 3),
            (Name("n"), "n"),
            (datetime.datetime(2024, 2, 29, 1, 2, 3, tzinfo=utc), "2024-02-29T01:02:03+00:00"),
            (datetime.date(2024, 2, 29), "2024-02-29"),
            (datetime.time(1, 2), "01:02:00"),
            (decimal.Decimal("1.10"), "1.10"),
            (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
            (Point(1), {"x": 1, "tags": ["a"]}),
            (Model(), {"mode": "json", "by_alias": True}),
            ((1, (2,)), [1, [2]]),
            ({3}, [3]),
            (range(2), [0, 1]),
            ((item for item in "ab"), ["a", "b"]),
            (collections.OrderedDict(a=1), {"a": 1}),
            (
                {1: "a", None: "b", False: "c", 1.5: "d"},
                {"1": "a", "null": "b", "false": "c", "1.5": "d"},
            ),
            ({Colour.RED: Level.HIGH}, {"red": 3}),
            (bytearray(b"ab"), b"ab"),
            (memoryview(b"ab"), b"ab"),
            ([runtime.NULL, {"a": runtime.NULL}], [None, {"a": None}]),
        ]:
            found = self.plain(value)
            self.assertEqual(repr(found), repr(expected), value)
            self.assertEqual(type(found) in (type(expected), runtime._RawNumber), True)

    def test_a_decimal_is_a_number_in_json(self) -> None:
        value = self.plain({"price": decimal.Decimal("1.10"), "n": [decimal.Decimal("1E+30")]})
        self.assertEqual(runtime._json(value), '{"price":1.10,"n":[1E+30]}')

    def test_what_has_no_json_is_refused(self) -> None:
        cycle: list[Any] = []
        cycle.append([cycle, cycle])
        deep: list[Any] = []
        for _ in range(300):
            deep = [deep]
        for value, kind, text in [
            (float("nan"), ValueError, "must be a finite number, not nan"),
            ([float("-inf")], ValueError, "must be a finite number, not -inf"),
            (decimal.Decimal("NaN"), ValueError, "must be a finite number, not NaN"),
            (cycle, ValueError, "holds itself"),
            (deep, ValueError, "is nested deeper than 100 levels"),
            ("\ud800", ValueError, "holds a lone surrogate, which UTF-8 cannot express"),
            ({"\ud800": 1}, ValueError, "holds a lone surrogate, which UTF-8 cannot express"),
            (object(), TypeError, "cannot be of type object"),
            (Point, TypeError, "cannot be of type type"),
            (datetime.timedelta(1), TypeError, "cannot be of type timedelta"),
            ({(1, 2): 3}, TypeError, "has a key of type tuple"),
        ]:
            with self.assertRaises(kind) as caught:
                self.plain(value)
            self.assertEqual(str(caught.exception), text)

    def test_a_value_that_is_there_twice_is_no_cycle(self) -> None:
        shared = [1]
        self.assertEqual(self.plain([shared, shared]), [[1], [1]])


class Stubs(unittest.TestCase):
    def test_a_stub_looks_like_its_function(self) -> None:
        stub = make_stub(runtime)
        self.assertEqual(stub.__name__, "get_pet")
        self.assertEqual(stub.__module__, __name__)
        self.assertEqual(stub.__doc__, "Finds a pet.")
        self.assertTrue(inspect.isfunction(stub.__wrapped__))
        self.assertEqual(list(inspect.signature(stub).parameters)[:2], ["pet_id", "limit"])
        self.assertEqual(repr(stub), "<operation zoo.get_pet>")

    def test_wrong_calls_raise_what_python_raises(self) -> None:
        stub = make_stub(runtime)
        for args, kwargs, text in [
            ((), {}, "get_pet() missing 1 required keyword-only argument: 'pet_id'"),
            ((), {"pet_id": None}, "get_pet() missing 1 required keyword-only argument: 'pet_id'"),
            (("a",), {}, "get_pet() takes 0 positional arguments but 1 was given"),
            (("a", "b"), {}, "get_pet() takes 0 positional arguments but 2 were given"),
            (
                (),
                {"x": 1},
                "get_pet() got an unexpected keyword argument 'x'; "
                "it takes 'pet_id', 'limit', 'tags', 'trace', 'sid', 'body'",
            ),
            ((), {"pet_id": object()}, "get_pet() argument 'pet_id' cannot be of type object"),
        ]:
            with self.assertRaises(TypeError) as caught:
                stub(*args, **kwargs)
            self.assertEqual(str(caught.exception), text)
        with self.assertRaises(ValueError):
            stub(pet_id="a", limit=float("nan"))

    def test_a_newer_module_names_the_way_out(self) -> None:
        with self.assertRaisesRegex(RuntimeError, "'zoo' use shiny.*`mce compile`"):
            make_stub(runtime, shiny=True)
        with self.assertRaisesRegex(RuntimeError, "`mce compile`"):
            runtime.Api("zoo", base_url_env="A", auth_env="B", shiny=1)

    def test_public_names(self) -> None:
        self.assertEqual(
            runtime.__all__, ["NULL", "ApiError", "Event", "EventStream", "ItemStream"]
        )
        self.assertFalse(runtime.NULL)
        self.assertEqual(repr(runtime.NULL), "NULL")

    def test_the_import_is_light(self) -> None:
        # What a thousand stubs and every execution pay for.
        for name in ("httpx", "asyncio", "inspect", "dataclasses", "decimal", "urllib.parse"):
            self.assertNotIn(f"import {name}\n", runtime_path().read_text().split("__all__")[0])


CLIENT = """
from __future__ import annotations

from typing import Literal, TypedDict

from mce_runtime import Api

_api = Api("zoo", base_url_env="MCE_ZOO_BASE_URL", auth_env="MCE_ZOO_AUTH")


class Pet(TypedDict):
    name: str


@_api.operation("GET", "/pets/{id}", path={"id": "simple"}, query={"size": ("form", False)})
def get_pet(*, id: str, size: list[Literal["s", "l"]] | None = None) -> Pet:
    raise NotImplementedError


@_api.operation("GET", "/pets", query={"page": "form"}, pages={"kind": "link", "items": ""})
def list_pets(*, page: int | None = None) -> list[Pet]:
    raise NotImplementedError


@_api.operation("GET", "/all", query={"page": "form"}, pages={"kind": "link", "items": ""})
def maybe_pets(*, page: int | None = None) -> list[Pet] | None:
    raise NotImplementedError


@_api.operation("GET", "/some", query={"page": "form"}, pages={"kind": "link", "items": "a"})
def some_pets(*, page: int | None = None) -> dict[str, list[Pet]]:
    raise NotImplementedError
"""
CALLER = """
from client import Pet, get_pet, list_pets, maybe_pets, some_pets
from mce_runtime import NULL, ApiError


async def calls() -> Pet:
    pet: Pet = get_pet(id="a", size=["s"])
    try:
        pet = await get_pet.aio(id="a", size=NULL)
    except ApiError as error:
        print(error.status + 1, error.headers["etag"].lower())
    for pets in list_pets.pages(page=1):
        pets.append(pet)
    async for pets in list_pets.pages.aio():
        pets.append(pet)
    async for found in list_pets.items.aio():
        pet = found
    for found in maybe_pets.items(page=2):
        pet = found
    for anything in some_pets.items():
        print(anything["whatever"])
    return pet


list_pets.pages(page="1")  # wrong: the type
list_pets.items.aio(size=1)  # wrong: the name
for found in list_pets.items():
    found["nothing"]  # wrong: the key
for found in maybe_pets.items():
    found["nothing"]  # wrong: the key
for pets in list_pets.pages.aio():  # wrong: asynchronous
    pass
get_pet(id=1)  # wrong: the type
get_pet("a")  # wrong: by position
get_pet(id="a", size=["m"])  # wrong: the literal
get_pet()  # wrong: missing
"""


@unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
class Types(unittest.TestCase):
    def test_the_runtime_is_strict_and_types_its_callers(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(runtime_path(), Path(folder, "mce_runtime.py"))
            Path(folder, "client.py").write_text(CLIENT)
            Path(folder, "caller.py").write_text(CALLER)
            done = subprocess.run(
                [sys.executable, "-m", "mypy", "--strict", "--python-version", "3.11"]
                + ["--config-file=", "--cache-dir", f"{folder}/cache", "--hide-error-context"]
                + ["mce_runtime.py", "client.py", "caller.py"],
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
            )
        found = {line.partition(": ")[0] for line in done.stdout.splitlines() if ": error:" in line}
        lines = enumerate(CALLER.splitlines(), 1)
        wrong = {f"caller.py:{number}" for number, line in lines if "# wrong" in line}
        self.assertEqual(found, wrong, done.stdout + done.stderr)


@unittest.skipUnless(importlib.util.find_spec("pydantic"), "pydantic is not installed")
class Pydantic(unittest.TestCase):
    def test_a_model_is_sent_by_its_aliases(self) -> None:
        import pydantic

        class Pet(pydantic.BaseModel):
            pet_name: str = pydantic.Field(alias="petName")
            born: datetime.date
            tag: str | None = None

        pet = Pet(petName="Rex", born=datetime.date(2024, 2, 29))
        expected = {"petName": "Rex", "born": "2024-02-29", "tag": None}
        self.assertEqual(runtime._plain([pet], []), [expected])


class RawNumber(str):
    pass


class Inside(unittest.TestCase):
    """With a host as the sandbox offers it."""

    def setUp(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.answer: tuple[str, Any] = ("ok", {"name": "Rex"})
        host: Any = types.ModuleType("_mce_host")

        def call(*call: Any) -> tuple[str, Any]:
            self.calls.append(call)
            return self.answer

        async def call_async(*call: Any) -> tuple[str, Any]:
            self.calls.append(call)
            return self.answer

        host.call, host.call_async, host.RawNumber = call, call_async, RawNumber
        sys.modules["_mce_host"] = host
        self.addCleanup(sys.modules.pop, "_mce_host")
        self.runtime = load("mce_runtime_inside")
        self.stub = make_stub(self.runtime)

    def test_a_page_that_is_a_stream_is_a_list(self) -> None:
        stub = make_stub(self.runtime, pages={"kind": "page", "parameter": "limit", "items": ""})
        answers = [("items", [[1, 2], None]), ("items", [[], None])]
        self.runtime._host.call = lambda *call: answers.pop(0)
        self.assertEqual(list(stub.pages(pet_id="a")), [[1, 2]])

    def test_a_page_is_asked_for_with_the_chosen_media_type(self) -> None:
        asked = []

        def page(*call: Any, **further: Any) -> tuple[str, Any, None]:
            asked.append((call[3], further))
            return "ok", [], None

        self.runtime._host.page = page
        stub = make_stub(
            self.runtime,
            body=("body", "application/json", "text/csv"),
            pages={"kind": "link", "items": ""},
        )
        list(stub.with_content_type("text/csv").pages(pet_id="a"))
        self.assertEqual(asked, [(None, {"content_type": "text/csv"})])

    def test_streams_hold_what_the_host_read(self) -> None:
        event = {"data": {"a": 1}, "event": "add", "id": "7", "retry": None}
        cut = {"kind": "limit", "message": "the stream goes on"}
        self.answer = ("events", [[event], cut])
        stream = self.stub(pet_id="a")
        self.assertTrue(stream.is_cut)
        self.assertIsInstance(stream, self.runtime.EventStream)
        found = next(stream)
        # Whoever goes on to its end learns that it is none.
        with self.assertRaisesRegex(self.runtime.EgressError, "the stream goes on"):
            next(stream)
        self.assertEqual((found.data, found.event, found.id), ({"a": 1}, "add", "7"))
        self.answer = ("items", [[1], {"kind": "network", "message": "broke off"}])
        stream = self.stub(pet_id="a")
        self.assertEqual(next(stream), 1)
        with self.assertRaisesRegex(self.runtime.ApiError, "broke off"):
            next(stream)
        self.answer = ("items", [[1, 2], None])

        async def items() -> list[Any]:
            return [item async for item in await self.stub.aio(pet_id="a")]

        self.assertEqual(asyncio.run(items()), [1, 2])

    def test_a_call_goes_to_the_host(self) -> None:
        value = self.stub(
            pet_id=uuid.UUID(int=1), limit=None, tags=("a",), body={"n": self.runtime.NULL}
        )
        self.assertEqual(value, {"name": "Rex"})
        arguments = {
            "pet_id": "00000000-0000-0000-0000-000000000001",
            "tags": ["a"],
            "body": {"n": None},
        }
        self.assertEqual(self.calls, [("zoo", "get_pet", arguments)])

    def test_null_and_decimal(self) -> None:
        self.stub(pet_id="a", limit=self.runtime.NULL, body=decimal.Decimal("1.10"))
        arguments = self.calls[0][2]
        self.assertEqual(arguments, {"pet_id": "a", "limit": None, "body": "1.10"})
        self.assertIs(type(arguments["body"]), RawNumber)

    def test_an_awaited_call(self) -> None:
        self.assertEqual(asyncio.run(self.stub.aio(pet_id="a")), {"name": "Rex"})

    def test_errors(self) -> None:
        module = self.runtime
        for kind, raised in [
            ("argument", TypeError),
            ("egress", module.EgressError),
            ("limit", module.EgressError),
            ("internal", RuntimeError),
            ("unheard of", RuntimeError),
            ("network", module.ApiError),
        ]:
            self.answer = ("error", {"kind": kind, "message": "why"})
            with self.assertRaises(raised) as caught:
                self.stub(pet_id="a")
            self.assertEqual(str(caught.exception), "why")
        self.assertEqual(caught.exception.status, 0)
        self.answer = (
            "error",
            {
                "kind": "api",
                "message": "404 Not Found",
                "status": 404,
                "body": {"a": 1},
                "headers": {"etag": "x"},
            },
        )
        with self.assertRaises(module.ApiError) as caught:
            asyncio.run(self.stub.aio(pet_id="a"))
        error = caught.exception
        self.assertEqual((error.status, error.body, error.headers), (404, {"a": 1}, {"etag": "x"}))
        self.assertEqual(
            (str(error), repr(error)), ("404 Not Found", "ApiError(404, '404 Not Found')")
        )


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
class Headers(unittest.TestCase):
    """Which headers of an answer a caller may see."""

    def test_they_are_those_that_the_host_shows(self) -> None:
        listed = json.loads(SHOWN_HEADERS.read_text())
        self.assertEqual(sorted(runtime._VISIBLE_HEADERS), listed["names"])
        self.assertEqual(list(runtime._VISIBLE_PREFIXES), listed["prefixes"])


class Outside(unittest.TestCase):
    """Against a server on loopback."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        cls.server.daemon_threads = True
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.server.shutdown()
        cls.server.server_close()

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


class Streams(unittest.TestCase):
    """Streams without a server."""

    def reader(self, content_type: str) -> Any:
        return runtime._reader(make_stub(runtime)._spec, 200, content_type)

    def test_an_answer_without_a_body_is_no_stream(self) -> None:
        for method, status in (("GET", 204), ("POST", 205), ("HEAD", 200)):
            spec = make_stub(runtime, method=method)._spec
            self.assertIsNone(runtime._reader(spec, status, "text/event-stream"))

    def test_a_long_line_is_read_in_linear_time(self) -> None:
        for content_type, size in (("application/jsonl", 4 << 20), ("text/event-stream", 4 << 20)):
            reader = self.reader(content_type)
            begun = time.process_time()
            for _ in range(size // 64):
                reader.feed(b"x" * 64)
            # Minutes, where every piece is added to all that came before it and searched again.
            self.assertLess(time.process_time() - begun, 5)

    def test_a_line_without_an_end_is_not_held_for_ever(self) -> None:
        for content_type, text in (
            ("application/jsonl", b"x" * 1000),
            ("text/event-stream", b"x" * 1000),
            ("text/event-stream", b"data: " + b"x" * 1000 + b"\n"),
        ):
            reader = self.reader(content_type)
            original, runtime._MAX_LINE = runtime._MAX_LINE, 10_000
            try:
                with self.assertRaises(runtime._TooLong):
                    for _ in range(11):
                        reader.feed(text)
            finally:
                runtime._MAX_LINE = original

    def test_an_async_stream_is_no_plain_one(self) -> None:
        async def items() -> Any:
            yield 1

        ended = []

        async def end() -> None:
            ended.append(True)

        async def run() -> None:
            stream = runtime.ItemStream(items(), end=end)
            for wrong in (stream.close, stream.__enter__, stream.__next__):
                with self.assertRaises(TypeError):
                    wrong()
            async with stream:
                pass
            self.assertEqual(ended, [True])
            # Dropped before it began.
            runtime.ItemStream(items(), end=end)
            await asyncio.sleep(0.01)
            self.assertEqual(ended, [True, True])

        asyncio.run(run())

    def test_a_plain_stream_is_closed_by_an_async_with_too(self) -> None:
        ended = []

        async def run() -> None:
            async with runtime.ItemStream(iter([1]), end=lambda: ended.append(True)) as stream:
                self.assertEqual([item async for item in stream], [1])

        asyncio.run(run())


class Values(unittest.TestCase):
    def test_integers_of_any_length_leave_the_rest_as_it_is(self) -> None:
        digits = "1" * 5000
        is_json, value = runtime._parsed(f'{{"a": {digits}, "b": 2}}')
        self.assertTrue(is_json)
        self.assertEqual(value["b"], 2)
        # Sent on, it is the same number.
        self.assertEqual(runtime._json(value), f'{{"a":{digits},"b":2}}')
        self.assertEqual(runtime._parsed(f"[{digits}, NaN]"), (False, None))

    def test_a_tuple_with_text_is_a_file_and_a_list_is_none(self) -> None:
        stub = make_stub(runtime, body=("body", "multipart/form-data"))

        def sent(body: Any) -> bytes:
            return stub._request(stub._arguments((), {"pet_id": "a", "body": body})).body

        for file in (("a.txt", "é"), ("a.txt", "é", "text/plain")):
            body = sent({"f": file})
            self.assertIn(b'name="f"; filename="a.txt"', body)
            self.assertIn("\r\n\r\né\r\n".encode(), body)
            self.assertEqual(sent({"f": [file]}), body)
        self.assertIn(b"\xe9", sent({"f": ("a", "é", "text/plain; charset=latin1")}))
        self.assertNotIn(b"filename", sent({"f": ["a.txt", "text", "text/plain"]}))
        with self.assertRaisesRegex(TypeError, "argument 'body' holds characters"):
            sent({"f": ("a", "€", "text/plain; charset=latin1")})

    def test_where_a_type_has_none(self) -> None:
        for annotation in ("None", "int | None", "None | int", "int | None | str", "list[int]|None"):
            self.assertTrue(runtime._has_none(annotation), annotation)
        for annotation in ("int", "list[int | None]", "NoneType", "dict[str, None | int] | int"):
            self.assertFalse(runtime._has_none(annotation), annotation)


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
