def table(rows: list[dict], cols: list[str] | None = None) -> str:
    cols = cols or list(rows[0])
    width = {c: max(len(c), *(len(str(r.get(c, ""))) for r in rows)) for c in cols}
    sep = "+" + "+".join("-" * (width[c] + 2) for c in cols) + "+"
    fmt_row = lambda vals: "| " + " | ".join(f"{v!s:<{width[c]}}" for c, v in zip(cols, vals)) + " |"
    return "\n".join([sep, fmt_row(cols), sep, *(fmt_row([r.get(c, "") for c in cols]) for r in rows), sep])


print(table([{"id": 1, "name": "Ada"}, {"id": 22, "name": "Bo", "x": None}]))
print(table([{"a": 1}], ["a", "b"]))
