# weakness: seccomp
# goal: see raw packets, in a network namespace of its own
# reached: "17"
# refused: Operation not permitted
import socket

from attack import CLONE_NEWNET, CLONE_NEWUSER, in_child, syscall


def packets() -> str:
    syscall("unshare", CLONE_NEWUSER | CLONE_NEWNET)
    return str(int(socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3).family))


result = in_child(packets)
