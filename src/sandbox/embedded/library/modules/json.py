# json: left out are JSONEncoder, JSONDecoder, `cls=`, and the fields of JSONDecodeError (msg, doc, pos, lineno, colno).
def _mce_module_json():
    import json

    JSONDecodeError = json.JSONDecodeError
    escapes = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
    digits = "0123456789"
    hexadecimal = "0123456789abcdefABCDEF"

    def fail(message, text, position):
        line = text.count("\n", 0, position) + 1
        column = position - text.rfind("\n", 0, position)
        raise JSONDecodeError(f"{message}: line {line} column {column} (char {position})")

    class Scanner:
        def __init__(self, text, strict, object_hook, parse_float, parse_int, parse_constant, object_pairs_hook):
            self.text = text
            self.strict = strict
            self.object_hook = object_hook
            self.parse_float = parse_float
            self.parse_int = parse_int
            self.parse_constant = parse_constant
            self.object_pairs_hook = object_pairs_hook

        def skip(self, position):
            text = self.text
            while position < len(text) and text[position] in " \t\n\r":
                position += 1
            return position

        def char(self, position):
            return self.text[position : position + 1]

        def value(self, position):
            # The value at `position` and where it ends.
            text = self.text
            char = self.char(position)
            if char == '"':
                return self.string(position + 1)
            if char == "{":
                return self.object(position + 1)
            if char == "[":
                return self.array(position + 1)
            if text.startswith("null", position):
                return None, position + 4
            if text.startswith("true", position):
                return True, position + 4
            if text.startswith("false", position):
                return False, position + 5
            end = position + 1 if char == "-" else position
            first = self.char(end)
            if first and first in digits:
                end += 1
                if first != "0":
                    end = self.digits_end(end)
                whole = end
                if self.char(end) == "." and self.char(end + 1) and self.char(end + 1) in digits:
                    end = self.digits_end(end + 1)
                if self.char(end) in ("e", "E"):
                    after = end + 2 if self.char(end + 1) in ("+", "-") else end + 1
                    if self.char(after) and self.char(after) in digits:
                        end = self.digits_end(after)
                number = text[position:end]
                if end == whole:
                    return (int(number) if self.parse_int is None else self.parse_int(number)), end
                return (float(number) if self.parse_float is None else self.parse_float(number)), end
            for name in ("NaN", "Infinity", "-Infinity"):
                if text.startswith(name, position):
                    made = float(name) if self.parse_constant is None else self.parse_constant(name)
                    return made, position + len(name)
            fail("Expecting value", text, position)

        def digits_end(self, position):
            text = self.text
            while position < len(text) and text[position] in digits:
                position += 1
            return position

        def string(self, position):
            text = self.text
            begin = position - 1
            parts = []
            while True:
                end = position
                while end < len(text) and text[end] != '"' and text[end] != "\\" and text[end] >= " ":
                    end += 1
                if end > position:
                    parts.append(text[position:end])
                if end >= len(text):
                    fail("Unterminated string starting at", text, begin)
                char = text[end]
                position = end + 1
                if char == '"':
                    return "".join(parts), position
                if char != "\\":
                    if self.strict:
                        fail("Invalid control character at", text, end)
                    parts.append(char)
                    continue
                escape = self.char(position)
                if escape == "":
                    fail("Unterminated string starting at", text, begin)
                if escape != "u":
                    if escape not in escapes:
                        fail("Invalid \\escape", text, end)
                    parts.append(escapes[escape])
                    position += 1
                    continue
                code = self.unicode_escape(position)
                position += 5
                if 55296 <= code <= 56319 and text.startswith("\\u", position):
                    low = self.unicode_escape(position + 1)
                    if 56320 <= low <= 57343:
                        code = 65536 + ((code - 55296) << 10 | (low - 56320))
                        position += 6
                if 55296 <= code <= 57343:
                    raise NotImplementedError("a lone surrogate in JSON is unsupported")
                parts.append(chr(code))

        def unicode_escape(self, position):
            code = self.text[position + 1 : position + 5]
            if len(code) == 4 and all([char in hexadecimal for char in code]):
                return int(code, 16)
            fail("Invalid \\uXXXX escape", self.text, position)

        def object(self, position):
            text = self.text
            pairs = []
            position = self.skip(position)
            char = self.char(position)
            if char == "}":
                return self.finish(pairs), position + 1
            if char != '"':
                fail("Expecting property name enclosed in double quotes", text, position)
            while True:
                key, position = self.string(position + 1)
                position = self.skip(position)
                if self.char(position) != ":":
                    fail("Expecting ':' delimiter", text, position)
                value, position = self.value(self.skip(position + 1))
                pairs.append((key, value))
                position = self.skip(position)
                char = self.char(position)
                if char == "}":
                    return self.finish(pairs), position + 1
                if char != ",":
                    fail("Expecting ',' delimiter", text, position)
                comma = position
                position = self.skip(position + 1)
                if self.char(position) != '"':
                    if self.char(position) == "}":
                        fail("Illegal trailing comma before end of object", text, comma)
                    fail("Expecting property name enclosed in double quotes", text, position)

        def finish(self, pairs):
            if self.object_pairs_hook is not None:
                return self.object_pairs_hook(pairs)
            made = dict(pairs)
            return made if self.object_hook is None else self.object_hook(made)

        def array(self, position):
            text = self.text
            values = []
            position = self.skip(position)
            if self.char(position) == "]":
                return values, position + 1
            while True:
                value, position = self.value(position)
                values.append(value)
                position = self.skip(position)
                char = self.char(position)
                if char == "]":
                    return values, position + 1
                if char != ",":
                    fail("Expecting ',' delimiter", text, position)
                comma = position
                position = self.skip(position + 1)
                if self.char(position) == "]":
                    fail("Illegal trailing comma before end of array", text, comma)

    def loads(
        s,
        *,
        cls=None,
        object_hook=None,
        parse_float=None,
        parse_int=None,
        parse_constant=None,
        object_pairs_hook=None,
        strict=True,
    ):
        if cls is not None:
            raise NotImplementedError("json.loads() with cls is unsupported")
        if type(s) is str:
            if s.startswith("\ufeff"):
                fail("Unexpected UTF-8 BOM (decode using utf-8-sig)", s, 0)
        elif type(s) is bytes:
            if s.startswith(b"\xef\xbb\xbf"):
                s = s[3:]
            elif b"\x00" in s[:4] or s[:2] in (b"\xff\xfe", b"\xfe\xff"):
                raise NotImplementedError("json.loads() of bytes other than UTF-8 is unsupported")
            s = s.decode()
        else:
            raise TypeError(f"the JSON object must be str, bytes or bytearray, not {type(s).__name__}")
        hooks = (object_hook, parse_float, parse_int, parse_constant, object_pairs_hook)
        if strict and all([hook is None for hook in hooks]):
            # The native parser, unless it fails: then the scan below says why as CPython does.
            try:
                return json.loads(s)
            except ValueError:
                pass
        scanner = Scanner(s, strict, *hooks)
        value, end = scanner.value(scanner.skip(0))
        end = scanner.skip(end)
        if end != len(s):
            fail("Extra data", s, end)
        return value

    def load(fp, **options):
        return loads(fp.read(), **options)

    def plain(value, default, path):
        # The value with what the native encoder does not know replaced by what `default` makes of it.
        if value is None or isinstance(value, (str, int, float)):
            return value
        key = id(value)
        if key in path:
            raise ValueError("Circular reference detected")
        if isinstance(value, (list, tuple)):
            path[key] = True
            made = [plain(item, default, path) for item in value]
        elif isinstance(value, dict):
            path[key] = True
            made = {}
            for name in value:
                made[name] = plain(value[name], default, path)
        else:
            path[key] = True
            if default is None:
                raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")
            made = plain(default(value), default, path)
        path.pop(key)
        return made

    def dumps(
        obj,
        *,
        skipkeys=False,
        ensure_ascii=True,
        check_circular=True,
        allow_nan=True,
        cls=None,
        indent=None,
        separators=None,
        default=None,
        sort_keys=False,
    ):
        if cls is not None:
            raise NotImplementedError("json.dumps() with cls is unsupported")
        return json.dumps(
            plain(obj, default, {}),
            skipkeys=skipkeys,
            ensure_ascii=ensure_ascii,
            allow_nan=allow_nan,
            indent=indent,
            separators=separators,
            sort_keys=sort_keys,
        )

    def dump(obj, fp, **options):
        fp.write(dumps(obj, **options))

    return {"JSONDecodeError": JSONDecodeError, "dump": dump, "dumps": dumps, "load": load, "loads": loads}
