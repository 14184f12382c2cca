import asyncio


async def work(name, delay, fail=False):
    print("start", name)
    await asyncio.sleep(delay)
    if fail:
        raise ValueError(name)
    print("end", name)
    return name


async def main():
    print(await asyncio.gather(work("a", 0.03), work("b", 0.01), work("c", 0.02)))
    print(await asyncio.gather())
    results = await asyncio.gather(work("d", 0.01), work("e", 0.0, True), return_exceptions=True)
    print([r if isinstance(r, str) else repr(r) for r in results])
    try:
        await asyncio.gather(work("f", 0.02), work("g", 0.0, True))
    except ValueError as e:
        print("caught", e)
    await asyncio.sleep(0.03)
    t1 = asyncio.create_task(work("h", 0.01))
    t2 = asyncio.create_task(work("i", 0))
    print("created", t1.done(), t1.get_name() != t2.get_name())
    print(await t1, await t2, t1.done(), t1.result())
    try:
        await asyncio.wait_for(work("j", 5), 0.01)
    except asyncio.TimeoutError as e:
        print("timeout", repr(e))
    print(await asyncio.wait_for(work("k", 0), 1))
    try:
        await asyncio.wait_for(work("l", 0, True), timeout=1)
    except ValueError as e:
        print("failed", e)
    return "done"


print(asyncio.run(main()))


async def limited():
    semaphore = asyncio.Semaphore(2)
    active = 0
    peak = 0

    async def job(i):
        nonlocal active, peak
        async with semaphore:
            active += 1
            peak = max(peak, active)
            print("job", i, active)
            await asyncio.sleep(0.02 * (i + 1))
            active -= 1
        return i * i

    print(await asyncio.gather(*[job(i) for i in range(6)]), peak)


asyncio.run(limited())


async def cleanup():
    async def child():
        try:
            print("child starts")
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            print("child cancelled")
            raise
        finally:
            print("child finally")

    t = asyncio.create_task(child())
    await asyncio.sleep(0)
    t.cancel()
    try:
        await t
    except asyncio.CancelledError:
        print("awaited", t.cancelled(), t.done())
    t = asyncio.create_task(child())
    t.cancel("msg")
    print(await asyncio.gather(t, return_exceptions=True) != [], t.cancelled())
    t = asyncio.create_task(child())
    await asyncio.sleep(0)
    print("leaving")


asyncio.run(cleanup())


async def events():
    event = asyncio.Event()
    lock = asyncio.Lock()
    order = []

    async def waiter(i):
        await event.wait()
        async with lock:
            order.append(i)
            await asyncio.sleep(0)
            order.append(i)

    tasks = [asyncio.create_task(waiter(i)) for i in range(3)]
    await asyncio.sleep(0)
    print(event.is_set(), lock.locked(), order)
    event.set()
    await asyncio.gather(*tasks)
    print(order, lock.locked(), event.is_set())


asyncio.run(events())


async def queues():
    queue = asyncio.Queue(maxsize=2)
    seen = []

    async def producer():
        for i in range(5):
            await queue.put(i)
            print("put", i, queue.qsize())
        await queue.put(None)

    async def consumer():
        while True:
            item = await queue.get()
            queue.task_done()
            if item is None:
                break
            print("got", item)
            seen.append(item)

    await asyncio.gather(producer(), consumer())
    await queue.join()
    print(seen, queue.empty())
    for coroutine in asyncio.as_completed([asyncio.sleep(0.03, "x"), asyncio.sleep(0.005, "y"), asyncio.sleep(0.015, "z")]):
        print("completed", await coroutine)
    async with asyncio.TaskGroup() as group:
        a = group.create_task(work("ga", 0.01))
        b = group.create_task(work("gb", 0.0))
    print(a.result(), b.result())
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(1)
    except TimeoutError:
        print("timed out")
    async with asyncio.timeout(1):
        print(await asyncio.sleep(0, "value"))
    done, pending = await asyncio.wait([asyncio.create_task(work("w1", 0.001)), asyncio.create_task(work("w2", 1))], return_when=asyncio.FIRST_COMPLETED)
    print(len(done), len(pending), [t.result() for t in done])
    for t in pending:
        t.cancel()
    done, pending = await asyncio.wait([asyncio.create_task(work("w3", 0.001)), asyncio.create_task(work("w4", 0))])
    print(len(done), len(pending))
    print(await asyncio.to_thread(sum, [1, 2]), await asyncio.shield(work("s", 0)))


asyncio.run(queues())


async def ordering():
    log = []

    async def step(name, n):
        for i in range(n):
            log.append(f"{name}{i}")
            await asyncio.sleep(0)
        return name

    async def nested(name):
        log.append(name)
        r = await asyncio.gather(step(name + "x", 2), step(name + "y", 1))
        log.append("".join(r))

    t = asyncio.create_task(step("t", 5))
    await asyncio.gather(step("a", 3), nested("n"), step("b", 2), nested("m"))
    await t
    fut = asyncio.Future()
    t = asyncio.create_task(step("q", 2))
    t.add_done_callback(lambda task: fut.set_result(task.result() + "!"))
    log.append(await fut)
    print(log)


asyncio.run(ordering())


async def condition():
    cond = asyncio.Condition()
    items = []

    async def consume(i):
        async with cond:
            await cond.wait_for(lambda: len(items) > i)
            print("consumed", i, items[i])

    tasks = [asyncio.create_task(consume(i)) for i in range(3)]
    await asyncio.sleep(0)
    for i in range(3):
        async with cond:
            items.append(i * 10)
            cond.notify_all()
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    lifo = asyncio.LifoQueue()
    prio = asyncio.PriorityQueue()
    for x in (2, 3, 1):
        lifo.put_nowait(x)
        await prio.put(x)
    print([lifo.get_nowait() for _ in range(3)], [await prio.get() for _ in range(3)])


asyncio.run(condition())


async def failing():
    raise KeyError("boom")


try:
    asyncio.run(failing())
except KeyError as e:
    print("run raised", e)
try:
    asyncio.run(5)
except (TypeError, ValueError) as e:
    print(e)


async def many():
    async def one(i):
        await asyncio.sleep(0)
        return i

    tasks = [asyncio.create_task(one(i)) for i in range(300)]
    print(sum(await asyncio.gather(*tasks)))
    try:
        asyncio.run(one(1))
    except RuntimeError as e:
        print(e)


asyncio.run(many())
try:
    asyncio.create_task(5)
except RuntimeError as e:
    print(e)
