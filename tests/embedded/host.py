"""Answer calls of functions that stand in for compiled ones: a line of JSON each, in and out."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import sys


def main() -> None:
    """Serve the modules of the folder that is the argument."""
    sys.path.insert(0, sys.argv[1])
    answers = sys.stdout
    sys.stdout = sys.stderr
    for line in sys.stdin:
        call = json.loads(line)
        named = call["arguments"]
        numbered = [named.pop(str(number)) for number in range(len(named)) if str(number) in named]
        try:
            module = importlib.import_module(f"{call['server']}.functions")
            value = getattr(module, call["function"])(*numbered, **named)
            if inspect.isawaitable(value):
                value = asyncio.run(wait(value))
            answer = json.dumps({"value": value})
        except Exception as error:  # Whatever it is, the code is told.
            status = getattr(error, "status", None)
            answer = json.dumps({"error": str(error), "status": status})
        print(answer, file=answers, flush=True)


async def wait(value):
    """Wait for what any awaitable gives."""
    return await value


if __name__ == "__main__":
    main()
