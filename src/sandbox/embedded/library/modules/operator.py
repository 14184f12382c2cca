# operator: left out are methodcaller, matmul, the in-place operators that need `__iadd__` and the dunder aliases.
def _mce_module_operator():
    def attribute(obj, dotted):
        for name in dotted.split("."):
            obj = getattr(obj, name)
        return obj

    def attrgetter(attr, /, *attrs):
        names = (attr,) + attrs
        for name in names:
            if type(name) is not str:
                raise TypeError("attribute name must be a string")
        if not attrs:
            return lambda obj, /: attribute(obj, attr)
        return lambda obj, /: tuple([attribute(obj, name) for name in names])

    def itemgetter(item, /, *items):
        if not items:
            return lambda obj, /: obj[item]
        keys = (item,) + items
        return lambda obj, /: tuple([obj[key] for key in keys])

    def truth(a, /):
        return True if a else False

    def index(a, /):
        if not _mce_is_integer_like(a):
            raise TypeError(f"'{type(a).__name__}' object cannot be interpreted as an integer")
        return int(a)

    def is_sequence(value):
        return isinstance(value, (list, tuple, str, bytes, range, dict, _mce_Deque)) or hasattr(value, "__getitem__")

    def concat(a, b, /):
        if not is_sequence(a):
            raise TypeError(f"'{type(a).__name__}' object can't be concatenated")
        return a + b

    def countOf(a, b, /):
        return len([item for item in a if item is b or item == b])

    def indexOf(a, b, /):
        position = 0
        for item in a:
            if item is b or item == b:
                return position
            position += 1
        raise ValueError("sequence.index(x): x not in sequence")

    def add(a, b, /):
        return _mce_add(a, b)

    def and_(a, b, /):
        return a & b

    def call(obj, /, *args, **kwargs):
        return obj(*args, **kwargs)

    def contains(a, b, /):
        return b in a

    def delitem(a, b, /):
        _mce_delete_item(a, b)

    def eq(a, b, /):
        return a == b

    def floordiv(a, b, /):
        return a // b

    def getitem(a, b, /):
        return a[b]

    def invert(a, /):
        return ~a

    def is_(a, b, /):
        return a is b

    def is_not(a, b, /):
        return a is not b

    def lshift(a, b, /):
        return a << b

    def mod(a, b, /):
        return _mce_percent(a, b)

    def mul(a, b, /):
        return _mce_multiply(a, b)

    def ne(a, b, /):
        return a != b

    def neg(a, /):
        return -a

    def not_(a, /):
        return not a

    def or_(a, b, /):
        return _mce_or(a, b)

    def pos(a, /):
        return +a

    def power(a, b, /):
        return _mce_power(a, b)

    def rshift(a, b, /):
        return a >> b

    def setitem(a, b, c, /):
        _mce_set_item(a, b, c)

    def sub(a, b, /):
        return _mce_subtract(a, b)

    def truediv(a, b, /):
        return _mce_true_divide(a, b)

    def xor(a, b, /):
        return a ^ b

    return {
        "abs": abs,
        "add": add,
        "and_": and_,
        "attrgetter": attrgetter,
        "call": call,
        "concat": concat,
        "contains": contains,
        "countOf": countOf,
        "delitem": delitem,
        "eq": eq,
        "floordiv": floordiv,
        "ge": _mce_greater_equal,
        "getitem": getitem,
        "gt": _mce_greater,
        "index": index,
        "indexOf": indexOf,
        "inv": invert,
        "invert": invert,
        "is_": is_,
        "is_not": is_not,
        "itemgetter": itemgetter,
        "le": _mce_less_equal,
        "lshift": lshift,
        "lt": _mce_less,
        "mod": mod,
        "mul": mul,
        "ne": ne,
        "neg": neg,
        "not_": not_,
        "or_": or_,
        "pos": pos,
        "pow": power,
        "rshift": rshift,
        "setitem": setitem,
        "sub": sub,
        "truediv": truediv,
        "truth": truth,
        "xor": xor,
    }
