# contextvars: left out are Context and copy_context.
def _mce_module_contextvars():
    # Each task of the bridged asyncio has values of its own.
    base = {}

    def values():
        find = _mce_hooks["context"]
        return base if find is None else find(base)

    class Token:
        def __init__(self, var, old):
            self.var = var
            self.old_value = old
            self.used = False

    Token.MISSING = _mce_object()
    values()

    class ContextVar:
        def __init__(self, name, *default_value, default=Token.MISSING):
            if default_value or type(name) is not str:
                raise TypeError("context variable name must be a str")
            self.name = name
            self.default = default

        def get(self, *default):
            held = values()
            if self in held:
                return held[self]
            if default:
                return default[0]
            if self.default is not Token.MISSING:
                return self.default
            raise LookupError(repr(self))

        def set(self, value):
            held = values()
            token = Token(self, held[self] if self in held else Token.MISSING)
            held[self] = value
            return token

        def reset(self, token):
            if token.used:
                raise RuntimeError(f"{token!r} has already been used once")
            if token.var is not self:
                raise ValueError(f"{token!r} was created by a different ContextVar")
            token.used = True
            held = values()
            if token.old_value is Token.MISSING:
                held.pop(self)
            else:
                held[self] = token.old_value

    return {"ContextVar": ContextVar, "Token": Token}
