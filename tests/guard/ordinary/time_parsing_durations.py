import re
import time
import datetime as dt
from zoneinfo import ZoneInfo
UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
def parse(s: str) -> dt.timedelta: return dt.timedelta(seconds=sum(int(n) * UNITS[u] for n, u in re.findall(r"(\d+)\s*([dhms])", s)))
def human(td: dt.timedelta) -> str:
    secs, out = int(td.total_seconds()), []
    for u, n in UNITS.items():
        q, secs = divmod(secs, n)
        if q: out.append(f"{q}{u}")
    return " ".join(out) or "0s"
def ago(then, now):
    delta = now - then
    for limit, div, unit in ((60, 1, "second"), (3600, 60, "minute"), (86400, 3600, "hour")):
        if (s := delta.total_seconds()) < limit: return f"{s // div:.0f} {unit}{'s' if s // div != 1 else ''} ago"
    return f"{delta.days} days ago"
now = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
print(human(parse("1d 2h5m")), [ago(now - parse(p), now) for p in ("5s", "90s", "3h", "3d")], now.astimezone(ZoneInfo("UTC")).tzname(), now.timestamp(), dt.datetime.fromtimestamp(0, dt.UTC).isoformat(timespec="minutes"), now.replace(microsecond=0).time(), dt.date.fromisocalendar(2026, 1, 1), (now.date() - dt.date(2026, 1, 1)).days // 7, dt.date(2026, 1, 31).toordinal(), dt.datetime.strptime("1 Jan 26", "%d %b %y").date(), time.strptime("2026", "%Y").tm_year, time.struct_time(range(9)).tm_mon)
class EST(dt.tzinfo):
    def utcoffset(self, d): return dt.timedelta(hours=-5)
    def dst(self, d): return dt.timedelta(0)
    def tzname(self, d): return "EST"
print(now.astimezone(EST()).strftime("%c %Z"), now.ctime(), now > now - dt.timedelta.resolution, abs(dt.timedelta(-1)), dt.timedelta(days=1) / dt.timedelta(hours=1), dt.timedelta(minutes=5) * 2)
