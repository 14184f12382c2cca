import calendar
import time

for s in [0, 1, 86399, 1704164645, -1, 951782400, 4102444800, 1e9, 1.9]:
    g = time.gmtime(s)
    print(tuple(g), g.tm_year, g.tm_yday, g.tm_wday, time.asctime(g), calendar.timegm(g), time.strftime("%Y-%m-%dT%H:%M:%S %a %A %b %B %j %U %W %p %I %y %%", g))
print(time.mktime(time.localtime(1704164645)) == 1704164645.0, tuple(time.localtime(0))[:3] in [(1970, 1, 1), (1969, 12, 31)], time.ctime(0)[-4:])
print(tuple(time.strptime("2024-01-02 03:04:05", "%Y-%m-%d %H:%M:%S")), tuple(time.strptime("Tue Jan  2 03:04:05 2024")), time.strptime("30 Nov 00", "%d %b %y").tm_year)
a = time.monotonic()
b = time.perf_counter()
t = time.time()
time.sleep(0.01)
print(time.monotonic() - a >= 0.009, time.perf_counter() >= b, time.time() - t >= 0.009, time.time() > 1.7e9, time.time_ns() > 10**18, time.monotonic_ns() > 0)
for f in [lambda: time.sleep(-1), lambda: time.sleep("a"), lambda: time.strptime("x", "%Y"), lambda: time.gmtime("a"), lambda: time.mktime((1, 2))]:
    try:
        print(f())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
for y in [2023, 2024, 1900, 2000]:
    print(calendar.isleap(y), calendar.monthrange(y, 2)[1], int(calendar.monthrange(y, 2)[0]), calendar.leapdays(1900, y), int(calendar.weekday(y, 3, 1)), calendar.monthcalendar(y, 2))
print(list(calendar.day_name), list(calendar.day_abbr), list(calendar.month_name), list(calendar.month_abbr), calendar.month_name[3], len(calendar.month_name))
print(calendar.month(2024, 2), calendar.month(2023, 12, 4, 2), calendar.weekheader(3))
c = calendar.Calendar(firstweekday=6)
print(list(c.iterweekdays()), list(c.itermonthdays(2024, 2)), list(c.itermonthdays2(2024, 2))[:8], c.monthdayscalendar(2024, 9), [str(d) for d in c.itermonthdates(2024, 2)][:3], c.monthdatescalendar(2024, 2)[0][0], list(c.itermonthdays3(2024, 2))[0], list(c.itermonthdays4(2024, 2))[0], len(c.yeardayscalendar(2024)))
t = calendar.TextCalendar(6)
print(t.formatmonth(2024, 5), t.formatyear(2024, m=4)[:1500])
print(calendar.calendar(2023))
calendar.prmonth(2024, 7)
calendar.setfirstweekday(6)
print(calendar.month(2024, 1), int(calendar.firstweekday()), calendar.monthcalendar(2024, 1)[0])
for f in [lambda: calendar.setfirstweekday(7), lambda: calendar.monthrange(2024, 13) if False else calendar.setfirstweekday(-1)]:
    try:
        f()
    except ValueError as e:
        print(e)
