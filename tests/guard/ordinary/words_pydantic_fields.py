import json
from pydantic import BaseModel, ConfigDict, Field


class Device(BaseModel):
    model_config = ConfigDict(extra="allow", protected_namespaces=())
    id: int
    type: str
    os: str
    platform: str | None = None
    environ: dict[str, str] = Field(default_factory=dict)
    obj: dict | None = None
    gen: int = 1
    code: str = ""
    modules: list[str] = []
    f_name: str = Field("", alias="fName")
    cr_limit: float = 0
    eval: float = 0.0
    input: str = ""
    dir: str = "ltr"
    signal: int = 0


raw = '{"id": 1, "type": "phone", "os": "android", "platform": "arm", "obj": {"k": 1}, "gen": 4, "fName": "x", "cr_limit": 2.5, "modules": ["cam"], "signal": -70, "extra_one": 5}'
d = Device.model_validate_json(raw)
print(d.os, d.platform, d.obj, d.gen, d.code, d.modules, d.f_name, d.cr_limit, d.eval, d.input, d.dir, d.environ, d.signal, d.id, d.type, d.model_extra)
