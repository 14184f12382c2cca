"""Print as JSON what each program of a folder's `benign` prints, with its `stubs` on the path."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path


def main() -> None:
    """Run them with this Python, one after the other."""
    folder = Path(sys.argv[1])
    environment = {
        **os.environ,
        "PYTHONPATH": str(folder / "stubs"),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    found = {}
    for program in sorted((folder / "benign").glob("*.py")):
        command = [sys.executable, "-W", "ignore", str(program)]
        done = subprocess.run(command, capture_output=True, check=True, env=environment)
        found[program.name] = done.stdout.decode()
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
