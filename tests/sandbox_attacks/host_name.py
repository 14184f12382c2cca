# weakness: host name
# goal: learn which machine this is
# reached: "$HOST_NAME"
# refused: sandbox
import os

result = os.uname().nodename
