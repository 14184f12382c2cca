from weather.functions import get_forecast


def rate_day(day: dict) -> tuple[int, str]:
    match day:
        case {"summary": "sunny", "temp_max": t} if t > 20:
            return 3, "beach"
        case {"summary": "sunny" | "cloudy", "rain_mm": 0}:
            return 2, "walk"
        case {"rain_mm": r} if r >= 5:
            return 0, "stay in"
        case {"summary": str(s)}:
            return 1, s
        case _:
            raise ValueError(day)


best = sorted(((*rate_day(d), d["date"]) for c in ("London", "Rome") for d in get_forecast(c, 4)["daily"]), reverse=True)
for score, advice, date in best[:3]:
    print(f"{date}: {'★' * score or '-'} {advice}")
