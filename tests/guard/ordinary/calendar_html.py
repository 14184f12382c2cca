import calendar
from calendar import Calendar, HTMLCalendar, TextCalendar, monthrange, Month, Day
class Mark(HTMLCalendar):
    def __init__(self, days): super().__init__(firstweekday=6); self.days = set(days)
    def formatday(self, day, weekday):
        return f'<td class="on">{day}</td>' if day in self.days else super().formatday(day, weekday)
print(Mark([3]).formatmonth(2026, 2, withyear=False).count("on"), TextCalendar().formatweekheader(2), calendar.monthcalendar(2026, 2)[0], calendar.weekday(2026, 3, 1), calendar.timegm((1970, 1, 1, 0, 0, 0)), monthrange(2026, Month.FEBRUARY), Day.MONDAY, calendar.leapdays(2000, 2026), list(calendar.day_name)[0], list(Calendar().iterweekdays()), calendar.month(2026, 1).splitlines()[0].strip())
third_friday = [d for d in Calendar().itermonthdates(2026, 3) if d.weekday() == calendar.FRIDAY and d.month == 3][2]; print(third_friday)
