import asyncio
from collections.abc import AsyncIterator, Callable
async def source(n: int) -> AsyncIterator[int]:
    for i in range(n):
        await asyncio.sleep(0); yield i
async def amap(fn: Callable, it: AsyncIterator, limit: int = 2):
    sem = asyncio.Semaphore(limit)
    async def one(x):
        async with sem: return await fn(x)
    for t in [asyncio.create_task(one(x)) async for x in it]: yield await t
async def afilter(pred, it):
    async for x in it:
        if pred(x): yield x
async def batch(it, n):
    buf = []
    async for x in it:
        buf.append(x)
        if len(buf) == n: yield tuple(buf); buf.clear()
    if buf: yield tuple(buf)
async def sq(x): await asyncio.sleep(0); return x * x
async def main(): print([b async for b in batch(afilter(lambda v: v % 2 == 0, amap(sq, source(7))), 2)])
asyncio.run(main())
