import contextlib
import io
from contextlib import AsyncExitStack, ContextDecorator, ExitStack, closing, contextmanager, nullcontext, redirect_stdout, suppress, asynccontextmanager, aclosing, AbstractContextManager
import asyncio


@contextmanager
def section(title: str, *, out: list[str]):
    out.append(f"<{title}>")
    try:
        yield out
    except ValueError as e:
        out.append(f"!{e}")
    finally:
        out.append(f"</{title}>")


class track(ContextDecorator):
    depth = 0

    def __enter__(self):
        type(self).depth += 1
        return self

    def __exit__(self, *exc):
        track.depth -= 1
        return False


@track()
def work() -> int:
    return track.depth


class Resource(AbstractContextManager):
    def __init__(self, name): self.name, self.closed = name, False
    def close(self): self.closed = True
    def __exit__(self, exc_type, exc_value, traceback): self.close(); return None


out: list[str] = []
with section("a", out=out) as o, section("b", out=out):
    raise ValueError("boom")
print(out, work(), track.depth)
with ExitStack() as stack:
    rs = [stack.enter_context(Resource(n)) for n in "xy"]
    stack.callback(print, "bye", "now")
    stack.push(lambda *exc: None)
    kept = stack.pop_all()
kept.close()
buf = io.StringIO()
with redirect_stdout(buf), suppress(ZeroDivisionError):
    print("captured"); 1 / 0
with closing(Resource("z")) as z: pass
print(buf.getvalue().strip(), [r.closed for r in rs], z.closed)


@asynccontextmanager
async def session(n):
    yield f"s{n}"


async def main():
    async with AsyncExitStack() as st:
        names = [await st.enter_async_context(session(i)) for i in range(2)]
        st.push_async_callback(asyncio.sleep, 0)
        print(names)
    with nullcontext(5) as five:
        print(five)
asyncio.run(main())
