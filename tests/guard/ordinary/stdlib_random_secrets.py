import random
import secrets
import string

rng = random.Random(42)


class Deck:
    SUITS = "♠♥♦♣"
    RANKS = [*range(2, 11), *"JQKA"]

    def __init__(self, rng: random.Random):
        self._cards = [(r, s) for s in self.SUITS for r in self.RANKS]
        self._rng = rng

    def shuffle(self) -> "Deck":
        self._rng.shuffle(self._cards)
        return self

    def deal(self, n: int = 5) -> list:
        return [self._cards.pop() for _ in range(n)]

    def __len__(self):
        return len(self._cards)


def password(length: int = 16) -> str:
    alphabet = string.ascii_letters + string.digits + "!@#$%"
    while True:
        pw = "".join(secrets.choice(alphabet) for _ in range(length))
        if any(c.islower() for c in pw) and any(c.isupper() for c in pw) and sum(c.isdigit() for c in pw) >= 2:
            return pw


deck = Deck(rng).shuffle()
print(deck.deal(3), len(deck), len(password()), len(secrets.token_hex(8)), secrets.compare_digest("a", "a"))
random.seed(1)
print(random.choices(["a", "b"], weights=[3, 1], k=5), random.sample(range(10), 3), round(random.gauss(0, 1), 2), rng.randint(1, 6), random.triangular(0, 1) < 1)
state = random.getstate(); a = random.random(); random.setstate(state); print(a == random.random())
