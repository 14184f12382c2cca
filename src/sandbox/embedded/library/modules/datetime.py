# datetime: the native types; left out is tzinfo. What the types lack is in `prelude_datetime.py`.
def _mce_module_datetime():
    import datetime

    return {
        "MAXYEAR": 9999,
        "MINYEAR": 1,
        "UTC": datetime.timezone.utc,
        "date": datetime.date,
        "datetime": datetime.datetime,
        "time": datetime.time,
        "timedelta": datetime.timedelta,
        "timezone": datetime.timezone,
    }
