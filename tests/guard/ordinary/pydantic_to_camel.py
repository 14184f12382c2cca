from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel, to_snake


class Api(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class User(Api):
    first_name: str
    created_at: str | None = None


u = User.model_validate({"firstName": "Ada", "createdAt": "now"})
print(u.model_dump(by_alias=True), to_snake("someThing"), User(first_name="x").first_name)
