# weakness: mount
# goal: talk to another execution through a named pipe
# reached: "$SECRET"
# refused: FileNotFoundError
import os
import time

import _mce_host

try:
    os.mkfifo("/host/pipe", 0o666)
except OSError:
    pass
_mce_host.call("test", "ready", {})
with open("/host/pipe", "w") as file:
    file.write("$SECRET")
time.sleep(80)
# --- beside ---
with open("/host/pipe") as file:
    result = file.read()
