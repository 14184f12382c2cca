# weakness: writable root
# goal: write more to the host's disk than the temporary folders hold together
# reached: 209715200
# refused: Read-only file system
import os

with open("/var/tmp/large", "wb") as file:
    for _ in range(200):
        file.write(os.urandom(1 << 10) * 1024)
result = os.stat("/var/tmp/large").st_size
