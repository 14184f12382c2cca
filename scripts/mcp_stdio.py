"""An MCP client of one `mce serve` over stdio, for the scripts beside it."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any


class Client:
    """Starts `mce serve` in a folder; requests may overlap. `environment` is all that it gets."""

    def __init__(
        self,
        mce: str,
        folder: Path,
        stderr: IO[bytes] | None = None,
        environment: Mapping[str, str] | None = None,
        /,
        **variables: str,
    ) -> None:
        if environment is None:
            environment = {**os.environ, "MCE_LOG_LEVEL": "error", **variables}
        self.process = subprocess.Popen(
            [mce, "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            cwd=folder,
            env=environment,
            text=True,
            bufsize=1,
        )
        self._numbers = iter(range(1, 1 << 30))
        self._lock = threading.Lock()
        self._waiting: dict[int, queue.SimpleQueue[Any]] = {}
        threading.Thread(target=self._read, daemon=True).start()
        about = {"name": "script", "version": "1"}
        begin = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about}
        self.ask("initialize", begin)
        with self._lock:
            self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message = json.loads(line)
            if "id" in message and message["id"] in self._waiting:
                self._waiting.pop(message["id"]).put(message)

    def ask(self, method: str, parameters: dict[str, Any]) -> Any:
        """The result of a request; its error is raised."""
        answer: queue.SimpleQueue[Any] = queue.SimpleQueue()
        with self._lock:
            number = next(self._numbers)
            self._waiting[number] = answer
            request = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
            self._send(request)
        message = self._wait(answer)
        if "error" in message:
            raise RuntimeError(message["error"])
        return message["result"]

    def _wait(self, answer: queue.SimpleQueue[Any]) -> Any:
        while True:
            try:
                return answer.get(timeout=1)
            except queue.Empty:
                if self.process.poll() is not None:
                    raise RuntimeError("the server has ended") from None

    def run(self, code: str) -> dict[str, Any]:
        """What `execute_code` answers."""
        arguments = {"code": code, "description": "a measurement"}
        answer = self.ask("tools/call", {"name": "execute_code", "arguments": arguments})
        result: dict[str, Any] = answer["structuredContent"]
        return result

    def execute(self, code: str) -> float:
        """Milliseconds from the request to its answer, which must be good."""
        begun = time.perf_counter()
        result = self.run(code)
        took = (time.perf_counter() - begun) * 1000
        if not result["success"]:
            raise RuntimeError(result)
        return took

    def close(self) -> None:
        """Ends the server as a client does."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(60)
