import functools
def validate(**rules):
    def deco(fn):
        @functools.wraps(fn)
        def inner(**kw):
            errs = [f"{k}={kw[k]!r}" for k, rule in rules.items() if k in kw and not rule(kw[k])]
            if errs: raise ValueError(f"{fn.__name__}: bad {', '.join(errs)}")
            return fn(**kw)
        return inner
    return deco
@validate(age=lambda a: 0 <= a < 150, name=str.istitle)
def person(*, name, age): return f"{name} ({age})"
print(person(name="Ada", age=36))
try: person(name="ada", age=-1)
except ValueError as e: print(e)
class once:
    def __init__(self, fn): self.fn = fn; self.done = False
    def __get__(self, obj, owner=None): return functools.partial(self, obj) if obj is not None else self
    def __call__(self, *a):
        if not self.done: self.done = True; self.result = self.fn(*a)
        return self.result
class S:
    @once
    def setup(self): print("setup"); return 1
    @staticmethod
    @functools.cache
    def sq(x): return x * x
    @classmethod
    @functools.lru_cache(maxsize=1)
    def conf(cls): return {"a": 1}
    @property
    @functools.cache
    def p(self): return 3
s = S(); print(s.setup(), s.setup(), S.sq(3), S.conf(), s.p, S.sq.cache_info().misses)
