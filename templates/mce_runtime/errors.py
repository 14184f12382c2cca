# -- errors --------------------------------------------------------------------------------------

_MAX_MESSAGE = 300
_REASONS = {
    300: "Multiple Choices",
    301: "Moved Permanently",
    302: "Found",
    303: "See Other",
    304: "Not Modified",
    307: "Temporary Redirect",
    308: "Permanent Redirect",
    400: "Bad Request",
    401: "Unauthorized",
    402: "Payment Required",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    406: "Not Acceptable",
    407: "Proxy Authentication Required",
    408: "Request Timeout",
    409: "Conflict",
    410: "Gone",
    411: "Length Required",
    412: "Precondition Failed",
    413: "Content Too Large",
    414: "URI Too Long",
    415: "Unsupported Media Type",
    416: "Range Not Satisfiable",
    417: "Expectation Failed",
    421: "Misdirected Request",
    422: "Unprocessable Content",
    423: "Locked",
    424: "Failed Dependency",
    425: "Too Early",
    426: "Upgrade Required",
    428: "Precondition Required",
    429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    451: "Unavailable For Legal Reasons",
    500: "Internal Server Error",
    501: "Not Implemented",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
    505: "HTTP Version Not Supported",
    507: "Insufficient Storage",
    508: "Loop Detected",
    511: "Network Authentication Required",
}
_SAYS_NOTHING = ("null", "{}", "[]", '""')
_MESSAGE_KEYS = (
    "message",
    "error_description",
    "detail",
    "error",
    "errors",
    "title",
    "msg",
    "reason",
    "description",
    "errorMessage",
    "error_message",
    "Message",
)


def _error_message(status: int, content_type: str | None, body: bytes) -> str:
    """Status, reason phrase and the body's own message, of at most 300 characters."""
    reason = _REASONS.get(status, "")
    head = f"{status} {reason}" if reason else f"{status}"
    detail = _tidy(_detail(content_type, body))
    text = head if detail in ("", reason, *_SAYS_NOTHING) else f"{head}: {detail}"
    return text if len(text) <= _MAX_MESSAGE else f"{text[: _MAX_MESSAGE - 1]}…"


def _detail(content_type: str | None, body: bytes) -> str:
    essence = _essence(content_type)
    kind = _media_kind(essence)
    if kind == "bytes" and essence not in _GENERIC:
        return ""
    if kind == "json" or body[:1] in (b"{", b"["):
        is_json, value = _parsed(_any_text(content_type, body))
        if is_json and (message := _message(value, 4)):
            return message
    elif kind == "bytes" and essence:
        return ""
    text = _any_text(content_type, body[:4096])
    if essence == "text/html":
        _, opened, rest = text.partition("<title>")
        title, closed, _ = rest.partition("</title>")
        return title if opened and closed else ""
    return text


def _any_text(content_type: str | None, body: bytes) -> str:
    text = _decoded_text(content_type, body)
    return body.decode(errors="replace") if text is None else text


def _message(value: Any, depth: int) -> str:
    """The first text that a body offers under one of the usual names."""
    if isinstance(value, str):
        return value
    if depth and isinstance(value, list):
        return "; ".join(text for item in value[:5] if (text := _message(item, depth - 1)))
    if depth and isinstance(value, dict):
        for key in _MESSAGE_KEYS:
            if text := _message(value.get(key), depth - 1):
                place = _place(value.get("loc"))
                return f"{place}: {text}" if place else text
    return ""


def _place(steps: Any) -> str:
    """Which field a message is about, where a list says so, as pydantic's do."""
    if not isinstance(steps, list):
        return ""
    named = (
        str(step)
        for step in steps[:8]
        if isinstance(step, str)
        or (isinstance(step, int) and not isinstance(step, bool) and abs(step) < 10**18)
    )
    return ".".join(named)


def _tidy(text: str) -> str:
    """One line without control characters."""
    text = text[:4096]
    return " ".join("".join(" " if _is_control(c) else c for c in text).split())


def _is_control(character: str) -> bool:
    return character < " " or "\x7f" <= character < "\xa0"


_VISIBLE_HEADERS = frozenset(
    ("content-range", "content-type", "etag", "link", "ratelimit", "retry-after")
    + ("x-count", "x-next-page", "x-page", "x-per-page", "x-prev-page")
    + ("x-total", "x-total-count", "x-total-pages")
)
_VISIBLE_PREFIXES = ("ratelimit-", "x-page-", "x-pagination-", "x-rate-limit-", "x-ratelimit-")


def _visible_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The response headers that a caller may see: never a cookie or a credential."""
    return {
        name.lower(): value
        for name, value in headers.items()
        if name.lower() in _VISIBLE_HEADERS or name.lower().startswith(_VISIBLE_PREFIXES)
    }
