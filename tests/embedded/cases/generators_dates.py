import datetime
def days(start, n):
    d = start
    for _ in range(n):
        yield d
        d += datetime.timedelta(days=1)
print([d.isoformat() for d in days(datetime.date(2024, 2, 28), 3)])
