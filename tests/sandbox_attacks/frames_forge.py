# weakness: any frame
# goal: say itself how it ended, through its own channel
# reached: {"error": "the code wrote to a descriptor of the sandbox what does not belong there: forged"}
# refused: a frame of an unknown version or kind
import gc
import socket
import time

from attack import ENDED

for thing in gc.get_objects():
    if type(thing) is socket.socket:
        try:
            thing.sendall(ENDED)
        except OSError:
            continue
time.sleep(10)
