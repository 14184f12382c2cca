# weakness: root user
# goal: run a program of its own from /dev, which has no `noexec`
# reached: "ran"
# refused: PermissionError
import os
import shutil
import subprocess

shutil.copyfile("/bin/echo", "/dev/program")
os.chmod("/dev/program", 0o755)
command = ["/dev/program", "ran"]
result = subprocess.run(command, capture_output=True, check=True).stdout.decode().strip()
