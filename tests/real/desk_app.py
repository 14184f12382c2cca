"""A small application with one of everything that a request can hold, for scripts/real-servers.

Its OpenAPI document is the one FastAPI makes; each answer says what arrived.
"""

from __future__ import annotations

import base64
import datetime
import uuid
from collections.abc import Iterator
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal

from fastapi import (
    Body, Cookie, Depends, FastAPI, File, Form, Header, HTTPException, Path, Query, Request, Response, UploadFile,
)  # fmt: skip
from fastapi.responses import PlainTextResponse, StreamingResponse
from fastapi.security import APIKeyHeader, HTTPBearer
from pydantic import BaseModel, Field

app = FastAPI(title="Desk", version="1.0.0")
tickets: dict[int, Ticket] = {}


class State(str, Enum):
    """Where a ticket stands."""

    open = "open"
    waiting = "waiting"
    closed = "closed"


class Mail(BaseModel):
    kind: Literal["mail"]
    address: str


class Phone(BaseModel):
    kind: Literal["phone"]
    number: str


class NewTicket(BaseModel):
    title: str
    state: State = State.open
    labels: list[str] = []
    due: datetime.date | None = None
    price: Decimal | None = None
    contact: Mail | Phone | None = Field(default=None, discriminator="kind")


class Ticket(NewTicket):
    id: int
    parent: Ticket | None = None


class Change(BaseModel):
    title: str | None = None
    due: datetime.date | None = None


class Page(BaseModel):
    """A query object: its members are parameters of their own."""

    limit: int = Field(10, ge=1, le=100)
    offset: int = 0


def found(ticket_id: int) -> Ticket:
    if ticket_id not in tickets:
        raise HTTPException(404, detail=f"there is no ticket {ticket_id}", headers={"X-Reason": "gone"})
    return tickets[ticket_id]


@app.get("/tickets", tags=["tickets"])
def list_tickets(
    page: Annotated[Page, Depends()],
    state: Annotated[list[State] | None, Query()] = None,
    label: Annotated[str | None, Query(alias="label-is")] = None,
    due_before: datetime.date | None = None,
) -> list[Ticket]:
    chosen = [
        ticket
        for ticket in tickets.values()
        if (not state or ticket.state in state)
        and (label is None or label in ticket.labels)
        and (due_before is None or (ticket.due is not None and ticket.due < due_before))
    ]
    return chosen[page.offset : page.offset + page.limit]


@app.post("/tickets", status_code=201, tags=["tickets"])
def add_ticket(ticket: NewTicket) -> Ticket:
    number = len(tickets) + 1
    tickets[number] = Ticket(id=number, **ticket.model_dump())
    return tickets[number]


@app.get("/tickets/{ticket_id}", tags=["tickets"])
def get_ticket(ticket_id: Annotated[int, Path(ge=1)]) -> Ticket:
    return found(ticket_id)


@app.put("/tickets/{ticket_id}", tags=["tickets"])
def replace_ticket(ticket_id: int, ticket: NewTicket) -> Ticket:
    tickets[ticket_id] = Ticket(id=ticket_id, **ticket.model_dump())
    return tickets[ticket_id]


@app.patch("/tickets/{ticket_id}", tags=["tickets"])
def change_ticket(ticket_id: int, change: Change) -> Ticket:
    ticket = found(ticket_id)
    # A null that was sent clears; what was not sent stays.
    tickets[ticket_id] = ticket.model_copy(update=change.model_dump(exclude_unset=True))
    return tickets[ticket_id]


@app.delete("/tickets/{ticket_id}", status_code=204, tags=["tickets"])
def delete_ticket(ticket_id: int) -> None:
    found(ticket_id)
    del tickets[ticket_id]


@app.delete("/tickets", tags=["tickets"])
def delete_some(ids: Annotated[list[int], Body(embed=True)]) -> dict[str, int]:
    """A DELETE with a body."""
    gone = [tickets.pop(number, None) for number in ids]
    return {"deleted": sum(ticket is not None for ticket in gone)}


@app.get("/echo/query")
def echo_query(
    text: str,
    flag: bool,
    number: float,
    big: int | None = None,
    when: datetime.datetime | None = None,
    words: Annotated[list[str] | None, Query()] = None,
) -> dict[str, Any]:
    return {"text": text, "flag": flag, "number": number, "big": big, "when": when, "words": words}


@app.get("/echo/path/{name}/{key}/{day}")
def echo_path(name: str, key: uuid.UUID, day: datetime.date) -> dict[str, Any]:
    return {"name": name, "key": key, "day": day}


@app.get("/echo/files/{file_path:path}")
def echo_file_path(file_path: str) -> dict[str, str]:
    return {"path": file_path}


@app.get("/echo/headers")
def echo_headers(
    x_trace: Annotated[str, Header()],
    x_count: Annotated[int | None, Header()] = None,
    if_none_match: Annotated[str | None, Header()] = None,
) -> dict[str, Any]:
    return {"trace": x_trace, "count": x_count, "tag": if_none_match}


@app.get("/echo/cookies")
def echo_cookies(session: Annotated[str, Cookie()], theme: Annotated[str | None, Cookie()] = None) -> dict[str, Any]:
    return {"session": session, "theme": theme}


@app.get("/text", response_class=PlainTextResponse)
def get_text() -> str:
    return "plain: ä €"


@app.get("/picture", response_class=Response, responses={200: {"content": {"image/png": {}}}})
def get_picture() -> Response:
    return Response(b"\x89PNG\r\n\x1a\n\x00\xff", media_type="image/png")


@app.get("/events", response_class=StreamingResponse, responses={200: {"content": {"text/event-stream": {}}}})
def get_events(count: int = 3) -> StreamingResponse:
    def events() -> Iterator[str]:
        for number in range(count):
            yield f"id: {number}\nevent: tick\ndata: {{\"number\": {number}}}\n\n"

    return StreamingResponse(events(), media_type="text/event-stream")


@app.get("/nothing", status_code=204)
def get_nothing() -> None:
    return None


@app.get("/big")
def get_big() -> dict[str, int]:
    return {"number": 123456789012345678901234567890}


@app.post("/form")
def post_form(
    name: Annotated[str, Form()],
    age: Annotated[int, Form()],
    tags: Annotated[list[str], Form()],
    agreed: Annotated[bool, Form()] = False,
    note: Annotated[str | None, Form()] = None,
) -> dict[str, Any]:
    return {"name": name, "age": age, "tags": tags, "agreed": agreed, "note": note}


@app.post("/upload")
async def post_upload(
    file: UploadFile,
    title: Annotated[str, Form()],
    more: Annotated[list[UploadFile] | None, File()] = None,
) -> dict[str, Any]:
    return {
        "title": title,
        "name": file.filename,
        "type": file.content_type,
        "content": base64.b64encode(await file.read()).decode(),
        "more": [base64.b64encode(await item.read()).decode() for item in more or []],
    }


@app.post("/sum")
def post_sum(numbers: list[int]) -> int:
    return sum(numbers)


def described(media_type: str) -> dict[str, Any]:
    """A body that the application reads by itself."""
    return {"requestBody": {"required": True, "content": {media_type: {"schema": {"type": "string"}}}}}


@app.post("/raw/text", openapi_extra=described("text/plain"))
async def post_text(request: Request) -> dict[str, Any]:
    return {"text": (await request.body()).decode(), "type": request.headers["content-type"]}


@app.post("/raw/bytes", openapi_extra=described("application/octet-stream"))
async def post_bytes(request: Request) -> dict[str, Any]:
    return {"size": len(await request.body()), "type": request.headers["content-type"]}


key_scheme = APIKeyHeader(name="X-Desk-Key")
bearer_scheme = HTTPBearer()


@app.get("/secret/key")
def get_with_key(key: Annotated[str, Depends(key_scheme)]) -> dict[str, bool]:
    return {"right": key == "desk-key-41"}


@app.get("/secret/bearer")
def get_with_bearer(credentials: Annotated[Any, Depends(bearer_scheme)]) -> dict[str, bool]:
    return {"right": credentials.credentials == "desk-token-77"}
