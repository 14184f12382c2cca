# weakness: seccomp
# goal: be the first process of a process namespace, where the supervisor's signals end
# reached: "1"
# refused: Operation not permitted
import os

from attack import CLONE_NEWPID, CLONE_NEWUSER, in_child, syscall


def first() -> str:
    syscall("unshare", CLONE_NEWUSER | CLONE_NEWPID)
    return in_child(lambda: str(os.getpid()))


result = in_child(first)
