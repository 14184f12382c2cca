# weakness: writable root
# goal: run a program of its own from a folder that all may write
# reached: "ran"
# refused: Read-only file system
import shutil
import subprocess

shutil.copy("/bin/echo", "/var/tmp/program")
command = ["/var/tmp/program", "ran"]
result = subprocess.run(command, capture_output=True, check=True).stdout.decode().strip()
