# weakness: seccomp
# goal: mount a file system of its own over /etc and write the accounts there
# reached: "root::0:0::/:/bin/sh"
# refused: Operation not permitted
import os

from attack import CLONE_NEWNS, CLONE_NEWUSER, in_child, syscall


def accounts() -> str:
    maps = {"uid_map": f"0 {os.getuid()} 1", "setgroups": "deny", "gid_map": f"0 {os.getgid()} 1"}
    syscall("unshare", CLONE_NEWUSER | CLONE_NEWNS)
    for name, text in maps.items():
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
    syscall("mount", b"none", b"/etc", b"tmpfs", 0, None)
    with open("/etc/passwd", "w") as file:
        file.write("root::0:0::/:/bin/sh")
    with open("/etc/passwd") as file:
        return file.read()


result = in_child(accounts)
