# weakness: message queues
# goal: make a queue of the kernel by making a file, without a system call for queues
# reached: "QSIZE:0"
# refused: Read-only file system
with open("/dev/mqueue/queue", "w"):
    pass
with open("/dev/mqueue/queue") as file:
    result = file.read().split()[0]
