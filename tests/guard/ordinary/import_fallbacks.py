try:
    from orjson import dumps as _dumps, loads
    def dumps(o) -> str: return _dumps(o).decode()
except ImportError:
    from json import dumps, loads
try:
    from itertools import batched
except ImportError:
    def batched(xs, n):
        it = iter(xs)
        while chunk := tuple(x for _, x in zip(range(n), it)):
            yield chunk
print(loads(dumps({"a": [1]})), list(batched("abc", 2)))
