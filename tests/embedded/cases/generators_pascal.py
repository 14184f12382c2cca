def pascal():
    row = [1]
    while True:
        yield row
        row = [1] + [a + b for a, b in zip(row, row[1:])] + [1]
for i, r in enumerate(pascal()):
    print(r)
    if i == 4:
        break
