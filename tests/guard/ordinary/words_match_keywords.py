from dataclasses import dataclass


@dataclass
class Ev:
    type: str
    os: str = ""
    code: int = 0
    obj: dict | None = None
    f_name: str = ""


def show(e):
    match e:
        case Ev(type="a", os=o, code=0): return f"a on {o}"
        case Ev(type="b", obj={"id": i}): return f"b {i}"
        case Ev(type=t, f_name=str(n)) if n: return f"{t} {n}"
        case {"type": "x", "os": {"name": n}, "sys": [first, *_]}: return f"{n} {first}"
        case {"eval": v} | {"exec": v}: return v
        case _: return "?"


print([show(x) for x in (Ev("a", "linux"), Ev("b", obj={"id": 3}), Ev("c", f_name="n"), {"type": "x", "os": {"name": "w"}, "sys": [1]}, {"exec": 2}, 5)])
