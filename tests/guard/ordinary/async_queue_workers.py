import asyncio
from dataclasses import dataclass, field


@dataclass(order=True)
class Job:
    priority: int
    name: str = field(compare=False)


async def worker(name: str, q: asyncio.PriorityQueue[Job], done: list[str]) -> None:
    while True:
        job = await q.get()
        try:
            await asyncio.sleep(0)
            done.append(f"{name}:{job.name}")
        finally:
            q.task_done()


async def main() -> None:
    q: asyncio.PriorityQueue[Job] = asyncio.PriorityQueue(maxsize=10)
    for i, n in enumerate(["c", "a", "b"]):
        q.put_nowait(Job(-i, n))
    done: list[str] = []
    workers = [asyncio.create_task(worker(f"w{i}", q, done)) for i in range(2)]
    await q.join()
    for w in workers:
        w.cancel()
    results = await asyncio.gather(*workers, return_exceptions=True)
    print(done, [type(r).__name__ for r in results], workers[0].cancelled(), q.empty(), q.qsize())
    try:
        q.get_nowait()
    except asyncio.QueueEmpty:
        print("empty")

asyncio.run(main())
