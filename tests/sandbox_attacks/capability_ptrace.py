# weakness: capability SYS_PTRACE
# as: 0:0
# goal: read the memory of the supervisor
# reached: true
# refused: PermissionError
from attack import memory

result = next(memory(1, b"impossible length"), None) is not None
