# weakness: host network
# goal: learn the host's interfaces and their hardware addresses
# reached: $INTERFACES
# refused: ["lo=00:00:00:00:00:00"]
import os

result = []
for name in sorted(os.listdir("/sys/class/net")):
    with open(f"/sys/class/net/{name}/address") as file:
        result.append(f"{name}={file.read().strip()}")
