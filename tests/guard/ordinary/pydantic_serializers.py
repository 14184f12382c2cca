import datetime as dt
from decimal import Decimal
from typing import Annotated, Any
from pydantic import (AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, SerializationInfo,
                      SerializerFunctionWrapHandler, WrapSerializer, field_serializer, model_serializer)

Money = Annotated[Decimal, BeforeValidator(lambda v: str(v).replace(",", "")), AfterValidator(lambda d: d.quantize(Decimal("0.01"))),
                  PlainSerializer(lambda d: f"{d:,.2f}", return_type=str, when_used="json")]


def shout(v: Any, nxt: SerializerFunctionWrapHandler, info: SerializationInfo) -> str:
    out = nxt(v)
    return out.upper() if info.mode == "json" else out


class Invoice(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True, validate_assignment=True)
    number: Annotated[str, WrapSerializer(shout)]
    amount: Money
    issued: dt.date = Field(default_factory=lambda: dt.date(2026, 1, 1))
    tags: set[str] = Field(default_factory=set)

    @field_serializer("tags")
    def _tags(self, tags: set[str]) -> list[str]:
        return sorted(tags)


class Wrapped(BaseModel):
    a: int
    b: int

    @model_serializer(mode="wrap")
    def ser(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {"sum": self.a + self.b, **handler(self)}


inv = Invoice(number="  inv-1 ", amount="1,234.567", tags={"b", "a"})
inv.number = " inv-2 "
print(inv.model_dump(), inv.model_dump_json(), Wrapped(a=1, b=2).model_dump())
print(inv.model_copy(update={"tags": set()}).model_dump(exclude_unset=True), Invoice.model_fields.keys(), inv.model_fields_set)
