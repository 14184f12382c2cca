"""How ``mce_runtime.py`` behaves beyond encoding: arguments, the backend inside, errors, secrets.

Runs with the standard library alone.
"""

from __future__ import annotations

import asyncio
import collections
import dataclasses
import datetime
import decimal
import enum
import importlib.util
import inspect
import json
import shutil
import subprocess
import sys
import tempfile
import time
import types
import unittest
import uuid
from pathlib import Path
from typing import Any

from tested import load, make_stub, runtime_path

SHOWN_HEADERS = Path(__file__).parents[1] / "fixtures" / "shown_headers.json"


runtime = load("mce_runtime")


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
        self.assertEqual(stub.__module__, make_stub.__module__)
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
            runtime.__all__,
            ["NULL", "ApiError", "EgressError", "Event", "EventStream", "ItemStream"],
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


class Headers(unittest.TestCase):
    """Which headers of an answer a caller may see."""

    def test_they_are_those_that_the_host_shows(self) -> None:
        listed = json.loads(SHOWN_HEADERS.read_text())
        self.assertEqual(sorted(runtime._VISIBLE_HEADERS), listed["names"])
        self.assertEqual(list(runtime._VISIBLE_PREFIXES), listed["prefixes"])


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
        with self.assertRaisesRegex(ValueError, "argument 'body' holds a lone surrogate"):
            sent({"f": ("a", "\ud800")})

    def test_an_error_of_any_class_in_a_value_names_the_argument(self) -> None:
        stub = make_stub(runtime)
        for make, kind in (
            (lambda: json.loads("{"), ValueError),
            (lambda: b"\xff".decode(), ValueError),
            (lambda: [].sort(1), TypeError),  # type: ignore[call-overload]
        ):

            class Failing:
                def model_dump(self, make: Any = make, **_: Any) -> Any:
                    return make()

            with self.assertRaisesRegex(kind, r"get_pet\(\) argument 'body' "):
                stub._arguments((), {"pet_id": "a", "body": Failing()})

    def test_where_a_type_has_none(self) -> None:
        for annotation in (
            "None",
            "int | None",
            "None | int",
            "int | None | str",
            "list[int]|None",
            'Literal["[", "a"] | None',
            "Literal['it\\'s (', \"\\\\\"] | None",
        ):
            self.assertTrue(runtime._has_none(annotation), annotation)
        for annotation in (
            "int",
            "list[int | None]",
            "NoneType",
            "dict[str, None | int] | int",
            'Literal["]", "| None |"]',
        ):
            self.assertFalse(runtime._has_none(annotation), annotation)


if __name__ == "__main__":
    unittest.main()
