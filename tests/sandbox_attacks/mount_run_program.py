# weakness: mount
# goal: run a program of its own from a folder of the host
# reached: "ran"
# refused: No such file or directory
import shutil
import subprocess

shutil.copy("/bin/echo", "/host/program")
command = ["/host/program", "ran"]
result = subprocess.run(command, capture_output=True, check=True).stdout.decode().strip()
