# weakness: capability MKNOD
# as: 0:0
# goal: make a device that stands for the host's disk
# reached: [7, 0]
# refused: PermissionError
import errno
import os
import stat

os.mknod("/tmp/disk", stat.S_IFBLK | 0o600, os.makedev(7, 0))
try:
    os.close(os.open("/tmp/disk", os.O_RDONLY))
except OSError as error:
    # The mount lets nobody open it. With nothing behind it (gVisor) it is not the host's.
    if error.errno == errno.ENXIO:
        raise
device = os.stat("/tmp/disk").st_rdev
result = [os.major(device), os.minor(device)]
