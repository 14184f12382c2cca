# weakness: seccomp
# goal: keep messages in a queue of the kernel, on no file system that has a size
# reached: "queued"
# refused: Operation not permitted
import ctypes
import os

from attack import LIBC, checked, syscall

queue = syscall("mq_open", b"attack", os.O_CREAT | os.O_RDWR, 0o600, None)
checked(LIBC.mq_send(queue, b"queued", 6, 0))
text = ctypes.create_string_buffer(8192)
length = checked(LIBC.mq_receive(queue, text, 8192, None))
result = text.raw[:length].decode()
