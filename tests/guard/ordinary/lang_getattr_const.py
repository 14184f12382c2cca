from types import SimpleNamespace
ATTR = "name"
o = SimpleNamespace(name="n", size=3)
print(getattr(o, "name"), getattr(o, ATTR), getattr(o, "missing", None), hasattr(o, "size"), hasattr(o, ATTR))
setattr(o, "colour", "red"); print(o.colour)
delattr(o, "size"); print(hasattr(o, "size"))
print(callable(getattr("abc", "upper")), getattr(3, "real"), getattr([], "append")(1))
