# weakness: boundless folders
# goal: keep more in /tmp than it holds
# reached: 104857600
# refused: No space left on device
import os

with open("/tmp/large", "wb") as file:
    for _ in range(100):
        file.write(bytes(1 << 20))
result = os.stat("/tmp/large").st_size
