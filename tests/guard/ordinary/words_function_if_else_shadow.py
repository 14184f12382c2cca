from weather.functions import get_current


def main() -> str:
    now = get_current("Paris")
    if now["temp"] > 15:
        dir, input = "up", [1]
    else:
        dir, input = "down", [2]
    match now:
        case {"wind": {"deg": vars}}: print(vars)
    if (help := now.get("summary")) is None: print(help)
    try: open = float(now["temp"])
    except ValueError: open = 0.0
    return f"{dir} {input} {open}"


print(main())
