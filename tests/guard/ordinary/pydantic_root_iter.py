from pydantic import RootModel, BaseModel, model_validator, SerializeAsAny, PrivateAttr, Field
from typing import Iterator, Self, ClassVar
import time
class Animal(BaseModel):
    name: str
    registry: ClassVar[dict[str, type["Animal"]]] = {}
    _loaded: float = PrivateAttr(default_factory=time.monotonic)
    def __init_subclass__(cls, **kw) -> None: super().__init_subclass__(**kw); Animal.registry[cls.__name__] = cls
    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs) -> None: pass
class Dog(Animal): tricks: int = 0
class Zoo(RootModel[list[SerializeAsAny[Animal]]]):
    def __iter__(self) -> Iterator[Animal]: return iter(self.root)
    def __getitem__(self, i): return self.root[i]
    def __len__(self): return len(self.root)
z = Zoo([Dog(name="rex", tricks=2), Animal(name="cow")])
print(len(z), z[0].name, [a.name for a in z], z.model_dump(), sorted(Animal.registry))
