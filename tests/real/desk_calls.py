"""Calls every operation of the application in desk_app.py and compares what comes back."""

from __future__ import annotations

import asyncio
import base64
import datetime
import os
import uuid
from decimal import Decimal
from typing import Any

from client import Client, same


def check(client: Client) -> None:
    same(client.skipped, [])
    tickets(client)
    parameters(client)
    answers(client)
    bodies(client)
    credentials(client)
    same(client.uncalled(), [])


def tickets(client: Client) -> None:
    first = client("POST", "/tickets", body={"title": "Größe & <Preis>", "labels": ["a b", "c,d"], "due": "2026-02-03"})
    same(first["id"], 1)
    same(first["title"], "Größe & <Preis>")
    same(first["state"], "open")
    priced = {
        "title": "two", "state": "waiting", "price": Decimal("12.5"), "contact": {"kind": "mail", "address": "a@b.example"},
    }  # fmt: skip
    second = client("POST", "/tickets", body=priced)
    same(second["price"], "12.5")
    same(second["contact"], {"kind": "mail", "address": "a@b.example"})
    client("POST", "/tickets", body={"title": "three", "state": "closed"})

    def listed(**arguments: Any) -> list[int]:
        return [ticket["id"] for ticket in client("GET", "/tickets", **arguments)]

    same(listed(), [1, 2, 3])
    same(listed(limit=1, offset=1), [2])
    same(listed(state=["open", "closed"]), [1, 3])
    same(listed(label_is="c,d"), [1])
    same(listed(due_before=datetime.date(2026, 2, 4)), [1])
    same(listed(due_before="2026-02-03"), [])

    same(client("GET", "/tickets/{ticket_id}", ticket_id=2)["title"], "two")
    same(client("PUT", "/tickets/{ticket_id}", ticket_id=2, body={"title": "new"})["state"], "open")
    changed = client("PATCH", "/tickets/{ticket_id}", ticket_id=1, body={"title": "renamed"})
    same((changed["title"], changed["due"]), ("renamed", "2026-02-03"))
    cleared = client("PATCH", "/tickets/{ticket_id}", ticket_id=1, body={"due": None})
    same((cleared["title"], cleared["due"]), ("renamed", None))

    same(client("DELETE", "/tickets/{ticket_id}", ticket_id=3), None)
    same(listed(), [1, 2])
    same(client("DELETE", "/tickets", body={"ids": [1, 2, 9]}), {"deleted": 2})

    gone = client.error("GET", "/tickets/{ticket_id}", ticket_id=3)
    same((gone.status, gone.body), (404, {"detail": "there is no ticket 3"}))
    assert "404" in str(gone) and "there is no ticket 3" in str(gone), str(gone)
    unfit = client.error("GET", "/tickets/{ticket_id}", ticket_id=0)
    same((unfit.status, unfit.body["detail"][0]["loc"]), (422, ["path", "ticket_id"]))


def parameters(client: Client) -> None:
    text = "a b+c&d=e/f?g#h%20é\"'"
    # A zone offset holds a plus sign, which a form decoder would read as a space.
    when = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
    big = 2**70
    echoed = client(
        "GET", "/echo/query", text=text, flag=False, number=0.1, big=big, when=when, words=["x,y", "z w", "&"]
    )
    same(echoed["text"], text)
    same(echoed["flag"], False)
    same(echoed["number"], 0.1)
    same(echoed["big"], big)
    same(echoed["when"], "2026-01-02T03:04:05+02:00")
    same(echoed["words"], ["x,y", "z w", "&"])
    least = client("GET", "/echo/query", text="", flag=True, number=-2)
    same(least, {"text": "", "flag": True, "number": -2.0, "big": None, "when": None, "words": None})

    key = uuid.UUID("12345678-1234-5678-1234-567812345678")
    path = client("GET", "/echo/path/{name}/{key}/{day}", name="a b?c#d;e", key=key, day=datetime.date(2026, 1, 2))
    same(path, {"name": "a b?c#d;e", "key": str(key), "day": "2026-01-02"})
    same(client("GET", "/echo/files/{file_path}", file_path="notes.txt"), {"path": "notes.txt"})

    headers = client("GET", "/echo/headers", x_trace="t-1", x_count=3, if_none_match='"tag"')
    same(headers, {"trace": "t-1", "count": 3, "tag": '"tag"'})
    same(client("GET", "/echo/headers", x_trace="t-2"), {"trace": "t-2", "count": None, "tag": None})
    same(client("GET", "/echo/cookies", session="s1", theme="dark"), {"session": "s1", "theme": "dark"})
    same(client("GET", "/echo/cookies", session="s2"), {"session": "s2", "theme": None})


def answers(client: Client) -> None:
    same(client("GET", "/text"), "plain: ä €")
    same(client("GET", "/picture"), b"\x89PNG\r\n\x1a\n\x00\xff")
    same(client("GET", "/nothing"), None)
    same(client("GET", "/big"), {"number": 123456789012345678901234567890})
    same(asyncio.run(client.function("GET", "/text").aio()), "plain: ä €")  # type: ignore[attr-defined]
    events = list(client("GET", "/events", count=2))
    same(len(events), 2)
    same([event.data for event in events], ['{"number": 0}', '{"number": 1}'])
    same([event.event for event in events], ["tick", "tick"])


def bodies(client: Client) -> None:
    form = {"name": "Ann & Bo", "age": 41, "tags": ["x=1", "y z"], "agreed": True}
    same(client("POST", "/form", body=form), {**form, "note": None})

    content = bytes(range(256))
    uploaded = client(
        "POST", "/upload",
        body={"title": "Ü", "file": ("bytes.bin", content, "application/x-own"), "more": [b"one", b"two"]},
    )  # fmt: skip
    same(base64.b64decode(uploaded["content"]), content)
    same((uploaded["title"], uploaded["name"], uploaded["type"]), ("Ü", "bytes.bin", "application/x-own"))
    same([base64.b64decode(item) for item in uploaded["more"]], [b"one", b"two"])
    plain = client("POST", "/upload", body={"title": "t", "file": b"\r\n--boundary"})
    same(base64.b64decode(plain["content"]), b"\r\n--boundary")

    same(client("POST", "/sum", body=[1, 2, 3]), 6)
    same(client("POST", "/raw/text", body="zwölf\n")["text"], "zwölf\n")
    same(client("POST", "/raw/bytes", body=b"\x00\xff\r\n")["size"], 4)


def credentials(client: Client) -> None:
    """Each where its scheme wants it, and nothing where none is set."""
    bare = client.error("GET", "/secret/key")
    assert bare.status in (401, 403), bare.status
    os.environ["MCE_DESK_API_KEY"] = "desk-key-41"
    os.environ["MCE_DESK_AUTH"] = "Bearer desk-token-77"
    same(client("GET", "/secret/key"), {"right": True})
    same(client("GET", "/secret/bearer"), {"right": True})
    refused = client.error("GET", "/tickets/{ticket_id}", ticket_id=99)
    assert "desk-key-41" not in repr(refused) and "desk-token-77" not in repr(refused), repr(refused)
