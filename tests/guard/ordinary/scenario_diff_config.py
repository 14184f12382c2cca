import difflib
import json
from copy import deepcopy

old = {"name": "app", "env": {"debug": False, "hosts": ["a", "b"]}, "os": "linux"}
new = deepcopy(old)
new["env"]["debug"] = True
new["env"]["hosts"].append("c")
new.pop("os"); new["system"] = {"type": "vm"}


def flatten(obj, prefix=""):
    if isinstance(obj, dict):
        for k, v in obj.items():
            yield from flatten(v, f"{prefix}.{k}" if prefix else k)
    elif isinstance(obj, list):
        for i, v in enumerate(obj):
            yield from flatten(v, f"{prefix}[{i}]")
    else:
        yield prefix, obj


a, b = dict(flatten(old)), dict(flatten(new))
for key in sorted(a.keys() | b.keys()):
    match (key in a, key in b):
        case (True, False): print(f"- {key} = {a[key]!r}")
        case (False, True): print(f"+ {key} = {b[key]!r}")
        case _ if a[key] != b[key]: print(f"~ {key}: {a[key]!r} -> {b[key]!r}")
print(*difflib.unified_diff(*(json.dumps(x, indent=1, sort_keys=True).splitlines() for x in (old, new)), "old", "new", lineterm="", n=0), sep="\n")
