# weakness: root user
# goal: make the supervisor the first to be killed when memory runs out
# reached: "1000"
# refused: PermissionError
with open("/proc/1/oom_score_adj", "w") as file:
    file.write("1000")
with open("/proc/1/oom_score_adj") as file:
    result = file.read().strip()
