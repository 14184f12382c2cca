import asyncio
from collections.abc import AsyncIterator


class Ticker:
    def __init__(self, n: int): self.n = n
    def __aiter__(self): return self
    async def __anext__(self) -> int:
        if self.n <= 0: raise StopAsyncIteration
        self.n -= 1
        await asyncio.sleep(0)
        return self.n


async def numbers(n: int) -> AsyncIterator[int]:
    try:
        for i in range(n):
            got = yield i
            if got: print("got", got)
    finally:
        print("cleanup")


class Conn:
    async def __aenter__(self): print("open"); return self
    async def __aexit__(self, *exc): print("close"); return exc[0] is RuntimeError


async def main():
    print([x async for x in Ticker(3)], {x: x * x async for x in numbers(2)}, [await asyncio.sleep(0, i) for i in range(2)])
    async with Conn() as c, Conn():
        raise RuntimeError("handled")
    ag = numbers(5)
    print(await anext(ag), await ag.asend("hi"), await anext(ag, None)); await ag.aclose()
    total = 0
    async for i in numbers(3): total += i
    else: print("total", total)
    print(sum([x async for x in Ticker(4) if x % 2]))
asyncio.run(main())
