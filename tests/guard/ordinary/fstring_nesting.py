rows = [{"name": "a", "v": 1.5}, {"name": "bb", "v": 22.25}]
w = max(len(r["name"]) for r in rows); prec = 2
for r in rows: print(f"{r['name']:<{w + 2}}|{r['v']:>{10}.{prec}f}|{'yes' if r['v'] > 2 else 'no':^5}|{r!r:.12}")
print(f"{', '.join(f'{k}={v:.1f}' if isinstance(v, float) else f'{k}={v}' for k, v in rows[0].items())}")
print(f"{(lambda x: x * 2)(3)} {{literal}} {rows[0]["name"]} {'\n'.join(['x', 'y'])} {f"{f"{1 + 1}"}"} {w = } {prec!s:>4} {[*range(3)]} {len({1, 2})}")
print(f"{1_000_000:,} {-5:+} {0.5:%} {255:#06x} {1e-7:.2e} {True:d} {'é':>3} {None} {3 if w else 4:03} {[1, 2][0]:>2}", F"{1:{'0'}{'>'}{4}}", fr"\d{w}" rf"{w}\n", f"a" "b{c}", f"""{
    w  # comment
}""", f"{'a' 'b'}", f"{w:{'>' if w else '<'}5}")
class Money:
    def __init__(self, v): self.v = v
    def __format__(self, s): return f"€{self.v:{s or ',.2f'}}"
print(f"{Money(1234.5)} {Money(2):.0f}", format(Money(3)), "{:.1f} {}".format(Money(4), Money(5)))
