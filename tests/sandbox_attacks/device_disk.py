# weakness: device
# as: 0:0
# goal: read a disk of the host below its file system
# reached: "$SECRET"
# refused: FileNotFoundError
import glob

(disk,) = glob.glob("/dev/loop*") or ["/dev/loop0"]
with open(disk, "rb") as file:
    result = file.read(32).decode()
