from typing import Any
from pydantic import BaseModel, GetCoreSchemaHandler, ValidationError, InstanceOf, SkipValidation, ConfigDict, validate_call, create_model, Field
from pydantic import PositiveInt, conlist, constr, SecretStr, HttpUrl, JsonValue, Json


class Point:
    def __init__(self, x: int, y: int):
        self.x, self.y = x, y


class Shape(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    centre: Point
    ref: InstanceOf[Point]
    raw: JsonValue = None
    blob: Json[list[int]] = "[]"
    token: SecretStr = SecretStr("hunter2")
    site: HttpUrl = HttpUrl("https://example.com/")
    codes: conlist(constr(min_length=2), min_length=1) = ["ab"]


@validate_call(validate_return=True)
def repeat(s: str, n: PositiveInt = 2) -> str:
    return s * n


s = Shape(centre=Point(1, 2), ref=Point(3, 4), raw={"a": [1, None]}, blob="[1,2]")
print(s.centre.x, s.blob, s.token, s.token.get_secret_value(), s.site.host)
print(repeat("ab", "3"))
try:
    repeat("x", n=-1)
except ValidationError as e:
    print(e.errors()[0]["type"], e.json(include_url=False)[:20])
Dyn = create_model("Dyn", name=(str, ...), size=(int, Field(default=3, gt=0)))
print(Dyn(name="n"))
