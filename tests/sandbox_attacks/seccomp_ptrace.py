# weakness: seccomp
# goal: stop another process and read its memory by ptrace
# reached: "in the memory of another"
# refused: Operation not permitted
import ctypes
import os
import time

from attack import syscall

ATTACH, PEEK = 16, 2
text = ctypes.create_string_buffer(b"..........................")
child = os.fork()
if child == 0:
    text.value = b"in the memory of another"
    time.sleep(60)
    os._exit(0)
time.sleep(0.3)
syscall("ptrace", ATTACH, child, None, None)
os.waitpid(child, 0)
read = b""
for offset in range(0, 24, 8):
    word = ctypes.c_long()
    at = ctypes.c_void_p(ctypes.addressof(text) + offset)
    syscall("ptrace", PEEK, child, at, ctypes.byref(word))
    read += bytes(word)
result = read.decode()
