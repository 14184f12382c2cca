# weakness: mount
# goal: learn which files another execution makes
# reached: "$SECRET"
# refused: FileNotFoundError
import os
import time

import _mce_host

try:
    os.mkdir("/host/watched", 0o777)
except OSError:
    pass
_mce_host.call("test", "ready", {})
while True:
    time.sleep(0.2)
    try:
        os.close(os.open("/host/watched/$SECRET", os.O_CREAT))
        os.unlink("/host/watched/$SECRET")
    except OSError:
        pass
# --- beside ---
import os

from attack import LIBC, checked

CREATE = 0x100
watch = checked(LIBC.inotify_init())
if not os.path.isdir("/host/watched"):
    raise FileNotFoundError("/host/watched")
checked(LIBC.inotify_add_watch(watch, b"/host/watched", CREATE))
result = os.read(watch, 4096)[16:].rstrip(b"\0").decode()
