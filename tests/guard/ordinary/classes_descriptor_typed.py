class Typed:
    def __init__(self, kind, default=None): self.kind, self.default, self.data = kind, default, {}
    def __set_name__(self, owner, name): self.name = f"{owner.__name__}.{name}"
    def __get__(self, obj, owner): return self if obj is None else self.data.get(id(obj), self.default)
    def __set__(self, obj, value):
        if not isinstance(value, self.kind): raise TypeError(f"{self.name} must be {self.kind.__name__}, not {type(value).__name__}")
        self.data[id(obj)] = value
    def __delete__(self, obj): self.data.pop(id(obj), None)
class User:
    name = Typed(str, ""); age = Typed(int, 0)
u = User(); u.name = "Ada"; u.age += 1; print(u.name, u.age, User.name.kind.__name__); del u.age; print(u.age)
try: u.age = "x"
except TypeError as e: print(e)
