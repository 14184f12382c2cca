DATA = [{"items": [1, 2], "next": 2}, {"items": [3], "next": 3}, {"items": [4, 5], "next": None}]
def fetch(page):
    print("fetch", page)
    return DATA[page - 1]
def items():
    page = 1
    while page:
        r = fetch(page)
        yield from r["items"]
        page = r["next"]
for x in items():
    print(x)
    if x == 3:
        break
