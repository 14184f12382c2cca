from collections.abc import Iterator
import weather.functions as w


def paginate(fn, /, *, per_page: int = 2, **params) -> Iterator[dict]:
    page = 1
    while True:
        resp = fn(page=page, per_page=per_page, **params)
        yield from resp["items"]
        if (nxt := resp.get("next_page")) is None:
            return
        page = nxt


by_country: dict[str, list[str]] = {}
for city in paginate(w.list_cities):
    by_country.setdefault(city["country"], []).append(city["name"])

for country, cities in sorted(by_country.items()):
    print(f"{country}: {', '.join(sorted(cities))}")
assert sum(map(len, by_country.values())) == 5, "lost a city"
