import asyncio
import json

import httpx

BASE = "https://api.example"


def report():
    with httpx.Client(
        base_url=BASE,
        params={"limit": "10"},
        headers={"X-Trace": "1"},
        timeout=httpx.Timeout(10.0, connect=2.0),
        limits=httpx.Limits(max_connections=5),
        follow_redirects=True,
    ) as client:
        answer = client.get("/items", params={"page": 1})
        answer.raise_for_status()
        made = client.post("/items", json={"a": 1}, headers={"Idempotency-Key": "k"})
        form = client.put("/items/1", data={"a": "b"}, files={"f": ("a.txt", b"text")})
        client.request("DELETE", "/items/1", auth=("user", "password"))
        return [answer.json(), made.status_code, form.headers.get("etag"), str(answer.url)]


def lines():
    found = []
    with httpx.stream("GET", f"{BASE}/events", timeout=None) as answer:
        for line in answer.iter_lines():
            if line.startswith("data:"):
                found.append(json.loads(line.removeprefix("data:")))
            if len(found) == 3:
                break
    return found


async def read(client, number):
    try:
        async with client.stream("GET", f"/large/{number}") as answer:
            return sum([len(part) async for part in answer.aiter_bytes()])
    except (httpx.ConnectError, httpx.ReadTimeout) as error:
        return f"{type(error).__name__}: {error.request.url}"
    except httpx.HTTPStatusError as error:
        return error.response.status_code


async def main():
    async with httpx.AsyncClient(base_url=BASE) as client:
        sizes = await asyncio.gather(*(read(client, number) for number in range(20)))
    return {"report": report(), "lines": lines(), "sizes": sizes, "one": httpx.get(BASE).text}
