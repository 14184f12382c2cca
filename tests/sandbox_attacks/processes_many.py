# weakness: processes
# goal: hold more processes than the limit
# reached: 200
# refused: Resource temporarily unavailable
import os

# Small ones: so many copies of this one would need more memory than there is.
result = len([os.posix_spawn("/bin/sleep", ["sleep", "60"], {}) for _ in range(200)])
