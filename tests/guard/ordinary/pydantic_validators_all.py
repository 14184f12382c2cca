from typing import Annotated, Any
from pydantic import BaseModel, ValidationInfo, ValidatorFunctionWrapHandler, WrapValidator, field_validator, model_validator, ValidationError, PlainValidator


def truncate(v: Any, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> str:
    try:
        return handler(v)
    except ValidationError as err:
        if err.errors()[0]["type"] == "string_too_long":
            return handler(v[: info.context["limit"] if info.context else 5])
        raise


from pydantic import Field
Short = Annotated[str, Field(max_length=5), WrapValidator(truncate)]


class Signup(BaseModel):
    name: Short
    password: str
    confirm: str
    level: Annotated[int, PlainValidator(lambda v: int(v) * 10)] = 1

    @model_validator(mode="before")
    @classmethod
    def unwrap(cls, data: Any) -> Any:
        return data.get("payload", data) if isinstance(data, dict) else data

    @field_validator("confirm", mode="after")
    @classmethod
    def same(cls, v: str, info: ValidationInfo) -> str:
        if v != info.data.get("password"):
            raise ValueError(f"{info.field_name} does not match")
        return v

    @field_validator("*", mode="before")
    @classmethod
    def strip(cls, v: Any) -> Any:
        return v.strip() if isinstance(v, str) else v


print(Signup.model_validate({"payload": {"name": " abcdefgh", "password": "p", "confirm": "p ", "level": "3"}}, context={"limit": 3}))
try:
    Signup(name="a", password="x", confirm="y")
except ValidationError as exc:
    print({e["loc"][0]: e["msg"] for e in exc.errors()})
