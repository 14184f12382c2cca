from typing import Annotated, Generic, Literal, TypeVar, Union
from pydantic import BaseModel, Field, TypeAdapter, field_serializer, ConfigDict
T = TypeVar("T"); E = TypeVar("E", bound=BaseModel)
class Ok(BaseModel, Generic[T]):
    kind: Literal["ok"] = "ok"
    value: T
class Err(BaseModel, Generic[E]):
    kind: Literal["err"] = "err"
    error: E
class Problem(BaseModel):
    code: int; detail: str = ""
type Result = Annotated[Union[Ok[int], Err[Problem]], Field(discriminator="kind")]
ta = TypeAdapter(list[Result])
for r in ta.validate_json('[{"kind": "ok", "value": "3"}, {"kind": "err", "error": {"code": 404}}]'):
    match r:
        case Ok(value=v): print("ok", v)
        case Err(error=Problem(code=c)): print("err", c)
print(Ok[str].__name__, Ok[list[int]](value=[1]).model_dump_json(), ta.dump_json([Ok[int](value=1)]).decode(), ta.json_schema()["type"])
