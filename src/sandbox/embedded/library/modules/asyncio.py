# asyncio: one loop with CPython's order of steps; left out are streams, subprocesses, threads and everything that
# hands out the loop itself. Awaits of tasks and futures go through `_mce_await`.
def _mce_module_asyncio():
    import asyncio
    import collections
    import math

    heapq = _mce_module("heapq", _mce_module_heapq)
    heappush = heapq["heappush"]
    heappop = heapq["heappop"]
    native_gather = asyncio.gather
    native_run = asyncio.run
    # The interpreter has no class of that name; this one too is outside `Exception`.
    CancelledError = KeyboardInterrupt
    InvalidStateError = RuntimeError

    class Loop:
        # `ready` holds callbacks and tasks to step, in order. One task at a time runs; every other one waits for its
        # token, a host future, to be resolved by `dispatch`.
        def __init__(self):
            self.ready = collections.deque()
            self.batch = 0
            self.running = False
            self.current = None
            self.spawning = None
            self.stopping = False
            self.timers = []
            self.timer_count = 0
            self.tasks = {}
            self.spawn_token = new_token()
            self.root_token = new_token()
            self.clock_token = new_token()

    shared = {"loop": None, "token": 0, "task": 0, "context": {}}

    def new_token():
        shared["token"] += 1
        return shared["token"]

    def running_loop():
        loop = shared["loop"]
        if loop is None:
            raise RuntimeError("no running event loop")
        return loop

    def move_expired(loop):
        if loop.timers:
            limit = _mce_host_monotonic() + 1e-09
            while loop.timers and loop.timers[0][0] < limit:
                entry = heappop(loop.timers)
                if entry[2]:
                    loop.ready.append(entry[2][0])
            arm_clock(loop)

    def arm_clock(loop):
        if loop.timers:
            # CPython waits in whole milliseconds, so timers that are due within one go off together.
            delay = max(loop.timers[0][0] - _mce_host_monotonic(), 0.0)
            _mce_host_resolve_later(loop.clock_token, math.ceil(delay * 1000.0) * 0.001)

    def call_at(when, callback):
        # The timer as a list: cancelled by clearing it.
        loop = running_loop()
        held = [callback]
        loop.timer_count += 1
        heappush(loop.timers, (when, loop.timer_count, held))
        if loop.timers[0][1] == loop.timer_count:
            arm_clock(loop)
        return held

    def dispatch():
        loop = shared["loop"]
        loop.current = None
        while True:
            if loop.batch == 0:
                if loop.stopping:
                    loop.running = True
                    _mce_host_resolve(loop.root_token)
                    return
                move_expired(loop)
                loop.batch = len(loop.ready)
                if loop.batch == 0:
                    loop.running = False
                    return
            loop.batch -= 1
            entry = loop.ready.popleft()
            if not isinstance(entry, Task):
                entry()
                continue
            loop.running = True
            loop.current = entry
            if entry.token == 0:
                entry.token = new_token()
                loop.spawning = entry
                _mce_host_resolve(loop.spawn_token)
            else:
                _mce_host_resolve(entry.token)
            return

    async def park(task):
        task.token = new_token()
        dispatch()
        await _mce_host_future(task.token)

    async def spawner():
        loop = shared["loop"]
        await _mce_host_future(loop.spawn_token)
        loop.spawn_token = new_token()
        await native_gather(loop.spawning.main(), spawner())

    async def clock():
        loop = shared["loop"]
        while True:
            await _mce_host_future(loop.clock_token)
            loop.clock_token = new_token()
            if loop.running:
                arm_clock(loop)
            else:
                dispatch()

    class Future:
        def __init__(self, *, loop=None):
            running_loop()
            self.state = "PENDING"
            self.value = None
            self.error = None
            self.message = None
            self.callbacks = []

        def done(self):
            return self.state != "PENDING"

        def cancelled(self):
            return self.state == "CANCELLED"

        def schedule(self):
            callbacks = self.callbacks
            self.callbacks = []
            for callback in callbacks:
                shared["loop"].ready.append(make_call(callback, self))

        def cancel(self, msg=None):
            if self.state != "PENDING":
                return False
            self.state = "CANCELLED"
            self.message = msg
            self.schedule()
            return True

        def result(self):
            if self.state == "CANCELLED":
                raise cancelled_error(self.message)
            if self.state == "PENDING":
                raise InvalidStateError("Result is not set.")
            if self.error is not None:
                raise self.error
            return self.value

        def exception(self):
            if self.state == "CANCELLED":
                raise cancelled_error(self.message)
            if self.state == "PENDING":
                raise InvalidStateError("Exception is not set.")
            return self.error

        def set_result(self, result):
            if self.state != "PENDING":
                raise InvalidStateError("invalid state")
            self.value = result
            self.state = "FINISHED"
            self.schedule()

        def set_exception(self, exception):
            if self.state != "PENDING":
                raise InvalidStateError("invalid state")
            if type(exception) is type(int):
                exception = exception()
            self.error = exception
            self.state = "FINISHED"
            self.schedule()

        def add_done_callback(self, fn, *, context=None):
            if self.state != "PENDING":
                shared["loop"].ready.append(make_call(fn, self))
            else:
                self.callbacks.append(fn)

        def remove_done_callback(self, fn):
            kept = [callback for callback in self.callbacks if callback is not fn]
            removed = len(self.callbacks) - len(kept)
            self.callbacks = kept
            return removed

    def cancelled_error(message):
        return CancelledError() if message is None else CancelledError(message)

    def make_call(callback, future):
        if isinstance(callback, Task):
            return callback
        return lambda: callback(future)

    class Task:
        # The state of a future is in `future`; what `Future` offers is passed on.
        def __init__(self, coro, *, name=None, context=None, loop=None):
            if type(coro).__name__ != "coroutine":
                raise TypeError(f"a coroutine was expected, got {coro!r}")
            loop = running_loop()
            shared["task"] += 1
            self.name = f"Task-{shared['task']}" if name is None else str(name)
            self.number = shared["task"]
            self.coro = wait_native(coro) if is_host_future(coro) else coro
            self.future = Future()
            self.token = 0
            self.waiting = None
            self.must_cancel = False
            self.cancel_message = None
            self.requests = 0
            self.context = dict(loop.current.context if loop.current is not None else shared["context"])
            loop.tasks[self.number] = self
            loop.ready.append(self)

        def get_name(self):
            return self.name

        def set_name(self, value):
            self.name = str(value)

        def get_coro(self):
            return self.coro

        def done(self):
            return self.future.done()

        def cancelled(self):
            return self.future.cancelled()

        def result(self):
            if not self.future.done():
                raise InvalidStateError("Result is not set.")
            return self.future.result()

        def exception(self):
            return self.future.exception()

        def add_done_callback(self, fn, *, context=None):
            if isinstance(fn, Task):
                self.future.add_done_callback(fn)
            else:
                self.future.add_done_callback(lambda _: fn(self))

        def cancel(self, msg=None):
            if self.future.done():
                return False
            self.requests += 1
            if self.waiting is not None and self.waiting.cancel(msg):
                return True
            self.must_cancel = True
            self.cancel_message = msg
            return True

        def cancelling(self):
            return self.requests

        def uncancel(self):
            if self.requests > 0:
                self.requests -= 1
                if self.requests == 0:
                    self.must_cancel = False
            return self.requests

        def check_cancel(self):
            if self.must_cancel:
                self.must_cancel = False
                raise cancelled_error(self.cancel_message)

        async def main(self):
            try:
                self.check_cancel()
                value = await self.coro
                if self.must_cancel:
                    self.must_cancel = False
                    self.future.cancel(self.cancel_message)
                else:
                    self.future.set_result(value)
            except SystemExit:
                raise
            except CancelledError as error:
                self.future.cancel(error.args[0] if error.args else None)
            except BaseException as error:
                self.future.set_exception(error)
            shared["loop"].tasks.pop(self.number)
            dispatch()

    def current():
        task = running_loop().current
        if task is None:
            raise RuntimeError("no running event loop")
        return task

    async def wait_future(future):
        # What `await future` does in a task.
        if not future.done():
            task = current()
            future.add_done_callback(task)
            task.waiting = future
            if task.must_cancel and future.cancel(task.cancel_message):
                task.must_cancel = False
            await park(task)
            task.waiting = None
            task.check_cancel()
        return future.result()

    async def wait_native(awaitable):
        # A host future: a watcher awaits it, so that the waiting task can still be cancelled.
        future = Future()

        async def watch():
            value = None
            failure = None
            try:
                value = await awaitable
            except BaseException as error:
                failure = error
            if not future.done():
                if failure is None:
                    future.set_result(value)
                else:
                    future.set_exception(failure)
            if not shared["loop"].running:
                dispatch()

        results = await native_gather(watch(), wait_future(future))
        return results[1]

    async def wait_any(awaitable):
        if isinstance(awaitable, (Future, Task)):
            return await wait_future(awaitable)
        if shared["loop"] is None or not is_host_future(awaitable):
            return await awaitable
        return await wait_native(awaitable)

    def is_host_future(value):
        # Both are called coroutines; only the text tells them apart.
        return type(value).__name__ == "coroutine" and repr(value).startswith("<coroutine external_future(")

    def find_context(base):
        # The values of context variables that the running code sees.
        shared["context"] = base
        loop = shared["loop"]
        return base if loop is None or loop.current is None else loop.current.context

    _mce_hooks["wait"] = wait_any
    _mce_hooks["context"] = find_context

    def ensure_future(coro_or_future, *, loop=None):
        if isinstance(coro_or_future, (Future, Task)):
            return coro_or_future
        if is_host_future(coro_or_future):
            return Task(wait_native(coro_or_future))
        if type(coro_or_future).__name__ == "coroutine":
            return Task(coro_or_future)
        raise TypeError("An asyncio.Future, a coroutine or an awaitable is required")

    def is_awaitable(value):
        return type(value).__name__ == "coroutine" or isinstance(value, (Future, Task))

    def create_task(coro, *, name=None, context=None):
        running_loop()
        return Task(coro, name=name)

    async def yield_once():
        task = current()
        shared["loop"].ready.append(task)
        await park(task)
        task.check_cancel()

    async def sleep(delay, result=None):
        if delay <= 0:
            await yield_once()
            return result
        if delay != delay:
            raise ValueError("Invalid delay: NaN (not a number)")
        future = Future()

        def finish():
            if not future.done():
                future.set_result(result)

        timer = call_at(_mce_host_monotonic() + delay, finish)
        try:
            return await wait_future(future)
        finally:
            timer.clear()

    def gather(*coros_or_futures, return_exceptions=False):
        outer = Future()
        if not coros_or_futures:
            outer.set_result([])
            return outer
        children = []
        known = []
        for argument in coros_or_futures:
            child = None
            for seen, made in known:
                if seen is argument:
                    child = made
            if child is None:
                child = ensure_future(argument)
                known.append((argument, child))
            children.append(child)
        state = {"finished": 0, "cancel": False}

        def done(child):
            state["finished"] += 1
            if outer.done():
                return
            if not return_exceptions:
                if child.cancelled():
                    outer.set_exception(cancelled_error(None))
                    return
                if child.exception() is not None:
                    outer.set_exception(child.exception())
                    return
            if state["finished"] < len(known):
                return
            results = []
            for one in children:
                if one.cancelled():
                    results.append(cancelled_error(None))
                elif one.exception() is not None:
                    results.append(one.exception())
                else:
                    results.append(one.result())
            if state["cancel"]:
                outer.set_exception(cancelled_error(None))
            else:
                outer.set_result(results)

        def cancel(msg=None):
            if outer.done():
                return False
            any_cancelled = False
            for child in children:
                if child.cancel(msg):
                    any_cancelled = True
            if any_cancelled:
                state["cancel"] = True
            return any_cancelled

        outer.cancel = cancel
        for _, child in known:
            child.add_done_callback(done)
        return outer

    class timeout_at:
        def __init__(self, when):
            self.state = "created"
            self.task = None
            self.timer = None
            self.limit = when
            self.before = 0

        def when(self):
            return self.limit

        def expired(self):
            return self.state in ("expiring", "expired")

        def reschedule(self, when):
            if self.state != "active":
                if self.state == "created":
                    raise RuntimeError("Timeout has not been entered")
                raise RuntimeError(f"Cannot change state of {self.state} Timeout")
            self.limit = when
            if self.timer is not None:
                self.timer.clear()
            if when is None:
                self.timer = None
            elif when <= _mce_host_monotonic():
                self.timer = [self.expire]
                shared["loop"].ready.append(self.expire)
            else:
                self.timer = call_at(when, self.expire)

        def expire(self):
            if self.timer:
                self.timer = None
                self.task.cancel()
                self.state = "expiring"

        async def __aenter__(self):
            if self.state != "created":
                raise RuntimeError("Timeout has already been entered")
            self.task = current()
            self.state = "active"
            self.before = self.task.cancelling()
            self.reschedule(self.limit)
            return self

        async def __aexit__(self, exc_type, exc_value, traceback):
            if self.timer is not None:
                self.timer.clear()
                self.timer = None
            if self.state == "expiring":
                self.state = "expired"
                if self.task.uncancel() <= self.before and isinstance(exc_value, CancelledError):
                    raise TimeoutError
            elif self.state == "active":
                self.state = "exited"
            return None

    def timeout(delay):
        return timeout_at(None if delay is None else _mce_host_monotonic() + delay)

    async def wait_for(fut, timeout):
        if fut is not None and not is_awaitable(fut):
            raise TypeError("An asyncio.Future, a coroutine or an awaitable is required")
        if timeout is not None and timeout <= 0:
            fut = ensure_future(fut)
            if fut.done():
                return fut.result()
            fut.cancel()
            try:
                await wait_future(fut)
            except CancelledError:
                raise TimeoutError
            return fut.result()
        limit = timeout_at(None if timeout is None else _mce_host_monotonic() + timeout)
        await limit.__aenter__()
        try:
            value = await wait_any(fut)
        except BaseException as error:
            await limit.__aexit__(None, error, None)
            raise
        await limit.__aexit__(None, None, None)
        return value

    async def wait(fs, *, timeout=None, return_when="ALL_COMPLETED"):
        if isinstance(fs, (Future, Task)) or type(fs).__name__ == "coroutine":
            raise TypeError(f"expect a list of futures, not {type(fs).__name__}")
        pending = []
        for one in fs:
            if one not in pending:
                pending.append(one)
        if not pending:
            raise ValueError("Set of Tasks/Futures is empty.")
        if return_when not in ("FIRST_COMPLETED", "FIRST_EXCEPTION", "ALL_COMPLETED"):
            raise ValueError(f"Invalid return_when value: {return_when}")
        if any([type(one).__name__ == "coroutine" for one in pending]):
            raise TypeError("Passing coroutines is forbidden, use tasks explicitly.")
        current()
        if any([one.done() for one in pending]) and return_when == "FIRST_COMPLETED" or all(
            [one.done() for one in pending]
        ):
            return split_done(pending)
        waiter = Future()
        state = {"left": len(pending)}

        def release():
            if not waiter.done():
                waiter.set_result(None)

        def done(one):
            state["left"] -= 1
            if (
                state["left"] <= 0
                or return_when == "FIRST_COMPLETED"
                or (return_when == "FIRST_EXCEPTION" and not one.cancelled() and one.exception() is not None)
            ):
                release()

        for one in pending:
            one.add_done_callback(done)
        timer = None if timeout is None else call_at(_mce_host_monotonic() + timeout, release)
        try:
            await wait_future(waiter)
        finally:
            if timer is not None:
                timer.clear()
        return split_done(pending)

    def split_done(futures):
        return {one for one in futures if one.done()}, {one for one in futures if not one.done()}

    class as_completed:
        def __init__(self, fs, *, timeout=None):
            if isinstance(fs, (Future, Task)) or type(fs).__name__ == "coroutine":
                raise TypeError(f"expect an iterable of futures, not {type(fs).__name__}")
            running_loop()
            self.finished = Queue()
            self.todo = []
            for one in fs:
                made = ensure_future(one)
                if made not in self.todo:
                    self.todo.append(made)
            self.left = len(self.todo)
            self.timer = None
            for one in self.todo:
                one.add_done_callback(self.complete)
            if self.todo and timeout is not None:
                self.timer = call_at(_mce_host_monotonic() + timeout, self.expire)

        def complete(self, one):
            if one in self.todo:
                self.todo.remove(one)
                self.finished.put_nowait(one)
                if not self.todo and self.timer is not None:
                    self.timer.clear()

        def expire(self):
            for _ in self.todo:
                self.finished.put_nowait(None)
            self.todo = []

        async def next_one(self):
            one = await self.finished.get()
            if one is None:
                raise TimeoutError
            return one.result()

        def __iter__(self):
            return self

        def __next__(self):
            if self.left == 0:
                raise StopIteration
            self.left -= 1
            return self.next_one()

    def shield(arg):
        inner = ensure_future(arg)
        if inner.done():
            return inner
        outer = Future()

        def done(one):
            if outer.cancelled():
                return
            if one.cancelled():
                outer.cancel()
            elif one.exception() is not None:
                outer.set_exception(one.exception())
            else:
                outer.set_result(one.result())

        inner.add_done_callback(done)
        return outer

    class Event:
        def __init__(self):
            self.waiters = collections.deque()
            self.value = False

        def is_set(self):
            return self.value

        def set(self):
            if not self.value:
                self.value = True
                for waiter in self.waiters:
                    if not waiter.done():
                        waiter.set_result(True)

        def clear(self):
            self.value = False

        async def wait(self):
            if self.value:
                return True
            waiter = Future()
            self.waiters.append(waiter)
            try:
                await wait_future(waiter)
                return True
            finally:
                self.waiters.remove(waiter)

    class Lock:
        def __init__(self):
            self.waiters = collections.deque()
            self.held = False

        def locked(self):
            return self.held

        async def acquire(self):
            if not self.held and all([waiter.cancelled() for waiter in self.waiters]):
                self.held = True
                return True
            waiter = Future()
            self.waiters.append(waiter)
            try:
                try:
                    await wait_future(waiter)
                finally:
                    self.waiters.remove(waiter)
            except CancelledError:
                if not self.held:
                    self.wake_first()
                raise
            self.held = True
            return True

        def release(self):
            if not self.held:
                raise RuntimeError("Lock is not acquired.")
            self.held = False
            self.wake_first()

        def wake_first(self):
            if self.waiters and not self.waiters[0].done():
                self.waiters[0].set_result(True)

        async def __aenter__(self):
            await self.acquire()
            return None

        async def __aexit__(self, exc_type, exc_value, traceback):
            self.release()

    class Condition:
        def __init__(self, lock=None):
            self.lock = Lock() if lock is None else lock
            self.waiters = collections.deque()
            self.locked = self.lock.locked
            self.acquire = self.lock.acquire
            self.release = self.lock.release

        async def wait(self):
            if not self.locked():
                raise RuntimeError("cannot wait on un-acquired lock")
            waiter = Future()
            self.release()
            try:
                try:
                    self.waiters.append(waiter)
                    try:
                        await wait_future(waiter)
                        return True
                    finally:
                        self.waiters.remove(waiter)
                finally:
                    failure = None
                    while True:
                        try:
                            await self.acquire()
                            break
                        except CancelledError as error:
                            failure = error
                    if failure is not None:
                        raise failure
            except BaseException:
                self.notify(1)
                raise

        async def wait_for(self, predicate):
            result = predicate()
            while not result:
                await self.wait()
                result = predicate()
            return result

        def notify(self, n=1):
            if not self.locked():
                raise RuntimeError("cannot notify on un-acquired lock")
            count = 0
            for waiter in self.waiters:
                if count >= n:
                    break
                if not waiter.done():
                    count += 1
                    waiter.set_result(False)

        def notify_all(self):
            self.notify(len(self.waiters))

        async def __aenter__(self):
            await self.acquire()
            return None

        async def __aexit__(self, exc_type, exc_value, traceback):
            self.release()

    class Semaphore:
        def __init__(self, value=1):
            if value < 0:
                raise ValueError("Semaphore initial value must be >= 0")
            self.waiters = collections.deque()
            self.value = value
            self.bound = None

        def locked(self):
            return self.value == 0 or any([not waiter.cancelled() for waiter in self.waiters])

        async def acquire(self):
            if not self.locked():
                self.value -= 1
                return True
            waiter = Future()
            self.waiters.append(waiter)
            try:
                try:
                    await wait_future(waiter)
                finally:
                    self.waiters.remove(waiter)
            except CancelledError:
                if waiter.done() and not waiter.cancelled():
                    self.value += 1
                raise
            finally:
                while self.value > 0:
                    if not self.wake_next():
                        break
            return True

        def release(self):
            if self.bound is not None and self.value >= self.bound:
                raise ValueError("BoundedSemaphore released too many times")
            self.value += 1
            self.wake_next()

        def wake_next(self):
            for waiter in self.waiters:
                if not waiter.done():
                    self.value -= 1
                    waiter.set_result(True)
                    return True
            return False

        async def __aenter__(self):
            await self.acquire()
            return None

        async def __aexit__(self, exc_type, exc_value, traceback):
            self.release()

    def BoundedSemaphore(value=1):
        made = Semaphore(value)
        made.bound = value
        return made

    class Queue:
        # `order` says what `get` takes: first in ("first"), last in ("last") or the smallest ("least").
        def __init__(self, maxsize=0):
            self.maxsize = maxsize
            self.order = "first"
            self.getters = collections.deque()
            self.putters = collections.deque()
            self.unfinished = 0
            self.finished = Event()
            self.finished.set()
            self.items = collections.deque()
            self.heap = []

        def qsize(self):
            return len(self.heap) if self.order == "least" else len(self.items)

        def empty(self):
            return self.qsize() == 0

        def full(self):
            return self.maxsize > 0 and self.qsize() >= self.maxsize

        def wake_next(self, waiters):
            while waiters:
                waiter = waiters.popleft()
                if not waiter.done():
                    waiter.set_result(None)
                    break

        async def put(self, item):
            while self.full():
                putter = Future()
                self.putters.append(putter)
                try:
                    await wait_future(putter)
                except BaseException:
                    putter.cancel()
                    if putter in self.putters:
                        self.putters.remove(putter)
                    if not self.full() and not putter.cancelled():
                        self.wake_next(self.putters)
                    raise
            return self.put_nowait(item)

        def put_nowait(self, item):
            if self.full():
                raise RuntimeError("asyncio.QueueFull is unsupported")
            if self.order == "least":
                heappush(self.heap, item)
            else:
                self.items.append(item)
            self.unfinished += 1
            self.finished.clear()
            self.wake_next(self.getters)

        async def get(self):
            while self.empty():
                getter = Future()
                self.getters.append(getter)
                try:
                    await wait_future(getter)
                except BaseException:
                    getter.cancel()
                    if getter in self.getters:
                        self.getters.remove(getter)
                    if not self.empty() and not getter.cancelled():
                        self.wake_next(self.getters)
                    raise
            return self.get_nowait()

        def get_nowait(self):
            if self.empty():
                raise RuntimeError("asyncio.QueueEmpty is unsupported")
            if self.order == "least":
                item = heappop(self.heap)
            elif self.order == "last":
                item = self.items.pop()
            else:
                item = self.items.popleft()
            self.wake_next(self.putters)
            return item

        def task_done(self):
            if self.unfinished <= 0:
                raise ValueError("task_done() called too many times")
            self.unfinished -= 1
            if self.unfinished == 0:
                self.finished.set()

        async def join(self):
            if self.unfinished > 0:
                await self.finished.wait()

    def LifoQueue(maxsize=0):
        made = Queue(maxsize)
        made.order = "last"
        return made

    def PriorityQueue(maxsize=0):
        made = Queue(maxsize)
        made.order = "least"
        return made

    class TaskGroup:
        # A group that fails would raise an ExceptionGroup, which the interpreter does not have.
        def __init__(self):
            self.entered = False
            self.exiting = False
            self.aborting = False
            self.parent = None
            self.cancel_requested = False
            self.tasks = []
            self.errors = []
            self.waiter = None

        async def __aenter__(self):
            if self.entered:
                raise RuntimeError("TaskGroup has already been entered")
            self.entered = True
            self.parent = current()
            return self

        def create_task(self, coro, *, name=None, context=None):
            if not self.entered:
                raise RuntimeError("TaskGroup has not been entered")
            if self.exiting and not self.tasks:
                raise RuntimeError("TaskGroup is finished")
            if self.aborting:
                raise RuntimeError("TaskGroup is shutting down")
            task = Task(coro, name=name)
            self.tasks.append(task)
            task.add_done_callback(self.task_done)
            return task

        def abort(self):
            self.aborting = True
            for task in self.tasks:
                if not task.done():
                    task.cancel()

        def task_done(self, task):
            self.tasks.remove(task)
            if self.waiter is not None and not self.tasks and not self.waiter.done():
                self.waiter.set_result(True)
            if task.cancelled() or task.exception() is None:
                return
            self.errors.append(task.exception())
            if self.parent.done():
                return
            if not self.aborting and not self.cancel_requested:
                self.abort()
                self.cancel_requested = True
                self.parent.cancel()

        async def __aexit__(self, exc_type, exc_value, traceback):
            self.exiting = True
            cancelled = exc_value if isinstance(exc_value, CancelledError) else None
            if self.cancel_requested and self.parent.uncancel() == 0:
                cancelled = None
            if exc_value is not None and not self.aborting:
                self.abort()
            while self.tasks:
                if self.waiter is None:
                    self.waiter = Future()
                try:
                    await wait_future(self.waiter)
                except CancelledError as error:
                    if not self.aborting:
                        cancelled = error
                        self.abort()
                self.waiter = None
            if cancelled is not None and not self.errors:
                raise cancelled
            if exc_value is not None and not isinstance(exc_value, CancelledError):
                self.errors.append(exc_value)
            if self.errors:
                raise NotImplementedError("asyncio.TaskGroup with a failed task raises an ExceptionGroup, unsupported")
            return None

    async def to_thread(func, /, *args, **kwargs):
        # There are no threads: the call is made after one turn of the loop.
        await yield_once()
        return func(*args, **kwargs)

    def current_task():
        return running_loop().current

    def all_tasks():
        return set(running_loop().tasks.values())

    def iscoroutine(obj):
        return type(obj).__name__ == "coroutine"

    def isfuture(obj):
        return isinstance(obj, (Future, Task))

    async def boot(loop, task):
        async def root():
            # The end of the main task stops the loop; the tasks left are then cancelled and awaited.
            await _mce_host_future(loop.root_token)
            loop.root_token = new_token()
            loop.stopping = False
            left = list(loop.tasks.values())
            if left:
                for one in left:
                    one.cancel()
                waiting = {"count": len(left)}

                def done(_):
                    waiting["count"] -= 1
                    if waiting["count"] == 0:
                        loop.stopping = True

                for one in left:
                    one.add_done_callback(done)
                loop.batch = 0
                dispatch()
                await _mce_host_future(loop.root_token)
            loop.tasks = None
            raise LookupError("stop")

        def stop(_):
            loop.stopping = True

        task.add_done_callback(stop)
        dispatch()
        try:
            await native_gather(root(), spawner(), clock())
        except LookupError:
            if loop.tasks is not None:
                raise

    def run(main, *, debug=None, loop_factory=None):
        if shared["loop"] is not None:
            raise RuntimeError("asyncio.run() cannot be called from a running event loop")
        if type(main).__name__ != "coroutine":
            raise TypeError("a coroutine was expected, got " + repr(main))
        loop = Loop()
        shared["loop"] = loop
        try:
            task = Task(main)
            native_run(boot(loop, task))
            return task.result()
        finally:
            shared["loop"] = None

    _mce_hooks["run"] = run
    return {
        "ALL_COMPLETED": "ALL_COMPLETED",
        "BoundedSemaphore": BoundedSemaphore,
        "CancelledError": CancelledError,
        "Condition": Condition,
        "Event": Event,
        "FIRST_COMPLETED": "FIRST_COMPLETED",
        "FIRST_EXCEPTION": "FIRST_EXCEPTION",
        "Future": Future,
        "InvalidStateError": InvalidStateError,
        "LifoQueue": LifoQueue,
        "Lock": Lock,
        "PriorityQueue": PriorityQueue,
        "Queue": Queue,
        "Semaphore": Semaphore,
        "Task": Task,
        "TaskGroup": TaskGroup,
        "TimeoutError": TimeoutError,
        "all_tasks": all_tasks,
        "as_completed": as_completed,
        "create_task": create_task,
        "current_task": current_task,
        "ensure_future": ensure_future,
        "gather": gather,
        "iscoroutine": iscoroutine,
        "isfuture": isfuture,
        "run": run,
        "shield": shield,
        "sleep": sleep,
        "timeout": timeout,
        "timeout_at": timeout_at,
        "to_thread": to_thread,
        "wait": wait,
        "wait_for": wait_for,
    }
