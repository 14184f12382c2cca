# weakness: host ipc
# goal: leave a number in a semaphore for the next execution
# reached: 4711
# refused: FileNotFoundError
from attack import LIBC, checked

CREATE, SET_VALUE = 0o1000, 16
semaphore = checked(LIBC.semget(0x6D63_6502, 1, CREATE | 0o600))
checked(LIBC.semctl(semaphore, 0, SET_VALUE, 4711))
# --- after ---
from attack import LIBC, checked

REMOVE, GET_VALUE = 0, 12
semaphore = checked(LIBC.semget(0x6D63_6502, 1, 0o600))
result = checked(LIBC.semctl(semaphore, 0, GET_VALUE, 0))
LIBC.semctl(semaphore, 0, REMOVE, 0)
