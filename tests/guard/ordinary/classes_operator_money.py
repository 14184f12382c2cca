from __future__ import annotations
from decimal import Decimal
from functools import total_ordering
@total_ordering
class Money:
    __slots__ = ("amount", "cur")
    def __init__(self, amount: Decimal | str | int, cur: str = "EUR") -> None: self.amount, self.cur = Decimal(amount), cur
    def _check(self, o: Money) -> None:
        if self.cur != o.cur: raise TypeError(f"{self.cur} != {o.cur}")
    def __add__(self, o: Money | int) -> Money:
        if o == 0: return self
        if not isinstance(o, Money): return NotImplemented
        self._check(o); return Money(self.amount + o.amount, self.cur)
    __radd__ = __add__
    def __sub__(self, o): return self + Money(-o.amount, o.cur)
    def __mul__(self, k): return Money(self.amount * k, self.cur)
    def __floordiv__(self, n): q = self.amount // n; return [Money(q, self.cur)] * (n - 1) + [Money(self.amount - q * (n - 1), self.cur)]
    def __neg__(self): return self * -1
    def __pos__(self): return self
    def __int__(self): return int(self.amount)
    def __float__(self): return float(self.amount)
    def __index__(self): return int(self)
    def __eq__(self, o): return isinstance(o, Money) and (self.amount, self.cur) == (o.amount, o.cur)
    def __lt__(self, o): self._check(o); return self.amount < o.amount
    def __hash__(self): return hash((self.amount, self.cur))
    def __bool__(self): return bool(self.amount)
    def __repr__(self): return f"{self.amount:.2f} {self.cur}"
print(sum([Money(1), Money("2.50")]), Money(10) // 3, -Money(3) < Money(1), max(Money(1), Money(3)), bin(Money(5)), float(Money("1.5")), {Money(1), Money(1)}, bool(Money(0)))
try: Money(1) + Money(1, "USD")
except TypeError as e: print(e)
