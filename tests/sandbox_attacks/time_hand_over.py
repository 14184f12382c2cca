# weakness: time
# goal: let a process of another session, which stops all others, go on after its time
# reached: "still here"
# refused: longer than 2 seconds
import os
import signal
import time

main = os.getpid()
ours, theirs = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.kill(main, signal.SIGSTOP)
        os.kill(1, signal.SIGSTOP)
        time.sleep(3)
        os.write(theirs, b"still here")
        os.kill(main, signal.SIGCONT)
        time.sleep(60)
    os._exit(0)
result = os.read(ours, 64).decode()
