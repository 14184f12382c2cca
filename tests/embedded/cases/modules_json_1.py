import io
import json
from datetime import date, datetime

print(json.dumps({"a": [1, 2.5, None, True, 'é"\n']}), json.dumps({"b": 1, "a": {"z": 1, "y": 2}}, sort_keys=True, indent=2), json.dumps([1, {"a": 2}], separators=(",", ":")), json.dumps("é😀\x7f\u2028", ensure_ascii=False), json.dumps("é😀\x7f\u2028"))
print(json.dumps([]), json.dumps({}), json.dumps([], indent=2), json.dumps({}, indent=2), json.dumps([[], {}], indent=1), json.dumps([1, [2]], indent="\t"), json.dumps({"a": 1}, indent=0), json.dumps((1, "x")), json.dumps([1, 2], indent=2, separators=(";", "=")))
print(json.dumps([float("nan"), float("inf"), -float("inf"), 1e16, 1e-7, 0.1, 10**20, -0.0, 1.0]), json.dumps({1: 2, None: 3, False: 4, 1.5: 5, "x": 6}), json.dumps({(1, 2): 3, "a": 1}, skipkeys=True))
print(json.dumps({"when": datetime(2024, 1, 2), "tags": {1}, "n": [date(2024, 1, 1)]}, default=lambda o: sorted(o) if isinstance(o, set) else o.isoformat()), json.dumps({"o": object}, default=str)[:5])


class Point:
    def __init__(self, x):
        self.x = x

    def to_json(self):
        return {"x": self.x, "next": Point(self.x - 1) if self.x else None}


print(json.dumps([Point(2)], default=lambda o: o.to_json()), json.dumps(Point(0), default=Point.to_json, indent=1))
loop = []
loop.append(loop)
for f in [lambda: json.dumps({1, 2}), lambda: json.dumps({(1,): 2}), lambda: json.dumps(float("nan"), allow_nan=False), lambda: json.dumps(loop), lambda: json.dumps(b"x"), lambda: json.dumps({"a": [Point(1)]}), lambda: json.dumps({"b": 1, 2: 1}, sort_keys=True), lambda: json.loads(5), lambda: json.loads(None)]:
    try:
        print(f())
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
for s in ["", " ", "{", "[", "[1,]", "[1, ", '{"a":}', '{"a":1,', "x", '"a', '"a\\', "[1 2]", '{"a" 1}', '{"a"', "{a:1}", "01", '"\x01"', '"\t"', '"\\q"', "[1]x", "-", "nul", "tru", "{'a':1}", '{"a":1,}', "\ufeff[]", "1.", ".5", "1e", "+1", "NaN1", "[NaN, Infinity, -Infinity]", '"\\u12"', '"\\u12g4"', '"\\ud83d\\ude00"', "[1,\n 2,\n x]", '{"a":1 "b":2}', '{"a":1}}', "[[[", '{"a": {"b": [1, {"c": }]}}', "-1.5e+10", "1E5", "0", "-0", "[]", "{}", ' [ 1 , 2 ] ', '"\\/\\b\\f"', "12345678901234567890", "1.0", "[1,,2]", '{"a":1,,}', '{,}', "[,]", "{1:2}", '{"a":1;"b":2}', "true false", "\u00a01", "[1]\x00", '{"a":1,"a":2}', "'x'", "None", "True", "undefined", '{"a": undefined}', '["a", "b"', '{"x": "unterminated', "[1.5.2]", "--1", "\x0b1"]:
    try:
        print(ascii(s), repr(json.loads(s)))
    except json.JSONDecodeError as e:
        print(ascii(s), "JSONDecodeError", e)
print(json.loads('{"a": [1, 2.0], "b": {"c": 1e2}}', object_hook=lambda d: sorted(d.items())), json.loads('{"a":1,"b":2,"a":3}', object_pairs_hook=lambda p: p), json.loads("[1, 2.5, NaN]", parse_float=lambda s: "f" + s, parse_int=lambda s: "i" + s, parse_constant=lambda s: "c" + s), json.loads('"a\nb"', strict=False), json.loads(b'{"x": "\xc3\xa9"}'), json.loads(b"\xef\xbb\xbf[1]"), json.loads("[]", object_hook=dict), json.loads('{"d": {}}', object_hook=lambda d: len(d)))
buffer = io.StringIO()
json.dump({"a": [1, 2]}, buffer, indent=1)
buffer.seek(0)
print(buffer.getvalue(), json.load(buffer), json.loads(json.dumps({"k": [1.5, "s", None, True, {"n": -1}]})))
