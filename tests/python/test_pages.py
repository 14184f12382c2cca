"""How ``mce_runtime.py`` goes through pages: all kinds, both backends, and APIs that mislead it.

Runs with the standard library alone; what sends requests is left out where httpx is missing.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import types
import unittest
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from tested import HAS_HTTPX, OnLoopback, load

NEXT_URLS = Path(__file__).parents[1] / "fixtures" / "next_urls.json"
ITEMS = [{"id": number} for number in range(5)]


runtime = load("mce_runtime_pages")


def make_stub(module: Any, pages: dict[str, str] | None, **options: Any) -> Any:
    """``list_pets`` with a parameter for every kind."""
    api = module.Api("zoo", base_url_env="MCE_ZOO_BASE_URL", auth_env="MCE_ZOO_AUTH")

    @api.operation(
        "GET",
        "/zoos/{zoo}/pets",
        path={"zoo": "simple"},
        query={
            "limit": "form",
            "page": "form",
            "offset": "form",
            "cursor": "form",
            "filter": "deepObject",
        },
        header={"trace": ("simple", False, "X-Trace")},
        accept="application/json",
        responses={"200": "json"},
        pages=pages,
        **options,
    )
    def list_pets(
        *,
        zoo: str,
        limit: int | None = None,
        page: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
        filter: dict[str, str] | None = None,
        trace: str | None = None,
    ) -> Any:
        raise NotImplementedError

    return list_pets


PAGE = {"kind": "page", "parameter": "page", "items": "", "size": "limit"}
OFFSET = {"kind": "offset", "parameter": "offset", "items": "rows", "size": "limit"}
CURSOR = {"kind": "cursor", "parameter": "cursor", "field": "meta.next", "items": "data"}
NEXT_URL = {"kind": "next_url", "field": "@odata.nextLink", "items": "value"}
LINK = {"kind": "link", "items": ""}


class Inside(unittest.TestCase):
    """With a host that answers as a function of the arguments."""

    def setUp(self) -> None:
        self.asked: list[Any] = []
        self.answer: Callable[..., Any] = lambda **_: None
        host: Any = types.ModuleType("_mce_host")

        def call(server: str, function: str, arguments: dict[str, Any]) -> tuple[Any, ...]:
            self.asked.append({key: item for key, item in arguments.items() if key != "zoo"})
            found = self.answer(**arguments)
            return found if isinstance(found, tuple) else ("ok", found)

        def page(
            server: str, function: str, arguments: dict[str, Any], url: str | None
        ) -> tuple[Any, ...]:
            self.asked.append(url)
            value, link = self.answer(url=url)
            return ("ok", value, link)

        async def call_async(*asked: Any) -> tuple[Any, ...]:
            return call(*asked)

        async def page_async(*asked: Any) -> tuple[Any, ...]:
            return page(*asked)

        host.call, host.call_async, host.page, host.page_async = call, call_async, page, page_async
        host.RawNumber = type("RawNumber", (str,), {})
        sys.modules["_mce_host"] = host
        self.addCleanup(sys.modules.pop, "_mce_host")
        self.runtime = load("mce_runtime_pages_inside")

    def stub(self, pages: dict[str, str] | None) -> Any:
        return make_stub(self.runtime, pages)

    def test_pages_are_asked_for_as_the_loop_comes_to_them(self) -> None:
        self.answer = lambda page=1, limit=2, **_: ITEMS[(page - 1) * limit : page * limit]
        pages = self.stub(PAGE).pages(zoo="z", limit=2)
        self.assertEqual(self.asked, [])
        self.assertEqual(next(pages), ITEMS[:2])
        self.assertEqual(self.asked, [{"limit": 2}])
        self.assertEqual(list(pages), [ITEMS[2:4], ITEMS[4:]])
        # The last is shorter than the ones before it, so nobody is asked for another.
        self.assertEqual(self.asked[1:], [{"limit": 2, "page": 2}, {"limit": 2, "page": 3}])

    def test_items_and_the_page_that_was_asked_for_first(self) -> None:
        self.answer = lambda page=1, limit=2, **_: ITEMS[(page - 1) * limit : page * limit]
        self.assertEqual(list(self.stub(PAGE).items(zoo="z", page=2, limit=2)), ITEMS[2:])

    def test_a_limit_that_the_api_lowers_loses_nothing(self) -> None:
        self.answer = lambda page=1, **_: ITEMS[(page - 1) * 2 : page * 2]
        self.assertEqual(list(self.stub(PAGE).items(zoo="z", limit=100)), ITEMS)

    def test_pages_that_are_counted_from_zero(self) -> None:
        self.answer = lambda page=0, **_: ITEMS[page * 2 : page * 2 + 2]
        self.assertEqual(list(self.stub({**PAGE, "first": "0"}).items(zoo="z")), ITEMS)

    def test_a_page_beyond_the_last_may_be_an_error(self) -> None:
        def answer(page: int = 1, **_: Any) -> Any:
            missing = {"kind": "api", "status": 404, "message": "404 Not Found"}
            return ITEMS if page == 1 else ("error", missing)

        self.answer = answer
        self.assertEqual(list(self.stub(PAGE).items(zoo="z")), ITEMS)
        self.answer = lambda **_: answer(page=2)
        with self.assertRaises(self.runtime.ApiError):
            list(self.stub(PAGE).items(zoo="z"))

    def test_a_page_that_says_more_goes_before_its_total(self) -> None:
        def answer(page: int = 1, **_: Any) -> Any:
            return {"rows": [page], "total": 1, "has_more": page < 3}

        self.answer = answer
        stub = make_stub(self.runtime, {**PAGE, "items": "rows"})
        self.assertEqual(list(stub.items(zoo="z")), [1, 2, 3])

    def test_a_total_of_the_page_alone_ends_no_list_of_full_pages(self) -> None:
        def answer(page: int = 1, **_: Any) -> Any:
            rows = ITEMS[2 * page - 2 : 2 * page]
            return {"rows": rows, "total": len(rows)}

        self.answer = answer
        stub = make_stub(self.runtime, {**PAGE, "items": "rows"})
        self.assertEqual(list(stub.items(zoo="z", limit=2))[:4], ITEMS[:4])

    def test_an_offset_grows_by_what_came_until_the_total(self) -> None:
        def answer(offset: int = 0, **_: Any) -> Any:
            return {"rows": ITEMS[offset : offset + 3], "meta": {"totalCount": 5}}

        self.answer = answer
        self.assertEqual(list(self.stub(OFFSET).items(zoo="z", limit=3)), ITEMS)
        self.assertEqual(self.asked, [{"limit": 3}, {"limit": 3, "offset": 3}])

    def test_a_page_number_that_the_api_does_not_know(self) -> None:
        self.answer = lambda **_: ITEMS
        pages = self.stub(PAGE).pages(zoo="z", limit=5)
        self.assertEqual(next(pages), ITEMS)
        with self.assertRaises(RuntimeError) as caught:
            next(pages)
        self.assertEqual(
            str(caught.exception),
            "list_pets(): page 2 has the same for another `page`; stopped, since this would not end",
        )
        # All that there is, as fewer came than were asked for.
        self.assertEqual(list(self.stub(PAGE).items(zoo="z", limit=50)), ITEMS)

    def test_a_cursor(self) -> None:
        def answer(cursor: str = "0", **_: Any) -> Any:
            end = int(cursor) + 2
            return {
                "data": ITEMS[int(cursor) : end],
                "meta": {"next": str(end) if end < len(ITEMS) else None},
            }

        self.answer = answer
        self.assertEqual(list(self.stub(CURSOR).items(zoo="z", limit=2)), ITEMS)
        self.assertEqual([asked.get("cursor") for asked in self.asked], [None, "2", "4"])

    def test_the_last_items_id_and_has_more(self) -> None:
        def answer(cursor: int = -1, **_: Any) -> Any:
            return {"data": ITEMS[cursor + 1 : cursor + 3], "has_more": cursor + 3 < len(ITEMS)}

        self.answer = answer
        pages = {**CURSOR, "field": "data.-1.id"}
        self.assertEqual(list(self.stub(pages).items(zoo="z")), ITEMS)
        self.assertEqual(len(self.asked), 3)

    def test_a_cursor_that_comes_again(self) -> None:
        self.answer = lambda **_: {"data": ITEMS, "meta": {"next": "c"}}
        pages = self.stub(CURSOR).pages(zoo="z")
        next(pages)
        with self.assertRaisesRegex(RuntimeError, "page 2 has the cursor of an earlier one"):
            next(pages)

    def test_the_same_cursor_for_ever_without_items_is_an_end(self) -> None:
        self.answer = lambda cursor=None, **_: {
            "data": [] if cursor else ITEMS,
            "meta": {"next": "c"},
        }
        self.assertEqual(list(self.stub(CURSOR).items(zoo="z")), ITEMS)

    def test_urls(self) -> None:
        bodies = {
            None: {"value": ITEMS[:3], "@odata.nextLink": "?cursor=b"},
            "?cursor=b": {"value": ITEMS[3:]},
        }
        self.answer = lambda url: (bodies[url], "?ignored")
        self.assertEqual(list(self.stub(NEXT_URL).items(zoo="z")), ITEMS)
        links = {None: (ITEMS[:3], "?cursor=b"), "?cursor=b": (ITEMS[3:], None)}
        self.answer = lambda url: links[url]
        self.assertEqual(list(self.stub(LINK).items(zoo="z")), ITEMS)
        self.assertEqual(self.asked, [None, "?cursor=b"] * 2)
        self.answer = lambda url: (ITEMS, "?cursor=b")
        with self.assertRaisesRegex(RuntimeError, "page 2 has the next URL of an earlier one"):
            list(self.stub(LINK).pages(zoo="z"))

    def test_under_asyncio(self) -> None:
        links = {None: (ITEMS[:3], "?cursor=b"), "?cursor=b": (ITEMS[3:], None)}
        self.answer = lambda url: links[url]

        async def everything() -> Any:
            stub = self.stub(LINK)
            pages = [page async for page in stub.pages.aio(zoo="z")]
            return pages, [item async for item in stub.items.aio(zoo="z")]

        self.assertEqual(asyncio.run(everything()), ([ITEMS[:3], ITEMS[3:]], ITEMS))

    def test_errors_come_where_the_mistake_is(self) -> None:
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'zo'"):
            self.stub(PAGE).pages(zo="z")
        with self.assertRaisesRegex(AttributeError, r"list_pets\(\) has no `pages`: its document"):
            self.stub(None).pages
        with self.assertRaisesRegex(AttributeError, r"has no `items`.*use `pages`"):
            self.stub({"kind": "link"}).items
        self.assertFalse(hasattr(self.stub(None), "items"))


class Handler(BaseHTTPRequestHandler):
    """Gives pages of two, and what was prepared as the next URL."""

    protocol_version = "HTTP/1.1"
    seen: ClassVar[list[Any]] = []
    next_url: ClassVar[str | None] = None

    def do_GET(self) -> None:
        self.seen.append((self.path, self.headers.get("X-Trace"), self.headers.get("Authorization")))
        query = parse_qs(urlsplit(self.path).query)
        start = int(query.get("cursor", ["0"])[0].removeprefix("c"))
        body = json.dumps(ITEMS[start : start + 2]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Link", '<?cursor=c0>; rel="first"')
        if start + 2 < len(ITEMS):
            self.send_header("Link", f'<{self.next_url or f"?cursor=c{start + 2}"}>; rel="next"')
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@unittest.skipUnless(HAS_HTTPX, "httpx is not installed")
class Outside(OnLoopback):
    """Against a server on loopback."""

    handler = Handler

    def setUp(self) -> None:
        Handler.seen.clear()
        Handler.next_url = None
        os.environ["MCE_ZOO_BASE_URL"] = f"http://127.0.0.1:{self.server.server_port}/v1/"
        os.environ["MCE_ZOO_AUTH"] = "Bearer abcdef"
        self.addCleanup(os.environ.pop, "MCE_ZOO_AUTH")

    def test_links_are_followed_with_the_headers_of_the_first_call(self) -> None:
        stub = make_stub(runtime, LINK)
        self.assertEqual(list(stub.items(zoo="a/b", trace="t")), ITEMS)
        path = "/v1/zoos/a%2Fb/pets"
        expected = [path, f"{path}?cursor=c2", f"{path}?cursor=c4"]
        self.assertEqual(Handler.seen, [(target, "t", "Bearer abcdef") for target in expected])

        async def everything() -> list[Any]:
            return [item async for item in stub.items.aio(zoo="a")]

        self.assertEqual(asyncio.run(everything()), ITEMS)

    def test_where_a_next_url_may_lead(self) -> None:
        host = f"127.0.0.1:{self.server.server_port}"
        stub = make_stub(runtime, NEXT_URL, api_key=(("query", "key"),))
        spec, arguments = stub._spec, {"zoo": "a/b"}
        for case in json.loads(NEXT_URLS.read_text())["cases"]:
            url = case["url"].replace("{host}", host)
            with self.subTest(url):
                try:
                    request = runtime._followed(
                        "list_pets", stub._api, spec, stub._request(arguments), arguments, url
                    )
                    sent = runtime._address(stub._api, spec, request).target.decode()
                    found = {"sent": sent}
                except runtime.EgressError as error:
                    found = {"why": str(error).removeprefix("list_pets() is refused: ")}
                self.assertEqual(found, {key: case[key] for key in case if key != "url"})

    def test_a_hostile_link_is_never_sent(self) -> None:
        Handler.next_url = "http://127.0.0.2:1/v1/zoos/a/pets?cursor=c2"
        pages = make_stub(runtime, LINK).pages(zoo="a")
        self.assertEqual(next(pages), ITEMS[:2])
        with self.assertRaises(runtime.EgressError) as caught:
            next(pages)
        self.assertEqual(
            str(caught.exception),
            "list_pets() is refused: its next URL leads away from the server's base URL",
        )
        self.assertEqual(len(Handler.seen), 1)

    def test_a_huge_url(self) -> None:
        stub = make_stub(runtime, LINK)
        with self.assertRaisesRegex(runtime.EgressError, "is longer than 60000 bytes"):
            stub._page_request({"zoo": "a"}, "?cursor=" + "a" * 60_000)


if __name__ == "__main__":
    unittest.main()
