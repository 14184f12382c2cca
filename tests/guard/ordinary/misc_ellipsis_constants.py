from typing import Final, Callable
NOT_GIVEN: Final = object()
DEBUG = __debug__
def get(d: dict, k: str, default=NOT_GIVEN):
    if k in d: return d[k]
    if default is NOT_GIVEN: raise KeyError(k)
    return default
class Stub:
    def todo(self) -> int: ...
    attr: int
    cb: Callable[..., None] = print
print(get({"a": 1}, "a"), get({}, "b", None), Stub().todo(), ... is Ellipsis, NotImplemented is not None, DEBUG)
if (n := 10) > 5 and not (m := n % 3) == 0: print(n, m)
assert n, "n must be set"; pass; x: int; x = 5; del x
print(*(i for i in range(3)), sep=",", end=";\n"); print(0.1 + 0.2 == 0.3, 1 < 2 < 3, 1 if [] else 2, [] or "default", None and 1, not None, 5 // 2 * 2 + 5 % 2, -2 ** 2, 1e3, 0b1 | 0x2, "a" if 1 else "b", (1,) + (2,), [1] * 2, "%" in "5%", (lambda: None)() is None)
