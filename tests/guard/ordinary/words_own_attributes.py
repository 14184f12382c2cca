from dataclasses import dataclass, field
from enum import Enum


@dataclass
class Host:
    os: str
    platform: str
    env: dict[str, str] = field(default_factory=dict)
    environ: dict[str, str] = field(default_factory=dict)
    modules: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    sys: str = ""
    io: float = 0.0
    socket: str = "AM5"
    signal: int = -70
    locale: str = "en"
    warnings: list[str] = field(default_factory=list)
    code: int = 0
    frame: int = 0
    gen: int = 3
    obj: object = None
    f_name: str = "f"
    co_owner: str = "o"
    tb_count: int = 0
    cr_limit: int = 5
    gi_total: int = 1
    ag_rate: float = 0.5
    inspect: bool = False
    threading: int = 2
    select: str = "*"
    pickle: str = "dill"


class Action(Enum):
    OPEN = open_ = "open"
    EXEC = "exec"
    spawn = "spawn"
    kill = "kill"
    fork = "fork"


h = Host("linux", "arm64")
h.modules.append("m"); h.types += ["t"]; h.environ["A"] = "1"; h.warnings.append("w")
print(h.os, h.sys, h.io, h.socket, h.signal, h.locale, h.warnings, h.code, h.frame, h.gen, h.obj, h.f_name, h.co_owner, h.tb_count, h.cr_limit, h.gi_total, h.ag_rate, h.inspect, h.threading, h.select, h.env, h.environ, h.modules, h.types, h.platform, h.pickle)
print(Action.spawn.value, Action.kill.name, Action.fork, Action.EXEC)
