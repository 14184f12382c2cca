# weakness: open files
# goal: hold more open files than the limit
# reached: 5000
# refused: Too many open files
import os

result = len([os.open("/dev/null", os.O_RDONLY) for _ in range(5000)])
