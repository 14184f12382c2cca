# Helpers for dates and times, fed after `prelude.py` where the lowered code names one of them.

_mce_MONTHS = (
    "January February March April May June July August September October November December".split(" ")
)
_mce_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ")


def _mce_is_datetime(value):
    return isinstance(value, _mce_datetime.datetime)


def _mce_is_date(value):
    return isinstance(value, _mce_datetime.date)


def _mce_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _mce_days_in_month(year, month):
    if month == 2:
        return 29 if _mce_leap(year) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def _mce_day_of_year(year, month, day):
    return sum([_mce_days_in_month(year, m) for m in range(1, month)]) + day


def _mce_ordinal(year, month, day):
    """The day's number where 1 January of year 1 is 1."""
    before = year - 1
    return before * 365 + before // 4 - before // 100 + before // 400 + _mce_day_of_year(year, month, day)


def _mce_date_parts(ordinal):
    """Year, month and day of a day's number."""
    n = ordinal - 1
    cycles, n = divmod(n, 146097)
    centuries, n = divmod(n, 36524)
    fours, n = divmod(n, 1461)
    years, n = divmod(n, 365)
    year = cycles * 400 + centuries * 100 + fours * 4 + years + 1
    if years == 4 or centuries == 4:
        return year - 1, 12, 31
    month = 1
    while n >= _mce_days_in_month(year, month):
        n -= _mce_days_in_month(year, month)
        month += 1
    return year, month, n + 1


def _mce_week_one(year):
    """The day's number of the Monday that starts the ISO year."""
    first = _mce_ordinal(year, 1, 1)
    weekday = (first + 6) % 7
    monday = first - weekday
    return monday + 7 if weekday > 3 else monday


def _mce_iso_parts(year, month, day):
    """ISO year, week and weekday."""
    today = _mce_ordinal(year, month, day)
    week, weekday = divmod(today - _mce_week_one(year), 7)
    if week < 0:
        year -= 1
        week, weekday = divmod(today - _mce_week_one(year), 7)
    elif week >= 52 and today >= _mce_week_one(year + 1):
        year += 1
        week = 0
    return year, week + 1, weekday + 1


def _mce_offset_of(value):
    """The UTC offset of a datetime or time, or None."""
    zone = value.tzinfo
    return None if zone is None else _mce_zone_offset(zone)


def _mce_zone_offset(zone):
    # A native zone is a fixed offset; this difference is the way to read it.
    epoch = _mce_datetime.datetime(2000, 1, 1, tzinfo=_mce_datetime.timezone.utc)
    return epoch - _mce_datetime.datetime(2000, 1, 1, tzinfo=zone)


def _mce_with_zone(value, zone):
    """`value.replace(tzinfo=zone)`: the native method does not keep the zone alive and the interpreter crashes."""
    return _mce_datetime.datetime(
        value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond, tzinfo=zone
    )


def _mce_method_replace(receiver, *arguments, **options):
    if _mce_is_datetime(receiver) and not arguments:
        names = ("year", "month", "day", "hour", "minute", "second", "microsecond", "tzinfo", "fold")
    elif isinstance(receiver, _mce_datetime.time) and not arguments:
        names = ("hour", "minute", "second", "microsecond", "tzinfo", "fold")
    else:
        return receiver.replace(*arguments, **options)
    for name in options:
        if name not in names:
            raise TypeError(f"replace() got an unexpected keyword argument '{name}'")
    if "fold" in options:
        raise NotImplementedError("fold is unsupported")
    values = [options[name] if name in options else getattr(receiver, name) for name in names[:-2]]
    zone = options["tzinfo"] if "tzinfo" in options else receiver.tzinfo
    if _mce_is_datetime(receiver):
        return _mce_datetime.datetime(*values, tzinfo=zone)
    return _mce_datetime.time(*values, tzinfo=zone)


def _mce_offset_text(offset, separator):
    """`+HH:MM[:SS[.ffffff]]` of an offset."""
    if offset is None:
        return ""
    micros = _mce_micros(offset)
    sign = "-" if micros < 0 else "+"
    seconds, micro = divmod(abs(micros), 1000000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    text = f"{sign}{hour:02d}{separator}{minute:02d}"
    if second or micro:
        text += f"{separator}{second:02d}"
    if micro:
        text += f".{micro:06d}"
    return text


def _mce_micros(delta):
    return (delta.days * 86400 + delta.seconds) * 1000000 + delta.microseconds


def _mce_from_micros(micros):
    seconds, micro = divmod(micros, 1000000)
    days, second = divmod(seconds, 86400)
    return _mce_datetime.timedelta(days=days, seconds=second, microseconds=micro)


def _mce_round_ratio(numerator, denominator):
    """The int nearest to the ratio, half to even."""
    if denominator < 0:
        numerator = -numerator
        denominator = -denominator
    quotient, rest = divmod(numerator, denominator)
    if 2 * rest > denominator or (2 * rest == denominator and quotient & 1):
        quotient += 1
    return quotient


def _mce_timedelta(days=0, seconds=0, microseconds=0, milliseconds=0, minutes=0, hours=0, weeks=0):
    """`datetime.timedelta(...)`, with floats."""
    total = 0
    left = 0.0
    # As in C: whole parts are exact and the fractions of all parts are summed as one float of microseconds.
    for name, value, scale in (
        ("microseconds", microseconds, 1),
        ("milliseconds", milliseconds, 1000),
        ("seconds", seconds, 1000000),
        ("minutes", minutes, 60000000),
        ("hours", hours, 3600000000),
        ("days", days, 86400000000),
        ("weeks", weeks, 604800000000),
    ):
        if _mce_is_integer_like(value):
            total += int(value) * scale
        elif type(value) is float:
            if not _mce_math.isfinite(value):
                if _mce_math.isnan(value):
                    raise ValueError("cannot convert float NaN to integer")
                raise OverflowError("cannot convert float infinity to integer")
            whole = _mce_math.trunc(value)
            fraction = value - whole
            total += whole * scale
            if fraction:
                fraction *= float(scale)
                part = _mce_math.trunc(fraction)
                total += part
                left += fraction - part
        else:
            raise TypeError(
                f"unsupported type for timedelta {name} component: {type(value).__name__}"
            )
    if left:
        whole = float(round(left))
        if abs(whole - left) == 0.5:
            # Half: the total decides which neighbour is even.
            odd = total & 1
            whole = 2.0 * round((left + odd) * 0.5) - odd
        total += int(whole)
    return _mce_timedelta_of(total)


def _mce_timedelta_of(micros):
    days = micros // 86400000000
    if not -999999999 <= days <= 999999999:
        if not -2147483648 <= days <= 2147483647:
            raise OverflowError("Python int too large to convert to C int")
        raise OverflowError(f"days={days}; must have magnitude <= 999999999")
    return _mce_from_micros(micros)


def _mce_is_timedelta(value):
    return isinstance(value, _mce_datetime.timedelta)


def _mce_timedelta_multiply(left, right):
    """`left * right` where one side is a timedelta."""
    if not _mce_is_timedelta(left):
        left, right = right, left
    if type(right) is float:
        numerator, denominator = _mce_method_as_integer_ratio(right)
        return _mce_timedelta_of(_mce_round_ratio(_mce_micros(left) * numerator, denominator))
    return _mce_timedelta_of(_mce_micros(left) * int(right)) if _mce_is_integer_like(right) else left * right


def _mce_timedelta_divide(left, right):
    """`left / right` where `left` is a timedelta."""
    if _mce_is_timedelta(right):
        return _mce_ratio_to_float(_mce_micros(left), _mce_micros(right))
    if type(right) is float:
        numerator, denominator = _mce_method_as_integer_ratio(right)
        if numerator == 0:
            raise ZeroDivisionError("integer division or modulo by zero")
        return _mce_timedelta_of(_mce_round_ratio(_mce_micros(left) * denominator, numerator))
    if _mce_is_integer_like(right):
        if right == 0:
            raise ZeroDivisionError("integer division or modulo by zero")
        return _mce_timedelta_of(_mce_round_ratio(_mce_micros(left), int(right)))
    return left / right


def _mce_floor_divide(left, right):
    """`left // right`, with timedeltas and bools."""
    if _mce_is_timedelta(left):
        if _mce_is_timedelta(right):
            return _mce_floor_divide(_mce_micros(left), _mce_micros(right))
        if _mce_is_integer_like(right):
            if right == 0:
                raise ZeroDivisionError("integer division or modulo by zero")
            return _mce_timedelta_of(_mce_micros(left) // int(right))
    if type(left) is bool:
        left = int(left)
    if type(right) is bool:
        right = int(right)
    _mce_check_divisor(left, right, "integer division or modulo by zero", "float floor division by zero")
    if type(left) is float and type(right) is int:
        right = _mce_int_to_float(right)
    elif type(right) is float and type(left) is int:
        left = _mce_int_to_float(left)
    return left // right


def _mce_remainder(left, right):
    """`left % right` of two timedeltas."""
    _mce_check_divisor(1, _mce_micros(right), "integer modulo by zero", "")
    return _mce_timedelta_of(_mce_micros(left) % _mce_micros(right))


def _mce_divmod(left, right, /):
    """`divmod(left, right)`, with timedeltas and bools."""
    if _mce_is_timedelta(left) and _mce_is_timedelta(right):
        return _mce_floor_divide(left, right), _mce_remainder(left, right)
    if type(left) is bool:
        left = int(left)
    if type(right) is bool:
        right = int(right)
    _mce_check_divisor(left, right, "integer division or modulo by zero", "float divmod()")
    if (type(left) is float or type(right) is float) and type(left) in (int, float) and type(right) in (int, float):
        # The native one computes the remainder from the rounded quotient.
        return _mce_floor_divide(left, right), _mce_percent(left, right)
    return divmod(left, right)


def _mce_method_total_seconds(receiver, *arguments):
    if not _mce_is_timedelta(receiver) or arguments:
        return receiver.total_seconds(*arguments)
    return _mce_ratio_to_float(_mce_micros(receiver), 1000000)


# --- formatting ---


def _mce_strftime(pattern, parts):
    """The text of strftime in the C locale: `parts` as made by `_mce_time_parts`."""
    year, month, day, hour, minute, second, weekday, yearday, micro, offset, zone_name = parts
    out = []
    position = 0
    while True:
        percent = pattern.find("%", position)
        if percent < 0:
            out.append(pattern[position:])
            return "".join(out)
        out.append(pattern[position:percent])
        code = pattern[percent + 1 : percent + 2]
        position = percent + 2
        if code == ":" and pattern[position : position + 1] == "z":
            position += 1
            out.append(_mce_offset_text(offset, ":"))
            continue
        if code == "":
            out.append("%")
            return "".join(out)
        twelve = (hour + 11) % 12 + 1
        if code == "Y":
            out.append(str(year))
        elif code == "m":
            out.append(f"{month:02d}")
        elif code == "d":
            out.append(f"{day:02d}")
        elif code == "H":
            out.append(f"{hour:02d}")
        elif code == "M":
            out.append(f"{minute:02d}")
        elif code == "S":
            out.append(f"{second:02d}")
        elif code == "f" and micro is not None:
            out.append(f"{micro:06d}")
        elif code == "y":
            out.append(f"{year % 100:02d}")
        elif code == "j":
            out.append(f"{yearday:03d}")
        elif code == "a":
            out.append(_mce_DAYS[weekday][:3])
        elif code == "A":
            out.append(_mce_DAYS[weekday])
        elif code == "b" or code == "h":
            out.append(_mce_MONTHS[month - 1][:3])
        elif code == "B":
            out.append(_mce_MONTHS[month - 1])
        elif code == "p":
            out.append("AM" if hour < 12 else "PM")
        elif code == "P":
            out.append("am" if hour < 12 else "pm")
        elif code == "I":
            out.append(f"{twelve:02d}")
        elif code == "k":
            out.append(f"{hour:2d}")
        elif code == "l":
            out.append(f"{twelve:2d}")
        elif code == "e":
            out.append(f"{day:2d}")
        elif code == "w":
            out.append(str((weekday + 1) % 7))
        elif code == "u":
            out.append(str(weekday + 1))
        elif code == "U":
            out.append(f"{(yearday + 6 - (weekday + 1) % 7) // 7:02d}")
        elif code == "W":
            out.append(f"{(yearday + 6 - weekday) // 7:02d}")
        elif code == "V":
            out.append(f"{_mce_iso_parts(year, month, day)[1]:02d}")
        elif code == "G":
            out.append(str(_mce_iso_parts(year, month, day)[0]))
        elif code == "g":
            out.append(f"{_mce_iso_parts(year, month, day)[0] % 100:02d}")
        elif code == "C":
            out.append(f"{year // 100:02d}")
        elif code == "D" or code == "x":
            out.append(f"{month:02d}/{day:02d}/{year % 100:02d}")
        elif code == "F":
            out.append(f"{year}-{month:02d}-{day:02d}")
        elif code == "T" or code == "X":
            out.append(f"{hour:02d}:{minute:02d}:{second:02d}")
        elif code == "R":
            out.append(f"{hour:02d}:{minute:02d}")
        elif code == "r":
            out.append(f"{twelve:02d}:{minute:02d}:{second:02d} {'AM' if hour < 12 else 'PM'}")
        elif code == "c":
            out.append(
                f"{_mce_DAYS[weekday][:3]} {_mce_MONTHS[month - 1][:3]} {day:2d} "
                f"{hour:02d}:{minute:02d}:{second:02d} {year}"
            )
        elif code == "n":
            out.append("\n")
        elif code == "t":
            out.append("\t")
        elif code == "%":
            out.append("%")
        elif code == "z":
            out.append(_mce_offset_text(offset, ""))
        elif code == "Z":
            out.append(zone_name)
        elif code in "sEO" or code in "0123456789-_^#+":
            raise NotImplementedError(f"strftime with %{code} is unsupported")
        else:
            out.append("%" + code)


def _mce_time_parts(value):
    if _mce_is_date(value):
        year, month, day = value.year, value.month, value.day
    else:
        year, month, day = 1900, 1, 1
    hour = minute = second = micro = 0
    offset = None
    zone_name = ""
    if _mce_is_datetime(value) or not _mce_is_date(value):
        hour, minute, second, micro = value.hour, value.minute, value.second, value.microsecond
        offset = _mce_offset_of(value)
        zone_name = _mce_zone_name(value.tzinfo) or ""
    weekday = (_mce_ordinal(year, month, day) + 6) % 7
    return (
        (year, month, day, hour, minute, second, weekday)
        + (_mce_day_of_year(year, month, day), micro, offset, zone_name)
    )


def _mce_zone_name(zone):
    return None if zone is None else str(zone)


def _mce_is_moment(value):
    return isinstance(value, (_mce_datetime.date, _mce_datetime.time))


def _mce_method_strftime(receiver, *arguments, **options):
    if not _mce_is_moment(receiver):
        return receiver.strftime(*arguments, **options)
    pattern = arguments[0] if arguments else options["format"]
    if type(pattern) is not str:
        raise TypeError(f"strftime() argument 1 must be str, not {type(pattern).__name__}")
    return _mce_strftime(pattern, _mce_time_parts(receiver))


def _mce_format_moment(value, spec):
    """`format(value, spec)` of a date, time or datetime."""
    return str(value) if spec == "" else _mce_strftime(spec, _mce_time_parts(value))


def _mce_method_isoformat(receiver, *arguments, **options):
    if not _mce_is_moment(receiver) or (not arguments and not options) or not hasattr(receiver, "hour"):
        return receiver.isoformat(*arguments, **options)
    if _mce_is_datetime(receiver):
        separator = arguments[0] if arguments else options.get("sep", "T")
        timespec = arguments[1] if len(arguments) > 1 else options.get("timespec", "auto")
        head = f"{receiver.year:04d}-{receiver.month:02d}-{receiver.day:02d}{separator}"
    else:
        timespec = arguments[0] if arguments else options.get("timespec", "auto")
        head = ""
    micro = receiver.microsecond
    if timespec == "auto":
        timespec = "microseconds" if micro else "seconds"
    text = f"{receiver.hour:02d}"
    if timespec == "hours":
        pass
    elif timespec == "minutes":
        text += f":{receiver.minute:02d}"
    elif timespec in ("seconds", "milliseconds", "microseconds"):
        text += f":{receiver.minute:02d}:{receiver.second:02d}"
        if timespec == "milliseconds":
            text += f".{micro // 1000:03d}"
        elif timespec == "microseconds":
            text += f".{micro:06d}"
    else:
        raise ValueError("Unknown timespec value")
    return head + text + _mce_offset_text(_mce_offset_of(receiver), ":")


# --- parsing ---

_mce_FORMATS = {}
_mce_FORMAT_CODES = {
    "d": r"(?P<d>3[0-1]|[1-2]\d|0[1-9]|[1-9]| [1-9])",
    "f": r"(?P<f>[0-9]{1,6})",
    "H": r"(?P<H>2[0-3]|[0-1]\d|\d)",
    "I": r"(?P<I>1[0-2]|0[1-9]|[1-9]| [1-9])",
    "G": r"(?P<G>\d\d\d\d)",
    "j": r"(?P<j>36[0-6]|3[0-5]\d|[1-2]\d\d|0[1-9]\d|00[1-9]|[1-9]\d|0[1-9]|[1-9])",
    "m": r"(?P<m>1[0-2]|0[1-9]|[1-9])",
    "M": r"(?P<M>[0-5]\d|\d)",
    "S": r"(?P<S>6[0-1]|[0-5]\d|\d)",
    "U": r"(?P<U>5[0-3]|[0-4]\d|\d)",
    "w": r"(?P<w>[0-6])",
    "u": r"(?P<u>[1-7])",
    "V": r"(?P<V>5[0-3]|0[1-9]|[1-4]\d|\d)",
    "W": r"(?P<W>5[0-3]|[0-4]\d|\d)",
    "y": r"(?P<y>\d\d)",
    "Y": r"(?P<Y>\d\d\d\d)",
    "z": r"(?P<z>([+-]\d\d:?[0-5]\d(:?[0-5]\d(\.\d{1,6})?)?)|(?-i:Z))",
    "A": "(?P<A>" + "|".join(sorted(_mce_DAYS, key=len, reverse=True)) + ")",
    "a": "(?P<a>" + "|".join([name[:3] for name in _mce_DAYS]) + ")",
    "B": "(?P<B>" + "|".join(sorted(_mce_MONTHS, key=len, reverse=True)) + ")",
    "b": "(?P<b>" + "|".join([name[:3] for name in _mce_MONTHS]) + ")",
    "p": "(?P<p>am|pm)",
    "Z": "(?P<Z>utc|gmt)",
    "%": "%",
}


def _mce_format_pattern(pattern):
    """The compiled pattern of a strptime format."""
    if pattern in _mce_FORMATS:
        return _mce_FORMATS[pattern]
    expanded = pattern.replace("%c", "%a %b %d %H:%M:%S %Y").replace("%x", "%m/%d/%y").replace("%X", "%H:%M:%S")
    parts = []
    position = 0
    while position < len(expanded):
        char = expanded[position]
        position += 1
        if char.isspace():
            while position < len(expanded) and expanded[position].isspace():
                position += 1
            parts.append(r"\s+")
        elif char != "%":
            parts.append(char if char.isalnum() or char == "_" else f"\\x{{{ord(char):x}}}")
        else:
            code = expanded[position : position + 1]
            position += 1
            if code == "":
                raise ValueError(f"stray % in format '{pattern}'")
            if code not in _mce_FORMAT_CODES:
                raise ValueError(f"'{code}' is a bad directive in format '{pattern}'")
            part = _mce_FORMAT_CODES[code]
            if code != "%" and part in parts:
                raise _mce_re.PatternError(f"redefinition of group name {code!r} is unsupported")
            parts.append(part)
    compiled = _mce_re.compile("".join(parts), _mce_re.I)
    _mce_FORMATS[pattern] = compiled
    return compiled


def _mce_parse_time(text, pattern):
    """Year, month, day, hour, minute, second, weekday, yearday, micro, offset in microseconds (or None), zone name."""
    if type(text) is not str:
        raise TypeError(f"strptime() argument 0 must be str, not {type(text)}")
    if type(pattern) is not str:
        raise TypeError(f"strptime() argument 1 must be str, not {type(pattern)}")
    compiled = _mce_format_pattern(pattern)
    match = compiled.match(text)
    if match is None:
        raise ValueError(f"time data {text!r} does not match format {pattern!r}")
    if len(text) != match.end():
        raise ValueError(f"unconverted data remains: {text[match.end() :]}")
    found = match.groupdict()
    year = None
    iso_year = None
    iso_week = None
    month = 1
    day = 1
    weekday = None
    yearday = None
    week = None
    week_from_monday = False
    hour = 0
    minute = 0
    second = 0
    micro = 0
    offset = None
    zone = None
    for code in found:
        value = found[code]
        if code == "y":
            year = int(value)
            year += 2000 if year <= 68 else 1900
        elif code == "Y":
            year = int(value)
        elif code == "G":
            iso_year = int(value)
        elif code == "m":
            month = int(value)
        elif code == "B":
            month = [name.lower() for name in _mce_MONTHS].index(value.lower()) + 1
        elif code == "b":
            month = [name[:3].lower() for name in _mce_MONTHS].index(value.lower()) + 1
        elif code == "d":
            day = int(value)
        elif code == "H":
            hour = int(value)
        elif code == "I":
            hour = int(value)
            half = (found.get("p") or "").lower()
            if half in ("", "am"):
                hour = 0 if hour == 12 else hour
            elif hour != 12:
                hour += 12
        elif code == "M":
            minute = int(value)
        elif code == "S":
            second = int(value)
        elif code == "f":
            micro = int(value + "0" * (6 - len(value)))
        elif code == "A":
            weekday = [name.lower() for name in _mce_DAYS].index(value.lower())
        elif code == "a":
            weekday = [name[:3].lower() for name in _mce_DAYS].index(value.lower())
        elif code == "w":
            weekday = (int(value) + 6) % 7
        elif code == "u":
            weekday = int(value) - 1
        elif code == "j":
            yearday = int(value)
        elif code == "U" or code == "W":
            week = int(value)
            week_from_monday = code == "W"
        elif code == "V":
            iso_week = int(value)
        elif code == "z":
            offset = _mce_parse_offset(value)
        elif code == "Z":
            zone = value
    if iso_year is not None:
        if yearday is not None:
            raise ValueError("Day of the year directive '%j' is not compatible with ISO year directive '%G'. Use '%Y' instead.")
        if iso_week is None or weekday is None:
            raise ValueError(
                "ISO year directive '%G' must be used with the ISO week directive '%V' and a weekday directive "
                "('%A', '%a', '%w', or '%u')."
            )
    elif iso_week is not None:
        if year is None or weekday is None:
            raise ValueError(
                "ISO week directive '%V' must be used with the ISO year directive '%G' and a weekday directive "
                "('%A', '%a', '%w', or '%u')."
            )
        raise ValueError("ISO week directive '%V' is incompatible with the year directive '%Y'. Use the ISO year '%G' instead.")
    leap_fix = False
    if year is None:
        if month == 2 and day == 29:
            year = 1904
            leap_fix = True
        else:
            year = 1900
    if yearday is None and weekday is not None:
        if week is not None:
            yearday = _mce_yearday_of_week(year, week, weekday, week_from_monday)
        elif iso_year is not None:
            ordinal = _mce_week_one(iso_year) + (iso_week - 1) * 7 + weekday
            if iso_week == 53 and _mce_week_one(iso_year + 1) <= ordinal:
                raise ValueError(f"Invalid week: {iso_week}")
            year, month, day = _mce_date_parts(ordinal)
            yearday = _mce_day_of_year(year, month, day)
        if yearday is not None and yearday <= 0:
            year -= 1
            yearday += 366 if _mce_leap(year) else 365
    if yearday is None:
        if day > _mce_days_in_month(year, month):
            raise ValueError("day is out of range for month")
        yearday = _mce_day_of_year(year, month, day)
    else:
        year, month, day = _mce_date_parts(yearday - 1 + _mce_ordinal(year, 1, 1))
    if weekday is None:
        weekday = (_mce_ordinal(year, month, day) + 6) % 7
    if leap_fix:
        raise ValueError("day is out of range for month")
    return year, month, day, hour, minute, second, weekday, yearday, micro, offset, zone


def _mce_yearday_of_week(year, week, weekday, from_monday):
    first = (_mce_ordinal(year, 1, 1) + 6) % 7
    if not from_monday:
        first = (first + 1) % 7
        weekday = (weekday + 1) % 7
    lead = (7 - first) % 7
    if week == 0:
        return 1 + weekday - first
    return 1 + lead + 7 * (week - 1) + weekday


def _mce_parse_offset(text):
    """Microseconds of a `%z` text."""
    if text == "Z":
        return 0
    sign = -1 if text[0] == "-" else 1
    body = text[1:]
    if len(body) > 2 and body[2] == ":":
        body = body[:2] + body[3:]
        if len(body) > 5:
            if body[4] != ":":
                raise ValueError(f"Inconsistent use of : in {text}")
            body = body[:4] + body[5:]
    seconds = int(body[:2]) * 3600 + int(body[2:4]) * 60 + int(body[4:6] or "0")
    fraction = body[7:]
    return sign * (seconds * 1000000 + int((fraction + "000000")[:6]))


def _mce_method_strptime(receiver, *arguments):
    if receiver is not _mce_datetime.datetime:
        return receiver.strptime(*arguments)
    text, pattern = arguments
    year, month, day, hour, minute, second, _, _, micro, offset, zone = _mce_parse_time(text, pattern)
    moment = _mce_datetime.datetime(year, month, day, hour, minute, second, micro)
    if offset is None:
        return moment
    delta = _mce_from_micros(offset)
    if zone:
        return _mce_with_zone(moment, _mce_datetime.timezone(delta, zone))
    return _mce_with_zone(moment, _mce_datetime.timezone.utc if offset == 0 else _mce_datetime.timezone(delta))


# --- the clock and conversions ---


def _mce_local_zone(seconds):
    """The local zone at a time, as a fixed offset."""
    offset = _mce_host_local_offset(seconds)
    return _mce_datetime.timezone(_mce_datetime.timedelta(seconds=offset))


def _mce_from_timestamp(seconds, zone):
    """The aware or naive datetime of a timestamp: `zone` is a zone, or None for local time without one."""
    if type(seconds) is float:
        if _mce_math.isnan(seconds):
            raise ValueError("Invalid value NaN (not a number)")
        numerator, denominator = _mce_method_as_integer_ratio(seconds)
        micros = _mce_round_ratio(numerator * 1000000, denominator)
    elif _mce_is_integer_like(seconds):
        micros = int(seconds) * 1000000
    else:
        raise TypeError(f"'{type(seconds).__name__}' object cannot be interpreted as an integer")
    if zone is None:
        offset = _mce_host_local_offset(micros // 1000000) * 1000000
    else:
        offset = _mce_micros(_mce_zone_offset(zone))
    whole, micro = divmod(micros + offset, 1000000)
    days, second = divmod(whole, 86400)
    ordinal = days + 719163
    if not 1 <= ordinal <= 3652059:
        year = 1970 + days * 400 // 146097
        raise ValueError(f"year {year} is out of range")
    year, month, day = _mce_date_parts(ordinal)
    made = _mce_datetime.datetime(year, month, day, second // 3600, second // 60 % 60, second % 60, micro)
    return made if zone is None else _mce_with_zone(made, zone)


def _mce_method_fromtimestamp(receiver, *arguments, **options):
    if receiver is _mce_datetime.datetime:
        zone = arguments[1] if len(arguments) > 1 else options.get("tz")
        return _mce_from_timestamp(arguments[0], zone)
    if receiver is _mce_datetime.date:
        return _mce_from_timestamp(arguments[0], None).date()
    return receiver.fromtimestamp(*arguments, **options)


def _mce_method_utcfromtimestamp(receiver, *arguments):
    if receiver is not _mce_datetime.datetime:
        return receiver.utcfromtimestamp(*arguments)
    return _mce_with_zone(_mce_from_timestamp(arguments[0], _mce_datetime.timezone.utc), None)


def _mce_method_now(receiver, *arguments, **options):
    if receiver is not _mce_datetime.datetime:
        return receiver.now(*arguments, **options)
    zone = arguments[0] if arguments else options.get("tz")
    return _mce_from_timestamp(_mce_host_time(), zone)


def _mce_method_utcnow(receiver, *arguments):
    if receiver is not _mce_datetime.datetime:
        return receiver.utcnow(*arguments)
    return _mce_method_utcfromtimestamp(receiver, _mce_host_time())


def _mce_method_today(receiver, *arguments):
    if receiver is _mce_datetime.datetime:
        return _mce_from_timestamp(_mce_host_time(), None)
    if receiver is _mce_datetime.date:
        return _mce_from_timestamp(_mce_host_time(), None).date()
    return receiver.today(*arguments)


def _mce_local_seconds(value):
    """Seconds since the epoch of a naive local datetime, without its microseconds."""
    local = (_mce_ordinal(value.year, value.month, value.day) - 719163) * 86400
    local += value.hour * 3600 + value.minute * 60 + value.second
    guess = local - _mce_host_local_offset(local)
    return local - _mce_host_local_offset(guess)


def _mce_method_timestamp(receiver, *arguments):
    if not _mce_is_datetime(receiver) or arguments:
        return receiver.timestamp(*arguments)
    if receiver.tzinfo is None:
        return _mce_local_seconds(receiver) + receiver.microsecond / 1000000.0
    epoch = _mce_datetime.datetime(1970, 1, 1, tzinfo=_mce_datetime.timezone.utc)
    return _mce_ratio_to_float(_mce_micros(receiver - epoch), 1000000)


def _mce_method_astimezone(receiver, *arguments, **options):
    if not _mce_is_datetime(receiver):
        return receiver.astimezone(*arguments, **options)
    zone = arguments[0] if arguments else options.get("tz")
    if receiver.tzinfo is None:
        seconds = _mce_local_seconds(receiver)
        source = _mce_host_local_offset(seconds) * 1000000
    else:
        source = _mce_micros(_mce_offset_of(receiver))
        seconds = 0
        if zone is None:
            seconds = _mce_math.floor(_mce_method_timestamp(receiver))
    if zone is None:
        zone = _mce_local_zone(seconds)
    target = _mce_micros(_mce_zone_offset(zone))
    return _mce_with_zone(_mce_with_zone(receiver, None) + _mce_from_micros(target - source), zone)


def _mce_method_utcoffset(receiver, *arguments):
    if isinstance(receiver, _mce_datetime.timezone):
        return _mce_zone_offset(receiver)
    if _mce_is_datetime(receiver) or isinstance(receiver, _mce_datetime.time):
        return _mce_offset_of(receiver)
    return receiver.utcoffset(*arguments)


def _mce_method_tzname(receiver, *arguments):
    if isinstance(receiver, _mce_datetime.timezone):
        return str(receiver)
    if _mce_is_datetime(receiver) or isinstance(receiver, _mce_datetime.time):
        return _mce_zone_name(receiver.tzinfo)
    return receiver.tzname(*arguments)


def _mce_method_dst(receiver, *arguments):
    if _mce_is_moment(receiver) or isinstance(receiver, _mce_datetime.timezone):
        return None
    return receiver.dst(*arguments)


def _mce_method_combine(receiver, *arguments, **options):
    if receiver is not _mce_datetime.datetime:
        return receiver.combine(*arguments, **options)
    day = arguments[0] if arguments else options["date"]
    moment = arguments[1] if len(arguments) > 1 else options["time"]
    if not _mce_is_date(day):
        raise TypeError(f"combine() argument 1 must be datetime.date, not {type(day).__name__}")
    if not isinstance(moment, _mce_datetime.time):
        raise TypeError(f"combine() argument 2 must be datetime.time, not {type(moment).__name__}")
    zone = moment.tzinfo
    if len(arguments) > 2:
        zone = arguments[2]
    elif "tzinfo" in options:
        zone = options["tzinfo"]
    return _mce_datetime.datetime(
        day.year, day.month, day.day, moment.hour, moment.minute, moment.second, moment.microsecond, tzinfo=zone
    )


def _mce_method_timetz(receiver, *arguments):
    if not _mce_is_datetime(receiver):
        return receiver.timetz(*arguments)
    return _mce_datetime.time(
        receiver.hour, receiver.minute, receiver.second, receiver.microsecond, tzinfo=receiver.tzinfo
    )


def _mce_method_toordinal(receiver, *arguments):
    if not _mce_is_date(receiver):
        return receiver.toordinal(*arguments)
    return _mce_ordinal(receiver.year, receiver.month, receiver.day)


def _mce_method_fromordinal(receiver, *arguments):
    if receiver is not _mce_datetime.date and receiver is not _mce_datetime.datetime:
        return receiver.fromordinal(*arguments)
    if arguments[0] < 1:
        raise ValueError("ordinal must be >= 1")
    year, month, day = _mce_date_parts(arguments[0])
    if year > 9999:
        raise ValueError(f"year {year} is out of range")
    return receiver(year, month, day)


_mce_IsoCalendarDate = _mce_collections().namedtuple("IsoCalendarDate", ["year", "week", "weekday"])
_mce_StructTime = _mce_collections().namedtuple(
    "struct_time", "tm_year tm_mon tm_mday tm_hour tm_min tm_sec tm_wday tm_yday tm_isdst".split(" ")
)


def _mce_method_isocalendar(receiver, *arguments):
    if not _mce_is_date(receiver):
        return receiver.isocalendar(*arguments)
    return _mce_IsoCalendarDate(*_mce_iso_parts(receiver.year, receiver.month, receiver.day))


def _mce_method_fromisocalendar(receiver, *arguments, **options):
    if receiver is not _mce_datetime.date and receiver is not _mce_datetime.datetime:
        return receiver.fromisocalendar(*arguments, **options)
    values = list(arguments) + [options[name] for name in ("year", "week", "day")[len(arguments) :]]
    year, week, day = values
    if not 1 <= year <= 9999:
        raise ValueError(f"Year is out of range: {year}")
    if not 0 < week < 53 and not (week == 53 and _mce_week_one(year + 1) - _mce_week_one(year) == 371):
        raise ValueError(f"Invalid week: {week}")
    if not 0 < day < 8:
        raise ValueError(f"Invalid day: {day} (range is [1, 7])")
    return receiver(*_mce_date_parts(_mce_week_one(year) + (week - 1) * 7 + day - 1))


def _mce_method_ctime(receiver, *arguments):
    if not _mce_is_date(receiver):
        return receiver.ctime(*arguments)
    year, month, day, hour, minute, second, weekday = _mce_time_parts(receiver)[:7]
    return (
        f"{_mce_DAYS[weekday][:3]} {_mce_MONTHS[month - 1][:3]} {day:2d} "
        f"{hour:02d}:{minute:02d}:{second:02d} {year:04d}"
    )


def _mce_method_timetuple(receiver, *arguments):
    if not _mce_is_date(receiver):
        return receiver.timetuple(*arguments)
    year, month, day, hour, minute, second, weekday, yearday = _mce_time_parts(receiver)[:8]
    return _mce_StructTime(year, month, day, hour, minute, second, weekday, yearday, -1)


def _mce_method_utctimetuple(receiver, *arguments):
    if not _mce_is_datetime(receiver):
        return receiver.utctimetuple(*arguments)
    value = receiver
    if value.tzinfo is not None:
        value = _mce_with_zone(value, None) - _mce_offset_of(receiver)
    year, month, day, hour, minute, second, weekday, yearday = _mce_time_parts(value)[:8]
    return _mce_StructTime(year, month, day, hour, minute, second, weekday, yearday, 0)
