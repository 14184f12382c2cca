import json
from datetime import date, datetime
from decimal import Decimal
from collections import OrderedDict


class Encoder(json.JSONEncoder):
    """Encode dates, decimals and sets."""

    def default(self, o):
        match o:
            case datetime() | date():
                return {"__type__": "date", "iso": o.isoformat()}
            case Decimal():
                return float(o)
            case set() | frozenset():
                return sorted(o)
            case _:
                return super().default(o)


def hook(d: dict):
    if d.get("__type__") == "date":
        return date.fromisoformat(d["iso"])
    return d


text = json.dumps({"d": date(2026, 1, 2), "m": Decimal("1.5"), "s": {3, 1}}, cls=Encoder, indent=2, sort_keys=True)
back = json.loads(text, object_hook=hook, parse_float=Decimal)
pairs = json.loads('{"b": 1, "a": 2}', object_pairs_hook=OrderedDict)
print(back, list(pairs), json.dumps("é", ensure_ascii=False), json.dumps([1, 2], separators=(",", ":")))
dec = json.JSONDecoder()
obj, end = dec.raw_decode('{"x": 1} trailing')
print(obj, end)
try:
    json.loads("[1,,]")
except json.JSONDecodeError as e:
    print(f"line {e.lineno} col {e.colno}: {e.msg} near {e.doc[e.pos:e.pos+3]!r}")
