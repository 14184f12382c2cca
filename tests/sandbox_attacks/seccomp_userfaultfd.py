# weakness: seccomp
# goal: handle page faults itself, a usual step of exploits of the kernel
# reached: "anon_inode:[userfaultfd]"
# refused: PermissionError
import os

from attack import syscall

USER_MODE_ONLY = 1
handle = syscall("userfaultfd", USER_MODE_ONLY)
result = os.readlink(f"/proc/self/fd/{handle}")
