import json
from pydantic import BaseModel, ValidationError
from dataclasses import dataclass, field


@dataclass
class Report:
    errors: list[dict] = field(default_factory=list)

    def capture(self, fn, *args, **kw):
        try:
            return fn(*args, **kw)
        except ValidationError as e:
            self.errors += [{"where": list(x["loc"]), "msg": x["msg"], "input": x["input"]} for x in e.errors()]
        except json.JSONDecodeError as e:
            self.errors.append({"where": [e.lineno, e.colno], "msg": e.msg})
        except Exception as e:
            self.errors.append({"where": [fn.__name__], "msg": f"{type(e).__name__}: {e}", "cause": repr(e.__cause__), "context": e.__context__ and str(e.__context__)})
        return None


class M(BaseModel):
    n: int


def bad(x):
    try: return 1 / x
    except ZeroDivisionError as e: raise RuntimeError("bad input") from e


r = Report()
r.capture(M, n="x"); r.capture(json.loads, "{"); r.capture(bad, 0); r.capture(bad, 1)
print(json.dumps(r.errors, indent=1))
