# -- bodies


def _chosen(function: str, spec: _Spec, wanted: str | None) -> tuple[str, str]:
    """The declared media type of the body, and the one to send: a range covers several."""
    if wanted is None:
        return (spec.media[0], spec.media[0]) if spec.media else ("", "")
    if not spec.media:
        raise TypeError(f"{function}() has no body, and so no content type to select")
    essence = _essence(wanted)
    alike = [declared for declared in spec.media if _essence(declared) == essence]
    for declared in [wanted] * (wanted in spec.media) + alike[:1]:
        if "*" not in declared:
            return declared, declared
    if _is_media_type(wanted):
        for declared in spec.media:
            if _covers(_essence(declared), essence):
                return declared, wanted
    known = ", ".join(_json(declared) for declared in spec.media)
    raise TypeError(f"{function}() cannot send its body as {_json(wanted)}, only as {known}")


def _covers(media_range: str, essence: str) -> bool:
    if media_range == "application/*+json":
        return essence.startswith("application/") and essence.endswith("+json")
    if media_range in ("*/*", "*"):
        return True
    return media_range.endswith("/*") and essence.startswith(media_range[:-1])


def _is_media_type(text: str) -> bool:
    """Whether a text is one media type and no range, and so can stand in a header."""
    return "*" not in _essence(text) and _parameters(text) is not None


def _parameters(media_type: str) -> list[tuple[str, str]] | None:
    """The parameters of a media type as they are written (RFC 9110, section 8.3.1); None where the
    text is anything else, such as two media types in a row."""
    import re

    token = r"[!#-'*+.^_`|~0-9A-Za-z-]+"
    parameter = rf' *; *({token})=({token}|"(?:[ !#-\[\]-~]|\\[ -~])*")'
    if not re.fullmatch(f"{token}/{token}(?:{parameter})*", media_type):
        return None
    return [(name, value) for name, value in re.findall(parameter, media_type)]


def _body(
    media_type: str, value: Any, encoding: _Encoding, parts: _PartHeaders
) -> tuple[str, bytes]:
    """The Content-Type and the bytes of a body."""
    essence = _essence(media_type)
    kind = _media_kind(essence)
    if kind == "json":
        # What is ASCII only is the same text in nearly every charset.
        text = _json(value, ascii_only=_is_foreign(media_type))
        return media_type, _encoded_text(media_type, text)
    if kind == "text":
        if not _is_text(value):
            raise _Unfit(f"must be str, not {_type_name(value)}")
        return media_type, _encoded_text(media_type, value)
    if essence == "application/x-www-form-urlencoded":
        form = media_type, _urlencoded(value, encoding).encode()
    elif essence.startswith("multipart/"):
        form = _multipart(media_type, value, encoding, parts)
    else:
        form = None
    if form is not None:
        # Percent-encoded UTF-8, whatever the media type says.
        if _is_foreign(media_type):
            label = _json(_charset_label(media_type))
            raise _Unfit(f"cannot be sent in the charset {label}: forms are UTF-8")
        return form
    if not isinstance(value, bytes):
        raise _Unfit(f"must be bytes, not {_type_name(value)}")
    return media_type, value


def _fields(value: Any, encoding: _Encoding) -> Iterator[tuple[str, Any, _Parameter | None, str]]:
    """A form's members with the style or the media type that they have. A form has no null: a
    member and an item of a list that are null are left out, but for items described as JSON."""
    if not isinstance(value, dict):
        raise _Unfit(f"must be dict, not {_type_name(value)}")
    for name, item in value.items():
        if item is None:
            continue
        given = encoding.get(name, "")
        if isinstance(item, list) and not _is_json_type(given):
            item = [each for each in item if each is not None]
        match given:
            case str(media_type) if "/" in media_type or not media_type:
                yield name, item, None, media_type
            case str(style):
                yield name, item, _Parameter(name, name, style, style == "form", False, None), ""
            case (style, explode):
                yield name, item, _Parameter(name, name, style, explode, False, None), ""
            case (style, explode, reserved):
                yield name, item, _Parameter(name, name, style, explode, reserved, None), ""


def _is_json_type(encoding: object) -> bool:
    return isinstance(encoding, str) and _media_kind(_essence(encoding)) == "json"


def _urlencoded(value: Any, encoding: _Encoding) -> str:
    """A form as in a query. An object without a style is JSON text."""
    items: list[str] = []
    for name, item, style, media_type in _fields(value, encoding):
        try:
            if style is not None:
                pairs = _spread(style, item)
            else:
                write = _json if _is_json_type(media_type) else _text
                values = item if isinstance(item, list) else [item]
                pairs = [(name, _quote(write(each))) for each in values]
        except _Unfit as problem:
            raise _Unfit(f"member {_json(name)} {problem}") from None
        items += [f"{_quote(key)}={text}" for key, text in pairs]
    return "&".join(items)


def _multipart(
    media_type: str, value: Any, encoding: _Encoding, headers: _PartHeaders
) -> tuple[str, bytes]:
    """A multipart body (RFC 7578). Text is a part without a media type, an object one of JSON,
    bytes a file; each item of a list is a part."""
    from hashlib import sha256

    essence = _essence(media_type)
    parts: list[bytes] = []
    if isinstance(value, list) and essence != "multipart/form-data":
        # Other kinds than forms may have parts without names.
        parts = [_part(None, item, "", []) for item in value if item is not None]
    else:
        for name, item, style, own in _fields(value, encoding):
            try:
                lines = [_part_header(*header) for header in headers.get(name, {}).items()]
                parts += _named_parts(name, item, style, own, lines)
            except _Unfit as problem:
                raise _Unfit(f"member {_json(name)} {problem}") from None
    # Made of the content, so that the same request is always the same bytes.
    digest = sha256(b"".join(part + b"\r\n" for part in parts)).digest()
    while any(_boundary(digest) in part for part in parts):
        digest = sha256(digest).digest()
    boundary = _boundary(digest)
    body = b"".join(b"--%b\r\n%b\r\n" % (boundary, part) for part in parts)
    kept = [it for it in _parameters(media_type) or [] if it[0].lower() != "boundary"]
    label = "; ".join(f"{name}={text}" for name, text in [*kept, ("boundary", boundary.decode())])
    return f"{essence}; {label}", body + b"--%b--\r\n" % boundary


def _boundary(digest: bytes) -> bytes:
    return b"mce-" + digest[:16].hex().encode()


def _named_parts(
    name: str, value: Any, style: _Parameter | None, media_type: str, headers: list[str]
) -> list[bytes]:
    """The parts of a property, each with these headers."""
    one_file = _file(value) is not None
    some_file = isinstance(value, list) and any(_file(item) is not None for item in value)
    # No reader of multipart bodies takes objects apart, whatever their style.
    is_styled = style is not None and style.style != "deepObject" and not isinstance(value, dict)
    if style is not None and is_styled and not one_file and not some_file:
        try:
            pairs = _spread(style, value, encoded=False)
            return [
                "\r\n".join([_disposition(key), *headers, "", text]).encode() for key, text in pairs
            ]
        except _Unfit:
            # A list whose items hold its delimiter cannot be one part, but a part for each item.
            pass
    values = value if isinstance(value, list) and not one_file else [value]
    return [_part(name, item, media_type, headers) for item in values]


def _file(value: Any) -> tuple[str | None, bytes, str | None] | None:
    """File name, content and media type of bytes or of a tuple, which is a list by now."""
    match value:
        case bytes(content):
            return None, content, None
        case [name, bytes(content)] if _is_text(name):
            return name, content, None
        case [name, bytes(content), media_type] if _is_text(name) and _is_text(media_type):
            return name, content, media_type
    return None


def _part(name: str | None, value: Any, media_type: str, headers: list[str]) -> bytes:
    """Headers and content of one part."""
    filename = None
    if (file := _file(value)) is not None:
        filename, content, own = file
        filename = filename if filename is not None else name if name is not None else "file"
        media_type = own if own is not None else media_type or "application/octet-stream"
        if not _is_media_type(media_type):
            raise _Unfit(f"has the content type {_json(media_type)}, which is no media type")
    elif _is_json_type(media_type):
        content = _encoded_text(media_type, _json(value))
    elif isinstance(value, (list, dict)):
        if media_type:
            kind = _type_name(value)
            raise _Unfit(f"must be str or bytes, not {kind}, as its content type is no JSON")
        media_type = "application/json"
        content = _json(value).encode()
    else:
        content = _encoded_text(media_type, _text(value))
    lines = [] if name is None else [_disposition(name, filename)]
    if media_type or name is None:
        lines.append(f"Content-Type: {media_type or 'text/plain; charset=utf-8'}")
    return "\r\n".join([*lines, *headers, "", ""]).encode() + content


def _part_header(name: str, text: str) -> str:
    """A header that every part of a property has, if it is one line and not the encoder's own."""
    import re

    own = "content-(?:disposition|length|transfer-encoding|type)"
    token = rf"(?!{own}$)[!#-'*+.^_`|~0-9A-Z-]{{1,256}}"
    is_name = re.fullmatch(token, name, re.IGNORECASE | re.ASCII)
    is_text = len(text) <= 1024 and re.fullmatch("(?:[!-~](?:[ -~]*[!-~])?)?", text)
    if not is_name or not is_text:
        raise _Unfit(f"has the header {_json(name)}, which cannot be sent")
    return f"{name}: {text}"


def _disposition(name: str, filename: str | None = None) -> str:
    line = f'Content-Disposition: form-data; name="{_escaped("name", name)}"'
    return line if filename is None else f'{line}; filename="{_escaped("file name", filename)}"'


def _escaped(what: str, name: str) -> str:
    """A name within the quotes of a header, as browsers write it, if all readers read it alike.

    Some take a backslash for an escape, some do not, some take one before the closing quote for the
    escape of that quote: one of them would read another name, and further parameters.
    """
    if any(c in "\\\u2028\u2029" or (_is_control(c) and c not in "\r\n") for c in name):
        raise _Unfit(f"has the {what} {_json(name)}, which holds a backslash or a control character")
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not isinstance(value, _RawNumber)


def _type_name(value: Any) -> str:
    if value is None:
        return "None"
    if isinstance(value, _RawNumber):
        return "int" if value.removeprefix("-").isdecimal() else "float"
    return type(value).__name__


def _json(value: Any, ascii_only: bool = False) -> str:
    """Compact JSON. Not ``json.dumps``, which cannot keep the spelling of a Decimal."""
    if isinstance(value, str):
        if isinstance(value, _RawNumber):
            return str(value)
        return encode_basestring_ascii(value) if ascii_only else encode_basestring(value)
    if isinstance(value, dict):
        items = (
            f"{_json(key, ascii_only)}:{_json(item, ascii_only)}" for key, item in value.items()
        )
        return f"{{{','.join(items)}}}"
    if isinstance(value, list):
        return f"[{','.join(_json(item, ascii_only) for item in value)}]"
    if isinstance(value, bytes):
        raise _Unfit("must not hold bytes")
    return json.dumps(value)
