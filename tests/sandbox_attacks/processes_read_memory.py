# weakness: host processes
# goal: read the memory of another execution
# reached: "$SECRET"
# refused: none
import time

import _mce_host

text = "$SECRET"
marked = ["mce-attacked:" + text]
_mce_host.call("test", "ready", {})
time.sleep(80)
# --- beside ---
from attack import memory, others


def search() -> str | None:
    for process in others():
        try:
            for file, at in memory(process, b"mce-attacked:"):
                file.seek(at)
                text = file.read(45)[13:]
                if text.isalnum():
                    return str(text.decode())
        except OSError:
            continue
    return None


result = search() or "none"
