"""What several attack programs need. Handed to the container as a module; no program itself."""

from __future__ import annotations

import ctypes
import os
import platform
from collections.abc import Callable, Iterator
from typing import Any

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long
LIBC.shmat.restype = ctypes.c_void_p
LIBC.mmap.restype = ctypes.c_void_p

NUMBERS = {
    "x86_64": {
        "ptrace": 101,
        "personality": 135,
        "mount": 165,
        "mq_open": 240,
        "add_key": 248,
        "keyctl": 250,
        "unshare": 272,
        "perf_event_open": 298,
        "prlimit64": 302,
        "process_vm_writev": 311,
        "memfd_create": 319,
        "userfaultfd": 323,
        "io_uring_setup": 425,
        "io_uring_enter": 426,
        "pidfd_open": 434,
        "pidfd_getfd": 438,
    },
    "aarch64": {
        "mount": 40,
        "personality": 92,
        "unshare": 97,
        "ptrace": 117,
        "mq_open": 180,
        "add_key": 217,
        "keyctl": 219,
        "perf_event_open": 241,
        "prlimit64": 261,
        "process_vm_writev": 271,
        "memfd_create": 279,
        "userfaultfd": 282,
        "io_uring_setup": 425,
        "io_uring_enter": 426,
        "pidfd_open": 434,
        "pidfd_getfd": 438,
    },
}[platform.machine()]

CLONE_NEWNS = 0x0002_0000
CLONE_NEWUSER = 0x1000_0000
CLONE_NEWPID = 0x2000_0000
CLONE_NEWNET = 0x4000_0000


def checked(returned: int) -> int:
    """What a function of the C library returned; its error where it failed."""
    if returned in (-1, None):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return returned


def syscall(name: str, *arguments: Any) -> int:
    """Makes a system call by its name."""
    wide = [ctypes.c_long(it) if isinstance(it, int) else it for it in arguments]
    return checked(LIBC.syscall(ctypes.c_long(NUMBERS[name]), *wide))


def in_child(work: Callable[[], str]) -> str:
    """What a function returns in a process of its own; the text of its error where it fails."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said = work()
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(theirs, said.encode())
        os._exit(0)
    os.close(theirs)
    with open(ours, "rb") as file:
        text = file.read().decode()
    os.waitpid(child, 0)
    return text


def others() -> Iterator[int]:
    """Processes of this user that are none of this container's."""
    own = os.readlink("/proc/self/ns/mnt")
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            if os.readlink(f"/proc/{name}/ns/mnt") != own:
                yield int(name)
        except OSError:
            continue


def memory(process: int | str, marker: bytes, mode: str = "rb") -> Iterator[tuple[Any, int]]:
    """The places in a process's writable memory where the marker stands, with the open file."""
    with open(f"/proc/{process}/maps") as file:
        lines = [line.split() for line in file]
    with open(f"/proc/{process}/mem", mode, buffering=0) as file:
        for line in lines:
            begin, end = (int(part, 16) for part in line[0].split("-"))
            if not line[1].startswith("rw") or end - begin > 64 << 20:
                continue
            try:
                file.seek(begin)
                data = file.read(end - begin)
            except OSError:
                continue
            at = data.find(marker)
            while at >= 0:
                yield file, begin + at
                at = data.find(marker, at + 1)


def frame(kind: int, message: bytes) -> bytes:
    """A whole frame of the stream between supervisor and host."""
    head = b'{"message":' + message + b',"bytes":[]}'
    payload = len(head).to_bytes(4, "big") + head
    return (7 + len(payload)).to_bytes(4, "big") + bytes([1, kind, 1, 0, 0, 0, 0]) + payload


# What the supervisor alone says: here, that the code did something forbidden.
ENDED = frame(
    8,
    b'{"exit_code":0,"signal":null,"violation":"forged","truncated":false,"full":[]}',
)
