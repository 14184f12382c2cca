import re
from functools import lru_cache
PATTERNS = {"email": r"[^@\s]+@[^@\s]+\.\w{2,}", "ipv4": r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}", "hex": r"#?(?:[0-9a-f]{3}){1,2}", "semver": r"v?(?P<major>\d+)\.(?P<minor>\d+)\.(?P<patch>\d+)(?:-(?P<pre>[\w.]+))?", "eval": r"eval\(.*\)"}
@lru_cache
def compiled(name: str) -> re.Pattern[str]: return re.compile(PATTERNS[name], re.I | re.ASCII)
def check(name: str, s: str) -> bool: return compiled(name).fullmatch(s) is not None
print([check(*c) for c in (("email", "a@b.co"), ("ipv4", "10.0.0.256"), ("hex", "#FFaa00"), ("eval", "eval(1)"))], compiled("semver").fullmatch("v1.2.3-rc.1").groupdict(), compiled("hex").flags & re.I == re.I, compiled("semver").groupindex, compiled("semver").groups)
try: re.compile("(")
except re.error as e: print(e.msg, e.pos)
def camel(s): return re.sub(r"_(\w)", lambda m: m.group(1).upper(), s)
def snake(s): return re.sub(r"(?<!^)(?=[A-Z])", "_", s).lower()
print(camel("a_bc_d"), snake("fooBarBaz"), re.sub(r"(\d+)", lambda m: f"{int(m[0]):03}", "a7b42"), re.findall(r"(\w)=(\d)", "a=1,b=2"), re.split(r"(\W)", "a-b"), re.match(r"(?P<q>['\"]).*?(?P=q)", "'x'y")[0], bool(re.search(r"\bcat\b", "concat")))
