def simplify(expr):
    match expr:
        case {"op": "+", "args": [0, x] | [x, 0]}: return simplify(x)
        case {"op": "*", "args": [0, _] | [_, 0]}: return 0
        case {"op": "*", "args": [1, x] | [x, 1]}: return simplify(x)
        case {"op": op, "args": [*args]} as node: return {**node, "args": [simplify(a) for a in args]}
        case int() | float() | str(): return expr
        case [x]: return x
        case (("a" | "b") as letter, *rest) if rest: return letter
        case bool(b) | {"b": b}: return b
        case _: raise ValueError(f"bad node: {expr!r}")
print(simplify({"op": "+", "args": [0, {"op": "*", "args": [1, "y"]}]}), simplify({"op": "-", "args": [1, 2]}), simplify(["a", 1]), simplify([9]))
def http(status):
    match status:
        case 200 | 201 | 204: return "ok"
        case 404: return "missing"
        case s if 500 <= s < 600: return "server"
        case _: return "other"
print([http(s) for s in (200, 404, 503, 302)])
