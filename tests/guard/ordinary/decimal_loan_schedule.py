from decimal import Decimal as D, ROUND_HALF_EVEN, ROUND_UP, Context, getcontext, localcontext, InvalidOperation, DivisionByZero
from dataclasses import dataclass
CENT = D("0.01")


@dataclass(slots=True)
class Payment:
    n: int
    interest: D
    principal: D
    balance: D

    def __str__(self) -> str:
        return f"{self.n:>3} {self.interest:>9,} {self.principal:>9,} {self.balance:>12,}"


def schedule(principal: D, annual: D, months: int):
    r = annual / 1200
    pay = (principal * r / (1 - (1 + r) ** -months)).quantize(CENT, ROUND_UP)
    bal = principal
    for n in range(1, months + 1):
        interest = (bal * r).quantize(CENT, ROUND_HALF_EVEN)
        part = min(pay - interest, bal); bal -= part
        yield Payment(n, interest, part, bal)


print(*schedule(D(1200), D("6.0"), 4), sep="\n")
with localcontext() as ctx:
    ctx.prec = 5; ctx.traps[DivisionByZero] = False
    print(D(1) / 3, D(1) / 0, +D("1.23456789"))
print(D("1.10").normalize(), D("1E+3").to_eng_string(), D("-0.5").copy_abs(), D(7).as_tuple().exponent, D("NaN").is_nan(), D("2.5").to_integral_value(), D(10).sqrt().quantize(CENT), D.from_float(0.5), f"{D('1234.5'):,.2f}", Context(prec=2).create_decimal("3.14159"), divmod(D(7), 2), D("3.7") // 1)
