# typing: names for annotations and the functions that change nothing; left out are classes to inherit from beyond the
# native ones (NamedTuple, TypedDict as a call), get_type_hints, get_args and get_origin.
def _mce_module_typing():
    import typing

    abc = _mce_module("collections.abc", _mce_module_collections_abc)

    class _Mark:
        def __init__(self, name):
            self.name = name

        def __repr__(self):
            return "typing." + self.name

    class TypeVar:
        def __init__(self, name, *constraints, bound=None, covariant=False, contravariant=False, infer_variance=False, default=None):
            self.__name__ = name
            self.__constraints__ = constraints
            self.__bound__ = bound
            self.__covariant__ = covariant
            self.__contravariant__ = contravariant
            self.sign = "+" if covariant else "-" if contravariant else "~"

        def __repr__(self):
            return self.sign + self.__name__

    class ParamSpec:
        def __init__(self, name, *, bound=None, covariant=False, contravariant=False, default=None):
            self.__name__ = name
            self.args = _Mark(name + ".args")
            self.kwargs = _Mark(name + ".kwargs")

        def __repr__(self):
            return "~" + self.__name__

    class TypeVarTuple:
        def __init__(self, name, *, default=None):
            self.__name__ = name

        def __repr__(self):
            return self.__name__

    def NewType(name, tp):
        return lambda x, /: x

    def cast(typ, val):
        return val

    def assert_type(val, typ, /):
        return val

    def assert_never(arg, /):
        text = repr(arg)
        if len(text) > 100:
            text = text[:100] + "..."
        raise AssertionError("Expected code to be unreachable, but got: " + text)

    def same(value):
        return value

    def dataclass_transform(**options):
        return same

    def overload(func):
        def refuse(*args, **kwds):
            raise NotImplementedError(
                "You should not call an overloaded function. A series of @overload-decorated functions outside a stub "
                "module should always be followed by an implementation that is not @overload-ed."
            )

        return refuse

    names = {
        "TYPE_CHECKING": False,
        "Text": str,
        "assert_never": assert_never,
        "assert_type": assert_type,
        "cast": cast,
        "dataclass_transform": dataclass_transform,
        "final": same,
        "no_type_check": same,
        "overload": overload,
        "override": same,
        "runtime_checkable": same,
        "NewType": NewType,
        "ParamSpec": ParamSpec,
        "TypeVar": TypeVar,
        "TypeVarTuple": TypeVarTuple,
        "AnyStr": TypeVar("AnyStr", bytes, str),
        "Any": typing.Any,
        "Annotated": typing.Annotated,
        "ClassVar": typing.ClassVar,
        "Final": typing.Final,
        "Generic": typing.Generic,
        "Literal": typing.Literal,
        "Never": typing.Never,
        "NoReturn": typing.NoReturn,
        "Optional": typing.Optional,
        "Protocol": typing.Protocol,
        "Self": typing.Self,
        "Type": typing.Type,
        "Union": typing.Union,
        "Dict": _mce_Alias("Dict", dict),
        "FrozenSet": _mce_Alias("FrozenSet", frozenset),
        "List": _mce_Alias("List", list),
        "Set": _mce_Alias("Set", set),
        "Tuple": _mce_Alias("Tuple", tuple),
        "Counter": _mce_Alias("Counter", _mce_Counter),
        "DefaultDict": _mce_Alias("DefaultDict", _mce_collections().defaultdict),
        "Deque": _mce_Alias("Deque", _mce_Deque),
        "AbstractSet": abc["Set"],
    }
    for name in abc:
        if name not in names and name != "Buffer" and name != "ByteString":
            names[name] = _mce_Abstract("typing", name, abc[name].types, abc[name].methods)
    for name in (
        ["BinaryIO", "Concatenate", "IO", "LiteralString", "NotRequired", "ReadOnly", "Required", "TextIO"]
        + ["TypeAlias", "TypeGuard", "TypeIs", "TypedDict", "Unpack", "AsyncContextManager", "ContextManager"]
        + ["SupportsAbs", "SupportsBytes", "SupportsComplex", "SupportsFloat", "SupportsIndex", "SupportsInt"]
        + ["SupportsRound"]
    ):
        names[name] = _Mark(name)
    return names
