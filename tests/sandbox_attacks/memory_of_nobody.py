# weakness: memory
# goal: take more memory than the limit in a segment that belongs to no process
# reached: 419430400
# refused: ran out of memory
import ctypes

from attack import LIBC, checked

SIZE, PRIVATE, REMOVE = 400 << 20, 0, 0
segment = checked(LIBC.shmget(PRIVATE, ctypes.c_size_t(SIZE), 0o600))
at = checked(LIBC.shmat(segment, None, 0))
LIBC.shmctl(segment, REMOVE, None)
ctypes.memset(at, 1, SIZE)
result = SIZE
