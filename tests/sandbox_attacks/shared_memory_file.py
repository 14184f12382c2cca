# weakness: shared memory
# goal: write to a third place, which nobody watches
# reached: "written"
# refused: FileNotFoundError
with open("/dev/shm/place", "w") as file:
    file.write("written")
with open("/dev/shm/place") as file:
    result = file.read()
