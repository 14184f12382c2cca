import dataclasses
import datetime as dt
import uuid
from decimal import Decimal
from enum import Enum
import orjson
from orjson import OPT_INDENT_2, OPT_SORT_KEYS, JSONDecodeError


class Colour(Enum):
    RED = "red"


@dataclasses.dataclass
class Row:
    id: uuid.UUID
    when: dt.datetime
    colour: Colour = Colour.RED


def default(o):
    if isinstance(o, Decimal):
        return str(o)
    if isinstance(o, (set, frozenset)):
        return sorted(o)
    raise TypeError(f"cannot serialise {type(o).__name__}")


row = Row(uuid.uuid5(uuid.NAMESPACE_DNS, "example.com"), dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
print(orjson.dumps({"row": row, "d": Decimal("1.5"), "s": {2, 1}}, default=default, option=OPT_INDENT_2 | OPT_SORT_KEYS | orjson.OPT_UTC_Z).decode())
print(orjson.dumps({1: "a", dt.date(2026, 1, 2): None}, option=orjson.OPT_NON_STR_KEYS))
try:
    orjson.loads(b'{"a": }')
except JSONDecodeError as e:
    print(e.msg, e.lineno, e.colno, e.pos)
try:
    orjson.dumps(object())
except orjson.JSONEncodeError as e:
    print("encode:", e)
