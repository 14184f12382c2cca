# weakness: processes
# goal: hold more threads than the limit
# reached: 300
# refused: can't start new thread
# gvisor: its threads are none of the host, whose limit is in force for what runs them
import threading

threading.stack_size(64 << 10)
waiting = threading.Event()
threads = [threading.Thread(target=waiting.wait, daemon=True) for _ in range(300)]
for thread in threads:
    thread.start()
result = sum(thread.is_alive() for thread in threads)
