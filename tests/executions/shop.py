from __future__ import annotations

from typing import Any

from mce_runtime import NULL as NULL, Api, ApiError as ApiError, EventStream

_api = Api("shop", base_url_env="MCE_SHOP_BASE_URL", auth_env="MCE_SHOP_AUTH")


@_api.operation("GET", "/echo", query={"a": "form", "b": "form", "note": "form"})
def echo(*, a: Any = None, b: Any = None, note: Any = None) -> dict[str, Any]: ...


@_api.operation("GET", "/slow", query={"n": "form"})
def slow(*, n: int) -> int: ...


@_api.operation("GET", "/blob", query={"size": "form"})
def blob(*, size: int) -> bytes: ...


@_api.operation("GET", "/api", query={"n": "form"})
def api(*, n: int = 0) -> None: ...


@_api.operation("GET", "/egress")
def egress() -> None: ...


@_api.operation(
    "GET",
    "/things",
    query={"cursor": "form", "size": "form"},
    pages={"kind": "cursor", "parameter": "cursor", "field": "next", "items": "things"},
)
def things(*, cursor: str | None = None, size: int | None = None) -> dict[str, Any]: ...


@_api.operation("GET", "/watch", query={"cut": "form"})
def watch(*, cut: bool = False) -> EventStream[Any]: ...
