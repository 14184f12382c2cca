from __future__ import annotations
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from datetime import datetime, timezone
import itertools


class InsufficientFunds(Exception):
    def __init__(self, needed: float, available: float):
        self.needed, self.available = needed, available
        super().__init__(f"need {needed:.2f}, have {available:.2f}")


@dataclass(frozen=True)
class Entry:
    amount: float
    kind: str
    at: datetime = field(default_factory=lambda: datetime.now(timezone.utc), compare=False)


class Account(ABC):
    _ids = itertools.count(1)
    interest = 0.0

    def __init__(self, owner: str) -> None:
        self.id = next(Account._ids)
        self.owner = owner
        self._entries: list[Entry] = []

    @property
    def balance(self) -> float:
        return sum(e.amount for e in self._entries)

    def deposit(self, amount: float) -> Account:
        self._entries.append(Entry(amount, "deposit"))
        return self

    def withdraw(self, amount: float) -> Account:
        if not self._can(amount):
            raise InsufficientFunds(amount, self.balance)
        self._entries.append(Entry(-amount, "withdraw"))
        return self

    @abstractmethod
    def _can(self, amount: float) -> bool: ...

    def __repr__(self) -> str:
        return f"<{type(self).__qualname__} #{self.id} {self.owner!r} {self.balance:.2f}>"


class Savings(Account):
    interest = 0.02
    def _can(self, amount): return amount <= self.balance


class Checking(Account):
    def __init__(self, owner, limit=100.0):
        super().__init__(owner)
        self.limit = limit
    def _can(self, amount): return amount <= self.balance + self.limit


a, b = Savings("Ada").deposit(50), Checking("Bob")
for acct in (a, b):
    try: acct.withdraw(75)
    except InsufficientFunds as e: print(e, e.needed - e.available)
print(a, b, a._entries == [Entry(50, "deposit")])
