# lower: dates
import datetime as dt
import random
from datetime import date, datetime, time, timedelta, timezone

tz = timezone(timedelta(hours=5, minutes=30))
named = timezone(timedelta(hours=-3), "BRT")
moments = [datetime(2024, 1, 2, 3, 4, 5, 6), datetime(2023, 12, 31, 23, 59, 59), datetime(2020, 2, 29, 12, 0, tzinfo=timezone.utc), datetime(1999, 7, 4, 0, 0, 0, 123000, tzinfo=tz), datetime(2024, 6, 15, 18, 30, tzinfo=named), datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999), datetime(2025, 1, 1), datetime(2026, 12, 28)]
for d in moments:
    for f in "%Y %m %d %H %M %S %z %a %A %b %B %j %U %W %p %I %f %% %y %Z %c %x %X %G %u %V %w %e %D %F %T %R %h %n %t %C %k %l %:z %g %r %P".split():
        if d.year >= 1000 or f[-1] not in "YGcFCxDy":
            print(f, repr(d.strftime(f)), end=" ")
    print(d.isoformat(timespec="seconds"), d.isoformat(" "), d.isoformat("T", "milliseconds"), d.isoformat(sep="_", timespec="minutes"), d.isoformat(timespec="hours"), d.isoformat(timespec="microseconds"))
    print(tuple(d.isocalendar()), d.isocalendar().week, tuple(d.timetuple()), tuple(d.utctimetuple()) if d.year > 1 else 0, d.toordinal(), d.ctime(), d.utcoffset(), d.tzname(), d.dst(), d.timetz(), date.fromordinal(d.toordinal()), d.weekday(), d.isoweekday())
    print(f"{d:%Y/%m/%d}" if d.year >= 1000 else "", f"{d:%H:%M:%S.%f}", f"{d}", f"{d.date():%d %b}", f"{d.time():%H}", f"{5:>3}|{3.5:.2f}|{'x':^5}")
    if d.tzinfo:
        print(d.timestamp(), d.astimezone(timezone.utc), d.astimezone(tz), d.astimezone(named).isoformat())
for t in [time(1, 2, 3), time(1, 2, 3, 4000), time(12, tzinfo=tz), time()]:
    print(t.isoformat(), t.isoformat("minutes"), t.isoformat(timespec="milliseconds"), t.strftime("%H:%M:%S.%f %p %I %z"), t.utcoffset(), t.tzname(), datetime.combine(date(2024, 5, 6), t), datetime.combine(date(2024, 5, 6), t, tzinfo=timezone.utc))
for text, f in [("2024-01-02 03:04:05", "%Y-%m-%d %H:%M:%S"), ("02 Jan 2024", "%d %b %Y"), ("2024-01-02T03:04:05.123456+0100", "%Y-%m-%dT%H:%M:%S.%f%z"), ("2024-01-02T03:04:05.12Z", "%Y-%m-%dT%H:%M:%S.%f%z"), ("Tuesday, January 2, 2024 3:04 PM", "%A, %B %d, %Y %I:%M %p"), ("12/31/99", "%m/%d/%y"), ("68", "%y"), ("69", "%y"), ("2024 100", "%Y %j"), ("2024-W05-3", "%G-W%V-%u"), ("2024 05 1", "%Y %W %w"), ("2024 05 0", "%Y %U %w"), ("5", "%d"), ("29 Feb", "%d %b"), ("12:30 am", "%I:%M %p"), ("12:30 PM", "%I:%M %p"), ("  x  1", "  x  %d"), ("100%", "100%%"), ("2024-1-2", "%Y-%m-%d"), ("2024-01-02+05:30", "%Y-%m-%d%z"), ("2024-01-02 UTC", "%Y-%m-%d %Z"), ("jan 5 2024", "%b %d %Y"), ("Mon Jan  1 05:06:07 2024", "%c"), ("01/02/24 03:04:05", "%x %X"), ("2024-01-02-05:30:15", "%Y-%m-%d%z"), ("20240102", "%Y%m%d"),
                ("x", "%Y"), ("2024-13-01", "%Y-%m-%d"), ("2024-02-30", "%Y-%m-%d"), ("2024-01-02x", "%Y-%m-%d"), ("5", "%Q"), ("5", "%"), ("2024 53", "%G %V"), ("2024", "%G"), ("5 2024", "%V %Y"), ("2023-02-29", "%Y-%m-%d"), ("", "%d"), ("12:61", "%H:%M")]:
    try:
        print(repr(text), f, repr(datetime.strptime(text, f)))
    except ValueError as e:
        print(repr(text), f, e)
for s in ["2024-01-02", "2024-01-02T03:04:05", "2024-01-02 03:04:05.123", "2024-01-02T03:04:05Z", "2024-01-02T03:04:05+05:30", "2024-01-02T03:04"]:
    print(repr(datetime.fromisoformat(s)))
print(date.fromisoformat("2024-02-29"), time.fromisoformat("01:02:03"), date.fromisocalendar(2024, 5, 3), date.fromisocalendar(2020, 53, 7), datetime.fromordinal(738000), date(2024, 12, 30).isocalendar()[0:2], dt.UTC is timezone.utc, dt.MINYEAR, dt.MAXYEAR)
for f in [lambda: date.fromisocalendar(2024, 53, 1), lambda: date.fromisocalendar(2024, 5, 9), lambda: date.fromordinal(0), lambda: datetime.combine(5, time()), lambda: datetime(2024, 1, 1).isoformat(timespec="x"), lambda: timedelta(days="a"), lambda: timedelta(days=10**10), lambda: timedelta(1) / 0, lambda: timedelta(1) / 0.0, lambda: timedelta(1) / timedelta(0), lambda: timedelta(1) // timedelta(0), lambda: timedelta(1) % timedelta(0), lambda: timedelta(1) // 0, lambda: timedelta(float("nan"))]:
    try:
        print(f())
    except (ValueError, TypeError, OverflowError, ZeroDivisionError) as e:
        print(type(e).__name__, e)
print(datetime.fromtimestamp(0, timezone.utc), datetime.fromtimestamp(1704164645.123456, tz), datetime.fromtimestamp(1e9 + 0.0000005, tz=timezone.utc), datetime.fromtimestamp(-1.5, timezone.utc), datetime.utcfromtimestamp(86400 * 365) if False else "", datetime.fromtimestamp(253402300799, timezone.utc))
now = datetime.now(timezone.utc)
print(abs((datetime.now(timezone.utc) - now).total_seconds()) < 5, now.tzinfo, datetime.now().tzinfo, date.today() == datetime.now().date() or True, datetime.today().year >= 2024)
n = datetime(2024, 7, 1, 12, 0)
print(datetime.fromtimestamp(n.timestamp()) == n, n.astimezone().replace(tzinfo=None) == n, n.astimezone(timezone.utc).tzinfo)
h = timedelta(hours=1)
print(timedelta(days=1.5), timedelta(seconds=4.5, minutes=0.1), timedelta(weeks=0.5, microseconds=0.5), timedelta(microseconds=1.5), timedelta(milliseconds=1.0005), timedelta(hours=-1.25), timedelta(days=1, hours=2) / h, timedelta(days=1) // timedelta(hours=5), timedelta(days=1) % timedelta(hours=5), divmod(timedelta(days=1), timedelta(hours=5)), h * 1.5, 2.5 * h, h / 2, h / 2.5, h // 7, -h * 0.1, h * True, timedelta(1).total_seconds(), timedelta(microseconds=-1).total_seconds(), h.total_seconds() / 60, sum([h, h], timedelta()))
r = random.Random(9)
for _ in range(400):
    a = timedelta(days=r.uniform(-1000, 1000), seconds=r.uniform(-1e5, 1e5), microseconds=r.choice([r.uniform(-5, 5), r.randrange(10), r.randrange(-9, 9) + 0.5]), hours=r.choice([0, r.random()]))
    b = timedelta(seconds=r.randrange(1, 10**6), microseconds=r.randrange(10**6))
    x = r.choice([r.uniform(-10, 10), r.randrange(1, 50), 0.5, 1.5])
    print(repr(a), a / b, a // b, a % b, a * x, a / x, a.total_seconds(), datetime.fromtimestamp(r.uniform(-1e9, 4e9), timezone.utc))
    d = date.fromordinal(r.randrange(1, 3652059))
    print(d, tuple(d.isocalendar()), d.strftime("%j %U %W %V %a"), date.fromisocalendar(*d.isocalendar()) == d, d.timetuple().tm_yday, datetime.strptime(d.strftime("%d/%m/") + f"{d.year:04d}", "%d/%m/%Y").date() == d)
