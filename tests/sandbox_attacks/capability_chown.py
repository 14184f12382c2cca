# weakness: capability CHOWN
# as: 0:0
# goal: give a file to another user, as a way to plant one
# reached: [1000, 1000]
# refused: PermissionError
import os

with open("/tmp/planted", "w") as file:
    os.chown(file.fileno(), 1000, 1000)
found = os.stat("/tmp/planted")
result = [found.st_uid, found.st_gid]
