# weakness: masked paths
# as: 0:0
# goal: read the timers of all processes of the host
# reached: "Timer List Version"
# refused: ""
with open("/proc/timer_list") as file:
    result = file.read(18)
