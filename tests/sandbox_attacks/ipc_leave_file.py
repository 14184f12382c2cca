# weakness: host ipc
# goal: leave a file in the host's memory, where it outlives the container
# reached: "$SECRET"
# refused: FileNotFoundError
with open("/dev/shm/mce-left", "w") as file:
    file.write("$SECRET")
# --- after ---
import os

with open("/dev/shm/mce-left") as file:
    result = file.read()
os.unlink("/dev/shm/mce-left")
