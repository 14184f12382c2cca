# -- decoding ------------------------------------------------------------------------------------

_ROWS = frozenset(
    f"application/{name}"
    for name in ("json-seq", "jsonl", "jsonlines", "ndjson", "x-jsonlines", "x-ndjson")
)
_TEXTS = _ROWS | frozenset(
    f"application/{name}"
    for name in ("graphql", "javascript", "toml", "x-pem-file", "x-yaml", "xml", "yaml")
)
_GENERIC = frozenset(("", "application/octet-stream", "binary/octet-stream"))
# As browsers read these names, but for the real Latin-1.
_CHARSETS = {
    "utf-8": "utf-8",
    "utf8": "utf-8",
    "us-ascii": "ascii",
    "ascii": "ascii",
    "latin-1": "latin-1",
    "latin1": "latin-1",
    "utf-16": "utf-16",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb18030": "gb18030",
    "shift_jis": "cp932",
    "euc-jp": "euc_jp",
    "euc-kr": "cp949",
    "koi8-r": "koi8-r",
    **{f"{prefix}125{page}": f"cp125{page}" for prefix in ("windows-", "cp") for page in range(9)},
    **{
        f"{prefix}{part}": {9: "cp1254", 11: "cp874"}.get(part, f"iso8859-{part}")
        for prefix in ("iso-8859-", "iso8859-")
        for part in range(1, 17)
        if part != 12
    },
}


def _essence(content_type: str | None) -> str:
    """``type/subtype`` in lower case, without parameters."""
    return (content_type or "").partition(";")[0].strip().lower()


def _media_kind(essence: str) -> str:
    """``json``, ``text`` or ``bytes``: what a media type becomes in Python."""
    if essence in ("application/json", "text/json") or essence.endswith("+json"):
        return "json"
    if essence.startswith("text/") or essence.endswith("+xml") or essence in _TEXTS:
        return "text"
    return "bytes"


def _charset_label(content_type: str | None) -> str | None:
    """The charset that a media type names, in lower case."""
    for part in (content_type or "").split(";")[1:]:
        name, equals, value = part.partition("=")
        if equals and name.strip().lower() == "charset":
            return value.strip().strip("\"'").lower()
    return None


def _is_foreign(content_type: str) -> bool:
    """Whether a media type asks for another charset than UTF-8."""
    label = _charset_label(content_type)
    return label is not None and _CHARSETS.get(label) != "utf-8"


def _encoded_text(content_type: str, text: str) -> bytes:
    """A text in the charset of a media type."""
    label = _charset_label(content_type)
    if label is None:
        return text.encode()
    codec = _CHARSETS.get(label)
    if codec is None:
        raise _Unfit(f"cannot be sent in the charset {_json(label)}, which is not known")
    try:
        # Python's own `utf-16` has the byte order of the machine.
        if codec == "utf-16":
            return b"\xff\xfe" + text.encode("utf-16-le")
        return text.encode(codec)
    except UnicodeEncodeError:
        raise _Unfit(f"holds characters that the charset {_json(label)} has not") from None


def _decoded_text(content_type: str | None, body: bytes) -> str | None:
    """By the charset, UTF-8 where there is none; what is not UTF-8 becomes U+FFFD. None where the
    bytes are not of the charset, or it is not known and they are not UTF-8."""
    label = _charset_label(content_type)
    codec = "utf-8" if label is None else _CHARSETS.get(label)
    if codec in ("utf-8", "ascii"):
        return body.removeprefix(b"\xef\xbb\xbf").decode(errors="replace")
    try:
        if codec == "utf-16" and body[:2] not in (b"\xff\xfe", b"\xfe\xff"):
            codec = "utf-16-le"
        return body.removeprefix(b"\xef\xbb\xbf").decode() if codec is None else body.decode(codec)
    except UnicodeDecodeError:
        return None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _integer(digits: str) -> Any:
    """An integer; as its spelling where Python reads no number of so many digits."""
    try:
        return int(digits)
    except ValueError:
        return _RawNumber(digits)


def _parsed(text: str) -> tuple[bool, Any]:
    """Whether the text is JSON, and its value."""
    try:
        try:
            value = json.loads(text, parse_constant=_refuse_constant)
        except json.JSONDecodeError:
            return False, None
        except ValueError:
            value = json.loads(text, parse_constant=_refuse_constant, parse_int=_integer)
        if "\\ud" in text or "\\uD" in text:
            _json(value).encode()  # a lone surrogate is no character
    except (ValueError, RecursionError):
        return False, None
    return True, value


def _documented(responses: Mapping[str, str], status: int) -> str | None:
    """The documented kind of an answer: by its status, its class (``4XX``), or the default."""
    code = str(status)
    for key in (code, f"{code[0]}XX", f"{code[0]}xx", "default"):
        if key in responses:
            return responses[key]
    return None


def _decode(spec: _Spec, status: int, content_type: str | None, body: bytes) -> object:
    """The value of an answer: JSON as parsed, text as str, all else as bytes, nothing as None.

    The answer's own media type decides. Where it says little (none, octet-stream, or plain text
    that the document does not speak of) the documented kind does. What calls itself JSON and is
    none becomes text. Text that is not of its own charset stays bytes.
    """
    if not body or status in (204, 205) or spec.method == "HEAD":
        return None
    essence = _essence(content_type)
    kind = _media_kind(essence)
    if essence not in {_essence(item) for item in (spec.accept or "").split(",")} - {""}:
        documented = _documented(spec.responses, status)
        if documented == "json" and (essence in _GENERIC or essence == "text/plain"):
            text = _decoded_text(content_type, body)
            is_json, value = (False, None) if text is None else _parsed(text)
            if is_json:
                return value
        elif documented in ("text", "events", "jsonevents", "items") and essence in _GENERIC:
            kind = "text"
        if not essence and kind == "bytes":
            try:
                return body.decode()
            except UnicodeDecodeError:
                return body
    if kind == "bytes":
        return body
    text = _decoded_text(content_type, body)
    if text is None:
        return body
    if kind == "json":
        is_json, value = _parsed(text)
        return value if is_json else text
    return text


# The longest line of a stream, as many bytes as the host takes of an answer unless told otherwise.
_MAX_LINE = 25 << 20


class _TooLong(Exception):
    """A line or an event of a stream that nobody should hold."""


class _Items:
    """Reads JSON values in a row from bytes as they arrive. What is no JSON stays text."""

    def __init__(self, separator: str) -> None:
        import codecs

        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._separator = separator
        # The pieces of a line that has not ended.
        self._pieces: list[str] = []
        self._held = 0
        self._begun = False

    def feed(self, data: bytes, final: bool = False) -> list[Any]:
        text = self._decoder.decode(data, final)
        if text and not self._begun:
            self._begun = True
            text = text.removeprefix("\ufeff")
        return self._complete(text, final)

    def _lines(self, text: str) -> list[str]:
        """The lines that end in a piece of text. Only the piece is searched."""
        first, *rest = text.split(self._separator)
        self._pieces.append(first)
        self._held += len(first)
        if self._held > _MAX_LINE:
            raise _TooLong(f"a line of it has more than {_MAX_LINE} characters")
        if not rest:
            return []
        lines = ["".join(self._pieces), *rest[:-1]]
        self._pieces, self._held = [rest[-1]], len(rest[-1])
        return lines

    def _complete(self, text: str, final: bool) -> list[Any]:
        lines = self._lines(text)
        if final:
            lines += self._lines(self._separator)
        values = []
        for line in lines:
            if line := line.strip(" \t\r\n"):
                is_json, value = _parsed(line)
                values.append(value if is_json else line)
        return values


class _Events(_Items):
    """Reads server-sent events (WHATWG HTML, section 9.2.6). One without its end is none."""

    def __init__(self, is_json: bool) -> None:
        super().__init__("\n")
        self._is_json = is_json
        self._data: list[str] = []
        self._data_size = 0
        self._name = self._id = ""
        self._retry: int | None = None
        self._after_return = False

    def _complete(self, text: str, final: bool) -> list[Any]:
        # A CR at the end of a piece may be half of a line's end, whose other half comes next.
        if self._after_return and text:
            text = text.removeprefix("\n")
            self._after_return = False
        if text:
            self._after_return = text.endswith("\r")
        events = []
        for line in self._lines(text.replace("\r\n", "\n").replace("\r", "\n")):
            if line:
                self._field(*line.partition(":"))
                continue
            if self._data:
                events.append(self._event())
            self._data, self._data_size, self._name = [], 0, ""
        return events

    def _field(self, field: str, _: str, value: str) -> None:
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
            self._data_size += len(value) + 1
            if self._data_size > _MAX_LINE:
                raise _TooLong(f"an event of it has more than {_MAX_LINE} characters")
        elif field == "event":
            self._name = value
        elif field == "id" and "\0" not in value:
            self._id = value
        elif field == "retry" and value.isascii() and value.isdigit() and len(value) < 20:
            self._retry = int(value)

    def _event(self) -> Event[Any]:
        text = "\n".join(self._data)
        is_json, value = _parsed(text) if self._is_json else (False, None)
        event = Event(value if is_json else text, self._name or "message", self._id, self._retry)
        self._retry = None
        return event


def _reader(spec: _Spec, status: int, content_type: str | None) -> _Items | None:
    """What reads an answer that is a stream; None where it is none."""
    essence = _essence(content_type)
    if not 200 <= status < 300 or status in (204, 205) or spec.method == "HEAD":
        return None
    if essence == "text/event-stream":
        return _Events(_documented(spec.responses, status) in ("jsonevents", "json"))
    if essence in _ROWS:
        return _Items("\x1e" if essence == "application/json-seq" else "\n")
    return None
