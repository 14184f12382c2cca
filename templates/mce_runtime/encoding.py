# -- encoding ------------------------------------------------------------------------------------
# The same rules as the host's encoder: both pass the vectors of mce's tests/wire.


class _Parameter(NamedTuple):
    """A parameter: its Python name, and how it is written on the wire."""

    name: str
    wire_name: str
    style: str
    explode: bool
    reserved: bool
    content: str | None
    items: tuple[str, ...] = ()

    @classmethod
    def read(cls, name: str, style: _Style, reserved: bool, content: str | None) -> _Parameter:
        match style:
            case str():
                return cls(name, name, style, style == "form", reserved, content)
            case (kind, explode):
                return cls(name, name, kind, explode, reserved, content)
            case (kind, explode, wire_name):
                return cls(name, wire_name, kind, explode, reserved, content)


class _Spec(NamedTuple):
    """An operation, as its decorator describes it."""

    method: str
    template: str
    path: tuple[_Parameter, ...]
    query: tuple[_Parameter, ...]
    header: tuple[_Parameter, ...]
    cookie: tuple[_Parameter, ...]
    body: str | None
    media: tuple[str, ...]
    encoding: Mapping[str, _Encoding]
    part_headers: Mapping[str, _PartHeaders]
    accept: str | None
    responses: Mapping[str, str]
    api_key: tuple[tuple[str, str], ...]
    auth: bool
    base_url: str | None


class _Request(NamedTuple):
    """A request without base URL and credentials; path, query and cookies are encoded."""

    method: str
    path: str
    query: list[str]
    headers: list[tuple[str, str]]
    cookies: list[tuple[str, str]]
    body: bytes | None


class _Unfit(Exception):
    """What is wrong with an argument: ``function() argument 'name'`` goes before it."""


def _encode(
    function: str, spec: _Spec, arguments: Mapping[str, Any], content_type: str | None = None
) -> _Request:
    """Encodes plain arguments. Raises TypeError where one cannot be expressed."""
    declared, media = _chosen(function, spec, content_type)
    given = ""
    try:
        segments: dict[str, str] = {}
        query: list[str] = []
        headers: list[tuple[str, str]] = []
        cookies: list[tuple[str, str]] = []
        for parameter, value in _given(spec.path, arguments):
            given = parameter.name
            value = _with_items_joined(parameter, value)
            segments[parameter.wire_name] = _segment(parameter, value)
        for parameter, value in _given(spec.query, arguments):
            given = parameter.name
            value = _with_items_joined(parameter, value)
            if parameter.style == "whole":
                query.append(_quote(_content_text(parameter, value)))
                continue
            for name, text in _pairs(parameter, value, spec.query):
                query.append(f"{_quote(name)}={text}")
        for parameter, value in _given(spec.cookie, arguments):
            given = parameter.name
            value = _with_items_joined(parameter, value)
            for name, text in _pairs(parameter, value, spec.cookie):
                cookies.append((_quote(name), text))
        for parameter, value in _given(spec.header, arguments):
            given = parameter.name
            value = _with_items_joined(parameter, value)
            if parameter.wire_name.lower() == "cookie":
                cookies += _cookie_header(parameter, value, spec.cookie)
            elif (line := _header(parameter, value)) is not None:
                headers.append((parameter.wire_name, line))
        named = {name.lower() for name, _ in headers}
        if spec.accept is not None and "accept" not in named:
            headers.append(("Accept", spec.accept))
        content = None
        if spec.body is not None and spec.body in arguments:
            given = spec.body
            encoding, parts = spec.encoding.get(declared, {}), spec.part_headers.get(declared, {})
            media, content = _body(media, arguments[given], encoding, parts)
            if "content-type" not in named:
                headers.append(("Content-Type", media))
    except _Unfit as problem:
        raise TypeError(f"{function}() argument {given!r} {problem}") from None
    path, fixed = _fill(function, spec.template, segments)
    return _Request(spec.method, path, fixed + query, headers, cookies, content)


def _given(
    parameters: tuple[_Parameter, ...], arguments: Mapping[str, Any]
) -> Iterator[tuple[_Parameter, Any]]:
    return ((item, arguments[item.name]) for item in parameters if item.name in arguments)


def _with_items_joined(parameter: _Parameter, value: Any) -> Any:
    """A list whose own lists are one text each, where the parameter says how."""
    if not parameter.items or not isinstance(value, list):
        return value
    return [_level(item, parameter.items) if isinstance(item, list) else item for item in value]


def _level(value: Any, styles: tuple[str, ...]) -> str:
    """A value as one text, lists by the delimiters of the styles, one for each level of them."""
    if not styles or not isinstance(value, list):
        return _text(value)
    delimiter = _DELIMITERS.get(styles[0], ",")
    parts = [_level(item, styles[1:]) for item in value]
    _refuse_delimiter(parts, delimiter)
    return delimiter.join(parts)


def _fill(function: str, template: str, segments: Mapping[str, str]) -> tuple[str, list[str]]:
    """The template's path with its placeholders filled in, and its fixed query items."""
    path, _, fixed = template.partition("#")[0].partition("?")
    filled: list[str] = []
    while path:
        literal, brace, rest = path.partition("{")
        name, closing, rest = rest.partition("}")
        filled.append(_legal(literal))
        if brace and not closing:
            filled.append(_legal(brace + name))
        elif brace and name not in segments:
            raise TypeError(f"{function}() has no parameter for {{{name}}} of its path")
        elif brace:
            filled.append(segments[name])
        path = rest
    text = "".join(filled)
    # An item with a placeholder (``/items?kind={kind}``) is a parameter like others.
    items = [
        _legal(item).replace("'", "%27") for item in fixed.split("&") if item and "{" not in item
    ]
    return text if text.startswith("/") else f"/{text}", items


_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# With allowReserved. Still encoded: what would end or split the parameter (# & ; +), what a query
# may not hold ([ ]), the quote, which URLs of the web encode there, and % itself, so that the value
# arrives as it was given.
_RESERVED = _UNRESERVED | frozenset(b":/?@!$()*,=")
_LEGAL = _UNRESERVED | frozenset(b":/?@!$'()*,=;&+[]%")
_HEX = frozenset("0123456789abcdefABCDEF")


def _quote(text: str, keep: frozenset[int] = _UNRESERVED) -> str:
    """Percent-encodes (RFC 3986) every byte of the text's UTF-8 that is not kept."""
    return "".join(chr(byte) if byte in keep else f"%{byte:02X}" for byte in text.encode())


def _legal(literal: str) -> str:
    """The fixed part of a template, with what a URL cannot hold percent-encoded."""
    first, *rest = _quote(literal, _LEGAL).split("%")
    return first + "".join(
        f"%{part}" if len(part) > 1 and set(part[:2]) <= _HEX else f"%25{part}" for part in rest
    )


def _text(value: Any) -> str:
    """A value as text: strings as they are, all else as JSON, nested values too."""
    return str(value) if isinstance(value, str) else _json(value)


def _members(value: dict[str, Any]) -> list[str]:
    """An object's names and values in turn."""
    return [text for name, item in value.items() for text in (name, _text(item))]


def _content_text(parameter: _Parameter, value: Any, ascii_only: bool = False) -> str:
    """The value of a parameter that the document describes by ``content``."""
    if _media_kind(_essence(parameter.content)) == "json":
        return _json(value, ascii_only)
    if _is_text(value):
        return _text(value)
    raise _Unfit(f"must be str, not {_type_name(value)}")


def _segment(parameter: _Parameter, value: Any) -> str:
    """A path parameter (styles simple, label, matrix, in 2.0 delimited)."""
    if parameter.content is not None:
        return _quote(_content_text(parameter, value))
    style, explode = parameter.style, parameter.explode
    # An exploded label separates by dots, which are not encoded otherwise.
    dotted = style == "label" and explode and isinstance(value, (list, dict))
    keep = _UNRESERVED - frozenset(b".") if dotted else _UNRESERVED
    name = _quote(parameter.wire_name)
    if isinstance(value, dict) and explode:
        parts = [f"{_quote(key, keep)}={_quote(_text(item), keep)}" for key, item in value.items()]
    elif isinstance(value, dict):
        parts = [_quote(text) for text in _members(value)]
    elif isinstance(value, list):
        parts = [_quote(_text(item), keep) for item in value]
    else:
        parts = [_quote(_text(value))]
    empty = not parts if style == "matrix" else not any(parts)
    if empty:
        raise _Unfit("must not be empty, as it is part of the path")
    if style == "label":
        return "." + ("." if explode else ",").join(parts)
    if style != "matrix":
        delimiter = _delimiter(parameter)
        if delimiter != "," and isinstance(value, (list, dict)):
            _check_delimited(delimiter, value)
        return (delimiter if delimiter == "," else _quote(delimiter)).join(parts)
    if isinstance(value, dict) and explode:
        return "".join(f";{part}" for part in parts)
    if not explode:
        parts = [",".join(parts)]
    return "".join(f";{name}={part}" if part else f";{name}" for part in parts)


def _pairs(
    parameter: _Parameter, value: Any, siblings: tuple[_Parameter, ...]
) -> list[tuple[str, str]]:
    """A query or cookie parameter as names and percent-encoded values."""
    name = parameter.wire_name
    if parameter.content is not None:
        keep = _RESERVED if parameter.reserved else _UNRESERVED
        return [(name, _quote(_content_text(parameter, value), keep))]
    if parameter.style == "cookie":
        pairs = [(key, _cookie(text)) for key, text in _spread(parameter, value, encoded=False)]
    else:
        pairs = _spread(parameter, value)
    taken = {sibling.wire_name for sibling in siblings} - {name}
    for key, _ in pairs:
        if key in taken:
            raise _Unfit(f"holds the key {_json(key)}, which is another parameter")
    return pairs


def _cookie(text: str) -> str:
    """A value in the style that writes cookies as they are."""
    if ";" in text:
        raise _Unfit("holds ';', which ends a cookie")
    return _visible(text)


_DELIMITERS = {"spaceDelimited": " ", "pipeDelimited": "|", "tabDelimited": "\t"}


def _delimiter(parameter: _Parameter) -> str:
    """What stands between the items of a list that is one value."""
    return _DELIMITERS.get(parameter.style, ",")


def _spread(parameter: _Parameter, value: Any, encoded: bool = True) -> list[tuple[str, str]]:
    """A parameter, or a property of a form, as names and values, which are percent-encoded or not."""
    name = parameter.wire_name
    keep = _RESERVED if parameter.reserved else _UNRESERVED
    if not isinstance(value, (list, dict)):
        pairs = [(name, _text(value))]
    elif parameter.style == "deepObject":
        pairs = list(_deep(name, value))
    elif not parameter.explode:
        return _joined(parameter, value, keep, encoded)
    elif isinstance(value, list):
        pairs = [(name, _text(item)) for item in value]
    else:
        pairs = [(key, _text(item)) for key, item in value.items()]
    return [(key, _quote(text, keep)) for key, text in pairs] if encoded else pairs


def _joined(
    parameter: _Parameter, value: Any, keep: frozenset[int], encoded: bool
) -> list[tuple[str, str]]:
    """A list or an object as one delimited value; an empty one is left out."""
    parts = _members(value) if isinstance(value, dict) else [_text(item) for item in value]
    delimiter = _delimiter(parameter)
    if delimiter == "," and encoded:
        keep = keep - frozenset(b",")
    else:
        _refuse_delimiter(parts, delimiter)
    if not parts:
        return []
    if not encoded:
        return [(parameter.wire_name, delimiter.join(parts))]
    # A space, a bar or a tab may not stand in a URL as it is; OpenAPI's own examples encode them.
    separator = delimiter if delimiter == "," else _quote(delimiter)
    return [(parameter.wire_name, separator.join(_quote(part, keep) for part in parts))]


def _check_delimited(delimiter: str, value: Any) -> list[str]:
    """The parts of a list or object, none of which may hold the delimiter."""
    parts = _members(value) if isinstance(value, dict) else [_text(item) for item in value]
    _refuse_delimiter(parts, delimiter)
    return parts


def _refuse_delimiter(parts: list[str], delimiter: str) -> None:
    """Nobody could tell a delimiter in an item from one between items."""
    if any(delimiter in part for part in parts):
        raise _Unfit(f"holds an item with {delimiter!r} in it, which is the delimiter")


def _deep(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Style deepObject. OpenAPI leaves deeper values open: written as qs, PHP and Rails read them."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _deep(f"{name}[{key}]", item)
    elif isinstance(value, list):
        nested = any(isinstance(item, (list, dict)) for item in value)
        for index, item in enumerate(value):
            yield from _deep(f"{name}[{index}]" if nested else f"{name}[]", item)
    else:
        yield name, _text(value)


def _header(parameter: _Parameter, value: Any) -> str | None:
    """A header parameter (style simple, in 2.0 delimited), sent as it is; nothing if empty."""
    if parameter.content is not None:
        return _visible(_content_text(parameter, value, ascii_only=True))
    if not isinstance(value, (list, dict)):
        return _visible(_text(value))
    delimiter = _delimiter(parameter)
    parts = _check_delimited(delimiter, value)
    if isinstance(value, dict) and parameter.explode:
        parts = [f"{key}={item}" for key, item in zip(parts[::2], parts[1::2], strict=True)]
    if not parts:
        return None
    if delimiter == "\t":
        # Legal between visible characters (RFC 9110, section 5.5), but in no item, and at neither
        # end, where it would be taken for a blank around the value.
        text = delimiter.join(map(_visible, parts))
        return text if parts[0] and parts[-1] else _visible(text)
    return _visible(delimiter.join(parts))


def _cookie_header(
    parameter: _Parameter, value: Any, siblings: tuple[_Parameter, ...]
) -> list[tuple[str, str]]:
    """A parameter that is the Cookie header itself: its cookies go beside the others."""
    cookies: list[tuple[str, str]] = []
    for item in _visible(_text(value)).split(";"):
        name, equals, text = item.strip(" ").partition("=")
        if not name and not equals:
            continue
        if not name or not equals:
            raise _Unfit("must be spelt `name=value; name=value`")
        if any(name == sibling.wire_name for sibling in siblings):
            raise _Unfit(f"holds the key {_json(name)}, which is another parameter")
        cookies.append((name, text))
    return cookies


def _visible(text: str) -> str:
    if any(not " " <= character <= "~" for character in text) or text != text.strip(" "):
        raise _Unfit(
            "must hold visible ASCII characters only, and no space at either end, "
            "as it is sent in a header"
        )
    return text
