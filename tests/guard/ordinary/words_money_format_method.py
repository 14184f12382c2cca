class Money:
    def __init__(self, amount, currency="EUR"):
        self.amount, self.currency = amount, currency
    def format(self, symbol=True):
        return f"{'€' if symbol else ''}{self.amount:,.2f}"


cart = [Money(1), Money(2500)]
print(", ".join(m.format() for m in cart))
for m in cart:
    print(m.format(symbol=False))
total = Money(sum(m.amount for m in cart)); print(total.format())
