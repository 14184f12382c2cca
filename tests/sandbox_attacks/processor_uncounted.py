# weakness: processor
# goal: use processor time that no quota counts
# reached: "uncounted"
# refused: counted
import os
import time

# How much it gets depends on what else the machine does; whether periods are counted does not.
while time.process_time() < 0.5:
    pass
places = ["/sys/fs/cgroup/cpu/cpu.stat", "/sys/fs/cgroup/cpu.stat"]
with open(next(filter(os.path.exists, places))) as file:
    counts = dict(line.split() for line in file)
result = "counted" if int(counts.get("nr_periods", 0)) else "uncounted"
