import string
DIGITS = string.digits + string.ascii_lowercase
ROMAN = dict(M=1000, CM=900, D=500, CD=400, C=100, XC=90, L=50, XL=40, X=10, IX=9, V=5, IV=4, I=1)
def to_base(n: int, b: int) -> str:
    if n < 0: return "-" + to_base(-n, b)
    return (to_base(n // b, b).lstrip("0") if n >= b else "") + DIGITS[n % b]
def roman(n: int) -> str:
    out = []
    for sym, v in ROMAN.items():
        k, n = divmod(n, v); out += [sym] * k
    return "".join(out)
def unroman(s: str) -> int:
    return sum(-ROMAN[a] if ROMAN[a] < ROMAN.get(b, 0) else ROMAN[a] for a, b in zip(s, s[1:] + " "))
def caesar(s, k): return "".join(chr((ord(c) - 65 + k) % 26 + 65) if c.isupper() else c for c in s)
print(to_base(255, 16), to_base(-10, 2), int("zz", 36), [roman(n) for n in (4, 1994)], unroman("MCMXCIV"), caesar("HELLO", 3), caesar(caesar("ABC", 5), -5))
print(f"{10:b} {10:o} {10:X} {10:#b}", int("0b101", 0), 0xFF, 0o17, 0b11, 1_000, 1e-3, 5j.imag)
