# -- arguments as plain values -------------------------------------------------------------------


class _OwnNumber(str):
    """A number whose spelling is kept; the sandbox has its own such type."""

    __slots__ = ()


_RawNumber: Any = _OwnNumber if _host is None else _host.RawNumber


def _plain(value: Any, inside: list[int]) -> Any:
    """A value made of None, bool, int, float, str, bytes, list and dict alone.

    ``inside`` holds the identities of the containers around the value.
    """
    kind = type(value)
    if value is None or kind is bool or kind is int or kind is bytes:
        return value
    if kind is str:
        return _checked_text(value)
    if kind is float:
        return _finite(value)
    if id(value) in inside:
        raise ValueError("holds itself")
    if len(inside) >= _MAX_DEPTH:
        raise ValueError(f"is nested deeper than {_MAX_DEPTH} levels")
    inside.append(id(value))
    try:
        if kind is dict:
            return {_key(key): _plain(item, inside) for key, item in value.items()}
        if kind is list or kind is tuple:
            return [_plain(item, inside) for item in value]
        return _plain_object(value, inside)
    finally:
        inside.pop()


def _plain_object(value: Any, inside: list[int]) -> Any:
    """As :func:`_plain`, for everything but the built-in JSON types."""
    # Imported here: whoever holds such a value has paid for the import, others need not.
    import dataclasses
    import datetime
    import decimal
    import enum
    import uuid

    match value:
        case _Null():
            return None
        case enum.Enum():
            return _plain(value.value, inside)
        case str():
            return _checked_text(str.__str__(value))
        case int():
            return int(value)
        case float():
            return _finite(float(value))
        case bytearray() | memoryview() | bytes():
            return bytes(value)
        case datetime.datetime() | datetime.date() | datetime.time():
            return value.isoformat()
        case decimal.Decimal():
            if not value.is_finite():
                raise ValueError(f"must be a finite number, not {value}")
            return _RawNumber(str(value))
        case uuid.UUID():
            return str(value)
    if hasattr(value, "model_dump"):  # pydantic
        return _plain(value.model_dump(mode="json", by_alias=True), inside)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        members = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
        return {name: _plain(item, inside) for name, item in members}
    if isinstance(value, Mapping):
        return {_key(key): _plain(item, inside) for key, item in value.items()}
    if hasattr(value, "tolist"):  # numpy scalars and arrays, array.array
        return _plain(value.tolist(), inside)
    if isinstance(value, Iterable) and not isinstance(value, type):
        return [_plain(item, inside) for item in value]
    raise TypeError(f"cannot be of type {type(value).__name__}")


def _key(key: Any) -> str:
    """A member's name, by the rules of :mod:`json`; enum members stand for their values."""
    value = key if type(key) is str else _plain(key, [])
    if isinstance(value, str):
        return _checked_text(value)
    if value is None or isinstance(value, (bool, int, float)):
        return _json(value)
    raise TypeError(f"has a key of type {type(key).__name__}")


def _checked_text(text: str) -> str:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError("holds a lone surrogate, which UTF-8 cannot express") from None
    return text


def _finite(number: float) -> float:
    if number - number != 0.0:
        raise ValueError(f"must be a finite number, not {number}")
    return number
