import enum
from enum import Enum, Flag, IntEnum, IntFlag, StrEnum, auto, member, nonmember, unique, verify, UNIQUE, CONTINUOUS


class Perm(Flag):
    NONE = 0
    READ = auto()
    WRITE = auto()
    EXEC = auto()
    ALL = READ | WRITE | EXEC


class Planet(Enum):
    MERCURY = (3.303e23, 2.4397e6)
    EARTH = (5.976e24, 6.37814e6)

    def __init__(self, mass, radius):
        self.mass, self.radius = mass, radius

    @property
    def gravity(self):
        return 6.67e-11 * self.mass / (self.radius ** 2)


class Lower(StrEnum):
    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        return name.lower() + "!"
    OPEN = auto()
    CLOSED = auto()

    @classmethod
    def _missing_(cls, value):
        return next((m for m in cls if m.name == str(value).upper()), None)


@verify(UNIQUE, CONTINUOUS)
class Level(IntEnum):
    LOW = 1
    MID = 2
    HIGH = 3

    def __format__(self, spec):
        return f"{self.name.title():{spec}}"


class Coord(bytes, Enum):
    def __new__(cls, value, label):
        obj = bytes.__new__(cls, [value])
        obj._value_ = value
        obj.label = label
        return obj
    PX = (0, "P.X")
    PY = (1, "P.Y")


print(Perm.READ | Perm.WRITE, Perm.READ in Perm.ALL, ~Perm.READ, list(Perm.ALL), Perm(3).name, bool(Perm.NONE), Perm["EXEC"])
print(f"{Planet.EARTH.gravity:.2f}", Lower("open"), Lower.CLOSED, f"{Level.MID:>6}", Level.HIGH > Level.LOW, Coord.PY.label, Coord(0))
print(list(Planet.__members__), len(Level), Level.LOW.value, repr(Level.LOW), [m.name for m in reversed(Level)], Enum("Dyn", "A B").A.value)
