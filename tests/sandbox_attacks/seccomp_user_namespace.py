# weakness: seccomp
# goal: hold every capability in a user namespace of its own
# reached: "000001ffffffffff"
# refused: Operation not permitted
from attack import CLONE_NEWUSER, in_child, syscall


def capabilities() -> str:
    syscall("unshare", CLONE_NEWUSER)
    with open("/proc/self/status") as file:
        return next(line.split()[1] for line in file if line.startswith("CapEff"))


result = in_child(capabilities)
