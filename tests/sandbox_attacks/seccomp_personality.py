# weakness: seccomp
# goal: switch off the randomisation of addresses for the programs it runs
# reached: 1
# refused: PermissionError
import subprocess
import sys

from attack import syscall

ADDR_NO_RANDOMIZE = 0x004_0000
syscall("personality", ADDR_NO_RANDOMIZE)
command = [sys.executable, "-I", "-c", "print(id(object))"]
runs = [subprocess.run(command, capture_output=True, check=True).stdout for _ in range(4)]
result = len(set(runs))
