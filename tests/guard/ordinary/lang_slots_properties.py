class Temperature:
    __slots__ = ("_c", "__weakref__")

    def __init__(self, celsius: float = 0.0) -> None: self._c = celsius

    @property
    def fahrenheit(self) -> float:
        """Degrees F."""
        return self._c * 9 / 5 + 32

    @fahrenheit.setter
    def fahrenheit(self, v: float) -> None: self._c = (v - 32) * 5 / 9

    @fahrenheit.deleter
    def fahrenheit(self) -> None: self._c = 0.0

    celsius = property(lambda self: self._c, doc="Degrees C")

    def __format__(self, spec: str) -> str:
        unit = spec[-1:] if spec[-1:] in "CF" else "C"
        value = self._c if unit == "C" else self.fahrenheit
        return f"{value:{spec.rstrip('CF') or '.1f'}}°{unit}"


t = Temperature(20); t.fahrenheit = 212
print(t.celsius, f"{t:.0fF} {t:>8.2fC} {t}", Temperature.fahrenheit.__doc__, Temperature.celsius.fget is not None)
del t.fahrenheit
print(t.celsius)
