from dataclasses import dataclass
from enum import Enum


class Op(Enum):
    ADD = "+"
    NEG = "-"


@dataclass
class Bin:
    op: Op
    left: "Node"
    right: "Node"


class Num:
    __match_args__ = ("value",)

    def __init__(self, value): self.value = value


Node = Bin | Num


def ev(node) -> float:
    match node:
        case Num(v): return v
        case Bin(op=Op.ADD, left=l, right=r): return ev(l) + ev(r)
        case Bin(Op.NEG, l, r): return ev(l) - ev(r)
        case int() | float() as n: return n
        case _: raise TypeError(node)


def classify(x):
    match x:
        case None | True | False: return "singleton"
        case -1 | 0: return "small"
        case 1.5 | 2+3j: return "num"
        case "a" "b": return "ab"
        case b"x": return "bytes"
        case str(s) if s.startswith("h"): return f"h:{s}"
        case []: return "empty"
        case [x, y]: return f"pair {x} {y}"
        case (first, *_, last): return f"{first}..{last}"
        case {"type": "err", "code": int(code), **rest}: return f"err {code} {rest}"
        case {"items": [{"id": i}, *others]}: return f"items {i} +{len(others)}"
        case {}: return "dict"
        case set() | frozenset(): return "set"
        case object(real=re): return re


print(ev(Bin(Op.ADD, Num(1), Bin(Op.NEG, Num(5), 2))))
for v in (None, -1, 1.5, 2+3j, "ab", b"x", "hey", [], [1, 2], (1, 2, 3), {"type": "err", "code": 4, "m": 1}, {"items": [{"id": 1}, 2]}, {"z": 1}, {1}, 99):
    print(classify(v))
