import textwrap
from dataclasses import dataclass
CONFIG = textwrap.dedent("""
    # comment
    [server]
    host = example.com
    port = 8080
    debug = true

    [paths]
    data = /var/data
""")


def coerce(s: str):
    for cast in (int, float):
        try: return cast(s)
        except ValueError: pass
    return {"true": True, "false": False, "null": None}.get(s.lower(), s)


def parse(text: str) -> dict[str, dict]:
    out, section = {}, None
    for n, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        if not line: continue
        if line[0] == "[" and line[-1] == "]":
            section = out.setdefault(line[1:-1], {})
        elif "=" in line and section is not None:
            k, v = map(str.strip, line.split("=", 1))
            section[k] = coerce(v)
        else:
            raise ValueError(f"line {n}: {line!r}")
    return out


cfg = parse(CONFIG)
print(cfg)
try: parse("x")
except ValueError as e: print(e)
