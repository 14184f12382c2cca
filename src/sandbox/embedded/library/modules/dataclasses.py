# dataclasses: the native decorator and is_dataclass, and what works on its objects; left out are field, fields,
# make_dataclass, KW_ONLY, InitVar and MISSING.
def _mce_module_dataclasses():
    import dataclasses

    def field_names(obj, name):
        if type(obj) is type(int) or not hasattr(obj, "__dataclass_fields__"):
            raise TypeError(f"{name}() should be called on dataclass instances")
        return list(obj.__dataclass_fields__)

    def deep_copy(value):
        return _mce_module("copy", _mce_module_copy)["deepcopy"](value)

    def convert(value, make, name):
        if value is None or isinstance(value, (bool, int, float, str, bytes)):
            return value
        if type(value) is not type(int) and hasattr(value, "__dataclass_fields__"):
            return make([(field, convert(getattr(value, field), make, name)) for field in field_names(value, name)])
        if type(value) is list:
            return [convert(item, make, name) for item in value]
        if isinstance(value, tuple):
            parts = [convert(item, make, name) for item in value]
            return tuple(parts) if type(value) is tuple else value._make(parts)
        if type(value) is dict:
            made = {}
            for key in value:
                made[convert(key, make, name)] = convert(value[key], make, name)
            return made
        if isinstance(value, dict):
            raise NotImplementedError(f"{name}() with a {type(value).__name__} is unsupported")
        return deep_copy(value)

    def asdict(obj, *, dict_factory=dict):
        field_names(obj, "asdict")
        return convert(obj, dict_factory, "asdict")

    def astuple(obj, *, tuple_factory=tuple):
        field_names(obj, "astuple")
        return convert(obj, lambda pairs: tuple_factory([value for _, value in pairs]), "astuple")

    def replace(obj, /, **changes):
        names = field_names(obj, "replace")
        fields = obj.__dataclass_fields__
        for name in names:
            if not fields[name].init:
                if name in changes:
                    raise TypeError(
                        f"field {name} is declared with init=False, it cannot be specified with replace()"
                    )
            elif name not in changes:
                changes[name] = getattr(obj, name)
        return type(obj)(**changes)

    return {
        "FrozenInstanceError": dataclasses.FrozenInstanceError,
        "asdict": asdict,
        "astuple": astuple,
        "dataclass": dataclasses.dataclass,
        "is_dataclass": dataclasses.is_dataclass,
        "replace": replace,
    }
