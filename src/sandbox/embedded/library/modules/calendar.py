# calendar: left out are the HTML and locale calendars, the Month and Day enums (plain ints here) and IllegalMonthError.
def _mce_module_calendar():
    month_name = [""] + _mce_MONTHS
    month_abbr = [""] + [name[:3] for name in _mce_MONTHS]
    day_name = list(_mce_DAYS)
    day_abbr = [name[:3] for name in _mce_DAYS]

    def isleap(year):
        return _mce_leap(year)

    def leapdays(y1, y2):
        y1 -= 1
        y2 -= 1
        return (y2 // 4 - y1 // 4) - (y2 // 100 - y1 // 100) + (y2 // 400 - y1 // 400)

    def weekday(year, month, day):
        if not 1 <= year <= 9999:
            year = 2000 + year % 400
        _mce_datetime.date(year, month, day)
        return (_mce_ordinal(year, month, day) + 6) % 7

    def monthrange(year, month):
        if not 1 <= month <= 12:
            raise ValueError(f"bad month number {month!r}; must be 1-12")
        return weekday(year, month, 1), _mce_days_in_month(year, month)

    def timegm(tuple):
        year, month, day, hour, minute, second = tuple[:6]
        days = _mce_ordinal(year, month, 1) - 719163 + day - 1
        return ((days * 24 + hour) * 60 + minute) * 60 + second

    class Calendar:
        def __init__(self, firstweekday=0):
            self.firstweekday = firstweekday

        def getfirstweekday(self):
            return self.firstweekday % 7

        def setfirstweekday(self, firstweekday):
            self.firstweekday = firstweekday

        def iterweekdays(self):
            first = self.firstweekday
            return iter([i % 7 for i in range(first, first + 7)])

        def itermonthdays(self, year, month):
            first, count = monthrange(year, month)
            before = (first - self.firstweekday) % 7
            after = (self.firstweekday - first - count) % 7
            return iter([0] * before + list(range(1, count + 1)) + [0] * after)

        def itermonthdays2(self, year, month):
            first = self.firstweekday
            days = list(self.itermonthdays(year, month))
            return iter([(days[i], (first + i) % 7) for i in range(len(days))])

        def itermonthdates(self, year, month):
            first, count = monthrange(year, month)
            start = _mce_ordinal(year, month, 1) - (first - self.firstweekday) % 7
            length = len(list(self.itermonthdays(year, month)))
            return iter([_mce_datetime.date(*_mce_date_parts(start + i)) for i in range(length)])

        def itermonthdays3(self, year, month):
            return iter([(d.year, d.month, d.day) for d in self.itermonthdates(year, month)])

        def itermonthdays4(self, year, month):
            first = self.firstweekday
            dates = list(self.itermonthdays3(year, month))
            return iter([dates[i] + ((first + i) % 7,) for i in range(len(dates))])

        def weeks(self, days):
            days = list(days)
            return [days[i : i + 7] for i in range(0, len(days), 7)]

        def monthdatescalendar(self, year, month):
            return self.weeks(self.itermonthdates(year, month))

        def monthdays2calendar(self, year, month):
            return self.weeks(self.itermonthdays2(year, month))

        def monthdayscalendar(self, year, month):
            return self.weeks(self.itermonthdays(year, month))

        def rows(self, months, width):
            return [months[i : i + width] for i in range(0, len(months), width)]

        def yeardatescalendar(self, year, width=3):
            return self.rows([self.monthdatescalendar(year, m) for m in range(1, 13)], width)

        def yeardays2calendar(self, year, width=3):
            return self.rows([self.monthdays2calendar(year, m) for m in range(1, 13)], width)

        def yeardayscalendar(self, year, width=3):
            return self.rows([self.monthdayscalendar(year, m) for m in range(1, 13)], width)

    class TextCalendar:
        # A Calendar with text; without inheritance it holds one.
        def __init__(self, firstweekday=0):
            self.calendar = Calendar(firstweekday)
            self.monthdayscalendar = self.calendar.monthdayscalendar
            self.monthdatescalendar = self.calendar.monthdatescalendar
            self.monthdays2calendar = self.calendar.monthdays2calendar
            self.itermonthdays = self.calendar.itermonthdays
            self.itermonthdates = self.calendar.itermonthdates
            self.iterweekdays = self.calendar.iterweekdays
            self.getfirstweekday = self.calendar.getfirstweekday
            self.setfirstweekday = self.calendar.setfirstweekday

        def formatday(self, day, weekday, width):
            return ("" if day == 0 else f"{day:2d}").center(width)

        def formatweek(self, theweek, width):
            return " ".join([self.formatday(d, wd, width) for d, wd in theweek])

        def formatweekday(self, day, width):
            names = day_name if width >= 9 else day_abbr
            return names[day][:width].center(width)

        def formatweekheader(self, width):
            return " ".join([self.formatweekday(i, width) for i in self.iterweekdays()])

        def formatmonthname(self, theyear, themonth, width, withyear=True):
            if not 1 <= themonth <= 12:
                raise ValueError(f"bad month number {themonth!r}; must be 1-12")
            text = month_name[themonth]
            return (f"{text} {theyear!r}" if withyear else text).center(width)

        def formatmonth(self, theyear, themonth, w=0, l=0):  # noqa: E741
            w = max(2, w)
            gap = "\n" * max(1, l)
            text = self.formatmonthname(theyear, themonth, 7 * (w + 1) - 1).rstrip() + gap
            text += self.formatweekheader(w).rstrip() + gap
            for week in self.monthdays2calendar(theyear, themonth):
                text += self.formatweek(week, w).rstrip() + gap
            return text

        def prmonth(self, theyear, themonth, w=0, l=0):  # noqa: E741
            print(self.formatmonth(theyear, themonth, w, l), end="")

        def formatyear(self, theyear, w=2, l=1, c=6, m=3):  # noqa: E741
            w = max(2, w)
            l = max(1, l)  # noqa: E741
            c = max(2, c)
            width = (w + 1) * 7 - 1
            parts = [repr(theyear).center(width * m + c * (m - 1)).rstrip(), "\n" * l]
            header = self.formatweekheader(w)
            rows = self.calendar.yeardays2calendar(theyear, m)
            for i in range(len(rows)):
                months = range(m * i + 1, min(m * (i + 1) + 1, 13))
                parts.append("\n" * l)
                names = [self.formatmonthname(theyear, k, width, False) for k in months]
                parts.append(columns(names, width, c).rstrip())
                parts.append("\n" * l)
                parts.append(columns([header for _ in months], width, c).rstrip())
                parts.append("\n" * l)
                for j in range(max([len(cal) for cal in rows[i]])):
                    weeks = ["" if j >= len(cal) else self.formatweek(cal[j], w) for cal in rows[i]]
                    parts.append(columns(weeks, width, c).rstrip())
                    parts.append("\n" * l)
            return "".join(parts)

        def pryear(self, theyear, w=0, l=0, c=6, m=3):  # noqa: E741
            print(self.formatyear(theyear, w, l, c, m), end="")

    def columns(cols, width, spacing):
        return (" " * spacing).join([text.center(width) for text in cols])

    shared = TextCalendar()

    def setfirstweekday(firstweekday):
        if not 0 <= firstweekday <= 6:
            raise ValueError(f"bad weekday number {firstweekday!r}; must be 0 (Monday) to 6 (Sunday)")
        shared.setfirstweekday(firstweekday)

    return {
        "Calendar": Calendar,
        "EPOCH": 1970,
        "FRIDAY": 4,
        "MONDAY": 0,
        "SATURDAY": 5,
        "SUNDAY": 6,
        "THURSDAY": 3,
        "TUESDAY": 1,
        "TextCalendar": TextCalendar,
        "WEDNESDAY": 2,
        "calendar": shared.formatyear,
        "day_abbr": day_abbr,
        "day_name": day_name,
        "firstweekday": shared.getfirstweekday,
        "isleap": isleap,
        "leapdays": leapdays,
        "month": shared.formatmonth,
        "month_abbr": month_abbr,
        "month_name": month_name,
        "monthcalendar": shared.monthdayscalendar,
        "monthrange": monthrange,
        "prcal": shared.pryear,
        "prmonth": shared.prmonth,
        "setfirstweekday": setfirstweekday,
        "timegm": timegm,
        "week": shared.formatweek,
        "weekday": weekday,
        "weekheader": shared.formatweekheader,
    }
