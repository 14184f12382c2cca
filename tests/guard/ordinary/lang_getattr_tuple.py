from dataclasses import dataclass, fields, asdict, astuple, replace


@dataclass
class Server:
    host: str = "h"
    port: int = 80
    tags: tuple[str, ...] = ()


s = Server()
for name in ("host", "port"):
    print(name, getattr(s, name))
for name, value in [("host", "x"), ("port", 81)]:
    setattr(s, name, value)
FIELDS = ("host", "port", "tags")
print({f: getattr(s, f) for f in FIELDS}, all(hasattr(s, f) for f in FIELDS))
