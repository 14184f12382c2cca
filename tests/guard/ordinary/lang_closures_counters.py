counter = 0


def bump(by: int = 1) -> int:
    global counter
    counter += by
    return counter


def make_account(balance: float = 0):
    history = []

    def deposit(x):
        nonlocal balance
        if x <= 0: raise ValueError("amount must be positive")
        balance += x; history.append(("deposit", x))
        return balance

    def withdraw(x):
        nonlocal balance
        if x > balance: raise ValueError(f"insufficient funds: {balance} < {x}")
        balance -= x; history.append(("withdraw", x))
        return balance

    return {"deposit": deposit, "withdraw": withdraw, "history": lambda: tuple(history)}


acct = make_account(10)
acct["deposit"](5)
try: acct["withdraw"](100)
except ValueError as e: print(e)
adders = [lambda x, n=n: x + n for n in range(3)]
compose = lambda *fs: lambda x: __import_free(fs, x)
def __import_free(fs, x):
    for f in fs: x = f(x)
    return x
print(bump(), bump(5), acct["history"](), [f(10) for f in adders], compose(str.strip, str.upper)("  a "), (lambda *a, **k: (a, k))(1, b=2))
