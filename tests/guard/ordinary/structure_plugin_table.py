"""Commands table built by decorators."""
from collections.abc import Callable
COMMANDS: dict[str, tuple[Callable[..., object], str]] = {}
def command(name: str | None = None, *aliases: str):
    def deco(fn):
        for n in (name or fn.__name__.replace("_", "-"), *aliases): COMMANDS[n] = (fn, (fn.__doc__ or "").strip().split("\n")[0])
        return fn
    return deco
@command("open", "o")
def open_(target: str = "x") -> str:
    """Open a thing."""
    return f"opening {target}"
@command()
def exec_query(*parts): "Run a query."; return " ".join(parts)
@command("help", "?")
def help_() -> str: return "\n".join(f"{n:<12}{doc}" for n, (_, doc) in sorted(COMMANDS.items()))
def run(line: str):
    name, *args = line.split()
    fn, _ = COMMANDS.get(name, (lambda *a: f"unknown: {name}", ""))
    return fn(*args)
for l in ("open door", "exec-query select 1", "?", "bad"): print(run(l))
