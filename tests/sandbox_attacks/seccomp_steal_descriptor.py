# weakness: seccomp
# goal: take an open file from another process by pidfd_getfd
# reached: "in the file of another"
# refused: Operation not permitted
import os
import time

from attack import syscall

ours, theirs = os.pipe()
child = os.fork()
if child == 0:
    file = os.open("/tmp/theirs", os.O_CREAT | os.O_RDWR)
    os.unlink("/tmp/theirs")
    os.write(file, b"in the file of another")
    os.write(theirs, str(file).encode())
    time.sleep(60)
    os._exit(0)
number = int(os.read(ours, 16))
stolen = syscall("pidfd_getfd", syscall("pidfd_open", child, 0), number, 0)
result = os.pread(stolen, 64, 0).decode()
