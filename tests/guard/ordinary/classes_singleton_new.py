class Registry:
    _instance: "Registry | None" = None
    items: dict
    def __new__(cls) -> "Registry":
        if cls._instance is None:
            cls._instance = super().__new__(cls)
            cls._instance.items = {}
        return cls._instance
    def register(self, key): 
        def deco(fn): self.items[key] = fn; return fn
        return deco
r = Registry()
@r.register("hi")
def hi(): return "hi!"
print(Registry().items["hi"](), Registry() is r)
