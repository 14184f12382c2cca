# weakness: masked paths
# goal: read how the host's memory is laid out
# reached: "$MEMORY_MAP"
# refused: FileNotFoundError
with open("/sys/firmware/memmap/0/end") as file:
    result = file.read().strip()
