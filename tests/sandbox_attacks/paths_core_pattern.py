# weakness: read-only paths
# as: 0:0
# goal: say which program the host's kernel runs when something crashes
# reached: "written"
# refused: Read-only file system
# The same pattern is written as is there: this is the host's.
with open("/proc/sys/kernel/core_pattern") as file:
    pattern = file.read()
with open("/proc/sys/kernel/core_pattern", "w") as file:
    file.write(pattern)
result = "written"
