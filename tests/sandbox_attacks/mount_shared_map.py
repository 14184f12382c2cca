# weakness: mount
# goal: change the memory that another execution maps
# judged: other
# reached: "$SECRET"
# refused: FileNotFoundError
import mmap

import _mce_host

with open("/host/map", "wb+") as file:
    file.truncate(4096)
    page = mmap.mmap(file.fileno(), 4096)
_mce_host.call("test", "ready", {})
_mce_host.call("test", "wait", {})
result = page[:32].rstrip(b"\0").decode()
# --- beside ---
import mmap

with open("/host/map", "rb+") as file:
    page = mmap.mmap(file.fileno(), 4096)
page[:32] = b"$SECRET"
