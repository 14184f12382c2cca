def flat(obj, prefix=""):
    if isinstance(obj, dict):
        for k, v in obj.items():
            yield from flat(v, f"{prefix}{k}.")
    elif isinstance(obj, (list, tuple)):
        for i, v in enumerate(obj):
            yield from flat(v, f"{prefix}{i}.")
    else:
        yield prefix[:-1], obj
print(dict(flat({"a": [1, {"b": 2}], "c": {"d": "x"}})))
