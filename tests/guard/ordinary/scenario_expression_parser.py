import re
from operator import add, sub, mul, truediv, neg, pow as power

TOKEN = re.compile(r"\s*(?:(\d+\.?\d*)|(.))")
BIN = {"+": (1, add), "-": (1, sub), "*": (2, mul), "/": (2, truediv), "^": (3, power)}


class Parser:
    """Pratt parser; a safe alternative to eval()."""

    def __init__(self, text: str) -> None:
        self.toks = [(n or op) for n, op in TOKEN.findall(text)]
        self.pos = 0

    def peek(self): return self.toks[self.pos] if self.pos < len(self.toks) else None
    def next(self): tok = self.peek(); self.pos += 1; return tok

    def expr(self, prec: int = 0) -> float:
        tok = self.next()
        match tok:
            case "(":
                left = self.expr()
                if self.next() != ")": raise SyntaxError("expected )")
            case "-": left = neg(self.expr(2))
            case None: raise SyntaxError("unexpected end")
            case _: left = float(tok)
        while (op := self.peek()) in BIN and BIN[op][0] > prec - (op == "^"):
            self.next()
            p, fn = BIN[op]
            left = fn(left, self.expr(p))
        return left


def evaluate(text): return Parser(text).expr()


for src in ("1 + 2 * 3", "-(2 + 3) * 2", "2 ^ 3 ^ 2", "1 / 0", "(1"):
    try: print(src, "=", evaluate(src))
    except (SyntaxError, ZeroDivisionError) as e: print(src, "!", e)
