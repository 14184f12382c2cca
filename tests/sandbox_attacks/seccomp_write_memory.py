# weakness: seccomp
# goal: change the memory of another process by process_vm_writev
# reached: "changed"
# refused: Operation not permitted
import ctypes
import os

from attack import in_child, syscall


class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


text = ctypes.create_string_buffer(b"as it was")
own = os.getpid()


def change() -> str:
    new = ctypes.create_string_buffer(b"changed")
    source, target = Part(ctypes.addressof(new), 8), Part(ctypes.addressof(text), 8)
    arguments = (own, ctypes.byref(source), 1, ctypes.byref(target), 1, 0)
    syscall("process_vm_writev", *arguments)
    return ""


said = in_child(change)
if said:
    raise OSError(said)
result = text.value.decode()
