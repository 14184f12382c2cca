# weakness: time
# goal: run on after its time, whatever it is told
# reached: "still here"
# refused: longer than 2 seconds
import signal
import time

signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.valid_signals()))
end = time.monotonic() + 3
while time.monotonic() < end:
    try:
        while time.monotonic() < end:
            pass
    except BaseException:
        pass
result = "still here"
