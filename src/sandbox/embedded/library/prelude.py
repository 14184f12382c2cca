# Helpers that lowered code calls. Fed to the interpreter before the user's code; every name starts with `_mce_`.
import asyncio as _mce_asyncio
import datetime as _mce_datetime
import math as _mce_math
import re as _mce_re
import unicodedata as _mce_unicodedata

# --- modules and plain objects ---

_mce_modules = {}


class _mce_Names:
    # A module or namespace: attributes from a dict.
    def __init__(self, names):
        for name in names:
            setattr(self, name, names[name])


def _mce_module(name, factory):
    """The dict of a bridged module's names, made once per run."""
    if name not in _mce_modules:
        _mce_modules[name] = factory()
    return _mce_modules[name]


def _mce_module_object(names):
    """What `import M` binds: an object whose attributes are the items of `names`."""
    return _mce_Names(names)


def _mce_object():
    """`object()`: a fresh object equal only to itself."""

    class object:
        pass

    return object()


# --- awaiting ---

# What a bridged module gives to the helpers here once it is loaded.
_mce_hooks = {"wait": None, "run": None, "expand": None, "context": None}


async def _mce_await(awaitable):
    """`await awaitable`, where it may be a task or a future of the bridged `asyncio`."""
    wait = _mce_hooks["wait"]
    if wait is None:
        return await awaitable
    return await wait(awaitable)


def _mce_run(coroutine):
    """What a coroutine gives that is run to its end, where no other runs."""
    run = _mce_hooks["run"]
    return _mce_asyncio.run(coroutine) if run is None else run(coroutine)


# --- numbers ---


def _mce_scaled(value, exponent):
    """`math.ldexp(value, exponent)` where the result is a float exactly: the native one may round on the way."""
    step = 18446744073709551616.0 if exponent >= 0 else 5.421010862427522e-20
    for _ in range(abs(exponent) // 64):
        value *= step
    step = 2.0 if exponent >= 0 else 0.5
    for _ in range(abs(exponent) % 64):
        value *= step
    return value


def _mce_frexp(value):
    """`math.frexp(value)` of a finite float: the native one is exact only near 1."""
    exponent = 0
    while 0.0 < abs(value) < 5.421010862427522e-20:
        value *= 18446744073709551616.0
        exponent -= 64
    while abs(value) > 18446744073709551616.0:
        value *= 5.421010862427522e-20
        exponent += 64
    mantissa, rest = _mce_math.frexp(value)
    return mantissa, exponent + rest


def _mce_is_integer_like(value):
    return type(value) is int or type(value) is bool


def _mce_ratio_to_float(numerator, denominator):
    """`numerator / denominator` of two ints of any size, correctly rounded (half to even)."""
    if denominator == 0:
        raise ZeroDivisionError("division by zero")
    negative = (numerator < 0) != (denominator < 0)
    n = abs(numerator)
    d = abs(denominator)
    if n == 0:
        return 0.0
    if n <= 9007199254740992 and d <= 9007199254740992:
        result = float(n) / float(d)
        return -result if negative else result
    # Scale so that the quotient has exactly 55 or 56 bits, then round by hand.
    exponent = _mce_bit_length(n) - _mce_bit_length(d) - 55
    # Below the smallest normal number fewer bits are kept.
    if exponent < -1074 - 2:
        exponent = -1074 - 2
    if exponent >= 0:
        d = d << exponent
    else:
        n = n << -exponent
    quotient, remainder = divmod(n, d)
    if remainder:
        quotient |= 1
    extra = _mce_bit_length(quotient) - 53
    if exponent + extra < -1074:
        extra = -1074 - exponent
    if extra > 0:
        half = 1 << (extra - 1)
        low = quotient & ((1 << extra) - 1)
        quotient = quotient >> extra
        if low > half or (low == half and quotient & 1):
            quotient += 1
        exponent += extra
    if _mce_bit_length(quotient) + exponent > 1024:
        raise OverflowError("integer division result too large for a float")
    result = _mce_scaled(float(quotient), exponent)
    return -result if negative else result


def _mce_bit_length(value):
    n = abs(value)
    if n < 281474976710656:
        return 0 if n == 0 else _mce_math.frexp(float(n))[1]
    digits = hex(n)
    return (len(digits) - 3) * 4 + _mce_math.frexp(float(int(digits[2], 16)))[1]


def _mce_int_to_float(value):
    """`float(value)` of an int of any size."""
    if -9007199254740992 <= value <= 9007199254740992:
        return float(int(value))
    try:
        return _mce_ratio_to_float(value, 1)
    except OverflowError:
        raise OverflowError("int too large to convert to float")


def _mce_float(value=0.0):
    """`float(value)`."""
    if _mce_is_integer_like(value):
        return _mce_int_to_float(value)
    if type(value) is str and "_" in value:
        stripped = value.strip()
        for i in range(len(stripped)):
            if stripped[i] == "_":
                before = stripped[i - 1 : i]
                after = stripped[i + 1 : i + 2]
                if not (before.isdecimal() and after.isdecimal()):
                    raise ValueError("could not convert string to float: " + repr(value))
        try:
            return float(stripped.replace("_", ""))
        except ValueError:
            raise ValueError("could not convert string to float: " + repr(value))
    return float(value)


def _mce_true_divide(left, right):
    """`left / right`."""
    if _mce_is_integer_like(left) and _mce_is_integer_like(right):
        return _mce_ratio_to_float(int(left), int(right))
    if isinstance(left, _mce_datetime.timedelta):
        return _mce_timedelta_divide(left, right)
    if type(left) is bool:
        left = int(left)
    if type(right) is bool:
        right = int(right)
    if type(left) is float or type(right) is float:
        # An int of any size and CPython 3.13's messages.
        if _mce_is_integer_like(left):
            left = _mce_int_to_float(left)
        elif _mce_is_integer_like(right):
            right = _mce_int_to_float(right)
        if type(right) is float and right == 0.0 and type(left) is float:
            raise ZeroDivisionError("float division by zero")
    return left / right


def _mce_check_divisor(left, right, of_ints, of_floats):
    """CPython 3.13's messages for `//` and `%` by zero."""
    if (type(left) is int or type(left) is float) and (type(right) is int or type(right) is float) and right == 0:
        raise ZeroDivisionError(of_ints if type(left) is int and type(right) is int else of_floats)


def _mce_add(left, right):
    """`left + right`, where bools count as ints."""
    if type(left) is bool:
        left = int(left)
    return left + (int(right) if type(right) is bool and type(left) in (int, float) else right)


def _mce_subtract(left, right):
    """`left - right`, where bools count as ints."""
    if type(left) is bool:
        left = int(left)
    return left - (int(right) if type(right) is bool and type(left) in (int, float) else right)


def _mce_multiply(left, right):
    """`left * right`, where bools count as ints, and timedeltas times floats."""
    if type(right) is float and isinstance(left, _mce_datetime.timedelta):
        return _mce_timedelta_multiply(left, right)
    if type(left) is float and isinstance(right, _mce_datetime.timedelta):
        return _mce_timedelta_multiply(left, right)
    if type(left) is bool:
        left = int(left)
    return left * (int(right) if type(right) is bool and type(left) in (int, float) else right)


def _mce_power(left, right):
    """`left ** right`: the native result for ints with a negative exponent may be off by a bit."""
    if _mce_is_integer_like(left) and _mce_is_integer_like(right):
        left = int(left)
        right = int(right)
        if right < 0:
            if left == 0:
                raise ZeroDivisionError("0.0 cannot be raised to a negative power")
            return _mce_math.pow(_mce_int_to_float(left), _mce_int_to_float(right))
    if type(left) is float and left == 0.0 and type(right) in (int, float) and right < 0:
        raise ZeroDivisionError("0.0 cannot be raised to a negative power")
    return left**right


# --- text ---


def _mce_ascii(value):
    """`ascii(value)`."""
    text = repr(value)
    if text.isascii():
        return text
    parts = []
    for char in text:
        code = ord(char)
        if code < 128:
            parts.append(char)
        elif code < 256:
            parts.append(f"\\x{code:02x}")
        elif code < 65536:
            parts.append(f"\\u{code:04x}")
        else:
            parts.append(f"\\U{code:08x}")
    return "".join(parts)


def _mce_format(value, spec=""):
    """`format(value, spec)`."""
    if type(spec) is not str:
        raise TypeError("format() argument 2 must be str, not " + type(spec).__name__)
    if spec == "":
        return str(value)
    if isinstance(value, (_mce_datetime.date, _mce_datetime.time)):
        return _mce_format_moment(value, spec)
    return f"{value:{spec}}"


def _mce_percent(left, right):
    """`left % right`: printf formatting where `left` is a str."""
    if type(left) is not str:
        if isinstance(left, _mce_datetime.timedelta) and isinstance(right, _mce_datetime.timedelta):
            return _mce_remainder(left, right)
        if type(left) is bool:
            left = int(left)
        if type(right) is bool:
            right = int(right)
        _mce_check_divisor(left, right, "integer modulo by zero", "float modulo by zero")
        if type(left) is float and type(right) is int:
            right = _mce_int_to_float(right)
        elif type(right) is float and type(left) is int:
            left = _mce_int_to_float(left)
        return left % right
    kind = type(right)
    is_tuple = isinstance(right, tuple)
    arguments = right if is_tuple else (right,)
    is_mapping = not is_tuple and kind is not str and _mce_has_getitem(right)
    used = 0
    parts = []
    position = 0
    length = len(left)
    while position < length:
        percent = left.find("%", position)
        if percent < 0:
            parts.append(left[position:])
            break
        if percent > position:
            parts.append(left[position:percent])
        position = percent + 1
        if position >= length:
            raise ValueError("incomplete format")
        char = left[position]
        position += 1
        if char == "%":
            parts.append("%")
            continue
        if char == "(":
            if not is_mapping:
                raise TypeError("format requires a mapping")
            depth = 1
            begin = position
            while depth > 0 and position < length:
                if left[position] == ")":
                    depth -= 1
                elif left[position] == "(":
                    depth += 1
                position += 1
            if depth > 0:
                raise ValueError("incomplete format key")
            key = left[begin : position - 1]
            if type(right) is bytes:
                raise TypeError("byte indices must be integers or slices, not str")
            if isinstance(right, (list, range)):
                raise TypeError(f"{type(right).__name__} indices must be integers or slices, not str")
            # A looked-up value stands for the whole argument from here on.
            arguments = (right[key],)
            used = 0
            if position >= length:
                raise ValueError("incomplete format")
            char = left[position]
            position += 1
        flags = ""
        while char in "-+ #0":
            flags += char
            if position >= length:
                raise ValueError("incomplete format")
            char = left[position]
            position += 1
        width = -1
        if char == "*":
            if used >= len(arguments):
                raise TypeError("not enough arguments for format string")
            width = arguments[used]
            used += 1
            if not _mce_is_integer_like(width):
                raise TypeError("* wants int")
            width = int(width)
            if not -9223372036854775808 <= width <= 9223372036854775807:
                raise OverflowError("Python int too large to convert to C ssize_t")
            if width < 0:
                flags += "-"
                width = -width
            if position >= length:
                raise ValueError("incomplete format")
            char = left[position]
            position += 1
        elif "0" <= char <= "9":
            begin = position - 1
            while "0" <= char <= "9":
                if position >= length:
                    raise ValueError("incomplete format")
                char = left[position]
                position += 1
            width = int(left[begin : position - 1])
            if width > 9223372036854775807:
                raise ValueError("width too big")
        precision = -1
        if char == ".":
            precision = 0
            if position >= length:
                raise ValueError("incomplete format")
            char = left[position]
            position += 1
            if char == "*":
                if used >= len(arguments):
                    raise TypeError("not enough arguments for format string")
                precision = arguments[used]
                used += 1
                if not _mce_is_integer_like(precision):
                    raise TypeError("* wants int")
                precision = int(precision)
                if not -2147483648 <= precision <= 2147483647:
                    raise OverflowError("Python int too large to convert to C int")
                if precision < 0:
                    precision = 0
                if position >= length:
                    raise ValueError("incomplete format")
                char = left[position]
                position += 1
            elif "0" <= char <= "9":
                begin = position - 1
                while "0" <= char <= "9":
                    if position >= length:
                        raise ValueError("incomplete format")
                    char = left[position]
                    position += 1
                precision = int(left[begin : position - 1])
                if precision > 2147483647:
                    raise ValueError("precision too big")
        if char in "hlL":
            if position >= length:
                raise ValueError("incomplete format")
            char = left[position]
            position += 1
        if used >= len(arguments):
            raise TypeError("not enough arguments for format string")
        value = arguments[used]
        used += 1
        parts.append(_mce_percent_item(char, flags, width, precision, value, position - 1))
    if used < len(arguments) and not is_mapping:
        raise TypeError("not all arguments converted during string formatting")
    return "".join(parts)


def _mce_has_getitem(value):
    kind = type(value)
    return (
        isinstance(value, (dict, list, bytes, range, _mce_Deque, _mce_Counter))
        or (hasattr(value, "__getitem__") and kind is not type(int))
    )


def _mce_percent_item(char, flags, width, precision, value, index):
    """One converted item of `%` formatting, padded."""
    sign = ""
    prefix = ""
    zero = False
    if char in "sra":
        if char == "s":
            text = str(value)
        elif char == "r":
            text = repr(value)
        else:
            text = _mce_ascii(value)
        if 0 <= precision < len(text):
            text = text[:precision]
    elif char in "diuxXo":
        zero = "0" in flags
        number = value
        if char in "xXo":
            if not _mce_is_integer_like(value):
                raise TypeError(f"%{char} format: an integer is required, not {type(value).__name__}")
        elif type(value) is float:
            number = int(value)
        elif not _mce_is_integer_like(value):
            raise TypeError(f"%{char} format: a real number is required, not {type(value).__name__}")
        number = int(number)
        magnitude = abs(number)
        if char == "x":
            text = hex(magnitude)[2:]
        elif char == "X":
            text = hex(magnitude)[2:].upper()
        elif char == "o":
            text = oct(magnitude)[2:]
        else:
            text = str(magnitude)
        if precision > len(text):
            text = "0" * (precision - len(text)) + text
        if number < 0:
            sign = "-"
        if "#" in flags and char in "xXo":
            prefix = "0" + char
    elif char in "eEfFgG":
        zero = "0" in flags
        if type(value) is float:
            number = value
        elif _mce_is_integer_like(value):
            number = _mce_int_to_float(value)
        else:
            raise TypeError("must be real number, not " + type(value).__name__)
        places = 6 if precision < 0 else precision
        alternate = "#" if "#" in flags else ""
        text = f"{number:{alternate}.{places}{char}}"
        if text[0] == "-":
            sign = "-"
            text = text[1:]
    elif char == "c":
        if type(value) is str:
            if len(value) != 1:
                raise TypeError("%c requires int or char")
            text = value
        elif _mce_is_integer_like(value):
            if not 0 <= value < 1114112:
                raise OverflowError("%c arg not in range(0x110000)")
            text = chr(value)
        else:
            raise TypeError("%c requires int or char")
    else:
        raise ValueError(f"unsupported format character '{char}' (0x{ord(char):x}) at index {index}")
    if char in "diuxXoeEfFgG" and sign == "":
        if "+" in flags:
            sign = "+"
        elif " " in flags:
            sign = " "
    lead = sign + prefix
    missing = width - len(lead) - len(text)
    if missing <= 0:
        return lead + text
    if "-" in flags:
        return lead + text + " " * missing
    if zero:
        return lead + "0" * missing + text
    return " " * missing + lead + text


# --- containers ---


def _mce_slice_indices(key, length):
    """`key.indices(length)` of a slice."""
    for part in (key.start, key.stop, key.step):
        if part is not None and not _mce_is_integer_like(part):
            raise TypeError("slice indices must be integers or None or have an __index__ method")
    step = 1 if key.step is None else int(key.step)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    low = -1 if step < 0 else 0
    high = length - 1 if step < 0 else length
    if key.start is None:
        start = high if step < 0 else low
    else:
        start = int(key.start)
        if start < 0:
            start = max(start + length, low)
        else:
            start = min(start, high)
    if key.stop is None:
        stop = low if step < 0 else high
    else:
        stop = int(key.stop)
        if stop < 0:
            stop = max(stop + length, low)
        else:
            stop = min(stop, high)
    return start, stop, step


def _mce_replace_list(target, items):
    target.clear()
    target.extend(items)


def _mce_delete_item(container, key):
    """`del container[key]`."""
    if isinstance(container, _mce_Counter):
        if key in container:
            container.pop(key)
    elif isinstance(container, dict):
        # For the message of a key that has no hash.
        hash(key)
        container.pop(key)
    elif isinstance(container, list):
        if type(key) is slice:
            start, stop, step = _mce_slice_indices(key, len(container))
            if step == 1:
                if stop > start:
                    _mce_replace_list(container, container[:start] + container[stop:])
            else:
                gone = set(range(start, stop, step))
                if gone:
                    _mce_replace_list(container, [container[i] for i in range(len(container)) if i not in gone])
        elif _mce_is_integer_like(key):
            if not -len(container) <= key < len(container):
                raise IndexError("list assignment index out of range")
            container.pop(int(key))
        else:
            raise TypeError("list indices must be integers or slices, not " + type(key).__name__)
    elif isinstance(container, _mce_Deque):
        if not _mce_is_integer_like(key):
            raise TypeError(f"sequence index must be integer, not '{type(key).__name__}'")
        if not -len(container) <= key < len(container):
            raise IndexError("deque index out of range")
        place = int(key) % len(container)
        container.rotate(-place)
        container.popleft()
        container.rotate(place)
    elif hasattr(container, "__delitem__"):
        container.__delitem__(key)
    elif isinstance(container, (tuple, str, bytes, range, set, frozenset, _mce_VIEWS)):
        raise TypeError(f"'{type(container).__name__}' object doesn't support item deletion")
    else:
        raise TypeError(f"'{type(container).__name__}' object does not support item deletion")


def _mce_set_item(container, key, value):
    """`container[key] = value`, with slices of lists."""
    if type(key) is not slice or not isinstance(container, list):
        if hasattr(container, "__setitem__"):
            container.__setitem__(key, value)
        else:
            container[key] = value
        return
    start, stop, step = _mce_slice_indices(key, len(container))
    try:
        items = list(value)
    except TypeError:
        if hasattr(value, "__iter__"):
            raise
        raise TypeError("must assign iterable to extended slice")
    if step == 1:
        stop = max(start, stop)
        _mce_replace_list(container, container[:start] + items + container[stop:])
        return
    places = range(start, stop, step)
    if len(items) != len(places):
        raise ValueError(
            f"attempt to assign sequence of size {len(items)} to extended slice of size {len(places)}"
        )
    for i in range(len(items)):
        container[places[i]] = items[i]


def _mce_or(left, right):
    """`left | right`: dicts merge into a new dict, types make a union."""
    if type(left) is dict and isinstance(right, dict) and type(right) is dict:
        merged = left.copy()
        merged.update(right)
        return merged
    if _mce_is_type(left) and (_mce_is_type(right) or right is None):
        return _mce_union(left, right)
    if left is None and _mce_is_type(right):
        return _mce_union(left, right)
    return left | right


def _mce_or_in_place(left, right):
    """The value of `left |= right` to assign back."""
    if type(left) is dict:
        left.update(right)
        return left
    left |= right
    return left


def _mce_is_set(value):
    return isinstance(value, (set, frozenset))


def _mce_less_equal(left, right):
    """`left <= right`, with sets."""
    if _mce_is_set(left) and _mce_is_set(right):
        return left.issubset(right)
    return left <= right


def _mce_less(left, right):
    """`left < right`, with sets."""
    if _mce_is_set(left) and _mce_is_set(right):
        return len(left) < len(right) and left.issubset(right)
    return left < right


def _mce_greater_equal(left, right):
    """`left >= right`, with sets."""
    if _mce_is_set(left) and _mce_is_set(right):
        return left.issuperset(right)
    return left >= right


def _mce_greater(left, right):
    """`left > right`, with sets."""
    if _mce_is_set(left) and _mce_is_set(right):
        return len(left) > len(right) and left.issuperset(right)
    return left > right


def _mce_bytes(*arguments, **options):
    """`bytes(...)`, with iterables of ints."""
    if len(arguments) == 1 and not options:
        source = arguments[0]
        if not isinstance(source, (bytes, str, int)) and hasattr(source, "__iter__") or isinstance(source, _mce_ITERABLES):
            parts = []
            for item in source:
                if not _mce_is_integer_like(item):
                    raise TypeError(f"'{type(item).__name__}' object cannot be interpreted as an integer")
                if not 0 <= item <= 255:
                    raise ValueError("bytes must be in range(0, 256)")
                parts.append(f"{int(item):02x}")
            return bytes.fromhex("".join(parts))
    return bytes(*arguments, **options)


# --- types ---


def _mce_collections():
    import collections

    return collections


_mce_Counter = _mce_collections().Counter
_mce_Deque = _mce_collections().deque
_mce_ITERATORS = (
    type(iter([])),
    type(iter(())),
    type(iter("")),
    type(iter("é")),
    type(iter(b"")),
    type(iter(range(0))),
    type(iter({})),
    type(iter({}.items())),
    type(iter({}.values())),
    type(iter(set())),
    type(iter(_mce_Deque())),
)
_mce_VIEWS = (type({}.keys()), type({}.items()), type({}.values()))
_mce_ITERABLES = (list, tuple, range, set, frozenset, dict, _mce_Deque, _mce_VIEWS, _mce_ITERATORS)
_mce_FUNCTIONS = (type(lambda: None), type(len))


class _mce_Union:
    # `int | str` as a value.
    def __init__(self, members):
        self.__args__ = tuple(members)

    def __repr__(self):
        return " | ".join(["None" if m is None or m is type(None) else _mce_type_text(m) for m in self.__args__])

    def __eq__(self, other):
        return isinstance(other, _mce_Union) and set(self.__args__) == set(other.__args__)

    def __hash__(self):
        return hash(frozenset(self.__args__))


def _mce_type_text(kind):
    if isinstance(kind, _mce_Abstract):
        return repr(kind)
    return kind.__name__


class _mce_Abstract:
    # An abstract class of `collections.abc`, `numbers` or `typing`; only `isinstance` and annotations can use it.
    def __init__(self, module, name, types, methods):
        self.__name__ = name
        self.__module__ = module
        self.types = types
        self.methods = methods

    def __repr__(self):
        if self.__module__ == "typing":
            return "typing." + self.__name__
        return f"<class '{self.__module__}.{self.__name__}'>"

    def admits(self, value):
        if self.types is None:
            raise NotImplementedError(f"isinstance() with {self.__name__} is unsupported")
        if isinstance(value, self.types):
            return True
        if not self.methods or _mce_is_native(value):
            return False
        return all([hasattr(value, name) for name in self.methods])


class _mce_Alias:
    # `typing.List` and its like: `isinstance` takes the plain type.
    def __init__(self, name, origin):
        self.name = name
        self.__origin__ = origin

    def __repr__(self):
        return "typing." + self.name


def _mce_is_native(value):
    return isinstance(value, (int, float, str, bytes, list, tuple, dict, set, frozenset, type(None)))


def _mce_is_type(value):
    return type(value) is type(int) or isinstance(value, (_mce_Union, _mce_Abstract))


def _mce_union(left, right):
    members = []
    for side in (left, right):
        for member in side.__args__ if isinstance(side, _mce_Union) else (side,):
            member = type(None) if member is None else member
            if member not in members:
                members.append(member)
    return members[0] if len(members) == 1 else _mce_Union(members)


def _mce_isinstance(value, types, /):
    """`isinstance(value, types)`, with unions, abstract classes and `type`."""
    if isinstance(types, tuple):
        for member in types:
            if _mce_isinstance(value, member):
                return True
        return False
    if isinstance(types, _mce_Union):
        return _mce_isinstance(value, types.__args__)
    if isinstance(types, _mce_Abstract):
        if types.__name__ == "Callable":
            return _mce_callable(value)
        return types.admits(value)
    if isinstance(types, _mce_Alias):
        return isinstance(value, types.__origin__)
    if types is type:
        return type(value) is type(int)
    return isinstance(value, types)


def _mce_callable(value, /):
    """`callable(value)`."""
    kind = type(value)
    if isinstance(value, _mce_FUNCTIONS) or kind is type(int):
        return True
    return kind.__name__ == "partial" or hasattr(value, "__call__")


_mce_BASES = {
    bool: (int,),
    SystemExit: (BaseException,),
    KeyboardInterrupt: (BaseException,),
    Exception: (BaseException,),
    ArithmeticError: (Exception,),
    OverflowError: (ArithmeticError,),
    ZeroDivisionError: (ArithmeticError,),
    LookupError: (Exception,),
    IndexError: (LookupError,),
    KeyError: (LookupError,),
    RuntimeError: (Exception,),
    NotImplementedError: (RuntimeError,),
    RecursionError: (RuntimeError,),
    AttributeError: (Exception,),
    NameError: (Exception,),
    UnboundLocalError: (NameError,),
    ValueError: (Exception,),
    UnicodeDecodeError: (ValueError,),
    UnicodeEncodeError: (ValueError,),
    ImportError: (Exception,),
    ModuleNotFoundError: (ImportError,),
    OSError: (Exception,),
    FileNotFoundError: (OSError,),
    FileExistsError: (OSError,),
    IsADirectoryError: (OSError,),
    NotADirectoryError: (OSError,),
    PermissionError: (OSError,),
    TimeoutError: (OSError,),
    AssertionError: (Exception,),
    MemoryError: (Exception,),
    StopIteration: (Exception,),
    SyntaxError: (Exception,),
    TypeError: (Exception,),
    _mce_datetime.datetime: (_mce_datetime.date,),
    _mce_Counter: (dict,),
    type(_mce_collections().defaultdict(list)): (dict,),
}


def _mce_issubclass(kind, kinds, /):
    """`issubclass(kind, kinds)` of builtin types and of classes without bases."""
    if not _mce_is_type(kind) or isinstance(kind, _mce_Union):
        raise TypeError("issubclass() arg 1 must be a class")
    if isinstance(kinds, tuple):
        for member in kinds:
            if _mce_issubclass(kind, member):
                return True
        return False
    if isinstance(kinds, _mce_Union):
        return _mce_issubclass(kind, kinds.__args__)
    if not _mce_is_type(kinds):
        raise TypeError("issubclass() arg 2 must be a class, a tuple of classes, or a union")
    if isinstance(kinds, _mce_Abstract):
        raise NotImplementedError("issubclass() of an abstract class is unsupported")
    if kinds is object:
        return True
    while kind is not kinds:
        bases = _mce_BASES.get(kind)
        if bases is None:
            return False
        kind = bases[0]
    return True


# --- sorting with `functools.cmp_to_key` ---


class _mce_Comparison:
    # What `functools.cmp_to_key` returns: the sorting helpers know it.
    def __init__(self, compare):
        self.compare = compare


def _mce_merge_sort(items, compare):
    """A stable sort of `items` by a comparison function."""
    width = 1
    count = len(items)
    while width < count:
        merged = []
        for low in range(0, count, 2 * width):
            middle = min(low + width, count)
            high = min(low + 2 * width, count)
            i = low
            j = middle
            while i < middle and j < high:
                if compare(items[j], items[i]) < 0:
                    merged.append(items[j])
                    j += 1
                else:
                    merged.append(items[i])
                    i += 1
            merged.extend(items[i:middle])
            merged.extend(items[j:high])
        items = merged
        width *= 2
    return items


# --- methods that native types lack: the lowering writes `X.name(...)` as `_mce_method_name(X, ...)` ---


def _mce_method_isprintable(receiver, *arguments, **options):
    if type(receiver) is not str or arguments or options:
        return receiver.isprintable(*arguments, **options)
    for char in receiver:
        if char != " " and _mce_unicodedata.category(char)[0] in "CZ":
            return False
    return True


def _mce_method_format_map(receiver, *arguments, **options):
    if type(receiver) is not str or options or len(arguments) != 1 or type(arguments[0]) is not dict:
        return receiver.format_map(*arguments, **options)
    return receiver.format(**arguments[0])


def _mce_method_maketrans(receiver, *arguments, **options):
    if (receiver is not str and type(receiver) is not str) or options:
        return receiver.maketrans(*arguments, **options)
    if len(arguments) == 1:
        table = arguments[0]
        if type(table) is not dict:
            raise TypeError("if you give only one argument to maketrans it must be a dict")
        result = {}
        for key in table:
            if type(key) is str:
                if len(key) != 1:
                    raise ValueError("string keys in translate table must be of length 1")
                result[ord(key)] = table[key]
            elif _mce_is_integer_like(key):
                result[key] = table[key]
            else:
                raise TypeError("keys in translate table must be strings or integers")
        return result
    if not 1 < len(arguments) <= 3:
        word = "at least 1 argument" if not arguments else "at most 3 arguments"
        raise TypeError(f"maketrans expected {word}, got {len(arguments)}")
    first = arguments[0]
    second = arguments[1]
    if type(first) is not str:
        raise TypeError("first maketrans argument must be a string if there is a second argument")
    for i in range(1, len(arguments)):
        if type(arguments[i]) is not str:
            raise TypeError(f"maketrans() argument {i + 1} must be str, not {type(arguments[i]).__name__}")
    if len(first) != len(second):
        raise ValueError("the first two maketrans arguments must have equal length")
    result = {}
    for a, b in zip(first, second):
        result[ord(a)] = ord(b)
    if len(arguments) == 3:
        for char in arguments[2]:
            result[ord(char)] = None
    return result


def _mce_method_translate(receiver, *arguments, **options):
    if type(receiver) is not str or len(arguments) != 1 or options:
        return receiver.translate(*arguments, **options)
    table = arguments[0]
    known = {}
    parts = []
    for char in receiver:
        if char not in known:
            code = ord(char)
            known[char] = char
            found = True
            value = None
            try:
                value = table[code]
            except LookupError:
                found = False
            if found:
                if value is None:
                    known[char] = ""
                elif type(value) is str:
                    known[char] = value
                elif _mce_is_integer_like(value):
                    if not 0 <= value < 1114112:
                        raise ValueError("character mapping must be in range(0x110000)")
                    known[char] = chr(value)
                else:
                    raise TypeError("character mapping must return integer, None or str")
        parts.append(known[char])
    return "".join(parts)


def _mce_method_bit_length(receiver, *arguments):
    if not _mce_is_integer_like(receiver) or arguments:
        return receiver.bit_length(*arguments)
    return _mce_bit_length(int(receiver))


def _mce_method_bit_count(receiver, *arguments):
    if not _mce_is_integer_like(receiver) or arguments:
        return receiver.bit_count(*arguments)
    return bin(abs(int(receiver))).count("1")


def _mce_method_conjugate(receiver, *arguments):
    if type(receiver) is not float and not _mce_is_integer_like(receiver) or arguments:
        return receiver.conjugate(*arguments)
    return receiver if type(receiver) is float else int(receiver)


def _mce_method_is_integer(receiver, *arguments):
    if _mce_is_integer_like(receiver) and not arguments:
        return True
    if type(receiver) is not float or arguments:
        return receiver.is_integer(*arguments)
    return _mce_math.isfinite(receiver) and _mce_math.floor(receiver) == receiver


def _mce_float_ratio(value):
    """Numerator and denominator of a finite float, in lowest terms."""
    mantissa, exponent = _mce_frexp(value)
    numerator = int(mantissa * 9007199254740992.0)
    exponent -= 53
    while numerator and numerator & 1 == 0 and exponent < 0:
        numerator >>= 1
        exponent += 1
    if numerator == 0:
        return 0, 1
    if exponent >= 0:
        return numerator << exponent, 1
    return numerator, 1 << -exponent


def _mce_method_as_integer_ratio(receiver, *arguments):
    if _mce_is_integer_like(receiver) and not arguments:
        return int(receiver), 1
    if type(receiver) is not float or arguments:
        return receiver.as_integer_ratio(*arguments)
    if _mce_math.isnan(receiver):
        raise ValueError("cannot convert NaN to integer ratio")
    if _mce_math.isinf(receiver):
        raise OverflowError("cannot convert Infinity to integer ratio")
    return _mce_float_ratio(receiver)


def _mce_method_hex(receiver, *arguments, **options):
    if type(receiver) is not float or arguments or options:
        return receiver.hex(*arguments, **options)
    if not _mce_math.isfinite(receiver):
        return str(receiver)
    sign = "-" if _mce_math.copysign(1.0, receiver) < 0 else ""
    if receiver == 0:
        return sign + "0x0.0p+0"
    mantissa, exponent = _mce_frexp(abs(receiver))
    digits = int(mantissa * 9007199254740992.0)
    exponent -= 1
    lead = 1
    if exponent < -1022:
        digits = digits >> (-1022 - exponent)
        exponent = -1022
        lead = digits >> 52
    return f"{sign}0x{lead}.{digits & 4503599627370495:013x}p{exponent:+d}"


def _mce_byte_order(name, order):
    if type(order) is not str:
        raise TypeError(f"{name}() argument 'byteorder' must be str, not {type(order).__name__}")
    if order != "big" and order != "little":
        raise ValueError("byteorder must be either 'little' or 'big'")
    return order == "big"


def _mce_method_to_bytes(receiver, *arguments, **options):
    if not _mce_is_integer_like(receiver):
        return receiver.to_bytes(*arguments, **options)
    return _mce_int_to_bytes(int(receiver), *arguments, **options)


def _mce_int_to_bytes(value, length=1, byteorder="big", *, signed=False):
    big = _mce_byte_order("to_bytes", byteorder)
    if length < 0:
        raise ValueError("length argument must be non-negative")
    if value < 0 and not signed:
        raise OverflowError("can't convert negative int to unsigned")
    bits = 8 * length
    if signed:
        fits = value == 0 if length == 0 else -(1 << (bits - 1)) <= value < 1 << (bits - 1)
        if value == -1 and length == 0:
            fits = True
    else:
        fits = value < 1 << bits
    if not fits:
        raise OverflowError("int too big to convert")
    if length == 0:
        return b""
    if value < 0:
        value += 1 << bits
    result = bytes.fromhex(f"{hex(value)[2:]:0>{2 * length}}")
    return result if big else result[::-1]


def _mce_method_from_bytes(receiver, *arguments, **options):
    if receiver is not int and not _mce_is_integer_like(receiver):
        return receiver.from_bytes(*arguments, **options)
    return _mce_int_from_bytes(*arguments, **options)


def _mce_int_from_bytes(bytes, byteorder="big", *, signed=False):
    data = _mce_bytes(bytes)
    big = _mce_byte_order("from_bytes", byteorder)
    if not big:
        data = data[::-1]
    if len(data) == 0:
        return 0
    value = int(data.hex(), 16)
    if signed and data[0] >= 128:
        value -= 1 << (8 * len(data))
    return value


def _mce_method_union(receiver, *others):
    if not _mce_is_set(receiver):
        return receiver.union(*others)
    result = receiver.copy()
    for other in others:
        result = result.union(other)
    return result


def _mce_method_intersection(receiver, *others):
    if not _mce_is_set(receiver):
        return receiver.intersection(*others)
    result = receiver.copy()
    for other in others:
        result = result.intersection(other)
    return result


def _mce_method_difference(receiver, *others):
    if not _mce_is_set(receiver):
        return receiver.difference(*others)
    result = receiver.copy()
    for other in others:
        result = result.difference(other)
    return result


def _mce_method_update(receiver, *others, **options):
    if type(receiver) is not set or options:
        return receiver.update(*others, **options)
    for other in others:
        receiver.update(other)
    return None


def _mce_replace_set(target, items):
    target.clear()
    target.update(items)


def _mce_method_intersection_update(receiver, *others):
    if type(receiver) is not set:
        return receiver.intersection_update(*others)
    _mce_replace_set(receiver, _mce_method_intersection(receiver, *others))
    return None


def _mce_method_difference_update(receiver, *others):
    if type(receiver) is not set:
        return receiver.difference_update(*others)
    for item in _mce_method_union(set(), *others):
        receiver.discard(item)
    return None


def _mce_method_symmetric_difference_update(receiver, *others):
    if type(receiver) is not set or len(others) != 1:
        return receiver.symmetric_difference_update(*others)
    _mce_replace_set(receiver, receiver.symmetric_difference(others[0]))
    return None


def _mce_method_indices(receiver, *arguments):
    if type(receiver) is not slice or len(arguments) != 1:
        return receiver.indices(*arguments)
    if not _mce_is_integer_like(arguments[0]):
        raise TypeError(f"'{type(arguments[0]).__name__}' object cannot be interpreted as an integer")
    if arguments[0] < 0:
        raise ValueError("length should not be negative")
    return _mce_slice_indices(receiver, int(arguments[0]))


def _mce_is_match(value):
    return isinstance(value, _mce_re.Match)


def _mce_match_group(match, group):
    """The number of a group given by name: the native match does not tell it."""
    if type(group) is not str:
        return group
    names = match.groupdict()
    if group not in names:
        raise IndexError("no such group")
    spans = []
    for number in range(1, len(match.groups()) + 1):
        if match.group(number) == names[group] and match.span(number) not in [span for span, _ in spans]:
            spans.append((match.span(number), number))
    if len(spans) != 1:
        raise NotImplementedError("the position of this named group is not known")
    return spans[0][1]


def _mce_method_start(receiver, *arguments):
    if _mce_is_match(receiver) and len(arguments) == 1:
        return receiver.start(_mce_match_group(receiver, arguments[0]))
    return receiver.start(*arguments)


def _mce_method_end(receiver, *arguments):
    if _mce_is_match(receiver) and len(arguments) == 1:
        return receiver.end(_mce_match_group(receiver, arguments[0]))
    return receiver.end(*arguments)


def _mce_method_span(receiver, *arguments):
    if _mce_is_match(receiver) and len(arguments) == 1:
        return receiver.span(_mce_match_group(receiver, arguments[0]))
    return receiver.span(*arguments)


def _mce_method_groups(receiver, *arguments, **options):
    if _mce_is_match(receiver) and (arguments or options):
        default = arguments[0] if arguments else options["default"]
        return tuple([default if value is None else value for value in receiver.groups()])
    return receiver.groups(*arguments, **options)


def _mce_method_expand(receiver, *arguments):
    if _mce_is_match(receiver) and len(arguments) == 1:
        return _mce_hooks["expand"](receiver, arguments[0])
    return receiver.expand(*arguments)


def _mce_print(*values, sep=" ", end="\n", file=None, flush=False):
    """`print(...)` to an object with `write`."""
    if file is None:
        print(*values, sep=sep, end=end)
        return
    sep = " " if sep is None else sep
    end = "\n" if end is None else end
    for i in range(len(values)):
        if i > 0:
            file.write(sep)
        file.write(str(values[i]))
    file.write(end)
    if flush:
        file.flush()


# --- case of text beyond ASCII ---

# A character and what it becomes, where `casefold` is not `lower` and where `title` is not `upper`.
_mce_FOLDED = (
    "\u00b5\u03bc \u00dfss \u0149\u02bcn \u017fs \u01f0j\u030c \u0345\u03b9 \u0390\u03b9\u0308\u0301 "
    "\u03b0\u03c5\u0308\u0301 \u03c2\u03c3 \u03d0\u03b2 \u03d1\u03b8 \u03d5\u03c6 \u03d6\u03c0 "
    "\u03f0\u03ba \u03f1\u03c1 \u03f5\u03b5 \u0587\u0565\u0582 \u13a0\u13a0 \u13a1\u13a1 \u13a2\u13a2 "
    "\u13a3\u13a3 \u13a4\u13a4 \u13a5\u13a5 \u13a6\u13a6 \u13a7\u13a7 \u13a8\u13a8 \u13a9\u13a9 "
    "\u13aa\u13aa \u13ab\u13ab \u13ac\u13ac \u13ad\u13ad \u13ae\u13ae \u13af\u13af \u13b0\u13b0 "
    "\u13b1\u13b1 \u13b2\u13b2 \u13b3\u13b3 \u13b4\u13b4 \u13b5\u13b5 \u13b6\u13b6 \u13b7\u13b7 "
    "\u13b8\u13b8 \u13b9\u13b9 \u13ba\u13ba \u13bb\u13bb \u13bc\u13bc \u13bd\u13bd \u13be\u13be "
    "\u13bf\u13bf \u13c0\u13c0 \u13c1\u13c1 \u13c2\u13c2 \u13c3\u13c3 \u13c4\u13c4 \u13c5\u13c5 "
    "\u13c6\u13c6 \u13c7\u13c7 \u13c8\u13c8 \u13c9\u13c9 \u13ca\u13ca \u13cb\u13cb \u13cc\u13cc "
    "\u13cd\u13cd \u13ce\u13ce \u13cf\u13cf \u13d0\u13d0 \u13d1\u13d1 \u13d2\u13d2 \u13d3\u13d3 "
    "\u13d4\u13d4 \u13d5\u13d5 \u13d6\u13d6 \u13d7\u13d7 \u13d8\u13d8 \u13d9\u13d9 \u13da\u13da "
    "\u13db\u13db \u13dc\u13dc \u13dd\u13dd \u13de\u13de \u13df\u13df \u13e0\u13e0 \u13e1\u13e1 "
    "\u13e2\u13e2 \u13e3\u13e3 \u13e4\u13e4 \u13e5\u13e5 \u13e6\u13e6 \u13e7\u13e7 \u13e8\u13e8 "
    "\u13e9\u13e9 \u13ea\u13ea \u13eb\u13eb \u13ec\u13ec \u13ed\u13ed \u13ee\u13ee \u13ef\u13ef "
    "\u13f0\u13f0 \u13f1\u13f1 \u13f2\u13f2 \u13f3\u13f3 \u13f4\u13f4 \u13f5\u13f5 \u13f8\u13f0 "
    "\u13f9\u13f1 \u13fa\u13f2 \u13fb\u13f3 \u13fc\u13f4 \u13fd\u13f5 \u1c80\u0432 \u1c81\u0434 "
    "\u1c82\u043e \u1c83\u0441 \u1c84\u0442 \u1c85\u0442 \u1c86\u044a \u1c87\u0463 \u1c88\ua64b "
    "\u1e96h\u0331 \u1e97t\u0308 \u1e98w\u030a \u1e99y\u030a \u1e9aa\u02be \u1e9b\u1e61 \u1e9ess "
    "\u1f50\u03c5\u0313 \u1f52\u03c5\u0313\u0300 \u1f54\u03c5\u0313\u0301 \u1f56\u03c5\u0313\u0342 "
    "\u1f80\u1f00\u03b9 \u1f81\u1f01\u03b9 \u1f82\u1f02\u03b9 \u1f83\u1f03\u03b9 \u1f84\u1f04\u03b9 "
    "\u1f85\u1f05\u03b9 \u1f86\u1f06\u03b9 \u1f87\u1f07\u03b9 \u1f88\u1f00\u03b9 \u1f89\u1f01\u03b9 "
    "\u1f8a\u1f02\u03b9 \u1f8b\u1f03\u03b9 \u1f8c\u1f04\u03b9 \u1f8d\u1f05\u03b9 \u1f8e\u1f06\u03b9 "
    "\u1f8f\u1f07\u03b9 \u1f90\u1f20\u03b9 \u1f91\u1f21\u03b9 \u1f92\u1f22\u03b9 \u1f93\u1f23\u03b9 "
    "\u1f94\u1f24\u03b9 \u1f95\u1f25\u03b9 \u1f96\u1f26\u03b9 \u1f97\u1f27\u03b9 \u1f98\u1f20\u03b9 "
    "\u1f99\u1f21\u03b9 \u1f9a\u1f22\u03b9 \u1f9b\u1f23\u03b9 \u1f9c\u1f24\u03b9 \u1f9d\u1f25\u03b9 "
    "\u1f9e\u1f26\u03b9 \u1f9f\u1f27\u03b9 \u1fa0\u1f60\u03b9 \u1fa1\u1f61\u03b9 \u1fa2\u1f62\u03b9 "
    "\u1fa3\u1f63\u03b9 \u1fa4\u1f64\u03b9 \u1fa5\u1f65\u03b9 \u1fa6\u1f66\u03b9 \u1fa7\u1f67\u03b9 "
    "\u1fa8\u1f60\u03b9 \u1fa9\u1f61\u03b9 \u1faa\u1f62\u03b9 \u1fab\u1f63\u03b9 \u1fac\u1f64\u03b9 "
    "\u1fad\u1f65\u03b9 \u1fae\u1f66\u03b9 \u1faf\u1f67\u03b9 \u1fb2\u1f70\u03b9 \u1fb3\u03b1\u03b9 "
    "\u1fb4\u03ac\u03b9 \u1fb6\u03b1\u0342 \u1fb7\u03b1\u0342\u03b9 \u1fbc\u03b1\u03b9 \u1fbe\u03b9 "
    "\u1fc2\u1f74\u03b9 \u1fc3\u03b7\u03b9 \u1fc4\u03ae\u03b9 \u1fc6\u03b7\u0342 "
    "\u1fc7\u03b7\u0342\u03b9 \u1fcc\u03b7\u03b9 \u1fd2\u03b9\u0308\u0300 \u1fd3\u03b9\u0308\u0301 "
    "\u1fd6\u03b9\u0342 \u1fd7\u03b9\u0308\u0342 \u1fe2\u03c5\u0308\u0300 \u1fe3\u03c5\u0308\u0301 "
    "\u1fe4\u03c1\u0313 \u1fe6\u03c5\u0342 \u1fe7\u03c5\u0308\u0342 \u1ff2\u1f7c\u03b9 "
    "\u1ff3\u03c9\u03b9 \u1ff4\u03ce\u03b9 \u1ff6\u03c9\u0342 \u1ff7\u03c9\u0342\u03b9 "
    "\u1ffc\u03c9\u03b9 \uab70\u13a0 \uab71\u13a1 \uab72\u13a2 \uab73\u13a3 \uab74\u13a4 \uab75\u13a5 "
    "\uab76\u13a6 \uab77\u13a7 \uab78\u13a8 \uab79\u13a9 \uab7a\u13aa \uab7b\u13ab \uab7c\u13ac "
    "\uab7d\u13ad \uab7e\u13ae \uab7f\u13af \uab80\u13b0 \uab81\u13b1 \uab82\u13b2 \uab83\u13b3 "
    "\uab84\u13b4 \uab85\u13b5 \uab86\u13b6 \uab87\u13b7 \uab88\u13b8 \uab89\u13b9 \uab8a\u13ba "
    "\uab8b\u13bb \uab8c\u13bc \uab8d\u13bd \uab8e\u13be \uab8f\u13bf \uab90\u13c0 \uab91\u13c1 "
    "\uab92\u13c2 \uab93\u13c3 \uab94\u13c4 \uab95\u13c5 \uab96\u13c6 \uab97\u13c7 \uab98\u13c8 "
    "\uab99\u13c9 \uab9a\u13ca \uab9b\u13cb \uab9c\u13cc \uab9d\u13cd \uab9e\u13ce \uab9f\u13cf "
    "\uaba0\u13d0 \uaba1\u13d1 \uaba2\u13d2 \uaba3\u13d3 \uaba4\u13d4 \uaba5\u13d5 \uaba6\u13d6 "
    "\uaba7\u13d7 \uaba8\u13d8 \uaba9\u13d9 \uabaa\u13da \uabab\u13db \uabac\u13dc \uabad\u13dd "
    "\uabae\u13de \uabaf\u13df \uabb0\u13e0 \uabb1\u13e1 \uabb2\u13e2 \uabb3\u13e3 \uabb4\u13e4 "
    "\uabb5\u13e5 \uabb6\u13e6 \uabb7\u13e7 \uabb8\u13e8 \uabb9\u13e9 \uabba\u13ea \uabbb\u13eb "
    "\uabbc\u13ec \uabbd\u13ed \uabbe\u13ee \uabbf\u13ef \ufb00ff \ufb01fi \ufb02fl \ufb03ffi \ufb04ffl "
    "\ufb05st \ufb06st \ufb13\u0574\u0576 \ufb14\u0574\u0565 \ufb15\u0574\u056b \ufb16\u057e\u0576 "
    "\ufb17\u0574\u056d"
)
_mce_TITLED = (
    "\u00dfSs \u01c4\u01c5 \u01c5\u01c5 \u01c6\u01c5 \u01c7\u01c8 \u01c8\u01c8 \u01c9\u01c8 \u01ca\u01cb "
    "\u01cb\u01cb \u01cc\u01cb \u01f1\u01f2 \u01f2\u01f2 \u01f3\u01f2 \u0587\u0535\u0582 \u10d0\u10d0 "
    "\u10d1\u10d1 \u10d2\u10d2 \u10d3\u10d3 \u10d4\u10d4 \u10d5\u10d5 \u10d6\u10d6 \u10d7\u10d7 "
    "\u10d8\u10d8 \u10d9\u10d9 \u10da\u10da \u10db\u10db \u10dc\u10dc \u10dd\u10dd \u10de\u10de "
    "\u10df\u10df \u10e0\u10e0 \u10e1\u10e1 \u10e2\u10e2 \u10e3\u10e3 \u10e4\u10e4 \u10e5\u10e5 "
    "\u10e6\u10e6 \u10e7\u10e7 \u10e8\u10e8 \u10e9\u10e9 \u10ea\u10ea \u10eb\u10eb \u10ec\u10ec "
    "\u10ed\u10ed \u10ee\u10ee \u10ef\u10ef \u10f0\u10f0 \u10f1\u10f1 \u10f2\u10f2 \u10f3\u10f3 "
    "\u10f4\u10f4 \u10f5\u10f5 \u10f6\u10f6 \u10f7\u10f7 \u10f8\u10f8 \u10f9\u10f9 \u10fa\u10fa "
    "\u10fd\u10fd \u10fe\u10fe \u10ff\u10ff \u1f80\u1f88 \u1f81\u1f89 \u1f82\u1f8a \u1f83\u1f8b "
    "\u1f84\u1f8c \u1f85\u1f8d \u1f86\u1f8e \u1f87\u1f8f \u1f88\u1f88 \u1f89\u1f89 \u1f8a\u1f8a "
    "\u1f8b\u1f8b \u1f8c\u1f8c \u1f8d\u1f8d \u1f8e\u1f8e \u1f8f\u1f8f \u1f90\u1f98 \u1f91\u1f99 "
    "\u1f92\u1f9a \u1f93\u1f9b \u1f94\u1f9c \u1f95\u1f9d \u1f96\u1f9e \u1f97\u1f9f \u1f98\u1f98 "
    "\u1f99\u1f99 \u1f9a\u1f9a \u1f9b\u1f9b \u1f9c\u1f9c \u1f9d\u1f9d \u1f9e\u1f9e \u1f9f\u1f9f "
    "\u1fa0\u1fa8 \u1fa1\u1fa9 \u1fa2\u1faa \u1fa3\u1fab \u1fa4\u1fac \u1fa5\u1fad \u1fa6\u1fae "
    "\u1fa7\u1faf \u1fa8\u1fa8 \u1fa9\u1fa9 \u1faa\u1faa \u1fab\u1fab \u1fac\u1fac \u1fad\u1fad "
    "\u1fae\u1fae \u1faf\u1faf \u1fb2\u1fba\u0345 \u1fb3\u1fbc \u1fb4\u0386\u0345 "
    "\u1fb7\u0391\u0342\u0345 \u1fbc\u1fbc \u1fc2\u1fca\u0345 \u1fc3\u1fcc \u1fc4\u0389\u0345 "
    "\u1fc7\u0397\u0342\u0345 \u1fcc\u1fcc \u1ff2\u1ffa\u0345 \u1ff3\u1ffc \u1ff4\u038f\u0345 "
    "\u1ff7\u03a9\u0342\u0345 \u1ffc\u1ffc \ufb00Ff \ufb01Fi \ufb02Fl \ufb03Ffi \ufb04Ffl \ufb05St "
    "\ufb06St \ufb13\u0544\u0576 \ufb14\u0544\u0565 \ufb15\u0544\u056b \ufb16\u054e\u0576 "
    "\ufb17\u0544\u056d"
)
_mce_case_tables = {}


def _mce_case_table(name, text):
    if name not in _mce_case_tables:
        _mce_case_tables[name] = {entry[0]: entry[1:] for entry in text.split(" ")}
    return _mce_case_tables[name]


def _mce_method_casefold(receiver, *arguments):
    if type(receiver) is not str or arguments or receiver.isascii():
        return receiver.casefold(*arguments)
    table = _mce_case_table("fold", _mce_FOLDED)
    return "".join([table[char] if char in table else char.lower() for char in receiver])


def _mce_titled(char):
    table = _mce_case_table("title", _mce_TITLED)
    return table[char] if char in table else char.upper()


def _mce_method_title(receiver, *arguments):
    if type(receiver) is not str or arguments or receiver.isascii():
        return receiver.title(*arguments)
    if "\u03a3" in receiver:
        raise NotImplementedError("title() of text with a capital sigma is unsupported")
    parts = []
    inside = False
    for char in receiver:
        parts.append(char.lower() if inside else _mce_titled(char))
        inside = char.isupper() or char.islower() or char in _mce_case_table("title", _mce_TITLED)
    return "".join(parts)


def _mce_method_capitalize(receiver, *arguments):
    if type(receiver) is not str or arguments or receiver.isascii():
        return receiver.capitalize(*arguments)
    # The rest is lowered in its context.
    return _mce_titled(receiver[0]) + receiver.lower()[len(receiver[0].lower()) :]
