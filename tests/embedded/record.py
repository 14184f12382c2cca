"""Write what CPython prints for each program of `cases`: `python3.13 record.py [NAME ...]`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CASES = Path(__file__).parent / "cases"
# What tests put in the place of this line calls a compiled function.
HELPERS = "def ext(x): return x * 10\n"


def main() -> None:
    """Run the programs with this Python."""
    if sys.version_info[:2] != (3, 13):
        raise SystemExit("the sandbox image has Python 3.13: record with that")
    for case in sorted(CASES.glob("*.py")):
        if len(sys.argv) > 1 and case.stem not in sys.argv[1:]:
            continue
        code = HELPERS + case.read_text()
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code], capture_output=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"{case.stem} fails:\n{done.stderr.decode()}")
        case.with_suffix(".expected").write_bytes(done.stdout)


if __name__ == "__main__":
    main()
