# time: left out are thread and CPU clocks, tzset, and the zone fields of struct_time.
def _mce_module_time():
    struct_time = _mce_StructTime

    def broken_down(seconds, is_dst):
        days, rest = divmod(seconds, 86400)
        year, month, day = _mce_date_parts(days + 719163)
        yearday = _mce_day_of_year(year, month, day)
        return struct_time(year, month, day, rest // 3600, rest // 60 % 60, rest % 60, (days + 3) % 7, yearday, is_dst)

    def whole_seconds(seconds):
        if seconds is None:
            seconds = _mce_host_time()
        if type(seconds) is float:
            return _mce_math.floor(seconds)
        if not _mce_is_integer_like(seconds):
            raise TypeError(f"'{type(seconds).__name__}' object cannot be interpreted as an integer")
        return int(seconds)

    def gmtime(seconds=None, /):
        return broken_down(whole_seconds(seconds), 0)

    def localtime(seconds=None, /):
        whole = whole_seconds(seconds)
        offset = _mce_host_local_offset(whole)
        # Summer time is the larger of the offsets of January and July.
        year = broken_down(whole + offset, 0)[0]
        january = _mce_host_local_offset((_mce_ordinal(year, 1, 1) - 719163) * 86400)
        july = _mce_host_local_offset((_mce_ordinal(year, 7, 1) - 719163) * 86400)
        return broken_down(whole + offset, 1 if offset > min(january, july) else 0)

    def as_tuple(t):
        if not isinstance(t, tuple):
            raise TypeError("Tuple or struct_time argument required")
        if len(t) != 9:
            raise TypeError("mktime(): illegal time tuple argument")
        return t

    def mktime(t, /):
        t = as_tuple(t)
        months = t[0] * 12 + t[1] - 1
        local = (_mce_ordinal(months // 12, months % 12 + 1, 1) + t[2] - 1 - 719163) * 86400
        local += t[3] * 3600 + t[4] * 60 + t[5]
        guess = local - _mce_host_local_offset(local)
        return float(local - _mce_host_local_offset(guess))

    def asctime(t=None, /):
        t = localtime() if t is None else as_tuple(t)
        return (
            f"{_mce_DAYS[t[6]][:3]} {_mce_MONTHS[t[1] - 1][:3]} {t[2]:2d} {t[3]:02d}:{t[4]:02d}:{t[5]:02d} {t[0]}"
        )

    def ctime(seconds=None, /):
        return asctime(localtime(seconds))

    def strftime(format, t=None, /):
        t = localtime() if t is None else as_tuple(t)
        if "%z" in format or "%Z" in format:
            raise NotImplementedError("time.strftime() with %z or %Z is unsupported")
        year, month, day, hour, minute, second, weekday, yearday = t[:8]
        for name, value, low, high in (
            ("month", month, 0, 12),
            ("day of month", day, 0, 31),
            ("hour", hour, 0, 23),
            ("minute", minute, 0, 59),
            ("seconds", second, 0, 61),
        ):
            if not low <= value <= high:
                raise ValueError(f"{name} out of range")
        if not 0 <= yearday <= 366:
            raise ValueError("day of year out of range")
        if weekday < 0:
            raise ValueError("day of week out of range")
        weekday = weekday % 7
        parts = (year, max(month, 1), max(day, 1), hour, minute, second, weekday, max(yearday, 1), None, None, "")
        return _mce_strftime(format, parts)

    def strptime(data_string, format="%a %b %d %H:%M:%S %Y", /):
        year, month, day, hour, minute, second, weekday, yearday, _, _, _ = _mce_parse_time(data_string, format)
        return struct_time(year, month, day, hour, minute, second, weekday, yearday, -1)

    def sleep(seconds, /):
        if not _mce_is_integer_like(seconds) and type(seconds) is not float:
            raise TypeError(f"'{type(seconds).__name__}' object cannot be interpreted as an integer")
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        _mce_host_sleep_now(float(seconds))

    def time():
        return _mce_host_time()

    def time_ns():
        return _mce_math.floor(_mce_host_time() * 1000000) * 1000

    def monotonic():
        return _mce_host_monotonic()

    def monotonic_ns():
        return _mce_math.floor(_mce_host_monotonic() * 1000000000)

    return {
        "asctime": asctime,
        "ctime": ctime,
        "gmtime": gmtime,
        "localtime": localtime,
        "mktime": mktime,
        "monotonic": monotonic,
        "monotonic_ns": monotonic_ns,
        "perf_counter": monotonic,
        "perf_counter_ns": monotonic_ns,
        "sleep": sleep,
        "strftime": strftime,
        "strptime": strptime,
        "struct_time": struct_time,
        "time": time,
        "time_ns": time_ns,
    }
