"""Looks byte by byte for marks: in containers as the host sees them, in files, in what was said."""

from __future__ import annotations

import base64
import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

LABEL = "mce.instance"


def spellings(mark: str) -> dict[str, bytes]:
    """A mark of letters and digits as it may be found."""
    raw = mark.encode()
    found = {
        "raw": raw,
        "hex": raw.hex().encode(),
        "HEX": raw.hex().upper().encode(),
        "percent": "".join(f"%{byte:02X}" for byte in raw).encode(),
        "percent lower": "".join(f"%{byte:02x}" for byte in raw).encode(),
        "JSON": "".join(f"\\u{byte:04x}" for byte in raw).encode(),
        "UTF-16": mark.encode("utf-16-le")[:-1],
        "UTF-32": mark.encode("utf-32-le")[:-3],
    }
    for alignment in range(3):
        # Characters that also hold bits of what stands before or after are left out.
        text = base64.b64encode(b"\0" * alignment + raw)
        found[f"base64 {alignment}"] = text[-(-alignment * 8 // 6) : (alignment + len(raw)) * 8 // 6]
    return found


@dataclass
class Search:
    """Marks by name, what was searched for them, and where they were."""

    marks: dict[str, str]
    places: int = 0
    searched: int = 0
    hits: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.patterns = [
            (name, spelling, text) for name, mark in self.marks.items() for spelling, text in spellings(mark).items()
        ]

    def look(self, place: str, content: bytes) -> None:
        """Searches a content."""
        self.places += 1
        self.searched += len(content)
        for name, spelling, text in self.patterns:
            at = content.find(text)
            if at >= 0:
                around = content[max(0, at - 40) : at + 80]
                self.hits.setdefault(name, []).append(f"{place}: {spelling}: {around!r}")

    def folder(self, folder: Path, besides: frozenset[str]) -> None:
        """Every file below, links and what is named left out."""
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.is_symlink() and path.name not in besides:
                self.look(str(path.relative_to(folder)), path.read_bytes())

    def containers(self, instances: set[str]) -> int:
        """Every container of these instances of MCE, from outside: what the engine tells of it, and its
        processes. How many processes were searched."""
        count = 0
        listed = docker("ps", "--all", "--no-trunc", "--filter", f"label={LABEL}", "--format", f'{{{{.ID}}}} {{{{.Label "{LABEL}"}}}}')
        for line in listed.decode().splitlines():
            container, instance = line.split()
            if instance not in instances:
                continue
            self.look(f"inspect {container[:12]}", docker("inspect", container))
            self.look(f"logs {container[:12]}", docker("logs", container))
            # The first line has the names of the columns.
            for line in docker("top", container, "-eo", "pid").decode().split()[1:]:
                count += self.process(int(line), container[:12])
        return count

    def process(self, pid: int, owner: str) -> bool:
        """The environment, the arguments and all memory of a process. Whether it was there."""
        folder = Path("/proc", str(pid))
        try:
            self.look(f"{owner} environ of {pid}", (folder / "environ").read_bytes())
            self.look(f"{owner} cmdline of {pid}", (folder / "cmdline").read_bytes())
            maps = (folder / "maps").read_text()
            with (folder / "mem").open("rb", 0) as memory:
                for line in maps.splitlines():
                    found = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ (\d+)\s*(.*)", line)
                    if found is None:
                        continue
                    start, end, mode, inode, name = found.groups()
                    # What the kernel provides, and files of the image that nothing can have written into.
                    is_file = inode != "0" and "w" not in mode
                    if "r" not in mode or is_file or name in ("[vvar]", "[vvar_vclock]", "[vsyscall]"):
                        continue
                    self.look(f"{owner} memory of {pid} {name or 'anonymous'}", read(memory.fileno(), int(start, 16), int(end, 16)))
        except (FileNotFoundError, ProcessLookupError):
            return False
        return True


def read(descriptor: int, start: int, end: int) -> bytes:
    """A span of memory, as far as it can be read."""
    parts = []
    while start < end:
        try:
            part = os.pread(descriptor, min(end - start, 16 << 20), start)
        except OSError:
            part = b""
        parts.append(part)
        # A page that is there in name only is passed over.
        start += len(part) or 4096
    return b"".join(parts)


def docker(*arguments: str) -> bytes:
    """What the engine says, in both streams: a container may be gone by then."""
    done = subprocess.run(["docker", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout if done.returncode == 0 or arguments[0] != "top" else b""
