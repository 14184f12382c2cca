import asyncio


async def cancel_details():
    async def stubborn():
        try:
            await asyncio.sleep(1)
        except asyncio.CancelledError:
            print("ignored")
        return "survived"

    t = asyncio.create_task(stubborn())
    await asyncio.sleep(0)
    print(t.cancel(), t.cancelling())
    print(await t, t.cancelled(), t.cancel())
    try:
        t.exception()
        print("no exception")
    except asyncio.CancelledError:
        print("cancelled")

    async def inner():
        await asyncio.sleep(1)

    async def outer():
        await asyncio.gather(inner(), inner())

    t = asyncio.create_task(outer())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    t.cancel()
    try:
        await t
    except asyncio.CancelledError:
        print("gather cancelled")
    try:
        await asyncio.wait_for(outer(), 0.01)
    except TimeoutError:
        print("outer timeout")

    async def slow_cleanup():
        try:
            await asyncio.sleep(1)
        finally:
            print("cleanup begins")
            await asyncio.sleep(0)
            print("cleanup ends")

    try:
        await asyncio.wait_for(slow_cleanup(), 0.01)
    except TimeoutError:
        print("slow timeout")
    sem = asyncio.Semaphore(1)

    async def hold():
        async with sem:
            await asyncio.sleep(1)

    try:
        await asyncio.wait_for(hold(), 0.01)
    except TimeoutError:
        print("released", sem.locked())
    fut = asyncio.Future()
    fut.set_result(3)
    print(await fut, fut.done(), fut.result(), await fut)
    try:
        fut.set_result(4)
    except asyncio.InvalidStateError:
        print("invalid")
    fut = asyncio.Future()
    fut.set_exception(ValueError("bad"))
    try:
        await fut
    except ValueError as e:
        print(e)
    t = asyncio.create_task(asyncio.sleep(0.01, "late"))
    try:
        await asyncio.wait_for(asyncio.shield(t), 0.001)
    except TimeoutError:
        print("shielded", t.done(), await t)
    done, pending = await asyncio.wait([asyncio.create_task(asyncio.sleep(1))], timeout=0.01)
    print(len(done), len(pending))
    for p in pending:
        p.cancel()
    print([type(x).__name__ if isinstance(x, ValueError) else x for x in await asyncio.gather(asyncio.sleep(0, 1), fut, return_exceptions=True)])
    try:
        for c in asyncio.as_completed([asyncio.sleep(1)], timeout=0.01):
            await c
    except TimeoutError:
        print("as_completed timeout")
    try:
        async with asyncio.timeout(0.01) as limit:
            await asyncio.sleep(1)
    except TimeoutError:
        print(limit.expired())
    async with asyncio.timeout(None) as limit:
        print(limit.expired(), limit.when())
    async with asyncio.timeout(0.5):
        try:
            async with asyncio.timeout(0.01):
                await asyncio.sleep(1)
        except TimeoutError:
            print("inner only")
    b = asyncio.BoundedSemaphore(1)
    try:
        b.release()
    except ValueError as e:
        print(e)
    lock = asyncio.Lock()
    try:
        lock.release()
    except RuntimeError as e:
        print(e)
    try:
        await asyncio.wait_for(asyncio.sleep(1), 0)
    except TimeoutError:
        print("zero")
    print(await asyncio.wait_for(asyncio.sleep(0, 5), None))
    t = asyncio.create_task(asyncio.sleep(0, 5), name="named")
    print(t.get_name(), asyncio.current_task() is not t, asyncio.iscoroutine(5), asyncio.isfuture(t), len(asyncio.all_tasks()))
    await t


asyncio.run(cancel_details())


async def retry():
    attempts = 0

    async def flaky():
        nonlocal attempts
        attempts += 1
        if attempts < 3:
            await asyncio.sleep(1)
        return attempts

    for i in range(5):
        try:
            print("got", await asyncio.wait_for(flaky(), timeout=0.01))
            break
        except asyncio.TimeoutError:
            print("retry", i)


asyncio.run(retry())


async def worker(name, queue, out):
    while True:
        item = await queue.get()
        await asyncio.sleep(0)
        out.append((name, item))
        queue.task_done()


async def pool():
    queue = asyncio.Queue()
    out = []
    for i in range(10):
        queue.put_nowait(i)
    workers = [asyncio.create_task(worker(f"w{i}", queue, out)) for i in range(3)]
    await queue.join()
    for w in workers:
        w.cancel()
    results = await asyncio.gather(*workers, return_exceptions=True)
    print(out, len(results), all(isinstance(r, asyncio.CancelledError) for r in results))


asyncio.run(pool())


async def background():
    async def ticker():
        n = 0
        try:
            while True:
                n += 1
                await asyncio.sleep(0.01)
        finally:
            print("ticker stopped", n > 2)

    asyncio.create_task(ticker())
    await asyncio.sleep(0.08)
    return "main done"


print(asyncio.run(background()))


async def group():
    async def bad():
        await asyncio.sleep(0)
        raise ValueError("x")

    async def good():
        try:
            await asyncio.sleep(1)
        except asyncio.CancelledError:
            print("sibling cancelled")
            raise

    t = asyncio.create_task(good())
    r = await asyncio.gather(bad(), bad(), return_exceptions=True)
    print([repr(x) for x in r])
    try:
        await asyncio.gather(bad(), t)
    except ValueError as e:
        print("first failure", e, t.done())
    t.cancel()


asyncio.run(group())
