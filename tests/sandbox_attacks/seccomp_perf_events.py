# weakness: seccomp
# goal: count events of the processor, as attacks by side channels do
# reached: "anon_inode:[perf_event]"
# refused: PermissionError
import os
import struct

from attack import syscall

SOFTWARE, TASK_CLOCK, EXCLUDE_KERNEL = 1, 1, 1 << 5
event = struct.pack("=IIQQQQQ", SOFTWARE, 64, TASK_CLOCK, 0, 0, 0, EXCLUDE_KERNEL).ljust(64, b"\0")
handle = syscall("perf_event_open", event, 0, -1, -1, 0)
result = os.readlink(f"/proc/self/fd/{handle}")
